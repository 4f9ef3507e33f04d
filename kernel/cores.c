/*
 * cores.c - the list of cores, and one mailbox for each
 *
 *   C1  what is not const in the list is written by control only
 *   C2  holds nest: the mailboxes hear of the first and of the last release
 */
#include <string.h>

#include <millrace/clock.h>
#include <millrace/core.h>
#include <millrace/log.h>

#include "kernel/mailbox.h"

static struct core_info cores[LCORE_MAX];
static struct mailbox mailboxes[LCORE_MAX];
static unsigned count = 1;
static unsigned control; /* the core that calls us */
static unsigned hold_depth;
static uint32_t hold_number;
static uint64_t last_ticket;

void core_init(void)
{
    memset(cores, 0, sizeof(cores));
    memset(mailboxes, 0, sizeof(mailboxes));
    cores[0].is_ready = true;
    count = 1;
    control = 0;
    hold_depth = 0;
    last_ticket = 0;
}

enum status core_add(unsigned lcore, const struct core_info *info)
{
    if (lcore > count || lcore >= LCORE_MAX)
        return E_RANGE;
    cores[lcore] = *info;
    if (lcore == 0)
        cores[lcore].is_ready = true;
    if (lcore == count)
        count++;
    return OK;
}

void core_set_ready(unsigned lcore)
{
    cores[lcore].is_ready = true;
}

unsigned core_count(void)
{
    return count;
}

const struct core_info *core_info_get(unsigned lcore)
{
    return lcore < count ? &cores[lcore] : NULL;
}

unsigned core_control(void)
{
    return control;
}

void core_control_set(unsigned lcore)
{
    control = lcore;
}

bool core_takes_work(unsigned lcore)
{
    return lcore != control && lcore < count && cores[lcore].is_ready;
}

/* ---- work ---- */

enum status core_run(unsigned lcore, core_step *step, void *arg)
{
    enum status s;

    if (!core_takes_work(lcore))
        return E_NOENT;
    s = mailbox_post(&mailboxes[lcore], step, arg);
    if (s == OK)
        plat_core_wake(lcore);
    return s;
}

bool core_is_busy(unsigned lcore)
{
    return core_takes_work(lcore) && mailbox_is_busy(&mailboxes[lcore]);
}

enum status core_wait(unsigned lcore, uint64_t timeout_us)
{
    const struct deadline d = deadline_in_us(timeout_us);

    while (core_is_busy(lcore)) {
        if (deadline_passed(&d))
            return E_TIMEOUT;
        plat_pause();
    }
    return OK;
}

/* ---- standing still ---- */

/* The first core that still works, or LCORE_MAX. */
static unsigned not_held(void)
{
    for (unsigned i = 0; i < count; i++)
        if (core_takes_work(i) && !mailbox_is_held(&mailboxes[i]))
            return i;
    return LCORE_MAX;
}

static void hold_all(void)
{
    if (++hold_number == 0)
        hold_number = 1;
    for (unsigned i = 0; i < count; i++)
        mailbox_hold(&mailboxes[i], hold_number);
}

static void release_all(void)
{
    for (unsigned i = 0; i < count; i++)
        mailbox_release(&mailboxes[i]);
}

enum status core_hold(uint64_t timeout_us)
{
    const struct deadline d = deadline_in_us(timeout_us);
    unsigned lcore;

    if (hold_depth == 0)
        hold_all();
    while ((lcore = not_held()) != LCORE_MAX) {
        if (deadline_passed(&d)) {
            log_error("core %u: no quiet point within %llu us", lcore,
                      (unsigned long long)timeout_us);
            if (hold_depth == 0)
                release_all();
            return E_TIMEOUT;
        }
        plat_pause();
    }
    hold_depth++;
    return OK;
}

void core_release(void)
{
    if (hold_depth == 0)
        panic("cores: released without a hold");
    if (--hold_depth == 0)
        release_all();
}

/* ---- quiet points ---- */

uint64_t core_quiet_ask(void)
{
    last_ticket++;
    for (unsigned i = 0; i < count; i++)
        mailbox_quiet_ask(&mailboxes[i], last_ticket);
    return last_ticket;
}

bool core_quiet_reached(uint64_t ticket)
{
    for (unsigned i = 0; i < count; i++)
        if (core_takes_work(i) && !mailbox_quiet_reached(&mailboxes[i], ticket))
            return false;
    return true;
}

/* ---- the core's own side ---- */

bool core_turn(unsigned lcore)
{
    return mailbox_turn(&mailboxes[lcore]);
}

bool core_has_work(unsigned lcore)
{
    return mailbox_has_work(&mailboxes[lcore]);
}

const void *core_work_line(unsigned lcore)
{
    return &mailboxes[lcore].asked;
}
