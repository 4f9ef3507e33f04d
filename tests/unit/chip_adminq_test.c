/* The model's admin queue, driven as Linux, DPDK and iPXE drive it. */
#include "tests/unit/chip_bench.h"

static void open_linux(void)
{
    bench_open();
    aq_open(32);
    CHECK_EQ(bench.complaints, 0);
}

TEST(adminq, answers_when_length_is_written_before_the_base)
{
    open_linux();
    CHECK_EQ(aq(0x0001, F_SI, 0, NULL), 0);
    CHECK_EQ(get16(bench.params + 8), 6);
    CHECK_EQ(get16(bench.params + 10), 1);
    CHECK_EQ(get16(bench.params + 12), 1);
    CHECK_EQ(get16(bench.params + 14), 7);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(adminq, answers_when_length_is_written_last_as_ipxe_does)
{
    bench_open();
    bench.ring = 4;
    wr(B_ATQH, 0);
    wr(B_ATQT, 0);
    wr(B_ATQBAL, (uint32_t)(BUS + AT_ATQ));
    wr(B_ATQBAH, (uint32_t)((BUS + AT_ATQ) >> 32));
    wr(B_ATQLEN, 4 | AQ_ENABLE);
    for (unsigned i = 0; i < 11; i++) /* the ring of 4 wraps */
        CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(adminq, does_nothing_before_it_is_enabled)
{
    uint8_t *d;

    bench_open();
    bench.ring = 32;
    d = aq_put(0x0001, 0, 0, NULL);
    aq_ring();
    CHECK_EQ(get16(d), 0);
    CHECK_EQ(rd(B_ATQH), 0);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(adminq, handles_a_batch_of_commands_in_order)
{
    uint8_t *first, *second;

    open_linux();
    first = aq_put(0x0001, 0, 0, NULL);
    second = first + 32;
    memcpy(second, first, 32);
    put16(second + 2, 0x7777);
    wr(B_ATQT, 2);
    CHECK_EQ(rd(B_ATQH), 2);
    CHECK_EQ(get16(first + 6), 0);
    CHECK_EQ(get16(second + 6), 3);
    bench_close();
}

TEST(adminq, unknown_opcodes_get_esrch)
{
    open_linux();
    CHECK_EQ(aq(0x7777, 0, 0, NULL), 3);
    CHECK_EQ(aq(0x0B02, F_BUF | F_RD, 52, NULL), 3); /* X722 only */
    bench_close();
}

/* DPDK sends it twice at close; the second must be answered too. */
TEST(adminq, goes_on_answering_after_shutdown)
{
    open_linux();
    CHECK_EQ(aq16(0x0003, 1, 0), 0);
    CHECK_EQ(aq16(0x0003, 1, 0), 0);
    bench_close();
}

TEST(adminq, tail_beyond_the_ring_is_critical)
{
    open_linux();
    wr(B_ATQT, 32);
    CHECK_STR(bench.rule, "aq-tail-range");
    CHECK_EQ(rd(B_ATQLEN), 32 | AQ_ENABLE | 1u << 30);
    bench_close();
}

TEST(adminq, ring_outside_memory_is_critical)
{
    bench_open();
    bench.ring = 32;
    wr(B_ATQLEN, 32 | AQ_ENABLE);
    wr(B_ATQBAL, 0x1000);
    wr(B_ATQT, 1);
    CHECK_STR(bench.rule, "aq-no-memory");
    CHECK(rd(B_ATQLEN) & 1u << 30);
    CHECK_EQ(rd(B_ATQH), 0);
    bench_close();
}

TEST(adminq, ring_without_entries_is_told)
{
    bench_open();
    wr(B_ATQLEN, AQ_ENABLE);
    wr(B_ATQT, 1);
    CHECK_STR(bench.rule, "aq-len-range");
    bench_close();
}

TEST(adminq, unaligned_ring_is_told)
{
    bench_open();
    wr(B_ATQLEN, 32 | AQ_ENABLE);
    wr(B_ATQBAL, (uint32_t)(BUS + AT_ATQ + 32));
    wr(B_ATQBAH, (uint32_t)(BUS >> 32));
    wr(B_ATQT, 1);
    CHECK_STR(bench.rule, "aq-base-align");
    bench_close();
}

TEST(adminq, moving_a_running_ring_is_told)
{
    open_linux();
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    wr(B_ATQBAL, (uint32_t)(BUS + AT_FREE));
    CHECK_STR(bench.rule, "aq-moved");
    bench_close();
}

TEST(adminq, nothing_is_read_without_bus_mastering)
{
    open_linux();
    chip_cfg_write(bench.chip, 0, 4, 2, 0x0002);
    (void)aq_put(0x0001, 0, 0, NULL);
    aq_ring();
    CHECK_EQ(rd(B_ATQH), 0);
    CHECK(bench.complaints > 0);
    bench_close();
}

TEST(adminq, refuses_flags_that_do_not_fit_the_command)
{
    open_linux();
    CHECK_EQ(aq(0x000A, 0, 4096, NULL), 14); /* needs a buffer */
    CHECK_STR(bench.rule, "aq-flags");
    CHECK_EQ(aq(0x0250, F_BUF, 16, NULL), 14); /* must be read */
    CHECK_EQ(bench.complaints, 2);
    CHECK_EQ(aq(0x000A, F_BUF | F_LB, 4097, NULL), 14);
    CHECK_STR(bench.rule, "aq-buffer");
    bench_close();
}

TEST(adminq, never_writes_beyond_the_buffer_it_was_given)
{
    open_linux();
    memset(aq_buf(), 0xA5, 256);
    CHECK_EQ(aq(0x0107, F_BUF, 24, NULL), 0);
    for (unsigned i = 24; i < 256; i++)
        CHECK_EQ(aq_buf()[i], 0xA5);
    memset(aq_buf(), 0xA5, 256);
    CHECK_EQ(aq(0x0107, F_BUF, 23, NULL), 14); /* too short: untouched */
    CHECK_EQ(aq_buf()[0], 0xA5);
    bench_close();
}

TEST(adminq, answers_keep_the_buffer_address)
{
    open_linux();
    CHECK_EQ(aq(0x0107, F_BUF, 24, NULL), 0);
    CHECK_EQ(get32(bench.params + 8), (uint32_t)((BUS + AT_BUF) >> 32));
    CHECK_EQ(get32(bench.params + 12), (uint32_t)(BUS + AT_BUF));
    bench_close();
}

TEST(adminq, a_command_cannot_ring_its_own_bell)
{
    uint8_t p[16] = { 0 };

    open_linux();
    put32(p + 4, B_ATQT);
    put32(p + 12, 9);
    CHECK_EQ(aq(0xFF04, 0, 0, p), 1);
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    bench_close();
}

TEST(adminq, capabilities_name_the_needed_size_when_short)
{
    unsigned n, needed;

    open_linux();
    CHECK_EQ(aq(0x000A, F_BUF, 64, NULL), 9);
    needed = bench.len;
    CHECK_EQ(needed % 32, 0);
    CHECK_EQ(aq(0x000A, F_BUF | F_LB, needed, NULL), 0);
    n = get32(bench.params + 4);
    CHECK_EQ(n * 32, needed);
    /* What DPDK and Linux cannot do without. */
    for (unsigned i = 0, found = 0; i <= n; i++) {
        const uint8_t *e = aq_buf() + i * 32;

        if (i == n) {
            CHECK_EQ(found, 5);
            break;
        }
        switch (get16(e)) {
        case 0x40:
            CHECK_EQ(get32(e + 4), 512);
            found++;
            break;
        case 0x41:
        case 0x42:
            CHECK_EQ(get32(e + 4), 128);
            CHECK_EQ(get32(e + 12), 0);
            found++;
            break;
        case 0x43:
            CHECK_EQ(get32(e + 4), 129);
            found++;
            break;
        case 0x18:
            CHECK_EQ(get32(e + 8) & 1, 1);
            found++;
            break;
        }
    }
    bench_close();
}

TEST(adminq, the_second_function_starts_where_the_first_ends)
{
    bench_open();
    bench.pf = 1;
    aq_open(32);
    CHECK_EQ(rd(0x1C0400), 128u | 255u << 16 | 1u << 31);
    CHECK_EQ(aq(0x000A, F_BUF | F_LB, 4096, NULL), 0);
    for (unsigned i = 0; i < get32(bench.params + 4); i++)
        if (get16(aq_buf() + i * 32) == 0x41)
            CHECK_EQ(get32(aq_buf() + i * 32 + 12), 128);
    CHECK_EQ(aq(0x0107, F_BUF, 24, NULL), 0);
    CHECK_EQ(aq_buf()[5], 0x11);
    bench_close();
}

TEST(adminq, pxe_mode_ends_once)
{
    open_linux();
    CHECK_EQ(aq16(0x0110, 1, 0), 14);
    CHECK_EQ(aq16(0x0110, 2, 0), 0);
    CHECK_EQ(aq16(0x0110, 2, 0), 13);
    bench_close();
}

TEST(adminq, an_address_written_is_read_back)
{
    uint8_t p[16] = { 0 };
    const uint8_t mac[6] = { 0x02, 0x12, 0x34, 0x56, 0x78, 0x9A };

    open_linux();
    put16(p + 2, 0x0212);
    put32(p + 4, 0x3456789A);
    CHECK_EQ(aq(0x0108, 0, 0, p), 0);
    CHECK_EQ(aq(0x0107, F_BUF, 24, NULL), 0);
    CHECK_EQ(get16(bench.params) & 0x10, 0x10);
    CHECK_BYTES(aq_buf(), mac, 6);
    put16(p + 2, 0x0112); /* multicast */
    CHECK_EQ(aq(0x0108, 0, 0, p), 14);
    bench_close();
}

/* ---- interrupts ---- */

TEST(adminq, completion_raises_the_cause_unless_told_not_to)
{
    open_linux();
    wr(B_ICR0_ENA, 1u << 30);
    CHECK_EQ(aq(0x0001, F_SI, 0, NULL), 0);
    CHECK_EQ(rd(B_ICR0), 0);
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    CHECK_EQ(rd(B_ICR0), 1u << 30 | 1);
    CHECK_EQ(rd(B_ICR0), 0);
    bench_close();
}

/* ---- events ---- */

static void ask_for_link_events(void)
{
    CHECK_EQ(aq16(0x0607, 3, 0), 0);
    CHECK_EQ(bench.params[0] & 1, 1);
}

TEST(adminq, a_link_event_carries_the_status)
{
    const uint8_t *d;

    open_linux();
    ask_for_link_events();
    chip_link_set(bench.chip, 0, false);
    CHECK_EQ(rd(B_ARQH), 1);
    d = bench.mem + AT_ARQ;
    CHECK_EQ(get16(d) & (F_DD | F_CMP), F_DD | F_CMP);
    CHECK_EQ(get16(d + 2), 0x0607);
    CHECK_EQ(d[16 + 4] & 1, 0);
    CHECK_EQ(d[16 + 3], 0);
    CHECK(rd(B_ICR0) & 1u << 30);
    bench_close();
}

/* Linux and iPXE ask again from their event handlers for this reason. */
TEST(adminq, link_events_stop_until_asked_for_again)
{
    open_linux();
    ask_for_link_events();
    chip_link_set(bench.chip, 0, false);
    chip_link_set(bench.chip, 0, true);
    CHECK_EQ(rd(B_ARQH), 1);
    ask_for_link_events();
    chip_link_set(bench.chip, 0, false);
    CHECK_EQ(rd(B_ARQH), 2);
    bench_close();
}

TEST(adminq, masked_link_events_are_not_sent)
{
    uint8_t p[16] = { 0 };

    open_linux();
    ask_for_link_events();
    put16(p + 8, 0x0002);
    CHECK_EQ(aq(0x0613, 0, 0, p), 0);
    chip_link_set(bench.chip, 0, false);
    CHECK_EQ(rd(B_ARQH), 0);
    bench_close();
}

TEST(adminq, an_event_without_descriptor_waits_and_sets_overflow)
{
    bench_open();
    aq_open(4); /* three event descriptors */
    for (unsigned i = 0; i < 4; i++) {
        ask_for_link_events();
        chip_link_set(bench.chip, 0, i & 1);
    }
    CHECK_EQ(rd(B_ARQH), 3);
    CHECK_EQ(rd(B_ARQLEN), 4 | AQ_ENABLE | 1u << 29);
    wr(B_ARQLEN, 4 | AQ_ENABLE);
    aq_post_event_buffers(1);
    wr(B_ARQT, 0);
    CHECK_EQ(rd(B_ARQH), 0);
    CHECK_EQ(rd(B_ARQLEN), 4 | AQ_ENABLE);
    bench_close();
}

TEST(adminq, event_ring_in_no_memory_is_told)
{
    open_linux();
    wr(B_ARQBAH, 0);
    wr(B_ARQBAL, 0x1000);
    ask_for_link_events();
    chip_link_set(bench.chip, 0, false);
    CHECK_STR(bench.rule, "aq-no-memory");
    CHECK(rd(B_ARQLEN) & 1u << 30);
    bench_close();
}

/* ---- resources ---- */

static unsigned nvm_lock(unsigned access)
{
    uint8_t p[16] = { 0 };

    put16(p, 1);
    put16(p + 2, access);
    return aq(0x0008, 0, 0, p);
}

TEST(adminq, one_function_at_a_time_holds_the_nvm)
{
    open_linux();
    CHECK_EQ(nvm_lock(1), 0);
    CHECK_EQ(get32(bench.params + 4), 3000);
    bench.pf = 1;
    aq_open(32);
    CHECK_EQ(nvm_lock(1), 12);
    CHECK_EQ(get32(bench.params + 4), 3000);
    pass_us(3000 * 1000); /* the lock runs out */
    CHECK_EQ(nvm_lock(2), 0);
    CHECK_EQ(get32(bench.params + 4), 180000);
    CHECK_EQ(aq16(0x0009, 1, 0), 0);
    bench_close();
}

TEST(adminq, release_without_request_is_fine_and_bad_ids_are_not)
{
    open_linux();
    CHECK_EQ(aq16(0x0009, 1, 0), 0);
    CHECK_EQ(aq16(0x0009, 7, 0), 14);
    CHECK_EQ(aq16(0x0008, 7, 1), 14);
    bench_close();
}

/* ---- faults ---- */

TEST(adminq, a_fault_makes_one_reply_fail)
{
    struct chip_fault_args args = { .opcode = 0x0001, .value = 5, .count = 1 };

    open_linux();
    chip_fault(bench.chip, CHIP_FAULT_AQ_ERROR, &args);
    CHECK_EQ(aq16(0x0110, 2, 0), 0);
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 5);
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    bench_close();
}

TEST(adminq, a_late_reply_comes_when_its_time_has_come)
{
    struct chip_fault_args args = { .opcode = 1, .value = 700, .count = 1 };
    const uint8_t *d;

    open_linux();
    chip_fault(bench.chip, CHIP_FAULT_AQ_LATE, &args);
    d = aq_put(0x0001, 0, 0, NULL);
    aq_ring();
    pass_us(699);
    CHECK_EQ(rd(B_ATQH), 0);
    CHECK_EQ(get16(d) & F_DD, 0);
    pass_us(1);
    CHECK_EQ(rd(B_ATQH), 1);
    CHECK_EQ(get16(d) & F_DD, F_DD);
    bench_close();
}

TEST(adminq, a_lost_reply_never_comes_and_the_next_command_works)
{
    struct chip_fault_args args = { .opcode = 1, .count = 1 };
    const uint8_t *d;

    open_linux();
    chip_fault(bench.chip, CHIP_FAULT_AQ_LOST, &args);
    d = aq_put(0x0001, 0, 0, NULL);
    aq_ring();
    pass_us(10 * 1000 * 1000);
    CHECK_EQ(rd(B_ATQH), 0);
    CHECK_EQ(get16(d) & F_DD, 0);
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    CHECK_EQ(get16(d) & F_DD, 0);
    bench_close();
}

TEST(adminq, restarting_the_queue_forgets_a_lost_reply)
{
    struct chip_fault_args args = { .opcode = 1, .count = 1 };

    open_linux();
    chip_fault(bench.chip, CHIP_FAULT_AQ_LOST, &args);
    (void)aq_put(0x0001, 0, 0, NULL);
    aq_ring();
    aq_open(32);
    CHECK_EQ(aq(0x0001, 0, 0, NULL), 0);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

/* Every opcode with random parameters, flags and lengths: nothing breaks. */
TEST(adminq, random_commands_do_no_harm)
{
    uint32_t seed = 1;

    open_linux();
    chip_strict_set(bench.chip, false);
    for (unsigned n = 0; n < 20000; n++) {
        uint8_t p[16];
        unsigned opcode;

        for (unsigned i = 0; i < 16; i++) {
            seed = seed * 1664525 + 1013904223;
            p[i] = (uint8_t)(seed >> 24);
            if (seed & 0x10000)
                p[i] = 0;
        }
        seed = seed * 1664525 + 1013904223;
        opcode = (seed >> 8 & 7) << 8 | (seed >> 16 & 0x7F);
        if ((seed >> 28) == 0)
            opcode = 0xFF00 | (seed >> 16 & 0xF);
        if ((seed >> 28) == 1)
            opcode |= 0x0800;
        (void)aq(opcode, seed & (F_BUF | F_RD | F_LB), seed >> 12 & 0x1FFF, p);
        if (n % 64 == 0) {
            pass_us(1000000); /* resets that were asked for, end */
            wr(B_PFGEN_CTRL, 1);
            chip_cfg_write(bench.chip, 0, 4, 2, 0x0006);
            aq_open(32);
        }
    }
    bench_close();
}
