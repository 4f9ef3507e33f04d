/*
 * series.h - variants of one piece of work, measured in turn
 *
 *   V1  a window is a fixed number of rounds, the same for every variant, and
 *       all of them in one image: they differ in nothing but the work
 *   V2  a block is one window of each variant, in an order drawn from the seed;
 *       a window that was disturbed is counted with the reason and taken again
 *       at once; where that does not help, the block is taken again
 *       One layout in ten is unlucky: variants with data of their own get new
 *       addresses for each block, the others share them
 *   V3  what else the machine has to do is done between two windows
 *   V4  when a variant differs from itself (the A/A control) the series is void
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/machine.h>
#include <millrace/status.h>

#include "bench/line.h"
#include "bench/stats.h"

#define SERIES_VARIANTS_MAX 8
#define SERIES_BLOCKS_MIN   30 /* of a series that may claim something */
#define SERIES_BLOCKS_MAX   120

/* Why a window does not count. */
#define SERIES_VOIDS(V)                                                        \
    V(DRY, "ran dry")                                                          \
    V(EARLY, "one side ended early")                                           \
    V(SKEW, "cores started apart")                                             \
    V(FREQUENCY, "frequency moved")                                            \
    V(GAP, "time gap")                                                         \
    V(NEIGHBOUR, "shared core")                                                \
    V(SMI, "smi")                                                              \
    V(THROTTLE, "throttled")                                                   \
    V(CHECK, "machine check")                                                  \
    V(PREEMPTED, "preempted")

enum series_void {
    VOID_NONE,
#define SERIES_VOID_ENUM(id, text) VOID_##id,
    SERIES_VOIDS(SERIES_VOID_ENUM)
#undef SERIES_VOID_ENUM
        VOID_COUNT
};
extern const char *const series_void_names[VOID_COUNT];

struct series_variant {
    const char *name; /* one word */
    /*
     * Do @rounds rounds. Returns why they do not count, or VOID_NONE.
     *
     * @cycles  0 at the call: the caller's clock counts; what is written here
     *          counts instead, for work that starts later on other cores
     */
    enum series_void (*run)(void *context, uint64_t rounds, uint64_t *cycles);
    void *context;
};

struct series {
    const char *name; /* one word, of the BENCH lines */
    const char *what; /* for people: the row */
    const char *unit; /* what one operation is: "object" */
    const struct series_variant *variant;
    unsigned variants;
    unsigned base;       /* the others are compared with it */
    unsigned control;    /* the same as base again; base = there is none */
    unsigned operations; /* in a round */
    uint64_t rounds;     /* of a window; 0 = as many as take its time */
    /*
     * Everything at other addresses; NULL = they do not matter. Called between
     * two blocks with the base's context. False, and the series ends, when
     * there is no memory.
     */
    bool (*renew)(void *context);
    /* A round without its work, to be subtracted; NULL = subtract the clock. */
    void (*empty)(void *context, uint64_t rounds);
    enum line_use use;
};

struct series_setting {
    uint64_t seed;
    uint64_t window_us;  /* at least about this long */
    uint64_t rounds_max; /* and no more rounds than these */
    unsigned blocks;     /* to begin with, 2 .. SERIES_BLOCKS_MAX */
    unsigned blocks_max; /* as many as the pilot asks for; blocks = no more */
    bool keep_void;      /* only count void blocks: for a quick look */
    bool (*idle)(void);  /* between windows (V3); true = give up. NULL: none */
};

struct series_result {
    bool is_aborted; /* idle() said so */
    bool is_short;   /* too many blocks could not be had */
    bool is_void;    /* V4 */
    bool is_steady;  /* every variant repeated itself within 1 % when warm */
    unsigned blocks;
    unsigned wanted;            /* blocks for 1 %, by the pilot; 0 = no pilot */
    unsigned voids[VOID_COUNT]; /* windows; VOID_FREQUENCY: blocks */
    uint64_t rounds;            /* of a window */
    double empty_cycles;        /* subtracted from each window */
    double ghz; /* of the core, by its own cycles; 0 = not told */
    /* Cycles per operation, by variant and block. */
    double cost[SERIES_VARIANTS_MAX][SERIES_BLOCKS_MAX];
    /* Of each variant with the base. */
    struct stats_comparison against_base[SERIES_VARIANTS_MAX];
};

/*
 * Measure. @result is large: keep it static.
 *
 * Returns  OK, also with a series that is void or short; E_INVALID for fewer
 *          than one whole block, or an idle() that gave up before
 * Context  control core
 */
must_use enum status series_run(const struct series *s,
                                const struct series_setting *setting,
                                struct series_result *result);

/* Time-stamp counter, everything before it done, nothing behind it begun. */
uint64_t series_now(void);
