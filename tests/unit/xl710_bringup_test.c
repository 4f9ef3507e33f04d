/*
 * xl710_bringup_test.c - from a cold or a used chip to a port and back, with
 * the chip model as the opponent
 */
#include <stdio.h>

#include <millrace/log.h>
#include <millrace/port.h>

#include "drivers/xl710/nic.h"
#include "mm/dma.h"
#include "tests/fake/xl710_bench.h"
#include "tests/fake/xl710_ring.h"
#include "tests/unit/test.h"

#define FOR_EVER   0xFFFFFFFF
#define AQ_EINVAL_ 14

static const struct host_nic_config one_port;

/* ---- it works ---- */

TEST(xl710_bringup, a_cold_chip_becomes_a_port_and_goes_quiet_again)
{
    struct bench b;
    struct port_info info;

    bench_open(&b, &one_port);
    CHECK_EQ(port_count(), 1);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_STR(info.name, "0000:01:00.0");
    CHECK_STR(info.driver, "xl710");
    CHECK_STR(info.product, "XL710 40GbE QSFP+");
    CHECK_CONTAINS(info.firmware, "6.1 api 1.7 nvm ");
    CHECK_EQ(info.state, PORT_STOPPED);
    CHECK_EQ(info.mac[0], 0x02);
    CHECK_EQ(info.mac[5], 0x01);
    CHECK_EQ(info.max_frame, 9728);
    CHECK_EQ(info.pcie.width, 8);
    CHECK_EQ(port_info_get(1, &info), E_NOENT);
    bench_close(&b);
}

/* 14.3 of the life of a port: nothing runs and nothing can write. */
static bool had_segment, had_queue;

/* Before the last reset the chip has forgotten our memory already. */
static void look_at_segment(uint64_t value)
{
    (void)value;
    had_segment |= (host_nic_register(0, 0xC0100) & 1) != 0;
}

/* ... and nothing runs. */
static void look_at_queues(uint64_t value)
{
    (void)value;
    had_queue |= (host_nic_register(0, 0x100000) & 1) != 0 ||
                 (host_nic_register(0, 0x120000) & 1) != 0;
}

TEST(xl710_bringup, close_leaves_the_chip_quiet)
{
    struct bench b;
    struct port_info info;

    bench_open(&b, &one_port);
    bench_start(&b);
    had_segment = false;
    host_nic_watch(0x092400, look_at_segment);
    port_close(0);
    CHECK(!had_segment);
    CHECK_EQ(port_info_get(0, &info), OK);
    CHECK_EQ(info.state, PORT_CLOSED);
    CHECK_EQ(host_nic_register(0, 0x80200), 0);      /* ATQLEN */
    CHECK_EQ(host_nic_register(0, 0x80280), 0);      /* ARQLEN */
    CHECK_EQ(host_nic_register(0, 0x100000) & 5, 0); /* QTX_ENA */
    CHECK_EQ(host_nic_register(0, 0x120000) & 5, 0); /* QRX_ENA */
    CHECK_EQ(host_nic_register(0, 0x34800) & 1, 0);  /* DYN_CTLN(0) */
    CHECK_EQ(host_nic_register(0, 0xC6300), 0);      /* LANTXCNT */
    CHECK_EQ(plat_pci_read(host_nic_device(0)->at, 4, 2) & 4, 0);
    CHECK_EQ(plat_pci_read(host_nic_device(0)->at, 0x72, 2) & 0x8000, 0);
    CHECK_EQ(host_nic_commands(0x0003), 1);
    port_close(0); /* twice does no harm */
    bench_close(&b);
}

TEST(xl710_bringup, four_ports_share_a_chip)
{
    const struct host_nic_config config = { .ports = 4 };
    struct bench b;
    struct port_info info;

    bench_open(&b, &config);
    CHECK_EQ(port_count(), 4);
    for (unsigned i = 0; i < 4; i++) {
        CHECK_EQ(port_info_get(i, &info), OK);
        CHECK_EQ(info.mac[5], 1 + i);
    }
    bench_start(&b);
    bench_close(&b);
}

/* Old firmware has no receive-control commands, new firmware has more. */
TEST(xl710_bringup, firmware_generations_are_all_spoken_to)
{
    static const struct host_nic_config configs[] = {
        { .fw_major = 4, .fw_minor = 40, .api_major = 1, .api_minor = 4 },
        { .fw_major = 5, .fw_minor = 0, .api_major = 1, .api_minor = 5 },
        { .fw_major = 8, .fw_minor = 4, .api_major = 1, .api_minor = 14 },
        { .fw_major = 9, .fw_minor = 50, .api_major = 1, .api_minor = 15 },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(configs); i++) {
        struct bench b;

        host_reset();
        bench_open(&b, &configs[i]);
        CHECK_EQ(host_nic_commands(0x0207) > 0, configs[i].api_minor >= 5);
        bench_start(&b);
        bench_close(&b);
    }
}

TEST(xl710_bringup, a_later_api_major_is_refused_in_words)
{
    const struct host_nic_config config = { .fw_major = 20,
                                            .api_major = 2,
                                            .api_minor = 0 };

    bench_open_chip(&config);
    CHECK_EQ(xl710_attach(host_nic_device(0)), E_UNSUPPORTED);
    CHECK_CONTAINS(host_console_text(),
                   "firmware API 2.0, this driver speaks 1.x");
    CHECK_EQ(port_count(), 0);
    host_nic_close();
}

/* Every access is a trap under an emulator, every start delays the traffic. */
TEST(xl710_bringup, few_register_accesses_and_only_demanded_waits)
{
    struct bench b;
    const uint64_t waited = port_chip_wait_us();
    uint64_t count, took;

    bench_open(&b, &one_port);
    bench_start(&b);
    count = host_mmio_count();
    took = host_cycles() / 1000; /* us since power-on of the fake machine */
    CHECK(count < 300);
    CHECK(port_chip_wait_us() - waited >= 100000); /* the reset's */
    CHECK(took - (port_chip_wait_us() - waited) < 5000);
    bench_close(&b);
}

/* The chip wants 100 ms for each reset; two ports have them at once. */
TEST(xl710_bringup, resets_that_begin_early_pass_together)
{
    const struct host_nic_config config = { .ports = 2 };
    const uint64_t waited = port_chip_wait_us();
    struct bench b = { .pool = NULL };

    bench_open_chip(&config);
    b.pool = ring_pool("bench", 16);
    xl710_reset_begin(host_nic_device(0));
    xl710_reset_begin(host_nic_device(1));
    CHECK_EQ(host_cycles(), 0);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    CHECK_EQ(xl710_attach(host_nic_device(1)), OK);
    CHECK(host_cycles() / 1000 >= 100000 && host_cycles() / 1000 < 110000);
    CHECK(port_chip_wait_us() - waited < 110000);
    bench_close(&b);
}

/* One that is not there, or has no reset, is told of when it is attached. */
TEST(xl710_bringup, an_early_reset_that_is_refused_changes_nothing)
{
    const struct host_nic_config config = { .has_no_flr = true };
    struct bench b = { .pool = NULL };

    bench_open_chip(&config);
    b.pool = ring_pool("bench", 16);
    xl710_reset_begin(host_nic_device(0));
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    CHECK_CONTAINS(host_console_text(), "clearing by hand");
    bench_close(&b);
}

/* NIC-11, NIC-16: the arbiter is tuned once a chip, by the first port. */
TEST(xl710_bringup, global_registers_are_written_once_a_chip)
{
    const struct host_nic_config config = { .ports = 2 };
    struct bench b;

    bench_open(&b, &config);
    CHECK_EQ(host_nic_commands(0xFF04), 3);
    CHECK_EQ(host_nic_commands(0xFF03), 6);
    CHECK_EQ(host_nic_register(0, 0x26CE00), 0x203F0200);
    CHECK_EQ(host_nic_register(0, 0x26CE08), 0x011F0200);
    CHECK_EQ(host_nic_register(0, 0x269FBC), 0x06060606);
    bench_close(&b);
}

TEST(xl710_bringup, the_arbiter_depends_on_board_and_firmware)
{
    const struct host_nic_config config = {
        .device_id = 0x1572, .fw_major = 5, .api_major = 1, .api_minor = 5
    };
    struct bench b;

    bench_open(&b, &config);
    CHECK_EQ(host_nic_register(0, 0x26CE00), 0x10000200);
    CHECK_EQ(host_nic_register(0, 0x269FBC), 0x03030303);
    bench_close(&b);
}

/* ---- whoever was here before ---- */

static struct nic earlier;
static struct mempool *earlier_pool;

/* An earlier driver: everything runs, then it is simply gone. */
static void leave_a_driver_behind(void)
{
    memset(&earlier, 0, sizeof(earlier));
    earlier.dev = host_nic_device(0);
    earlier.id = xl710_id_of(earlier.dev);
    earlier.promiscuous = true;
    snprintf(earlier.name, sizeof(earlier.name), "earlier");
    CHECK_EQ(nic_bring_up(&earlier), OK);
    earlier_pool = ring_pool("earlier", 512);
    earlier.config.pool = earlier_pool;
    CHECK_EQ(rx_ring_alloc(&earlier.rxq[0], 256), OK);
    CHECK_EQ(tx_ring_alloc(&earlier.txq[0], 256, 32, 32), OK);
    CHECK_EQ(queues_start(&earlier), OK);
}

static void check_taken_over(void)
{
    const struct rx_desc *old_ring = earlier.rxq[0].ring;
    uint8_t frame[64];
    struct mbuf *m;
    struct bench b = { .pool = ring_pool("bench", 4096) };

    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    b.config = (struct port_config) { .rx_desc = 256,
                                      .tx_desc = 256,
                                      .tx_rs_thresh = 32,
                                      .tx_free_thresh = 32,
                                      .promiscuous = true,
                                      .pool = b.pool };
    bench_start(&b);
    bench_frame(frame, sizeof(frame), 1);
    CHECK(host_nic_arrive(0, frame, sizeof(frame)));
    CHECK_EQ(bench_receive(0, &m, 1), 1);
    CHECK(bench_same(m, frame, sizeof(frame)));
    mbuf_free(m);
    /* The old ring got nothing of it. */
    for (unsigned i = 0; i < 256; i++)
        CHECK_EQ(old_ring[i].qw1, 0);
    xl710_forget_all();
    bench_check_silence();
    host_nic_close();
}

TEST(xl710_bringup, queues_left_running_end_with_a_function_reset)
{
    bench_open_chip(&one_port);
    leave_a_driver_behind();
    check_taken_over();
}

TEST(xl710_bringup, queues_left_running_end_without_a_function_reset)
{
    const struct host_nic_config config = { .has_no_flr = true };

    bench_open_chip(&config);
    leave_a_driver_behind();
    had_queue = false;
    host_nic_watch(0x092400, look_at_queues);
    check_taken_over();
    CHECK(!had_queue);
    CHECK_CONTAINS(host_console_text(), "left its admin queue running");
}

TEST(xl710_bringup, a_chip_reset_under_way_is_waited_for)
{
    for (unsigned kind = 1; kind <= 3; kind++) {
        for (unsigned flr = 0; flr < 2; flr++) {
            const struct host_nic_config config = { .has_no_flr = flr == 0 };
            struct bench b;

            host_reset();
            bench_open_chip(&config);
            host_nic_fault(CHIP_FAULT_GLOBAL_RESET, 0, 0, kind, 1);
            CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
            b.pool = ring_pool("bench", 16);
            bench_close(&b);
        }
    }
}

/* NIC-02 */
TEST(xl710_bringup, pxe_mode_already_left_is_as_good)
{
    bench_open_chip(&one_port);
    host_nic_fault(CHIP_FAULT_AQ_ERROR, 0, 0x0110, 13, 1);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    xl710_forget_all();
    bench_check_silence();
}

/* ---- each step fails in turn ---- */

/* Attach must fail with @want, say why, and leave no trace. */
static void check_refused(enum status want, const char *step, const char *why)
{
    const uint64_t used = bench_memory_used();
    enum status s;

    log_set_level(LOG_DEBUG); /* the step is a follow-up of the reason */
    s = xl710_attach(host_nic_device(0));
    log_set_level(LOG_INFO);
    CHECK_CONTAINS(host_console_text(), step);
    CHECK_CONTAINS(host_console_text(), why);
    CHECK_EQ(s, want);
    CHECK_EQ(port_count(), 0);
    CHECK_EQ(bench_memory_used(), used);
    CHECK_EQ(plat_pci_read(host_nic_device(0)->at, 4, 2) & 4, 0);
    bench_check_silence();
    /* And the next try, with the fault gone, succeeds. */
    host_nic_fault(CHIP_FAULT_CLEAR, 0, 0, 0, 0);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    xl710_forget_all();
    CHECK_EQ(bench_memory_used(), used);
    bench_check_silence();
}

static const struct {
    uint16_t opcode;
    const char *step, *name;
} commands[] = {
    { 0x0001, "cannot agree with the firmware's version", "get version" },
    { 0x0110, "cannot leave PXE mode", "clear PXE mode" },
    { 0x000A, "cannot read the capabilities", "list capabilities" },
    { 0x0107, "cannot read the MAC address", "MAC address read" },
    { 0x0200, "cannot find our switch port", "get switch configuration" },
    { 0x0212, "cannot find our switch port", "get VSI" },
    { 0x0211, "cannot shape our switch port", "update VSI" },
    { 0x0250, "cannot set the address filters", "add MAC filter" },
    { 0x0254, "cannot set the address filters", "set promiscuous mode" },
    { 0x0613, "cannot follow the link", "set PHY event mask" },
    { 0x0607, "cannot follow the link", "get link status" },
};

TEST(xl710_bringup, a_refused_command_is_named_and_undone)
{
    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        host_reset();
        bench_open_chip(&one_port);
        host_nic_fault(CHIP_FAULT_AQ_ERROR, 0, commands[i].opcode, AQ_EINVAL_,
                       FOR_EVER);
        check_refused(E_IO, commands[i].step,
                      "firmware answers 14, AQ_EINVAL (invalid argument)");
        CHECK_CONTAINS(host_console_text(), commands[i].name);
        host_nic_close();
    }
}

TEST(xl710_bringup, a_command_without_answer_is_named_and_undone)
{
    for (unsigned i = 0; i < ARRAY_SIZE(commands); i++) {
        host_reset();
        bench_open_chip(&one_port);
        host_nic_fault(CHIP_FAULT_AQ_LOST, 0, commands[i].opcode, 0, FOR_EVER);
        check_refused(E_TIMEOUT, commands[i].step, "no answer from firmware");
        CHECK_CONTAINS(host_console_text(), commands[i].name);
        host_nic_close();
    }
}

static unsigned error_lines(void)
{
    unsigned n = 0;

    for (const char *p = host_console_text();
         (p = strstr(p, "] error: ")) != NULL; p++)
        n++;
    return n;
}

/* It is tried again and again; only the last silence is worth a line. */
TEST(xl710_bringup, firmware_that_stays_silent_is_one_line)
{
    bench_open_chip(&one_port);
    host_nic_fault(CHIP_FAULT_AQ_LOST, 0, 0x0001, 0, FOR_EVER);
    CHECK_EQ(xl710_attach(host_nic_device(0)), E_TIMEOUT);
    CHECK_EQ(error_lines(), 1);
    host_nic_close();
}

/* Commands whose refusal costs speed or knowledge, but not the port. */
TEST(xl710_bringup, a_refusal_that_does_not_matter_does_not_stop_us)
{
    static const uint16_t opcodes[] = {
        0x0008, 0x0009, 0x0701, 0x0206, 0x0207,
        0xFF03, 0xFF04, 0x0A00, 0x0600, 0x0603
    };

    for (unsigned i = 0; i < ARRAY_SIZE(opcodes); i++) {
        struct bench b;

        host_reset();
        bench_open_chip(&one_port);
        host_nic_fault(CHIP_FAULT_AQ_ERROR, 0, opcodes[i], AQ_EINVAL_,
                       FOR_EVER);
        CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
        b.pool = ring_pool("bench", 16);
        bench_close(&b);
    }
}

TEST(xl710_bringup, the_first_command_is_tried_again_on_fresh_rings)
{
    bench_open_chip(&one_port);
    host_nic_fault(CHIP_FAULT_AQ_LOST, 0, 0x0001, 0, 3);
    CHECK_EQ(xl710_attach(host_nic_device(0)), OK);
    CHECK_EQ(host_nic_commands(0x0001), 4);
    xl710_forget_all();
    bench_check_silence();
}

/* The step that failed had begun: what it did is undone, too. */
TEST(xl710_bringup, half_a_step_is_undone_as_well)
{
    bench_open_chip(&one_port);
    host_nic_fault(CHIP_FAULT_AQ_ERROR, 0, 0x0254, AQ_EINVAL_, 1);
    CHECK_EQ(xl710_attach(host_nic_device(0)), E_IO);
    CHECK_EQ(host_nic_commands(0x0250), 1);
    CHECK_EQ(host_nic_commands(0x0251), 1);
    bench_check_silence();
    host_nic_close();
}

/* NIC-09 */
TEST(xl710_bringup, recovery_mode_is_said_in_words)
{
    bench_open_chip(&one_port);
    host_nic_fault(CHIP_FAULT_RECOVERY, 0, 0, 0, FOR_EVER);
    check_refused(E_UNSUPPORTED, "cannot trust the firmware",
                  "recovery mode, the NVM image is damaged");
    host_nic_close();
}

TEST(xl710_bringup, registers_that_lie_are_refused_with_what_they_said)
{
    static const struct {
        uint32_t offset, value;
        enum status want;
        const char *step, *why;
    } lies[] = {
        { 0x1C0400, 0, E_CORRUPT, "cannot identify the function",
          "(not valid)" },
        { 0x1C0400, 0x80000010, E_CORRUPT, "cannot identify the function",
          "queues 16 to 0" },
        { 0x1C0400, 0x87FF0000, E_CORRUPT, "cannot identify the function",
          "queues 0 to 2047" },
        { 0x0B6108, 0, E_UNSUPPORTED, "cannot identify the function",
          "NVM is blank" },
        { 0x080000, 0x1234000, E_IO, "cannot open the admin queue",
          "base reads 0x1234000" },
        { 0x0C2004, 6, E_UNSUPPORTED, "cannot lend the queue contexts",
          "contexts are 64 and 32 bytes" },
        { 0x0C2008, 0, E_UNSUPPORTED, "cannot lend the queue contexts",
          "for 0 queues" },
        { 0x0B8188, 1, E_TIMEOUT, "cannot reset the function",
          "GLGEN_RSTAT.DEVSTATE" },
        { 0x0B6008, 0, E_TIMEOUT, "cannot reset the function",
          "GLNVM_ULD.DONE" },
        { 0x083048, 0xFFFFFFFF, E_GONE, "cannot trust the firmware",
          "does not answer" },
        { 0x0B8188, 0xFFFFFFFF, E_GONE, "cannot reset the function",
          "GLGEN_RSTAT.DEVSTATE" },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(lies); i++) {
        host_reset();
        bench_open_chip(&one_port);
        host_pause_ns_set(1000000);
        host_nic_fault(CHIP_FAULT_REG_FORCE, 0, lies[i].offset, lies[i].value,
                       FOR_EVER);
        check_refused(lies[i].want, lies[i].step, lies[i].why);
        host_nic_close();
    }
}

TEST(xl710_bringup, a_bar_that_is_not_there_is_refused)
{
    bench_open_chip(&one_port);
    host_nic_device(0)->bar[0].base = 0;
    CHECK_EQ(xl710_attach(host_nic_device(0)), E_UNSUPPORTED);
    CHECK_STR(host_console_text(), "[    0.000000] error: xl710 0000:01:00.0: "
                                   "BAR 0 at 0 cannot be mapped\n");
    CHECK_EQ(port_count(), 0);
    host_nic_close();
}

TEST(xl710_bringup, a_device_of_others_is_refused)
{
    bench_open_chip(&one_port);
    host_nic_device(0)->device = 0x10FB;
    CHECK_EQ(xl710_attach(host_nic_device(0)), E_UNSUPPORTED);
    CHECK_EQ(port_count(), 0);
    host_nic_close();
}

/* NIC-04 */
TEST(xl710_bringup, an_address_no_station_can_have_is_refused)
{
    static const uint8_t macs[][6] = { { 0 }, { 0x01, 0, 0x5E, 1, 2, 3 } };

    for (unsigned i = 0; i < ARRAY_SIZE(macs); i++) {
        const struct host_nic_config config = { .mac = macs[i] };

        host_reset();
        bench_open_chip(&config);
        CHECK_EQ(xl710_attach(host_nic_device(0)), E_CORRUPT);
        CHECK_CONTAINS(host_console_text(), "which is no station's address");
        CHECK_EQ(port_count(), 0);
        host_nic_close();
    }
}

/* Memory ends at every allocation in turn. */
TEST(xl710_bringup, too_little_memory_is_an_orderly_refusal)
{
    void *held[4096];
    unsigned n = 0, freed = 0;
    enum status s = E_NOMEM;

    bench_open_chip(&one_port);
    while (n < ARRAY_SIZE(held) &&
           (held[n] = dma_alloc(16384, 4096, "test")) != NULL)
        n++;
    while (s == E_NOMEM && freed < n) {
        const uint64_t used = bench_memory_used();

        s = xl710_attach(host_nic_device(0));
        if (s != OK) {
            CHECK_EQ(s, E_NOMEM);
            CHECK_EQ(bench_memory_used(), used);
            dma_free(held[freed++]);
        }
    }
    CHECK_EQ(s, OK);
    CHECK(freed > 3);
    xl710_forget_all();
    bench_check_silence();
    host_nic_close();
}

TEST(xl710_bringup, a_function_that_vanished_is_refused)
{
    bench_open_chip(&one_port);
    host_nic_device(0)->at.device = 7; /* nobody is there */
    CHECK(xl710_attach(host_nic_device(0)) != OK);
    CHECK_EQ(port_count(), 0);
    host_nic_close();
}
