/*
 * interleave_mbuf_test.c - the "count is one" hand-over of a buffer, in every
 * order that memory allows
 *
 * Two or three holders read the bytes and let go; who gets the buffer back
 * writes them, as the next packet would.
 */
#include "tests/host/interleave_hooks.h"

#include "mm/mbuf.c"
#include "tests/host/interleave.h"
#include "tests/unit/test.h"

static struct mbuf m;
static int bytes;
static unsigned holders;
static unsigned got_it[INTERLEAVE_THREADS];

static void start(void)
{
    memset(&m, 0, sizeof(m));
    memset(got_it, 0, sizeof(got_it));
    m.refcnt = (uint16_t)holders;
    m.nb_segs = 1;
    bytes = 1;
}

static void read_and_let_go(unsigned id)
{
    (void)plain_load(&bytes);
    if (mbuf_prefree(&m) == NULL)
        return;
    got_it[id] = 1;
    plain_store(&bytes, 2);
}

static void holder_0(void)
{
    read_and_let_go(0);
}

static void holder_1(void)
{
    read_and_let_go(1);
}

static void holder_2(void)
{
    read_and_let_go(2);
}

static const char *wrong(void)
{
    const unsigned n = got_it[0] + got_it[1] + got_it[2];

    if (n != 1)
        return n == 0 ? "a buffer lost" : "a buffer back twice";
    return m.refcnt == 1 ? NULL : "in the pool with a count that is not 1 (B1)";
}

static const char *try_holders(unsigned n)
{
    const struct interleave what = {
        INTERLEAVE_DECLARED,
        start,
        { holder_0, holder_1, n == 3 ? holder_2 : NULL },
        wrong,
    };

    holders = n;
    return interleave_try(&what).wrong;
}

TEST(interleave_mbuf, MB_36_the_last_holder_is_after_all_others)
{
    CHECK(try_holders(2) == NULL);
    CHECK(try_holders(3) == NULL);
}

TEST(interleave_mbuf, MB_36_reading_one_without_acquire_is_found)
{
    interleave_weaken(&m.refcnt, INTERLEAVE_LOAD, INTERLEAVE_ALL);
    CHECK_CONTAINS(try_holders(2), "nothing orders it after a read");
    interleave_strengthen();
}

TEST(interleave_mbuf, MB_36_letting_go_without_release_is_found)
{
    interleave_weaken(&m.refcnt, INTERLEAVE_SWAP, INTERLEAVE_ALL);
    CHECK_CONTAINS(try_holders(2), "nothing orders it after a read");
    interleave_strengthen();
}
