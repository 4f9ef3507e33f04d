/*
 * lock_mt_test.c - locks between threads: one at a time, and first come, first
 * served where that is promised
 */
#include <pthread.h>
#include <sched.h>

#include <millrace/lock.h>

#include "tests/unit/test.h"

/*
 * A fair lock serves in turn, so on a machine with fewer cores than threads each
 * turn may cost a time slice: few rounds, few threads.
 */
enum { THREADS = 3, ROUNDS = 300 };

static struct lock lock;
static enum lock_kind kind;

/* ---- one at a time ---- */

static unsigned long counter;

static void *add(void *arg)
{
    struct queue_node me;

    for (unsigned i = 0; i < ROUNDS; i++) {
        lock_enter(&lock, kind, &me);
        counter++;
        lock_leave(&lock, kind, &me);
        if (i % 8 == 7)
            sched_yield();
    }
    return arg;
}

static void check_excludes(enum lock_kind of)
{
    pthread_t threads[THREADS];

    memset(&lock, 0, sizeof(lock));
    kind = of;
    counter = 0;
    for (unsigned i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&threads[i], NULL, add, NULL), 0);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    CHECK_EQ(counter, THREADS * ROUNDS);
}

TEST(lock_mt, ticket_lock_excludes)
{
    check_excludes(LOCK_TICKET);
}

TEST(lock_mt, spinlock_excludes)
{
    check_excludes(LOCK_CAS);
}

TEST(lock_mt, queue_lock_excludes)
{
    check_excludes(LOCK_QUEUE);
}

/* ---- first come, first served ---- */

static unsigned order[THREADS], served; /* under the lock */

static void *come(void *arg)
{
    struct queue_node me;

    lock_enter(&lock, kind, &me);
    order[served++] = (unsigned)(uintptr_t)arg;
    lock_leave(&lock, kind, &me);
    return NULL;
}

/* Changes when one more waits. */
static uint64_t waiting_mark(void)
{
    if (kind == LOCK_TICKET)
        return __atomic_load_n(&lock.ticket.next, __ATOMIC_ACQUIRE);
    return (uintptr_t)__atomic_load_n(&lock.queue.last, __ATOMIC_ACQUIRE);
}

static void check_fair(enum lock_kind of)
{
    pthread_t threads[THREADS];
    struct queue_node me;

    memset(&lock, 0, sizeof(lock));
    kind = of;
    served = 0;
    lock_enter(&lock, kind, &me);
    for (unsigned i = 0; i < THREADS; i++) {
        const uint64_t before = waiting_mark();

        CHECK_EQ(pthread_create(&threads[i], NULL, come, (void *)(uintptr_t)i),
                 0);
        while (waiting_mark() == before)
            sched_yield();
    }
    CHECK_EQ(served, 0);
    lock_leave(&lock, kind, &me);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK_EQ(order[i], i);
}

TEST(lock_mt, ticket_lock_serves_in_order_of_arrival)
{
    check_fair(LOCK_TICKET);
}

TEST(lock_mt, queue_lock_serves_in_order_of_arrival)
{
    check_fair(LOCK_QUEUE);
}
