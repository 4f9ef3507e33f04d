/*
 * mailbox.c - work for one core, and a way to make it stand still
 */
#include "kernel/mailbox.h"

static uint32_t count_get(const uint32_t *count)
{
    return __atomic_load_n(count, __ATOMIC_ACQUIRE);
}

static void count_set(uint32_t *count, uint32_t value)
{
    __atomic_store_n(count, value, __ATOMIC_RELEASE);
}

enum status mailbox_post(struct mailbox *m, core_step *step, void *arg)
{
    if (mailbox_is_busy(m))
        return E_BUSY;
    m->step = step;
    m->arg = arg;
    count_set(&m->asked, m->asked + 1);
    return OK;
}

bool mailbox_is_busy(const struct mailbox *m)
{
    return count_get(&m->done) != m->asked;
}

void mailbox_hold(struct mailbox *m, uint32_t number)
{
    count_set(&m->hold, number);
}

bool mailbox_is_held(const struct mailbox *m)
{
    return count_get(&m->held) == m->hold || !mailbox_is_busy(m);
}

void mailbox_release(struct mailbox *m)
{
    count_set(&m->hold, 0);
}

void mailbox_quiet_ask(struct mailbox *m, uint64_t ticket)
{
    /* In one order with the core's look, so that one of us sees the other. */
    __atomic_store_n(&m->ticket, ticket, __ATOMIC_SEQ_CST);
}

bool mailbox_quiet_reached(const struct mailbox *m, uint64_t ticket)
{
    return __atomic_load_n(&m->quiet, __ATOMIC_ACQUIRE) >= ticket ||
           !mailbox_is_busy(m);
}

bool mailbox_has_work(const struct mailbox *m)
{
    return count_get(&m->asked) != m->done;
}

bool mailbox_turn(struct mailbox *m)
{
    const uint32_t asked = count_get(&m->asked);
    const uint32_t hold = count_get(&m->hold);
    const uint64_t ticket = __atomic_load_n(&m->ticket, __ATOMIC_ACQUIRE);

    if (asked == m->done)
        return false;
    if (m->quiet != ticket)
        __atomic_store_n(&m->quiet, ticket, __ATOMIC_RELEASE);
    if (hold != 0) {
        if (m->held != hold)
            count_set(&m->held, hold); /* M3 */
        return true;
    }
    if (!m->step(m->arg))
        count_set(&m->done, asked);
    return true;
}
