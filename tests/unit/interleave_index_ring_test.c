/*
 * interleave_index_ring_test.c - the index ring in every order that its declared
 * memory orders allow; each of them is needed
 *
 * Rings of 2 or 4 slots, counters that wrap on the way, 2 or 3 threads with a
 * few operations each. A thread is a string: P push, G pop, of the digit behind
 * it, all or nothing; p and g as many as possible; c asks for the count.
 */
#include "tests/host/interleave_hooks.h"

#include <stdio.h>

#include "mm/index_ring.c"
#include "tests/host/interleave.h"
#include "tests/unit/test.h"

#define MP INDEX_RING_MANY_PRODUCERS
#define MC INDEX_RING_MANY_CONSUMERS

enum { CELLS = 8, START = -1 };

static char room[sizeof(struct index_ring) + 4 * sizeof(void *)]
    __attribute__((aligned(128)));
static struct index_ring *const ring = (void *)room;

/* Written plainly before it is pushed, read plainly after it was popped. */
static int payload[INTERLEAVE_THREADS][CELLS];

static struct record {
    unsigned pushed, popped, most_left, most_counted;
    const int *got[CELLS];
    bool bad_payload;
} records[INTERLEAVE_THREADS];

static struct scene {
    unsigned slots, capacity, flags;
    const char *script[INTERLEAVE_THREADS];
} scene;

static void start(void)
{
    struct index_ring_side *sides[] = { &ring->producer, &ring->consumer };

    memset(room, 0, sizeof(room));
    memset(payload, 0, sizeof(payload));
    memset(records, 0, sizeof(records));
    ring->mask = scene.slots - 1;
    ring->capacity = scene.capacity;
    for (unsigned i = 0; i < 2; i++)
        sides[i]->head = sides[i]->tail = sides[i]->seen = (uint32_t)START;
    if (scene.flags & INDEX_RING_MANY_PRODUCERS)
        ring->producer.users = INDEX_RING_MANY;
    if (scene.flags & INDEX_RING_MANY_CONSUMERS)
        ring->consumer.users = INDEX_RING_MANY;
}

/* What a cell holds once its producer is done with it. */
static int right_value(const int *cell)
{
    return 100 + (int)(cell - &payload[0][0]);
}

static void do_push(unsigned id, unsigned n, bool all)
{
    struct record *me = &records[id];
    void *from[CELLS];
    unsigned left;

    for (unsigned i = 0; i < n; i++) {
        int *cell = &payload[id][me->pushed + i];

        plain_store(cell, right_value(cell));
        from[i] = cell;
    }
    me->pushed += all ? index_ring_push_bulk(ring, from, n, &left)
                      : index_ring_push_burst(ring, from, n, &left);
    if (left > me->most_left)
        me->most_left = left;
}

static void do_pop(unsigned id, unsigned n, bool all)
{
    struct record *me = &records[id];
    void *to[CELLS];
    unsigned left, done;

    done = all ? index_ring_pop_bulk(ring, to, n, &left)
               : index_ring_pop_burst(ring, to, n, &left);
    if (left > me->most_left)
        me->most_left = left;
    for (unsigned i = 0; i < done; i++) {
        const int *cell = to[i];

        me->bad_payload |=
            cell == NULL || plain_load(cell) != right_value(cell);
        me->got[me->popped++] = cell;
    }
}

static void act(unsigned id)
{
    struct record *me = &records[id];

    for (const char *s = scene.script[id]; *s != 0; s++) {
        unsigned count;

        switch (*s) {
        case 'P':
        case 'p':
            do_push(id, (unsigned)(s[1] - '0'), *s == 'P');
            s++;
            break;
        case 'G':
        case 'g':
            do_pop(id, (unsigned)(s[1] - '0'), *s == 'G');
            s++;
            break;
        case 'c':
            count = index_ring_count(ring);
            if (count > me->most_counted)
                me->most_counted = count;
            break;
        }
    }
}

static void act_0(void)
{
    act(0);
}

static void act_1(void)
{
    act(1);
}

static void act_2(void)
{
    act(2);
}

/* Has @cell come out before entry @k of @me? */
static bool came_before(const int *cell, const struct record *me, unsigned k)
{
    for (const struct record *r = records; r <= me; r++)
        for (unsigned i = 0; i < (r == me ? k : r->popped); i++)
            if (r->got[i] == cell)
                return true;
    return false;
}

static const char *wrong_in(const struct record *me)
{
    if (me->bad_payload)
        return "an element without its payload";
    if (me->most_left > scene.capacity)
        return "more left than the capacity (I2)";
    for (unsigned i = 0; i < me->popped; i++) {
        if (came_before(me->got[i], me, i))
            return "an element twice";
        for (unsigned k = 0; k < i; k++)
            if (me->got[k] > me->got[i] &&
                (me->got[k] - &payload[0][0]) / CELLS ==
                    (me->got[i] - &payload[0][0]) / CELLS)
                return "one producer's elements out of order";
    }
    return NULL;
}

static const char *wrong(void)
{
    const char *what = NULL;
    unsigned in = 0, out = 0;

    for (unsigned i = 0; i < INTERLEAVE_THREADS && what == NULL; i++) {
        what = wrong_in(&records[i]);
        in += records[i].pushed;
        out += records[i].popped;
    }
    if (what == NULL && index_ring_count(ring) != in - out)
        what = "an element lost";
    for (unsigned i = 0; i < INTERLEAVE_THREADS && what == NULL; i++)
        if (records[i].most_counted > in)
            what = "counted more than ever came in (I2)";
    return what;
}

static struct interleave_result try_scene(void)
{
    const struct interleave what = {
        INTERLEAVE_DECLARED,
        start,
        { act_0, scene.script[1] ? act_1 : NULL,
          scene.script[2] ? act_2 : NULL },
        wrong,
    };

    return interleave_try(&what);
}

static void check_holds(struct scene of)
{
    struct interleave_result result;

    scene = of;
    result = try_scene();
    if (result.wrong != NULL) {
        printf("%s | %s | %s: %s\n", of.script[0], of.script[1],
               of.script[2] ? of.script[2] : "", result.wrong);
        interleave_print_last();
    }
    CHECK(result.wrong == NULL);
    CHECK(result.runs > 1); /* it did try */
}

/* With these accesses of @threads relaxed, some order does harm. */
static void check_needed_by(unsigned threads, struct scene of, const void *p,
                            unsigned accesses)
{
    scene = of;
    interleave_weaken(p, accesses, threads);
    CHECK(try_scene().wrong != NULL);
    interleave_strengthen();
}

static void check_needed(struct scene of, const void *p, unsigned accesses)
{
    check_needed_by(INTERLEAVE_ALL, of, p, accesses);
}

/* ---- one producer, one consumer ---- */

static const struct scene alone = { 2, 1, 0, { "P1P1P1", "G1G1G1" } };
static const struct scene alone_bulk = { 4, 2, 0, { "P2p2P1", "g2G1g2" } };

TEST(interleave_index_ring, RQ_17_one_and_one)
{
    check_holds(alone);
    check_holds(alone_bulk);
    check_holds((struct scene) { 4, 3, 0, { "P1P1P1P1", "G1g3G1" } });
    check_holds((struct scene) { 2, 1, 0, { "p2p2p2", "g2g2g2" } });
}

TEST(interleave_index_ring, RQ_17_publication_before_the_payload_is_found)
{
    check_needed(alone, &ring->producer.tail, INTERLEAVE_STORE);
    check_needed(alone, &ring->producer.tail, INTERLEAVE_LOAD);
}

TEST(interleave_index_ring, I3_a_slot_given_back_before_it_was_read_is_found)
{
    check_needed(alone, &ring->consumer.tail, INTERLEAVE_STORE);
    check_needed(alone, &ring->consumer.tail, INTERLEAVE_LOAD);
}

/* ---- several ---- */

static const struct scene producers = { 2, 1, MP, { "P1P1", "P1", "G1G1" } };
static const struct scene consumers = { 2, 1, MC, { "P1P1", "G1", "G1G1" } };

TEST(interleave_index_ring, RQ_18_two_producers_one_consumer)
{
    check_holds(producers);
    check_holds((struct scene) { 4, 3, MP, { "P1P1", "P2", "g3" } });
}

TEST(interleave_index_ring, RQ_18_one_producer_two_consumers)
{
    check_holds(consumers);
    check_holds((struct scene) { 4, 3, MC, { "P2P1", "g2", "G1G1" } });
}

TEST(interleave_index_ring, RQ_18_two_that_do_both)
{
    check_holds((struct scene) { 2, 1, MP | MC, { "P1G1", "P1G1" } });
    check_holds((struct scene) { 4, 2, MP | MC, { "P2g2", "p1G1" } });
    check_holds((struct scene) { 4, 3, MP | MC, { "P1G1P1", "P1G1" } });
}

/* The waits' loads alone: those of threads that only push, or only pop. */
TEST(interleave_index_ring, I4_a_tail_passed_on_carries_the_earlier_claims)
{
    const struct scene in = { 4, 3, MP, { "P1", "P1", "g2" } };
    const struct scene out = { 2, 1, MC, { "G1", "G1", "P1P1P1" } };

    check_holds(in);
    check_needed_by(3, in, &ring->producer.tail, INTERLEAVE_STORE);
    check_needed_by(3, in, &ring->producer.tail, INTERLEAVE_LOAD);
    check_holds(out);
    check_needed_by(3, out, &ring->consumer.tail, INTERLEAVE_STORE);
}

/* ---- who sees a claim sees the tail on which it rests ---- */

static const struct scene role = { 4, 3, MC, { "P1G1", "G1" } };
static const struct scene role_producer = { 2, 1, MP, { "P1G1P1", "P1" } };

TEST(interleave_index_ring, RQ_24_role_change)
{
    check_holds(role);
    check_holds((struct scene) { 4, 3, MC, { "P2G1", "g2" } });
    check_holds((struct scene) { 4, 3, MP | MC, { "P1G1", "G1P1" } });
    check_holds(role_producer);
}

TEST(interleave_index_ring, RQ_24_a_stale_tail_with_a_newer_head_is_found)
{
    check_needed(role, &ring->consumer.head, INTERLEAVE_LOAD);
    check_needed(role, &ring->consumer.head, INTERLEAVE_SWAP);
    check_needed(role_producer, &ring->producer.head, INTERLEAVE_LOAD);
    check_needed(role_producer, &ring->producer.head, INTERLEAVE_SWAP);
}

TEST(interleave_index_ring, RQ_24_the_count_is_never_negative)
{
    check_holds((struct scene) { 4, 3, 0, { "P1P1", "G1G1", "cc" } });
    check_needed((struct scene) { 4, 3, 0, { "P1P1", "G1G1", "cc" } },
                 &ring->consumer.tail, INTERLEAVE_STORE);
}

/* ---- all small programs ---- */

/* Script number @i of @steps operations out of @words, two letters each. */
static void spell(char *script, unsigned i, unsigned steps, const char *words)
{
    const unsigned n = (unsigned)strlen(words) / 2;

    for (unsigned k = 0; k < steps; k++, i /= n)
        memcpy(script + 2 * k, words + i % n * 2, 2);
    script[2 * steps] = 0;
}

TEST(interleave_index_ring, all_programs_of_three_pushes_and_three_pops)
{
    static const unsigned flags[] = { 0, MP, MC, MP | MC };
    char a[8], b[8];

    for (unsigned f = 0; f < ARRAY_SIZE(flags); f++)
        for (unsigned i = 0; i < 8 * 8; i++) {
            spell(a, i % 8, 3, "P1p2");
            spell(b, i / 8, 3, "G1g2");
            check_holds((struct scene) { 2, 1, flags[f], { a, b } });
            check_holds((struct scene) { 4, 2, flags[f], { a, b } });
        }
}

TEST(interleave_index_ring, all_programs_of_two_threads_with_two_of_each)
{
    char a[8], b[8];

    for (unsigned i = 0; i < 16 * 16; i++) {
        spell(a, i % 16, 2, "P1p2G1g2");
        spell(b, i / 16, 2, "P1p2G1g2");
        check_holds((struct scene) { 2, 1, MP | MC, { a, b } });
        check_holds((struct scene) { 4, 2, MP | MC, { a, b } });
    }
}
