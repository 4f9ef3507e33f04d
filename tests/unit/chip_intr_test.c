/* The model's interrupts: causes, vectors, moderation, the way out. */
#include "tests/unit/chip_bench.h"

#include "chip/chip_impl.h"

#define RQCTL(q)    (0x3A000u + 4 * (q))
#define TQCTL(q)    (0x3C000u + 4 * (q))
#define DYN_CTLN(n) (0x34800u + 4 * (n))
#define ITRN(i, n)  (0x30000u + 0x800 * (i) + 4 * (n))
#define GLINT_CTL   0x3F800u
#define CAUSE_ENA   (1u << 30)
#define INTENA      1u
#define CLEARPBA    2u
#define SWINT       4u
#define ITR_NONE    (3u << 3)
#define KEEP        (1u << 31)

static void open_msix(void)
{
    bench_open();
    chip_cfg_write(bench.chip, 0, 0x72, 2, 0x8000);
    wr(RQCTL(0), 3 | 3u << 11 | CAUSE_ENA); /* vector 3 */
}

static void cause(void)
{
    intr_cause(bench.chip, &bench.chip->pf[0], false, 0);
}

TEST(intr, a_cause_fires_once_and_masks_itself)
{
    open_msix();
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    cause();
    CHECK_EQ(bench.msix[3], 1);
    CHECK_EQ(rd(DYN_CTLN(2)) & INTENA, 0);
    cause();
    CHECK_EQ(bench.msix[3], 1);
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    CHECK_EQ(bench.msix[3], 2); /* it was kept */
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    CHECK_EQ(bench.msix[3], 2);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(intr, automask_can_be_switched_off)
{
    open_msix();
    wr(GLINT_CTL, 7);
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    cause();
    cause();
    CHECK_EQ(bench.msix[3], 2);
    CHECK_EQ(rd(DYN_CTLN(2)) & INTENA, INTENA);
    bench_close();
}

TEST(intr, a_queue_without_cause_enable_is_silent)
{
    open_msix();
    wr(RQCTL(0), 3 | 3u << 11);
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    cause();
    CHECK_EQ(bench.msix[3], 0);
    bench_close();
}

TEST(intr, clearpba_drops_what_is_pending)
{
    open_msix();
    cause();
    wr(DYN_CTLN(2), INTENA | CLEARPBA | ITR_NONE);
    CHECK_EQ(bench.msix[3], 0);
    bench_close();
}

TEST(intr, intena_stays_when_the_mask_bit_says_so)
{
    open_msix();
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    wr(DYN_CTLN(2), KEEP | ITR_NONE);
    CHECK_EQ(rd(DYN_CTLN(2)) & INTENA, INTENA);
    wr(DYN_CTLN(2), ITR_NONE);
    CHECK_EQ(rd(DYN_CTLN(2)) & INTENA, 0);
    wr(DYN_CTLN(2), KEEP | INTENA | ITR_NONE);
    CHECK_EQ(rd(DYN_CTLN(2)) & INTENA, 0);
    bench_close();
}

TEST(intr, software_can_trigger_a_vector)
{
    open_msix();
    wr(DYN_CTLN(2), INTENA | SWINT | ITR_NONE);
    CHECK_EQ(bench.msix[3], 1);
    CHECK_EQ(rd(DYN_CTLN(2)) & SWINT, 0);
    bench_close();
}

TEST(intr, an_interval_holds_the_second_one_back)
{
    open_msix();
    pass_us(1000);
    wr(ITRN(0, 2), 25); /* 50 us */
    wr(RQCTL(0), 3 | 0u << 11 | CAUSE_ENA);
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    cause();
    CHECK_EQ(bench.msix[3], 1); /* long idle: at once */
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    pass_us(10);
    cause();
    CHECK_EQ(bench.msix[3], 1);
    pass_us(39);
    CHECK_EQ(bench.msix[3], 1);
    pass_us(1);
    CHECK_EQ(bench.msix[3], 2);
    bench_close();
}

TEST(intr, the_control_register_sets_the_interval_it_names)
{
    open_msix();
    wr(DYN_CTLN(2), INTENA | 1u << 3 | 25u << 5);
    CHECK_EQ(rd(ITRN(1, 2)), 25);
    wr(DYN_CTLN(2), INTENA | ITR_NONE | 99u << 5);
    CHECK_EQ(rd(ITRN(1, 2)), 25);
    bench_close();
}

TEST(intr, a_masked_function_keeps_its_messages)
{
    open_msix();
    chip_cfg_write(bench.chip, 0, 0x72, 2, 0xC000);
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    cause();
    CHECK_EQ(bench.msix[3], 0);
    chip_cfg_write(bench.chip, 0, 0x72, 2, 0x8000);
    CHECK_EQ(bench.msix[3], 1);
    bench_close();
}

TEST(intr, queues_tell_whether_they_are_armed)
{
    uint64_t ns;
    struct chip_pf *pf;

    open_msix();
    pf = &bench.chip->pf[0];
    CHECK(!intr_queue_armed(bench.chip, pf, false, 0, &ns));
    wr(ITRN(0, 2), 16);
    wr(RQCTL(0), 3 | CAUSE_ENA);
    wr(DYN_CTLN(2), INTENA | ITR_NONE);
    CHECK(intr_queue_armed(bench.chip, pf, false, 0, &ns));
    CHECK_EQ(ns, 32000);
    CHECK(!intr_queue_armed(bench.chip, pf, true, 0, &ns));
    bench_close();
}

/* ---- vector 0 ---- */

TEST(intr, other_causes_reach_vector_0_only_when_enabled)
{
    open_msix();
    wr(B_DYN_CTL0, INTENA | ITR_NONE);
    intr_other(bench.chip, &bench.chip->pf[0], ICR0_ADMINQ);
    CHECK_EQ(bench.msix[0], 0);
    wr(B_ICR0_ENA, 1u << 30); /* it was latched: now it tells */
    CHECK_EQ(bench.msix[0], 1);
    CHECK_EQ(rd(B_ICR0), 1u << 30 | 1);
    CHECK_EQ(rd(B_ICR0), 0);
    bench_close();
}

TEST(intr, an_unread_cause_interrupts_again_when_rearmed)
{
    open_msix();
    wr(B_ICR0_ENA, 1u << 30);
    wr(B_DYN_CTL0, INTENA | CLEARPBA | ITR_NONE);
    intr_other(bench.chip, &bench.chip->pf[0], ICR0_ADMINQ);
    CHECK_EQ(bench.msix[0], 1);
    wr(B_DYN_CTL0, INTENA | CLEARPBA | ITR_NONE);
    CHECK_EQ(bench.msix[0], 2);
    (void)rd(B_ICR0);
    wr(B_DYN_CTL0, INTENA | CLEARPBA | ITR_NONE);
    CHECK_EQ(bench.msix[0], 2);
    bench_close();
}

TEST(intr, queues_on_vector_0_show_in_icr0)
{
    open_msix();
    wr(RQCTL(0), 0 | 2u << 13 | 3u << 11 | CAUSE_ENA);
    wr(B_DYN_CTL0, INTENA | ITR_NONE);
    cause();
    CHECK_EQ(bench.msix[0], 1);
    CHECK_EQ(rd(B_ICR0), 1u << 3 | 1); /* QUEUE_2 */
    bench_close();
}

TEST(intr, a_software_interrupt_of_vector_0_shows_in_icr0)
{
    open_msix();
    wr(B_DYN_CTL0, INTENA | SWINT | ITR_NONE);
    CHECK_EQ(bench.msix[0], 1);
    CHECK_EQ(rd(B_ICR0) >> 31, 1);
    bench_close();
}

/* ---- MSI and the pin ---- */

TEST(intr, msi_sends_message_0)
{
    bench_open();
    chip_cfg_write(bench.chip, 0, 0x52, 2, 1);
    wr(B_ICR0_ENA, 1u << 30);
    wr(B_DYN_CTL0, INTENA | ITR_NONE);
    intr_other(bench.chip, &bench.chip->pf[0], ICR0_ADMINQ);
    CHECK_EQ(bench.msix[0], 1);
    CHECK(!bench.intx);
    bench_close();
}

TEST(intr, the_pin_stays_up_until_icr0_is_read)
{
    bench_open();
    wr(B_ICR0_ENA, 1u << 30);
    wr(B_DYN_CTL0, INTENA | ITR_NONE);
    intr_other(bench.chip, &bench.chip->pf[0], ICR0_ADMINQ);
    CHECK(bench.intx);
    CHECK_EQ(chip_cfg_read(bench.chip, 0, 6, 2) & 8, 8);
    (void)rd(B_ICR0);
    CHECK(!bench.intx);
    CHECK_EQ(chip_cfg_read(bench.chip, 0, 6, 2) & 8, 0);
    CHECK_EQ(bench.intx_ups, 1);
    bench_close();
}

TEST(intr, a_disabled_pin_stays_down_and_the_cause_waits)
{
    bench_open();
    chip_cfg_write(bench.chip, 0, 4, 2, 0x0406);
    wr(B_ICR0_ENA, 1u << 30);
    wr(B_DYN_CTL0, INTENA | ITR_NONE);
    intr_other(bench.chip, &bench.chip->pf[0], ICR0_ADMINQ);
    CHECK(!bench.intx);
    chip_cfg_write(bench.chip, 0, 4, 2, 0x0006);
    CHECK(bench.intx);
    bench_close();
}

TEST(intr, a_reset_lets_go_of_the_pin)
{
    bench_open();
    wr(B_ICR0_ENA, 1u << 30);
    wr(B_DYN_CTL0, INTENA | ITR_NONE);
    intr_other(bench.chip, &bench.chip->pf[0], ICR0_ADMINQ);
    wr(B_PFGEN_CTRL, 1);
    CHECK(!bench.intx);
    bench_close();
}

TEST(intr, vectors_beyond_the_table_are_harmless)
{
    open_msix();
    wr(RQCTL(0), 200 | CAUSE_ENA);
    cause();
    wr(DYN_CTLN(300), INTENA | SWINT | ITR_NONE);
    intr_cause(bench.chip, &bench.chip->pf[0], true, 5000);
    for (unsigned v = 0; v < 256; v++)
        CHECK_EQ(bench.msix[v], 0);
    bench_close();
}
