/*
 * expand.h - the rows as functions, the same text for both sides
 *
 * After work.h, and after the side has said how it opens and closes:
 *
 *   void *pool_open(row, cache, store, random)    void *packets_open(row, random)
 *   void pool_close(row, pool)
 *   void *ring_open(row, USERS_ONE or USERS_MANY, random)
 *   void ring_close(row, ring)
 *
 * PAIR_OPEN_INDEX, PAIR_OPEN_SLOT and so on are the names of these for a pair.
 */

/* @what names the functions that open and close, @how is told to the former. */
#define ROW_PLACES(row, what_open, what_close, ...)                            \
    static void *row##_open(struct stats_random *random)                       \
    {                                                                          \
        return what_open(#row, __VA_ARGS__);                                   \
    }                                                                          \
    static void row##_close(void *self)                                        \
    {                                                                          \
        what_close(#row, self);                                                \
    }

#define POOL(row, n, flight, cache, store, objects)                            \
    ROW_PLACES(row, pool_open, pool_close, cache, store, random)               \
    static void row##_work(void *self)                                         \
    {                                                                          \
        work_pool(#row, self, n, flight, objects);                             \
    }
POOL_ROWS(POOL)

#define WALK(row, n, flight, cache, store, objects)                            \
    ROW_PLACES(row, pool_open, pool_close, cache, store, random)               \
    static void row##_work(void *self)                                         \
    {                                                                          \
        work_walk(#row, self);                                                 \
    }
WALK_ROWS(WALK)

#define MBUF(row, n, flight, objects)                                          \
    ROW_PLACES(row, packets_open, pool_close, random)                          \
    static void row##_work(void *self)                                         \
    {                                                                          \
        work_mbuf(#row, self, n, flight, objects);                             \
    }
MBUF_ROWS(MBUF)

#define RING(row, users, n, objects)                                           \
    ROW_PLACES(row, ring_open, ring_close, USERS_##users, random)              \
    static void row##_work(void *self)                                         \
    {                                                                          \
        work_ring(#row, self, n, objects);                                     \
    }
RING_ROWS(RING)

#define PAIR(row, ring, n, objects)                                            \
    ROW_PLACES(row, PAIR_OPEN_##ring, PAIR_CLOSE_##ring, USERS_ONE, random)    \
    static void row##_push(void *self)                                         \
    {                                                                          \
        work_push_##ring(self, n, objects);                                    \
    }                                                                          \
    static void row##_work(void *self)                                         \
    {                                                                          \
        pair_begin(row##_push, self);                                          \
        work_pop_##ring(#row, self, n, objects);                               \
        pair_end();                                                            \
    }
PAIR_ROWS(PAIR)

#define SIDE(row, ...)                                                         \
    if (strcmp(name, #row) == 0)                                               \
        return (struct side) { row##_open, row##_work, row##_close };

static inline struct side side_find(const char *name)
{
    ALL_ROWS(SIDE)
    give_up(name, "there is no such row");
}
