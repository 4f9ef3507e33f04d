/*
 * interleave_lock_test.c - the locks in every order that memory allows
 */
#include "tests/host/interleave_hooks.h"

#include <millrace/lock.h>
#include <millrace/order.h>

#include "tests/host/interleave.h"
#include "tests/unit/test.h"

static struct lock lock;
static enum lock_kind kind;
static unsigned rounds[INTERLEAVE_THREADS];
static int counter; /* under the lock */

static void start(void)
{
    lock = (struct lock) { .queue = { NULL } };
    counter = 0;
}

static void add(unsigned id)
{
    struct queue_node me;

    for (unsigned i = 0; i < rounds[id]; i++) {
        lock_enter(&lock, kind, &me);
        plain_store(&counter, plain_load(&counter) + 1);
        lock_leave(&lock, kind, &me);
    }
}

static void add_0(void)
{
    add(0);
}

static void add_1(void)
{
    add(1);
}

static void add_2(void)
{
    add(2);
}

static const char *wrong(void)
{
    if (counter != (int)(rounds[0] + rounds[1] + rounds[2]))
        return "an addition lost";
    return NULL;
}

static const char *try_rounds(enum lock_kind of, unsigned a, unsigned b,
                              unsigned c)
{
    const struct interleave what = { INTERLEAVE_DECLARED,
                                     start,
                                     { add_0, add_1, c != 0 ? add_2 : NULL },
                                     wrong };

    kind = of;
    rounds[0] = a;
    rounds[1] = b;
    rounds[2] = c;
    return interleave_try(&what).wrong;
}

static void check_excludes(enum lock_kind of)
{
    CHECK(try_rounds(of, 1, 1, 0) == NULL);
    CHECK(try_rounds(of, 2, 2, 0) == NULL);
    CHECK(try_rounds(of, 2, 1, 1) == NULL);
}

TEST(interleave_lock, ticket_lock_excludes)
{
    check_excludes(LOCK_TICKET);
}

TEST(interleave_lock, spinlock_excludes)
{
    check_excludes(LOCK_CAS);
}

TEST(interleave_lock, queue_lock_excludes)
{
    check_excludes(LOCK_QUEUE);
}

TEST(interleave_lock, without_a_lock_it_is_found)
{
    CHECK_CONTAINS(try_rounds(LOCK_NONE, 1, 1, 0), "nothing orders it");
}

/* With accesses of one kind to @p relaxed, two holders are not in order. */
static void check_needed(enum lock_kind of, const void *p, unsigned accesses)
{
    interleave_weaken(p, accesses, INTERLEAVE_ALL);
    CHECK(try_rounds(of, 2, 2, 0) != NULL);
    interleave_strengthen();
}

TEST(interleave_lock, each_order_is_needed)
{
    check_needed(LOCK_TICKET, &lock.ticket.serving, INTERLEAVE_LOAD);
    check_needed(LOCK_TICKET, &lock.ticket.serving, INTERLEAVE_STORE);
    check_needed(LOCK_CAS, &lock.cas.held, INTERLEAVE_SWAP);
    check_needed(LOCK_CAS, &lock.cas.held, INTERLEAVE_STORE);
    check_needed(LOCK_QUEUE, &lock.queue.last, INTERLEAVE_SWAP);
}
