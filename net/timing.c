/*
 * timing.c - the loop once more, for the slices whose bursts are timed
 *
 * It is not inlined into engines and reads the clock at every turn, so it is
 * slower, and run rarely.
 */
#include "net/engine.h"

void stage_enter(struct stage_clock *clock, enum lcore_stage stage)
{
    const uint64_t now = plat_cycles();

    clock->cycles[clock->stage] += now - clock->since;
    clock->since = now;
    clock->stage = stage;
}

/* ---- the calls of a port ---- */

unsigned stage_forward(struct stream *s, unsigned max, port_edit *edit,
                       const void *context)
{
    unsigned n;

    stage_enter(s->clock, LCORE_STAGE_FORWARD);
    n = port_forward(s->rxq, s->txq, max, edit, context);
    stage_enter(s->clock, LCORE_STAGE_ENGINE);
    return n;
}

unsigned stage_receive(struct stream *s, struct mbuf *pkts[], unsigned max)
{
    unsigned n;

    stage_enter(s->clock, LCORE_STAGE_RX);
    n = port_rx_burst(s->rxq, pkts, max);
    stage_enter(s->clock, LCORE_STAGE_ENGINE);
    return n;
}

unsigned stage_send(struct stream *s, struct mbuf *pkts[], unsigned n)
{
    unsigned sent;

    stage_enter(s->clock, LCORE_STAGE_TX);
    sent = port_tx_burst(s->txq, pkts, n);
    stage_enter(s->clock, LCORE_STAGE_ENGINE);
    return sent;
}

/* ---- the loop ---- */

static void note(struct lcore *lcore, const struct stage_clock *clock,
                 uint64_t cycles, unsigned n)
{
    struct lcore_sample *sample = &lcore->sample;

    counter_add(&sample->times[lcore_time_size(lcore, cycles)], 1);
    if (lcore->gap_cycles != 0 && cycles > lcore->gap_cycles)
        return; /* somebody else had the core */
    counter_add(&sample->bursts, 1);
    counter_add(&sample->packets, n);
    for (unsigned i = 0; i < LCORE_STAGE_COUNT; i++)
        counter_add(&sample->cycles[i], clock->cycles[i]);
}

static unsigned burst_timed(struct lcore *lcore, struct stream *s, unsigned max)
{
    const uint64_t since = plat_cycles();
    struct stage_clock clock = { .since = since, .stage = LCORE_STAGE_ENGINE };
    unsigned n;

    s->clock = &clock;
    n = lcore->engine->burst(s, max);
    s->clock = NULL;
    stage_enter(&clock, LCORE_STAGE_ENGINE);
    if (n > 0)
        note(lcore, &clock, clock.since - since, n);
    return n;
}

void engine_rounds_timed(struct lcore *lcore, unsigned rounds)
{
    for (unsigned r = 0; r < rounds; r++) {
        const uint64_t since = plat_cycles();
        unsigned found = 0;

        if (lcore_requested(lcore) != LCORE_RUN)
            return;
        for (unsigned i = 0; i < lcore->stream_count; i++) {
            const unsigned n =
                burst_timed(lcore, &lcore->streams[i], lcore->burst);

            engine_count_burst(lcore, n);
            found += n;
        }
        engine_count_round(lcore, lcore->record_cycles, since, found);
    }
}
