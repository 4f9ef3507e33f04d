/*
 * interleave.h - run a few threads in every order that memory allows
 *
 * A test includes interleave_hooks.h first and then the product's source, whose
 * atomic and declared plain accesses (millrace/order.h) so become calls to here:
 * what is checked is the code itself. Each atomic access is a point where any
 * thread may go on, and each load may see every store that the declared orders
 * let it see. The model is that of C11 without two things: what is stored in a
 * location has one order, that of execution, and no load sees a store of the
 * future. Of a compare-and-swap that fails we try only that it saw the newest.
 * (So an order whose one use is to keep two stores apart is not seen as needed.)
 * It allows more than x86 does (a load that sees an old value is a store that is
 * still in its buffer), so what holds here holds there.
 *
 * Found as well: two plain accesses of which one writes and neither comes before
 * the other (whatever their order in this run), threads that all wait, and
 * threads that never end.
 *
 * Threads must be deterministic and record only in memory of their own; shared
 * state that is neither declared plain nor atomic must not change. A state that
 * was seen before is not tried again; states are told apart by a 64-bit hash.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>

#define INTERLEAVE_THREADS 4

enum interleave_model {
    INTERLEAVE_STRONG,   /* sequential consistency: only orders of steps */
    INTERLEAVE_DECLARED, /* also old values, where the orders allow them */
};

struct interleave {
    enum interleave_model model;
    void (*start)(void); /* everything as before the threads */
    void (*thread[INTERLEAVE_THREADS])(void);
    const char *(*wrong)(void); /* after all ended: what, or NULL */
};

struct interleave_result {
    const char *wrong; /* NULL: no order does harm */
    uint64_t runs;     /* from the start to the end, or to a known state */
    uint64_t states;
};

/* Try all orders, up to the first that does harm. */
must_use struct interleave_result interleave_try(const struct interleave *what);

/* Accesses of the last run, one per line: thread, access, address, value. */
void interleave_print_last(void);

/* No thread may touch @p, until the next run: call it in start(). */
void interleave_forbid(const volatile void *p);

enum interleave_access {
    INTERLEAVE_LOAD = 1,
    INTERLEAVE_STORE = 2,
    INTERLEAVE_SWAP = 4, /* whatever loads and stores at once */
};

/*
 * A planted mistake: these accesses of @threads (a bit each) to the location @p
 * count as relaxed until interleave_strengthen().
 */
#define INTERLEAVE_ALL ((1U << INTERLEAVE_THREADS) - 1)
void interleave_weaken(const void *p, unsigned accesses, unsigned threads);
void interleave_strengthen(void);
