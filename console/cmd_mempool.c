/*
 * cmd_mempool.c - packet buffers: where they are, and what if there were none
 */
#include "console/command.h"

#include "console/out.h"
#include "console/report.h"
#include "console/show.h"
#include "mm/mbuf.h"
#include "mm/mempool.h"

static struct mbuf *held; /* linked by next; newest first */

static unsigned held_of(const struct mempool *pool)
{
    unsigned n = 0;

    for (const struct mbuf *m = held; m != NULL; m = m->next)
        n += pool == NULL || m->pool == pool;
    return n;
}

static enum status cmd_show_mempool(const struct command_call *call)
{
    report_begin(command_ends_in(call, "json"));
    show_buffers(held_of(NULL));
    report_end();
    return OK;
}

static void hold(struct mempool *pool, uint64_t n)
{
    struct mbuf *m;

    if (n > mempool_available(pool))
        n = mempool_available(pool); /* a get that must fail would be counted */
    for (; n > 0 && mempool_get_bulk(pool, &m, 1) == OK; n--) {
        m->next = held;
        held = m;
    }
}

static void tell_held(void)
{
    for (struct mempool *p = mempool_next(NULL); p != NULL; p = mempool_next(p))
        out("%s: holds %u buffers\n", mempool_name(p), held_of(p));
}

static enum status cmd_hold(const struct command_call *call)
{
    const uint64_t n = call->count > 3 ? call->word[3].number : UINT64_MAX;

    for (struct mempool *p = mempool_next(NULL); p != NULL; p = mempool_next(p))
        hold(p, n);
    tell_held();
    return OK;
}

static enum status cmd_release(const struct command_call *call)
{
    (void)call;
    while (held != NULL) {
        struct mbuf *m = held;

        held = m->next;
        m->next = NULL;
        mempool_put_bulk(m->pool, &m, 1);
    }
    tell_held();
    return OK;
}

const struct command commands_mempool[] = {
    { "show mempool [json]", SECTION_SYSTEM, 0, cmd_show_mempool,
      "packet buffers: how many, and where they are" },
    { "debug mempool hold [<1..16777216>]", SECTION_SYSTEM, COMMAND_PROMPT_ONLY,
      cmd_hold,
      "take all free buffers, or so many of each pool, to see what happens "
      "without" },
    { "debug mempool release", SECTION_SYSTEM, COMMAND_PROMPT_ONLY, cmd_release,
      "give them back" },
    { 0 },
};
