/*
 * cmd_selftest.c - the tests that an image may carry
 *
 * They bring a memory manager of their own and get one block of ours to run in;
 * nothing of theirs is left when they are done.
 */
#include "console/command.h"

#include "console/console.h"
#include "console/out.h"
#include "mm/frame.h"
#include "mm/mempool.h"
#include "net/fwd.h"

static const struct console_selftest *tests(void)
{
    return console_hooks()->selftest;
}

/* What must be after the tests as it was before them. */
struct stock {
    uint64_t memory; /* bytes in use */
    uint64_t pools, buffers;
};

static struct stock stock_get(void)
{
    struct stock s = { 0 };
    struct frame_stats frames;

    frame_stats_get(&frames);
    s.memory = frames.used;
    for (struct mempool *p = mempool_next(NULL); p != NULL;
         p = mempool_next(p)) {
        s.pools++;
        s.buffers += mempool_available(p);
    }
    return s;
}

static bool stock_is(const struct stock *before)
{
    const struct stock now = stock_get();

    if (now.memory == before->memory && now.pools == before->pools &&
        now.buffers == before->buffers)
        return true;
    out("selftest: memory in use changed from %llu to %llu bytes, pools from "
        "%llu to %llu, free buffers from %llu to %llu\n",
        (unsigned long long)before->memory, (unsigned long long)now.memory,
        (unsigned long long)before->pools, (unsigned long long)now.pools,
        (unsigned long long)before->buffers, (unsigned long long)now.buffers);
    return false;
}

static struct console_selftest_result run_group(unsigned i, void *memory)
{
    const struct console_selftest_result r = tests()->run(i, memory, out);

    out("%-28s %4u tests, %u failed\n", tests()->group(i), r.tests, r.failed);
    out_flush(); /* the next one may take seconds */
    return r;
}

static enum status run(unsigned first, unsigned count)
{
    struct console_selftest_result sum = { 0 };
    const struct stock before = stock_get();
    void *memory;

    if (fwd_is_running()) {
        out("Packet forwarding is on: stop it first\n");
        return E_STATE;
    }
    memory = frame_alloc(tests()->bytes, 0, "selftest");
    if (memory == NULL) {
        out("selftest: no %llu MiB of memory in one piece\n",
            (unsigned long long)(tests()->bytes >> 20));
        return E_NOMEM;
    }
    for (unsigned i = first; i - first < count && tests()->group(i) != NULL;
         i++) {
        const struct console_selftest_result r = run_group(i, memory);

        sum.tests += r.tests;
        sum.failed += r.failed;
    }
    frame_free(memory);
    out("selftest: %u tests, %u failed\n", sum.tests, sum.failed);
    return stock_is(&before) && sum.failed == 0 ? OK : E_CORRUPT;
}

static enum status cmd_selftest(const struct command_call *call)
{
    if (tests() == NULL) {
        out("This image carries no tests; `make selftest-image` makes one that "
            "does\n");
        return E_NOENT;
    }
    return call->count > 1 ? run((unsigned)call->word[1].number, 1)
                           : run(0, UINT32_MAX);
}

const struct command commands_selftest[] = {
    { "selftest [<tests>]", SECTION_SYSTEM, COMMAND_PROMPT_ONLY, cmd_selftest,
      "run the tests that this image carries, or one group of them" },
    { 0 },
};
