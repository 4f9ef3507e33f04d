/*
 * show_lcore.c - blocks about cores: what they are, what they do, who disturbs
 *
 * The same facts for people and, as JSON with one object a line, for programs.
 * All counters are since the last `start`.
 */
#include "console/show.h"

#include <inttypes.h>
#include <stdio.h>

#include <millrace/clock.h>
#include <millrace/core.h>
#include <millrace/plat.h>

#include "console/out.h"
#include "net/fwd.h"

/* What one core has counted; zeros for one that never forwarded. */
struct view {
    unsigned id;
    const struct core_info *info;
    const struct lcore *lcore; /* NULL: it has no streams */
    uint64_t rounds, idle_rounds, packets;
    uint64_t work_cycles, idle_cycles;
    uint64_t bursts[LCORE_BURST_SIZES];
    struct lcore_gaps gaps;
    uint64_t slices[LCORE_TIME_SIZES];
    struct lcore_sample sample;
    uint64_t interrupts;
};

static const struct lcore *lcore_of(unsigned id)
{
    for (unsigned i = 0; i < fwd_lcore_count(); i++)
        if (fwd_lcore(i)->id == id)
            return fwd_lcore(i);
    return NULL;
}

static void gaps_read(const struct lcore_gaps *from, struct lcore_gaps *to)
{
    to->count = counter_read(&from->count);
    to->cycles = counter_read(&from->cycles);
    to->longest = counter_read(&from->longest);
    to->last = counter_read(&from->last);
    to->with_smi = counter_read(&from->with_smi);
    to->smis = counter_read(&from->smis);
    for (unsigned b = 0; b < LCORE_GAP_SIZES; b++)
        to->sizes[b] = counter_read(&from->sizes[b]);
}

static void sample_read(const struct lcore_sample *from,
                        struct lcore_sample *to)
{
    to->bursts = counter_read(&from->bursts);
    to->packets = counter_read(&from->packets);
    for (unsigned i = 0; i < LCORE_STAGE_COUNT; i++)
        to->cycles[i] = counter_read(&from->cycles[i]);
    for (unsigned i = 0; i < LCORE_TIME_SIZES; i++)
        to->times[i] = counter_read(&from->times[i]);
}

static struct view view_of(unsigned id)
{
    const struct lcore *l = lcore_of(id);
    struct view v = { .id = id,
                      .info = core_info_get(id),
                      .lcore = l,
                      .interrupts = plat_interrupts(id) };

    if (l == NULL)
        return v;
    v.rounds = counter_read(&l->rounds);
    v.idle_rounds = counter_read(&l->idle_rounds);
    v.packets = counter_read(&l->packets);
    v.work_cycles = counter_read(&l->work_cycles);
    v.idle_cycles = counter_read(&l->idle_cycles);
    for (unsigned b = 0; b < LCORE_BURST_SIZES; b++)
        v.bursts[b] = counter_read(&l->bursts[b]);
    gaps_read(&l->gaps, &v.gaps);
    for (unsigned i = 0; i < LCORE_TIME_SIZES; i++)
        v.slices[i] = counter_read(&l->slice_times[i]);
    sample_read(&l->sample, &v.sample);
    return v;
}

static const char *state_of(const struct view *v)
{
    if (!v->info->is_ready)
        return "left out";
    if (v->lcore != NULL && fwd_is_running())
        return "forwards";
    return v->id == core_control() ? "control" : "asleep";
}

/* In hundredths of a percent. */
static unsigned idle_share(const struct view *v)
{
    const uint64_t all = v->work_cycles + v->idle_cycles;

    if (all == 0)
        return 0;
    /* Large counts first lose what no share can show. */
    return all > UINT64_MAX / 10000 ? (unsigned)(v->idle_cycles / (all / 10000))
                                    : (unsigned)(v->idle_cycles * 10000 / all);
}

static uint64_t hundredths(uint64_t a, uint64_t b)
{
    return b == 0 ? 0 : a / b * 100 + a % b * 100 / b;
}

static void json_numbers(const char *name, const uint64_t values[], unsigned n)
{
    out("\"%s\":[", name);
    for (unsigned i = 0; i < n; i++)
        out("%s%" PRIu64, i == 0 ? "" : ",", values[i]);
    out("]");
}

static void burst_name(unsigned b, char *name, size_t bytes)
{
    if (b < 2)
        snprintf(name, bytes, "%u", b);
    else
        snprintf(name, bytes, "%u-%u", 1u << (b - 1), (1u << b) - 1);
}

/* One object a line, "," between. */
static void json_objects(const char *name, void (*each)(const struct view *v),
                         bool forwarding_only)
{
    unsigned n = 0;

    out("{\"%s\":[", name);
    for (unsigned i = 0; i < core_count(); i++) {
        const struct view v = view_of(i);

        if (forwarding_only && v.lcore == NULL)
            continue;
        out("%s\n", n++ == 0 ? "" : ",");
        each(&v);
    }
    out("\n]}\n");
}

void show_when_changed(void)
{
    if (!fwd_is_running())
        return;
    for (unsigned i = 0; i < fwd_lcore_count(); i++)
        if (fwd_lcore(i)->id != plat_lcore_id())
            out("Logical Core %u: from round %" PRIu64 " on\n",
                fwd_lcore(i)->id, fwd_lcore(i)->changed_round);
}

/* ---- show lcore ---- */

static void print_bursts(const struct view *v)
{
    out("  lcore %u: bursts of", v->id);
    for (unsigned b = 0; b < LCORE_BURST_SIZES; b++) {
        char name[16];

        if (v->bursts[b] == 0)
            continue;
        burst_name(b, name, sizeof(name));
        out(" %s: %" PRIu64, name, v->bursts[b]);
    }
    out("\n");
}

void show_lcore(void)
{
    out("lcore APIC-id package  core thread  node state    streams  idle-%% "
        "packets\n");
    for (unsigned i = 0; i < core_count(); i++) {
        const struct view v = view_of(i);
        const unsigned idle = idle_share(&v);

        out("%5u %7" PRIu32 " %7" PRIu32 " %5" PRIu32 " %6" PRIu32 " %5" PRIu32
            " %-8s %7u %4u.%02u %" PRIu64 "\n",
            i, v.info->apic_id, v.info->package, v.info->core, v.info->thread,
            v.info->node, state_of(&v),
            v.lcore == NULL ? 0 : v.lcore->stream_count, idle / 100, idle % 100,
            v.packets);
    }
    for (unsigned i = 0; i < fwd_lcore_count(); i++) {
        const struct view v = view_of(fwd_lcore(i)->id);

        print_bursts(&v);
    }
}

static void json_lcore(const struct view *v)
{
    const unsigned idle = idle_share(v);

    out("{\"lcore\":%u,\"apic_id\":%" PRIu32 ",\"package\":%" PRIu32
        ",\"core\":%" PRIu32 ",\"thread\":%" PRIu32 ",\"node\":%" PRIu32
        ",\"state\":\"%s\",\"streams\":%u,",
        v->id, v->info->apic_id, v->info->package, v->info->core,
        v->info->thread, v->info->node, state_of(v),
        v->lcore == NULL ? 0 : v->lcore->stream_count);
    out("\"rounds\":%" PRIu64 ",\"idle_rounds\":%" PRIu64
        ",\"idle_percent\":%u.%02u,\"packets\":%" PRIu64 ",",
        v->rounds, v->idle_rounds, idle / 100, idle % 100, v->packets);
    json_numbers("bursts", v->bursts, LCORE_BURST_SIZES);
    out("}");
}

void show_lcore_json(void)
{
    json_objects("lcores", json_lcore, false);
}

/* ---- show cycles ---- */

static void print_stages(const struct view *v)
{
    const struct lcore_sample *s = &v->sample;

    out("  of a packet, in %" PRIu64 " bursts that were timed:", s->bursts);
    for (unsigned i = 0; i < LCORE_STAGE_COUNT; i++) {
        const uint64_t each = hundredths(s->cycles[i], s->packets);

        out(" %s %" PRIu64 ".%02" PRIu64, lcore_stage_names[i], each / 100,
            each % 100);
    }
    out("\n");
}

void show_cycles(void)
{
    if (fwd_lcore_count() == 0)
        out("No core has forwarded yet\n");
    for (unsigned i = 0; i < fwd_lcore_count(); i++) {
        const struct view v = view_of(fwd_lcore(i)->id);
        const uint64_t cost = hundredths(v.work_cycles, v.packets);
        const uint64_t burst = hundredths(v.packets, v.rounds - v.idle_rounds);

        out("lcore %u: %" PRIu64 ".%02" PRIu64 " cycles/packet, %" PRIu64
            ".%02" PRIu64 " packets/round that found any, %" PRIu64
            " cycles at work, %" PRIu64 " idle, %" PRIu64
            " for a round that finds nothing\n",
            v.id, cost / 100, cost % 100, burst / 100, burst % 100,
            v.work_cycles, v.idle_cycles,
            counter_read(&v.lcore->idle_round_cycles));
        if (v.sample.bursts > 0)
            print_stages(&v);
    }
}

static void json_cycles(const struct view *v)
{
    out("{\"lcore\":%u,\"packets\":%" PRIu64 ",\"rounds\":%" PRIu64
        ",\"idle_rounds\":%" PRIu64 ",\"work_cycles\":%" PRIu64
        ",\"idle_cycles\":%" PRIu64 ",\"idle_round_cycles\":%" PRIu64
        ",\"timed_bursts\":%" PRIu64 ",\"timed_packets\":%" PRIu64,
        v->id, v->packets, v->rounds, v->idle_rounds, v->work_cycles,
        v->idle_cycles, counter_read(&v->lcore->idle_round_cycles),
        v->sample.bursts, v->sample.packets);
    for (unsigned i = 0; i < LCORE_STAGE_COUNT; i++)
        out(",\"%s_cycles\":%" PRIu64, lcore_stage_names[i],
            v->sample.cycles[i]);
    out("}");
}

void show_cycles_json(void)
{
    json_objects("cycles", json_cycles, true);
}

/* ---- show jitter ---- */

static bool knows_smis(const struct view *v)
{
    return __atomic_load_n(&v->lcore->knows_smis, __ATOMIC_RELAXED);
}

static void print_smis(const struct view *v)
{
    if (knows_smis(v))
        out(", %" PRIu64 " SMIs in %" PRIu64 " of them", v->gaps.smis,
            v->gaps.with_smi);
    else
        out(", SMIs are not counted here");
}

static void print_sizes(const struct view *v)
{
    if (v->gaps.count == 0)
        return;
    out("  longer than, in us:");
    for (unsigned b = 0; b < LCORE_GAP_SIZES; b++)
        if (v->gaps.sizes[b] > 0)
            out(" %u: %" PRIu64, fwd_gap_get() << b, v->gaps.sizes[b]);
    out("\n");
}

static void print_times(const char *what, const uint64_t times[])
{
    bool any = false;

    for (unsigned b = 0; b < LCORE_TIME_SIZES; b++) {
        if (times[b] == 0)
            continue;
        out("%s %" PRIu64 "%s: %" PRIu64, any ? "" : what,
            b == 0 ? 0 : UINT64_C(1) << (b - 1),
            b == LCORE_TIME_SIZES - 1 ? " and more" : "", times[b]);
        any = true;
    }
    if (any)
        out("\n");
}

static void print_jitter(const struct view *v)
{
    const struct lcore_gaps *g = &v->gaps;

    out("lcore %u: %" PRIu64 " gaps, longest %" PRIu64 " us, together %" PRIu64
        " us",
        v->id, g->count, clock_cycles_to_us(g->longest),
        clock_cycles_to_us(g->cycles));
    if (g->count > 0)
        out(", last %" PRIu64 " ms ago",
            clock_cycles_to_us(plat_cycles() - g->last) / 1000);
    print_smis(v);
    out("; %" PRIu64 " interrupts\n", v->interrupts);
    print_sizes(v);
    print_times("  rounds that took, in ns, from", v->slices);
    print_times("  timed bursts that took, in ns, from", v->sample.times);
}

void show_jitter(void)
{
    out("A gap is a slice of %u rounds that takes more than %u us "
        "(`set jitter`)\n",
        LCORE_SLICE, fwd_gap_get());
    for (unsigned i = 0; i < fwd_lcore_count(); i++) {
        const struct view v = view_of(fwd_lcore(i)->id);

        print_jitter(&v);
    }
}

static void json_jitter(const struct view *v)
{
    const struct lcore_gaps *g = &v->gaps;

    out("{\"lcore\":%u,\"threshold_us\":%u,\"gaps\":%" PRIu64
        ",\"longest_us\":%" PRIu64 ",\"total_us\":%" PRIu64
        ",\"interrupts\":%" PRIu64 ",",
        v->id, fwd_gap_get(), g->count, clock_cycles_to_us(g->longest),
        clock_cycles_to_us(g->cycles), v->interrupts);
    if (knows_smis(v))
        out("\"smis\":%" PRIu64 ",\"gaps_with_smi\":%" PRIu64 ",", g->smis,
            g->with_smi);
    json_numbers("sizes", g->sizes, LCORE_GAP_SIZES);
    out(",");
    json_numbers("rounds_ns", v->slices, LCORE_TIME_SIZES);
    out(",");
    json_numbers("latency_ns", v->sample.times, LCORE_TIME_SIZES);
    out("}");
}

void show_jitter_json(void)
{
    json_objects("jitter", json_jitter, true);
}
