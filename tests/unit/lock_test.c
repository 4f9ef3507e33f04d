/*
 * lock_test.c - locks on one core: free again after use, and all zeros is free
 */
#include <millrace/lock.h>

#include "tests/unit/test.h"

static const enum lock_kind kinds[] = { LOCK_NONE, LOCK_TICKET, LOCK_CAS,
                                        LOCK_QUEUE };

TEST(lock, all_zeros_is_free_and_so_is_a_lock_that_was_left)
{
    for (unsigned i = 0; i < ARRAY_SIZE(kinds); i++) {
        struct lock lock;
        struct queue_node me;

        memset(&lock, 0, sizeof(lock));
        for (unsigned round = 0; round < 3; round++) {
            lock_enter(&lock, kinds[i], &me);
            lock_leave(&lock, kinds[i], &me);
        }
    }
}

TEST(lock, trylock_tells_whether_it_is_held)
{
    struct spinlock lock = { 0 };

    CHECK(spin_trylock(&lock));
    CHECK(!spin_trylock(&lock));
    spin_unlock(&lock);
    CHECK(spin_trylock(&lock));
}

TEST(lock, tickets_wrap)
{
    struct ticket_lock lock = { UINT32_MAX, UINT32_MAX };

    ticket_lock(&lock);
    ticket_unlock(&lock);
    CHECK_EQ(lock.serving, 0);
    CHECK_EQ(lock.next, 0);
    ticket_lock(&lock);
    ticket_unlock(&lock);
    CHECK_EQ(lock.serving, 1);
}

TEST(lock, a_queue_that_emptied_is_free)
{
    struct queue_lock lock = { NULL };
    struct queue_node me;

    queue_lock(&lock, &me);
    CHECK(lock.last == &me);
    queue_unlock(&lock, &me);
    CHECK(lock.last == NULL);
}
