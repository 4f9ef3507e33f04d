/*
 * bench.h - the experiments, and who asks for them
 *
 *   N1  an experiment takes its memory when it begins and gives all of it back;
 *       forwarding is stopped meanwhile
 *   N2  the measured work is real: after each series every object is accounted
 *       for, and one that is missing is a panic
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

#include "bench/line.h"
#include "bench/series.h"
#include "drivers/xl710/tx_schemes.h"

/*
 * The driver's transmit ring without a NIC, as in tx_schemes.h: handed over by
 * who knows the driver, so that this room links without it.
 */
struct bench_tx_rig {
    struct port_txq *(*open)(unsigned n, unsigned rs, bool fast_free);
    enum status (*fill)(struct port_txq *q, struct mempool *pool,
                        unsigned count);
    unsigned (*reclaim)(struct port_txq *q, enum tx_scheme scheme);
    void (*close)(struct port_txq *q);
};

struct bench {
    line_print *print;
    bool (*idle)(void); /* between windows: the machine's other work; true =
                          * somebody wants an end. NULL: nothing to do */
    bool quick;         /* a look whether all works; claims nothing */
    uint64_t seed;
    const struct bench_tx_rig *tx_rig; /* NULL: no txfree */
    uint64_t window_us; /* 0 = 20 ms; 10 to 50 are sensible on metal */

    /* so far */
    bool is_aborted;
    unsigned series, series_void, series_short, not_possible;
    unsigned void_windows[VOID_COUNT];
};

struct bench_experiment {
    const char *name; /* "mempool" */
    const char *question;
    enum status (*run)(struct bench *bench);
};
#define BENCH_EXPERIMENTS 4
extern const struct bench_experiment bench_experiments[BENCH_EXPERIMENTS];

/*
 * Run them, all or the one called @name, with the environment before and a
 * summary behind.
 *
 * Returns  OK; E_NOENT for an unknown name; E_NOMEM; E_STATE when it was ended
 *          before its time
 * Context  control core, forwarding stopped
 */
must_use enum status bench_run(struct bench *bench, const char *name);

/* ---- for the experiments ---- */

enum status bench_mempool(struct bench *bench);
enum status bench_mbuf(struct bench *bench);
enum status bench_txfree(struct bench *bench);
enum status bench_ring(struct bench *bench);

/*
 * Measure @s, print its table and BENCH lines. Returns the result, static, or
 * NULL when there is none: aborted, or no block was worth keeping.
 */
const struct series_result *bench_series(struct bench *bench,
                                         const struct series *s);

/*
 * A row that this machine cannot measure: say so, as in "needs 2 cores, has 1".
 */
void bench_not_possible(struct bench *bench, const char *what, const char *why);
/* False, with such a line, when this machine has fewer than @cores. */
must_use bool bench_has_cores(struct bench *bench, const char *what,
                              unsigned cores);
