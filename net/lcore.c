/*
 * lcore.c - starting and stopping the loop; the loop itself is in engine.h
 */
#include "net/lcore.h"

#include <millrace/plat.h>

#include "net/engine.h"

const char *const fwd_drop_names[FWD_DROP_COUNT] = {
#define FWD_DROP_NAME(id, name) name,
    FWD_DROPS(FWD_DROP_NAME)
#undef FWD_DROP_NAME
};

const char *const lcore_stage_names[LCORE_STAGE_COUNT] = {
#define LCORE_STAGE_NAME(id, name) name,
    LCORE_STAGES(LCORE_STAGE_NAME)
#undef LCORE_STAGE_NAME
};

void lcore_assign(struct lcore *lcore, struct stream *streams, unsigned count,
                  const struct engine *engine)
{
    lcore->streams = streams;
    lcore->stream_count = count;
    lcore->engine = engine;
    __atomic_store_n(&lcore->request, LCORE_RUN, __ATOMIC_RELEASE);
}

/* ---- time ---- */

/* Only here does a data core ask for SMIs: reading the count takes a while. */
static uint32_t new_smis(struct lcore *lcore)
{
    uint32_t now = 0, since = 0;

    if (!plat_smi_count(&now))
        return 0;
    if (lcore->knows_smis)
        since = now - lcore->smis;
    lcore->smis = now;
    lcore->knows_smis = true;
    return since;
}

static void note_gap(struct lcore *lcore, uint64_t cycles, uint64_t now)
{
    struct lcore_gaps *g = &lcore->gaps;
    const uint32_t smis = new_smis(lcore);
    unsigned size = 0;

    for (uint64_t c = cycles / lcore->gap_cycles; c > 1; c >>= 1)
        size++;
    if (size >= LCORE_GAP_SIZES)
        size = LCORE_GAP_SIZES - 1;
    counter_add(&g->count, 1);
    counter_add(&g->cycles, cycles);
    counter_add(&g->sizes[size], 1);
    counter_add(&g->smis, smis);
    counter_add(&g->with_smi, smis != 0);
    counter_set(&g->last, now);
    if (cycles > g->longest)
        counter_set(&g->longest, cycles);
}

/*
 * @cycles for @rounds rounds, of which @idle found nothing. What a timed round
 * costs is no measure for others.
 */
static void account(struct lcore *lcore, uint64_t cycles, uint64_t rounds,
                    uint64_t idle, bool timed)
{
    uint64_t idle_cycles = idle * lcore->idle_round_cycles;

    if (idle == rounds) {
        idle_cycles = cycles;
        if (rounds == LCORE_SLICE && !timed)
            lcore->idle_round_cycles = cycles / LCORE_SLICE;
    } else if (idle_cycles > cycles) {
        idle_cycles = cycles;
    }
    counter_add(&lcore->idle_cycles, idle_cycles);
    counter_add(&lcore->work_cycles, cycles - idle_cycles);
}

static bool is_sampled(struct lcore *lcore)
{
    const uint64_t slice = lcore->slices;

    counter_add(&lcore->slices, 1);
    return slice % LCORE_SAMPLED == LCORE_SAMPLED - 1;
}

static void run_slice(struct lcore *lcore, unsigned rounds)
{
    const uint64_t rounds_before = lcore->rounds;
    const uint64_t idle_before = lcore->idle_rounds;
    const bool timed = is_sampled(lcore);
    const uint64_t since = plat_cycles();
    uint64_t now, cycles;

    if (unlikely(timed))
        engine_rounds_timed(lcore, rounds);
    else
        lcore->engine->run(lcore, rounds);
    now = plat_cycles();
    cycles = now - since;
    counter_add(&lcore->slice_times[lcore_time_size(lcore, cycles / rounds)],
                1);
    if (unlikely(lcore->gap_cycles != 0 && cycles > lcore->gap_cycles))
        note_gap(lcore, cycles, now);
    else
        account(lcore, cycles, lcore->rounds - rounds_before,
                lcore->idle_rounds - idle_before, timed);
}

/* ---- running ---- */

void lcore_run(struct lcore *lcore, unsigned rounds)
{
    for (unsigned r = 0; rounds == 0 || r < rounds; r += LCORE_SLICE) {
        const unsigned left = rounds - r;

        if (lcore_requested(lcore) != LCORE_RUN)
            return;
        run_slice(lcore,
                  rounds == 0 || left > LCORE_SLICE ? LCORE_SLICE : left);
    }
}

bool lcore_step(void *context)
{
    struct lcore *lcore = context;

    if (!lcore->knows_smis)
        (void)new_smis(lcore);
    lcore_run(lcore, LCORE_STEP_ROUNDS);
    return lcore_requested(lcore) == LCORE_RUN;
}

void lcore_stop(struct lcore *lcore)
{
    __atomic_store_n(&lcore->request, LCORE_STOP, __ATOMIC_RELEASE);
}
