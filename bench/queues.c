/*
 * queues.c - every kind of queue of pointers behind one set of loops
 */
#include "bench/queues.h"

#include <stddef.h>

#include <millrace/clock.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#include "mm/index_ring.h"
#include "mm/slot_ring.h"

const char *const queues_names[QUEUES_COUNT] = {
#define QUEUES_NAME(id, name) [QUEUE_##id] = name,
    QUEUES_KINDS(QUEUES_NAME)
#undef QUEUES_NAME
};

static const enum lock_kind locks[QUEUES_COUNT] = {
    [QUEUE_SLOT_NONE] = LOCK_NONE,
    [QUEUE_SLOT_TICKET] = LOCK_TICKET,
    [QUEUE_SLOT_CAS] = LOCK_CAS,
    [QUEUE_SLOT_QUEUE] = LOCK_QUEUE,
};

static char element; /* what travels: only its address */

static always_inline bool is_index(enum queues_kind kind)
{
    return kind == QUEUE_INDEX_ONE || kind == QUEUE_INDEX_MANY;
}

static always_inline enum lock_kind lock_of(enum queues_kind kind)
{
    return kind == QUEUE_SLOT_TICKET  ? LOCK_TICKET
           : kind == QUEUE_SLOT_CAS   ? LOCK_CAS
           : kind == QUEUE_SLOT_QUEUE ? LOCK_QUEUE
                                      : LOCK_NONE;
}

static always_inline enum index_ring_users users_of(enum queues_kind kind)
{
    return kind == QUEUE_INDEX_ONE ? INDEX_RING_ONE : INDEX_RING_MANY;
}

static always_inline bool push(struct queue *q, enum queues_kind kind)
{
    void *one = &element;

    if (is_index(kind))
        return index_ring_push_as(q->index, &one, 1, INDEX_RING_ALL,
                                  users_of(kind), NULL) != 0;
    return slot_ring_produce_as(q->slot, &one, 1, lock_of(kind)) != 0;
}

static always_inline bool pop(struct queue *q, enum queues_kind kind)
{
    void *one = NULL;
    unsigned freed = 0, n;

    if (is_index(kind))
        n = index_ring_pop_as(q->index, &one, 1, INDEX_RING_ALL, users_of(kind),
                              NULL);
    else
        n = slot_ring_consume_as(q->slot, &one, 1, &freed, lock_of(kind));
    return n != 0 && one == &element;
}

static always_inline uint64_t pair(struct queue *q, uint64_t rounds,
                                   enum queues_kind kind)
{
    uint64_t done = 0;

    while (done < rounds && push(q, kind) && pop(q, kind))
        done++;
    return done;
}

/* @act until it succeeds, or the other side is given up. */
static always_inline bool persist(bool (*act)(struct queue *, enum queues_kind),
                                  struct queue *q, enum queues_kind kind)
{
    const struct deadline limit = deadline_in_us(QUEUES_WAIT_US);

    do {
        plat_pause();
        if (act(q, kind))
            return true;
    } while (!deadline_passed(&limit));
    return false;
}

static always_inline uint64_t one_side(bool (*act)(struct queue *,
                                                   enum queues_kind),
                                       struct queue *q, uint64_t rounds,
                                       bool wait, enum queues_kind kind)
{
    uint64_t done = 0;

    while (done < rounds &&
           (likely(act(q, kind)) || (wait && persist(act, q, kind))))
        done++;
    return done;
}

/* All aligned alike: they differ in the queue alone. */
#define LOOP __attribute__((noinline, aligned(64))) static uint64_t
#define LOOPS(id, name)                                                        \
    LOOP pair_##id(struct queue *q, uint64_t rounds)                           \
    {                                                                          \
        return pair(q, rounds, QUEUE_##id);                                    \
    }                                                                          \
    LOOP produce_##id(struct queue *q, uint64_t rounds, bool wait)             \
    {                                                                          \
        return one_side(push, q, rounds, wait, QUEUE_##id);                    \
    }                                                                          \
    LOOP consume_##id(struct queue *q, uint64_t rounds, bool wait)             \
    {                                                                          \
        const uint64_t done = one_side(pop, q, rounds, wait, QUEUE_##id);      \
                                                                               \
        if (q->slot != NULL)                                                   \
            (void)slot_ring_flush(q->slot); /* producers may wait for it */    \
        return done;                                                           \
    }
QUEUES_KINDS(LOOPS)
#undef LOOPS

static const struct queues_loop loops[QUEUES_COUNT] = {
#define LOOPS_ROW(id, name)                                                    \
    [QUEUE_##id] = { pair_##id, produce_##id, consume_##id },
    QUEUES_KINDS(LOOPS_ROW)
#undef LOOPS_ROW
};

/* ---- open, close ---- */

static enum status open_index(struct queue *q, unsigned size)
{
    const unsigned many =
        q->kind == QUEUE_INDEX_MANY
            ? INDEX_RING_MANY_PRODUCERS | INDEX_RING_MANY_CONSUMERS
            : 0;

    return index_ring_create(&q->index, size, INDEX_RING_EXACT | many, "bench");
}

enum status queue_open(struct queue *q, enum queues_kind kind, unsigned size)
{
    *q = (struct queue) { .kind = kind, .loop = &loops[kind] };
    if (is_index(kind))
        return open_index(q, size);
    q->slot = slot_ring_create(size, "bench");
    if (q->slot == NULL)
        return E_NOMEM;
    queue_kind_set(q, kind);
    return OK;
}

void queue_kind_set(struct queue *q, enum queues_kind kind)
{
    if (is_index(kind) ? kind != q->kind : q->slot == NULL)
        panic("bench: a queue %s cannot be one %s", queues_names[q->kind],
              queues_names[kind]);
    q->kind = kind;
    q->loop = &loops[kind];
    if (q->slot != NULL)
        slot_ring_locks_set(q->slot, locks[kind], locks[kind]);
}

void queue_close(struct queue *q)
{
    if (q->slot != NULL)
        slot_ring_destroy(q->slot);
    if (q->index != NULL)
        index_ring_destroy(q->index);
    *q = (struct queue) { 0 };
}

unsigned queue_level_set(struct queue *q, unsigned n)
{
    const uint64_t was = q->loop->consume(q, UINT64_MAX, false);

    if (q->loop->produce(q, n, false) != n)
        panic("bench: a queue %s has no room for %u", queues_names[q->kind], n);
    return (unsigned)was;
}
