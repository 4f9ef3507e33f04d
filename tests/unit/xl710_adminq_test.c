/*
 * xl710_adminq_test.c - the queue to the firmware, and a firmware that lies
 */
#include <millrace/endian.h>
#include <millrace/log.h>
#include <millrace/port.h>

#include "drivers/xl710/aq_cmd.h"
#include "drivers/xl710/nic.h"
#include "tests/fake/xl710_bench.h"
#include "tests/unit/test.h"

#define FOR_EVER 0xFFFFFFFF
#define ATQLEN   0x80200
#define ARQLEN   0x80280

static const struct host_nic_config one_port;

/* ---- calls ---- */

static struct nic lone; /* no rings */

TEST(xl710_adminq, calls_outside_ready_are_refused_and_touch_nothing)
{
    struct aq_call call = { .command = AQ_GET_VERSION };
    const uint64_t before = host_mmio_count();

    memset(&lone, 0, sizeof(lone));
    CHECK_EQ(adminq_call(&lone, &call), E_STATE);
    lone.aq.state = AQ_DEAD;
    CHECK_EQ(adminq_call(&lone, &call), E_STATE);
    CHECK_EQ(adminq_poll(&lone, NULL), 0);
    CHECK_EQ(host_mmio_count(), before);
}

TEST(xl710_adminq, codes_and_commands_have_words)
{
    CHECK_STR(aq_return_text(0), "AQ_OK (success)");
    CHECK_STR(aq_return_text(12), "AQ_EBUSY (busy)");
    CHECK_STR(aq_return_text(22), "AQ_EFBIG (too large)");
    CHECK_STR(aq_return_text(99), "an unknown code");
    CHECK_STR(aq_command_text(AQ_CLEAR_PXE), "clear PXE mode");
    CHECK_EQ(aq_command_opcode(AQ_REG_WRITE), 0xFF04);
}

/* Late is not lost: the answer lands in its own descriptor. */
TEST(xl710_adminq, a_late_answer_disturbs_nobody)
{
    struct bench b;

    bench_open(&b, &one_port);
    host_nic_fault(CHIP_FAULT_AQ_LATE, 0, 0x0254, 300000, 1);
    CHECK_EQ(port_promiscuous_set(0, false), E_TIMEOUT);
    CHECK_CONTAINS(host_console_text(),
                   "set promiscuous mode (0x0254): no answer from firmware "
                   "within 250 ms");
    CHECK_EQ(port_promiscuous_set(0, true), OK);
    for (unsigned i = 0; i < 100; i++) /* three rounds of the ring */
        CHECK_EQ(port_promiscuous_set(0, i % 2 == 0), OK);
    bench_close(&b);
}

/* A firmware that never answers again is given up, not waited for for ever. */
TEST(xl710_adminq, a_silent_firmware_is_given_up_after_three_commands)
{
    struct bench b;
    struct port_info info;
    unsigned tries = 0;
    enum status s = E_TIMEOUT;

    bench_open(&b, &one_port);
    bench_start(&b);
    host_nic_fault(CHIP_FAULT_AQ_LOST, 0, 0x0254, 0, FOR_EVER);
    for (; s == E_TIMEOUT && tries < 100; tries++)
        s = port_promiscuous_set(0, false);
    CHECK_EQ(s, E_STATE);
    CHECK_EQ(tries, 4);
    bench_run_us(1100000);
    CHECK_CONTAINS(host_console_text(), "firmware does not answer");
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.state, PORT_RECOVERING);
    CHECK_EQ(port_stop(0), OK);
    CHECK_EQ(bench_out(&b), 0);
    bench_close(&b);
}

/* ---- firmware in trouble ---- */

TEST(xl710_adminq, a_critical_error_is_told_from_a_late_answer)
{
    struct bench b;

    bench_open(&b, &one_port);
    host_nic_fault(CHIP_FAULT_AQ_LOST, 0, 0x0254, 0, 1);
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, ATQLEN, 0xC0000020, FOR_EVER);
    CHECK_EQ(port_promiscuous_set(0, false), E_GONE);
    CHECK_CONTAINS(host_console_text(),
                   "firmware reports a critical error and gave up");
    CHECK_EQ(port_promiscuous_set(0, false), E_STATE);
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    bench_close(&b);
}

TEST(xl710_adminq, lost_events_are_said_and_the_link_is_asked_for)
{
    struct bench b;
    unsigned asked;

    bench_open(&b, &one_port);
    bench_run_us(1100000);
    asked = host_nic_commands(0x0607);
    host_nic_fault(CHIP_FAULT_REG_FORCE, 0, ARQLEN, 0xA0000020, FOR_EVER);
    bench_run_us(1100000);
    CHECK_CONTAINS(host_console_text(), "event queue: events were lost");
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    bench_run_us(1100000);
    CHECK(host_nic_commands(0x0607) > asked);
    bench_close(&b);
}

/* NIC-05: each event has a buffer of its own. */
TEST(xl710_adminq, a_burst_of_events_is_taken_one_by_one)
{
    struct bench b;
    struct port_link link;

    bench_open(&b, &one_port);
    bench_start(&b);
    for (unsigned i = 0; i < 200; i++) {
        chip_link_set(host_nic_chip(), 0, i % 2 != 0);
        host_advance_us(100);
        if (i % 5 == 4)
            port_poll_all();
    }
    bench_run_us(1100000);
    port_link_get(0, &link);
    CHECK(link.up);
    CHECK(link.changes >= 40);
    bench_close(&b);
}

/* ---- firmware that lies ---- */

/* Bring-up must refuse, with these words in the log, and undo everything. */
static void check_lie(uint16_t opcode, void (*lie)(uint8_t *, uint8_t *),
                      enum status want, const char *words)
{
    uint64_t used;

    bench_open_chip(&one_port);
    used = bench_memory_used();
    host_nic_tamper(opcode, lie);
    CHECK_EQ(xl710_attach(host_nic_device(0)), want);
    CHECK_CONTAINS(host_console_text(), words);
    CHECK_EQ(port_count(), 0);
    CHECK_EQ(bench_memory_used(), used);
    bench_check_silence();
    host_nic_close();
}

static void other_opcode(uint8_t *desc, uint8_t *data)
{
    (void)data;
    put_le16(desc + 2, 0x0BAD);
}

TEST(xl710_adminq, an_answer_to_another_command_is_refused)
{
    check_lie(0x0110, other_opcode, E_CORRUPT,
              "clear PXE mode (0x0110) was answered as 0x0bad");
}

static void too_many_capabilities(uint8_t *desc, uint8_t *data)
{
    (void)data;
    put_le32(desc + 16 + 4, 129); /* 128 fit the buffer */
}

static void no_queues(uint8_t *desc, uint8_t *data)
{
    (void)desc;
    for (unsigned i = 0; i < 128; i++)
        if (get_le16(data + 32 * i) == 0x0041)
            put_le32(data + 32 * i + 4, 0);
}

TEST(xl710_adminq, capabilities_that_cannot_be_are_refused)
{
    check_lie(0x000A, too_many_capabilities, E_CORRUPT,
              "lists 129 capabilities, room is for 128");
    host_reset();
    check_lie(0x000A, no_queues, E_UNSUPPORTED, "grants 0 receive");
}

static void no_mac(uint8_t *desc, uint8_t *data)
{
    (void)data;
    put_le16(desc + 16, 0);
}

TEST(xl710_adminq, a_mac_address_without_its_flag_is_refused)
{
    check_lie(0x0107, no_mac, E_CORRUPT, "firmware knows no MAC address");
}

/* The model knows no such start; its refusal is taken back. */
static void take_back_refusal(uint8_t *desc)
{
    desc[0] &= (uint8_t)~4;
    put_le16(desc + 6, 0);
}

static void endless_switch(uint8_t *desc, uint8_t *data)
{
    take_back_refusal(desc);
    put_le16(desc + 16, 7); /* there is always more */
    put_le16(data, 0xFFFF); /* elements reported */
    for (unsigned i = 0; i < 31; i++)
        data[16 + 16 * i] = 17; /* none of them a VSI */
}

/* NIC-06 */
TEST(xl710_adminq, a_switch_that_never_ends_is_given_up)
{
    bench_open_chip(&one_port);
    host_nic_tamper(0x0200, endless_switch);
    CHECK_EQ(xl710_attach(host_nic_device(0)), E_NOENT);
    CHECK_CONTAINS(host_console_text(), "firmware made no VSI");
    CHECK_EQ(host_nic_commands(0x0200), 64);
    host_nic_close();
}

static unsigned switch_reads;

/* The VSI is in the third part only. */
static void long_switch(uint8_t *desc, uint8_t *data)
{
    static uint8_t truth[512];

    take_back_refusal(desc);
    switch (switch_reads++) {
    case 0:
        memcpy(truth, data, sizeof(truth));
        break;
    case 2:
        memcpy(data, truth, sizeof(truth));
        put_le16(desc + 16, 0);
        return;
    }
    memset(data, 0, sizeof(truth));
    put_le16(data, 3);
    data[16] = 17;
    put_le16(desc + 16, (uint16_t)(10 + switch_reads));
}

TEST(xl710_adminq, a_switch_in_several_parts_is_read_to_its_end)
{
    switch_reads = 0;
    bench_open_chip(&one_port);
    host_nic_tamper(0x0200, long_switch);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    CHECK_EQ(host_nic_commands(0x0200), 3);
    xl710_forget_all();
    bench_check_silence();
    host_nic_close();
}

static void no_queue_set(uint8_t *desc, uint8_t *data)
{
    (void)desc;
    put_le16(data + 96, 0xFFFF);
}

static void no_such_block(uint8_t *desc, uint8_t *data)
{
    (void)desc;
    put_le16(data + 112, 384);
}

TEST(xl710_adminq, a_vsi_that_cannot_be_is_refused)
{
    check_lie(0x0212, no_queue_set, E_CORRUPT, "queue set 0xffff");
    host_reset();
    check_lie(0x0212, no_such_block, E_CORRUPT, "statistics block 384");
}

static void no_room(uint8_t *desc, uint8_t *data)
{
    (void)desc;
    data[12] = 0xFF;
}

TEST(xl710_adminq, a_filter_that_found_no_room_is_noticed)
{
    check_lie(0x0250, no_room, E_NOMEM, "no room for our MAC address");
}
