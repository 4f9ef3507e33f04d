/*
 * mailbox_mt_test.c - a core that is a thread: no job twice, none lost, nothing
 * touched under a hold
 */
#include <pthread.h>
#include <sched.h>

#include "kernel/mailbox.h"
#include "tests/unit/test.h"

#define JOBS  20000
#define HOLDS 2000

static struct mailbox box;
static uint32_t ends; /* atomic */

/* Plain members: only the mailbox orders who touches them. */
static struct {
    unsigned given, taken;
    unsigned settings, seen;
} shared;

static void *core(void *arg)
{
    (void)arg;
    while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE))
        if (!mailbox_turn(&box))
            sched_yield();
    return NULL;
}

static pthread_t begin(void)
{
    pthread_t thread;

    memset(&box, 0, sizeof(box));
    memset(&shared, 0, sizeof(shared));
    ends = 0;
    CHECK_EQ(pthread_create(&thread, NULL, core, NULL), 0);
    return thread;
}

static void end(pthread_t thread)
{
    __atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
}

static bool take(void *arg)
{
    CHECK(arg == &shared);
    shared.taken += shared.given;
    return false;
}

TEST(mailbox, every_job_is_done_once_and_sees_what_was_written_before)
{
    const pthread_t thread = begin();
    unsigned sum = 0;

    for (unsigned i = 1; i <= JOBS; i++) {
        shared.given = i;
        sum += i;
        CHECK_EQ(mailbox_post(&box, take, &shared), OK);
        while (mailbox_is_busy(&box))
            sched_yield();
        CHECK_EQ(shared.taken, sum);
    }
    end(thread);
}

static bool poll_settings(void *arg)
{
    (void)arg;
    shared.seen = shared.settings;
    return shared.settings < HOLDS;
}

TEST(mailbox, what_is_changed_under_a_hold_is_nobodys_meanwhile)
{
    const pthread_t thread = begin();

    CHECK_EQ(mailbox_post(&box, poll_settings, NULL), OK);
    for (uint32_t i = 1; i <= HOLDS; i++) {
        mailbox_hold(&box, i);
        while (!mailbox_is_held(&box))
            sched_yield();
        CHECK(shared.seen <= shared.settings);
        shared.settings = i; /* the thread checker would see a step here */
        mailbox_release(&box);
    }
    while (mailbox_is_busy(&box))
        sched_yield();
    CHECK_EQ(shared.seen, HOLDS);
    end(thread);
}

TEST(mailbox, every_ticket_is_reached_by_a_core_that_works)
{
    const pthread_t thread = begin();

    CHECK_EQ(mailbox_post(&box, poll_settings, NULL), OK);
    for (uint32_t i = 1; i <= HOLDS; i++) {
        mailbox_quiet_ask(&box, i);
        while (!mailbox_quiet_reached(&box, i))
            sched_yield();
    }
    mailbox_hold(&box, 1);
    while (!mailbox_is_held(&box))
        sched_yield();
    shared.settings = HOLDS;
    mailbox_release(&box);
    while (mailbox_is_busy(&box))
        sched_yield();
    end(thread);
}
