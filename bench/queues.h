/*
 * queues.h - every kind of queue of pointers behind one set of loops
 *
 * The kind is a constant in each loop, so that what is measured is the queue.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

/* Slot rings with each lock on both sides, and index rings. */
#define QUEUES_KINDS(K)                                                        \
    K(SLOT_NONE, "none")        /* one user a side */                          \
    K(SLOT_TICKET, "ticket")    /* spin lock, first come first served */       \
    K(SLOT_CAS, "cas")          /* compare-and-swap */                         \
    K(SLOT_QUEUE, "queue")      /* each waits on a line of its own */          \
    K(INDEX_ONE, "index-one")   /* counters, one user a side */                \
    K(INDEX_MANY, "index-many") /* counters, claims by compare-and-swap */

enum queues_kind {
#define QUEUES_ENUM(id, name) QUEUE_##id,
    QUEUES_KINDS(QUEUES_ENUM)
#undef QUEUES_ENUM
        QUEUES_COUNT
};
extern const char *const queues_names[QUEUES_COUNT];

struct queues_loop;

struct queue {
    enum queues_kind kind;
    struct slot_ring *slot;
    struct index_ring *index;
    const struct queues_loop *loop;
};

/* Returns how many were done; fewer when a side found no room, or nothing. */
struct queues_loop {
    /* One element in, one out. */
    uint64_t (*pair)(struct queue *q, uint64_t rounds);
    /*
     * One side.
     *
     * @wait    for the other side; it gives up after QUEUES_WAIT_US. Else it
     *          ends at once
     */
    uint64_t (*produce)(struct queue *q, uint64_t rounds, bool wait);
    uint64_t (*consume)(struct queue *q, uint64_t rounds, bool wait);
};
#define QUEUES_WAIT_US 10000

/* Holds @size elements. E_NOMEM. */
must_use enum status queue_open(struct queue *q, enum queues_kind kind,
                                unsigned size);
/* Another lock, of a slot ring; its own kind, of any. Both sides are quiet. */
void queue_kind_set(struct queue *q, enum queues_kind kind);

/* Empty or not: the elements mean nothing. */
void queue_close(struct queue *q);

/*
 * Put in or take out until @n are inside. Both sides are quiet.
 *
 * Returns  how many were inside
 */
unsigned queue_level_set(struct queue *q, unsigned n);
