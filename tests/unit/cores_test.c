/*
 * cores_test.c - work for other cores, and making them stand still
 */
#include <millrace/core.h>

#include "kernel/mailbox.h"
#include "tests/unit/test.h"

struct job {
    unsigned steps, of;
    unsigned lcore; /* on which it ran */
};

static bool work(void *arg)
{
    struct job *job = arg;

    job->lcore = plat_lcore_id();
    return ++job->steps < job->of;
}

TEST(cores, core_0_is_there_and_takes_no_work)
{
    struct job job = { .of = 1 };

    CHECK_EQ(core_count(), 1);
    CHECK(core_info_get(0)->is_ready);
    CHECK(core_info_get(1) == NULL);
    CHECK(!core_takes_work(0));
    CHECK_EQ(core_run(0, work, &job), E_NOENT);
    CHECK_EQ(core_run(1, work, &job), E_NOENT);
    CHECK_EQ(core_run(LCORE_MAX, work, &job), E_NOENT);
}

TEST(cores, a_step_is_repeated_until_it_says_so)
{
    struct job job = { .of = 3 };

    host_cores(2);
    CHECK_EQ(core_run(2, work, &job), OK);
    CHECK(core_is_busy(2) && !core_is_busy(1));
    CHECK_EQ(host_core_wakes(2), 1);
    host_cores_turn();
    CHECK_EQ(job.steps, 1);
    CHECK_EQ(core_wait(2, 1000), OK);
    CHECK_EQ(job.steps, 3);
    CHECK_EQ(job.lcore, 2);
    host_cores_turn();
    CHECK_EQ(job.steps, 3); /* once only */
}

TEST(cores, a_core_has_one_job_at_a_time)
{
    struct job a = { .of = 2 }, b = { .of = 1 };

    host_cores(1);
    CHECK_EQ(core_run(1, work, &a), OK);
    CHECK_EQ(core_run(1, work, &b), E_BUSY);
    CHECK_EQ(core_wait(1, 1000), OK);
    CHECK_EQ(core_run(1, work, &b), OK);
    CHECK_EQ(core_wait(1, 1000), OK);
    CHECK_EQ(a.steps, 2);
    CHECK_EQ(b.steps, 1);
}

/* What a core that sleeps in mwait watches. */
TEST(cores, another_core_can_be_the_control_core)
{
    struct job job = { .of = 2 };

    host_cores(2);
    CHECK_EQ(core_control(), 0);
    host_control_move(2);
    CHECK_EQ(core_control(), 2);
    CHECK(core_takes_work(0) && core_takes_work(1) && !core_takes_work(2));
    CHECK_EQ(core_run(2, work, &job), E_NOENT);
    CHECK_EQ(core_run(0, work, &job), OK);
    CHECK_EQ(core_hold(1000), OK);
    host_cores_turn();
    CHECK_EQ(job.steps, 0); /* it is held as others are */
    core_release();
    CHECK_EQ(core_wait(0, 1000), OK);
    CHECK_EQ(job.steps, 2);
    CHECK_EQ(job.lcore, 0);
    host_cores(0);
    CHECK_EQ(core_control(), 0);
}

TEST(cores, giving_work_is_a_store_to_the_cores_own_line)
{
    struct job job = { .of = 1 };
    uint8_t before[2][4], *line[2];

    host_cores(2);
    for (unsigned i = 0; i < 2; i++) {
        line[i] = (uint8_t *)(uintptr_t)core_work_line(i + 1);
        memcpy(before[i], line[i], 4);
    }
    CHECK_EQ(core_run(2, work, &job), OK);
    CHECK_EQ(memcmp(before[0], line[0], 4), 0);
    CHECK(memcmp(before[1], line[1], 4) != 0);
    CHECK((uintptr_t)line[0] / 64 != (uintptr_t)line[1] / 64);
    CHECK_EQ(core_wait(2, 1000), OK);
}

TEST(cores, a_wait_has_an_end)
{
    struct job job = { .of = UINT32_MAX };
    uint64_t before;

    host_cores(1);
    CHECK_EQ(core_run(1, work, &job), OK);
    before = plat_cycles();
    CHECK_EQ(core_wait(1, 50), E_TIMEOUT);
    CHECK((plat_cycles() - before) / (HOST_HZ / 1000000) >= 50);
    CHECK_EQ(core_wait(0, 0), OK); /* it has no work */
}

TEST(cores, one_that_does_not_answer_keeps_its_number)
{
    const struct core_info info = { .apic_id = 8 };

    host_cores(1);
    CHECK_EQ(core_add(2, &info), OK);
    CHECK_EQ(core_add(3, &info), OK);
    CHECK_EQ(core_add(5, &info), E_RANGE);
    core_set_ready(3);
    CHECK_EQ(core_count(), 4);
    CHECK(!core_takes_work(2));
    CHECK(core_takes_work(3));
    CHECK_EQ(core_run(2, work, NULL), E_NOENT);
}

TEST(cores, as_many_as_there_are_numbers)
{
    const struct core_info info = { .apic_id = 8 };

    host_cores(LCORE_MAX - 1);
    CHECK_EQ(core_count(), LCORE_MAX);
    CHECK_EQ(core_add(LCORE_MAX, &info), E_RANGE);
}

/* ---- standing still ---- */

TEST(hold, nobody_works_until_the_last_release)
{
    struct job job = { .of = 100 };
    unsigned before;

    host_cores(2);
    CHECK_EQ(core_run(1, work, &job), OK);
    CHECK_EQ(core_hold(1000), OK);
    before = job.steps;
    CHECK_EQ(core_hold(1000), OK);
    core_release();
    for (unsigned i = 0; i < 10; i++)
        host_cores_turn();
    CHECK_EQ(job.steps, before);
    core_release();
    host_cores_turn();
    CHECK_EQ(job.steps, before + 1);
}

TEST(hold, every_hold_is_acknowledged_anew)
{
    struct job job = { .of = 100 };

    host_cores(1);
    CHECK_EQ(core_run(1, work, &job), OK);
    CHECK_EQ(core_hold(1000), OK);
    core_release();
    host_core_stuck(1, true);
    CHECK_EQ(core_hold(1000), E_TIMEOUT);
}

TEST(hold, a_stuck_core_is_named_and_nobody_is_held)
{
    struct job a = { .of = 100 }, b = { .of = 100 };
    unsigned before;

    host_cores(2);
    CHECK_EQ(core_run(1, work, &a), OK);
    CHECK_EQ(core_run(2, work, &b), OK);
    host_core_stuck(2, true);
    CHECK_EQ(core_hold(1000), E_TIMEOUT);
    CHECK_CONTAINS(host_console_text(), "core 2: no quiet point within 1000");
    before = a.steps;
    host_cores_turn();
    CHECK_EQ(a.steps, before + 1);
}

TEST(hold, cores_without_work_are_not_waited_for)
{
    host_cores(3);
    host_core_stuck(2, true);
    CHECK_EQ(core_hold(0), OK);
    core_release();
}

TEST(hold, work_given_meanwhile_starts_at_the_release)
{
    struct job job = { .of = 1 };

    host_cores(1);
    CHECK_EQ(core_hold(1000), OK);
    CHECK_EQ(core_run(1, work, &job), OK);
    host_cores_turn();
    CHECK_EQ(job.steps, 0);
    core_release();
    CHECK_EQ(core_wait(1, 1000), OK);
    CHECK_EQ(job.steps, 1);
}

TEST(hold, a_release_without_a_hold_is_our_own_fault)
{
    CHECK_PANICS(core_release());
}

/* ---- quiet points ---- */

TEST(quiet, a_ticket_is_reached_when_every_working_core_was_between_steps)
{
    struct job a = { .of = 100 }, b = { .of = 100 };
    uint64_t ticket;

    host_cores(3);
    CHECK_EQ(core_run(1, work, &a), OK);
    CHECK_EQ(core_run(2, work, &b), OK);
    host_core_stuck(2, true);
    ticket = core_quiet_ask();
    CHECK(!core_quiet_reached(ticket));
    host_cores_turn();
    CHECK(!core_quiet_reached(ticket));
    host_core_stuck(2, false);
    host_cores_turn();
    CHECK(core_quiet_reached(ticket));
    CHECK(!core_quiet_reached(core_quiet_ask()));
}

TEST(quiet, without_work_every_moment_is_quiet)
{
    struct job job = { .of = 1 };

    CHECK(core_quiet_reached(core_quiet_ask()));
    host_cores(2);
    CHECK(core_quiet_reached(core_quiet_ask()));
    CHECK_EQ(core_run(1, work, &job), OK);
    CHECK_EQ(core_wait(1, 1000), OK);
    CHECK(core_quiet_reached(core_quiet_ask()));
}

TEST(quiet, one_that_is_left_out_is_not_waited_for)
{
    const struct core_info info = { .apic_id = 8 };
    struct job job = { .of = 100 };
    uint64_t ticket;

    host_cores(1);
    CHECK_EQ(core_add(2, &info), OK);
    CHECK_EQ(core_run(1, work, &job), OK);
    ticket = core_quiet_ask();
    CHECK(!core_quiet_reached(ticket));
    host_cores_turn();
    CHECK(core_quiet_reached(ticket));
    CHECK_EQ(core_hold(1000), OK);
    core_release();
}

TEST(quiet, a_core_that_is_held_is_quiet)
{
    struct job job = { .of = 100 };
    uint64_t ticket;

    host_cores(1);
    CHECK_EQ(core_run(1, work, &job), OK);
    CHECK_EQ(core_hold(1000), OK);
    ticket = core_quiet_ask();
    host_cores_turn();
    CHECK(core_quiet_reached(ticket));
    core_release();
}

TEST(mailbox, two_writers_share_no_line)
{
    CHECK(offsetof(struct mailbox, asked) / CACHE_LINE ==
          offsetof(struct mailbox, hold) / CACHE_LINE);
    CHECK(offsetof(struct mailbox, asked) / CACHE_LINE !=
          offsetof(struct mailbox, done) / CACHE_LINE);
    CHECK_EQ(sizeof(struct mailbox) % (2 * CACHE_LINE), 0);
}
