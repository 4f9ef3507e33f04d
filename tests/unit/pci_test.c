/*
 * pci_test.c - the scan, capabilities, the path to memory, resets
 */
#include <millrace/endian.h>

#include "kernel/pci.h"
#include "tests/fake/pci_space.h"
#include "tests/unit/test.h"

#define ENDPOINT   0
#define ROOT_PORT  4
#define UPSTREAM   5
#define DOWNSTREAM 6

#define ADDR(b, d, f)                                                          \
    ((struct pci_addr) { .bus = (b), .device = (d), .function = (f) })

static const struct pci_range all = { 0, 0, 255 };

static void start(void)
{
    fake_pci_reset();
    pci_ranges_set(&all, 1);
}

static struct pci_device *found(struct pci_addr at)
{
    for (unsigned i = 0; i < pci_count(); i++) {
        const struct pci_addr a = pci_get(i)->at;

        if (a.segment == at.segment && a.bus == at.bus &&
            a.device == at.device && a.function == at.function)
            return pci_get(i);
    }
    return NULL;
}

static void scan(unsigned expected)
{
    CHECK_EQ(pci_scan(), OK);
    CHECK_EQ(pci_count(), expected);
}

/* ---- the scan ---- */

TEST(pci, an_empty_machine_has_no_functions)
{
    start();
    scan(0);
    CHECK(pci_get(0) == NULL);
    CHECK_EQ(fake_pci_reads(), 256 * 32);
}

TEST(pci, reads_identity)
{
    start();
    struct fake_pci *f = fake_pci_endpoint(ADDR(0, 3, 0), 0x8086, 0x1583);

    put_le32(f->space + 8, 0x02000001);
    put_le16(f->space + 0x2C, 0x8086);
    put_le16(f->space + 0x2E, 0x0006);
    scan(1);
    const struct pci_device *d = pci_get(0);

    CHECK_EQ(d->vendor, 0x8086);
    CHECK_EQ(d->device, 0x1583);
    CHECK_EQ(d->subvendor, 0x8086);
    CHECK_EQ(d->subdevice, 0x0006);
    CHECK_EQ(d->class_code, 0x020000);
    CHECK_EQ(d->revision, 1);
    CHECK(d->bridge == NULL);
}

TEST(pci, functions_above_0_need_the_multi_function_bit)
{
    start();
    struct fake_pci *f = fake_pci_endpoint(ADDR(0, 3, 0), 0x8086, 0x1583);

    fake_pci_endpoint(ADDR(0, 3, 1), 0x8086, 0x1583);
    fake_pci_endpoint(ADDR(0, 3, 7), 0x8086, 0x1583);
    scan(1);
    f->space[0x0E] = 0x80;
    scan(3);
}

TEST(pci, a_device_without_function_0_is_not_there)
{
    start();
    fake_pci_endpoint(ADDR(0, 3, 1), 0x8086, 0x1583);
    scan(0);
}

TEST(pci, the_last_bus_of_a_range_is_searched_and_the_next_is_not)
{
    const struct pci_range range = { 0, 0x20, 0x3F };

    start();
    fake_pci_endpoint(ADDR(0x1F, 31, 0), 1, 1);
    fake_pci_endpoint(ADDR(0x20, 0, 0), 1, 2);
    fake_pci_endpoint(ADDR(0x3F, 31, 0), 1, 3);
    fake_pci_endpoint(ADDR(0x40, 0, 0), 1, 4);
    pci_ranges_set(&range, 1);
    scan(2);
    CHECK_EQ(pci_get(0)->device, 2);
    CHECK_EQ(pci_get(1)->device, 3);
}

TEST(pci, bus_255_and_every_segment_are_searched)
{
    const struct pci_range ranges[] = { { 0xFFFE, 0xFF, 0xFF }, { 0, 0, 255 } };
    struct pci_addr far = ADDR(0xFF, 31, 0);

    start();
    fake_pci_endpoint(ADDR(0xFF, 31, 0), 1, 1);
    far.segment = 0xFFFE;
    fake_pci_endpoint(far, 1, 2);
    pci_ranges_set(ranges, 2);
    scan(2);
    CHECK(found(far) != NULL);
    CHECK_EQ(found(far)->device, 2);
}

TEST(pci, bridges_are_linked_up_to_the_root)
{
    start();
    fake_pci_bridge(ADDR(0, 1, 0), 2);
    fake_pci_bridge(ADDR(2, 0, 0), 3);
    fake_pci_bridge(ADDR(3, 5, 0), 9);
    fake_pci_endpoint(ADDR(9, 0, 0), 0x8086, 0x1572);
    scan(4);
    const struct pci_device *d = found(ADDR(9, 0, 0));

    CHECK(d->bridge == found(ADDR(3, 5, 0)));
    CHECK(d->bridge->bridge == found(ADDR(2, 0, 0)));
    CHECK(d->bridge->bridge->bridge == found(ADDR(0, 1, 0)));
    CHECK(d->bridge->bridge->bridge->bridge == NULL);
}

/* Also when the ranges of a segment come in the wrong order. */
TEST(pci, a_bridge_into_another_range_is_found)
{
    const struct pci_range ranges[] = { { 0, 0x80, 0xFF }, { 0, 0, 0x7F } };

    start();
    fake_pci_bridge(ADDR(0, 1, 0), 0x80);
    fake_pci_endpoint(ADDR(0x80, 0, 0), 0x8086, 0x1572);
    pci_ranges_set(ranges, 2);
    scan(2);
    CHECK(found(ADDR(0x80, 0, 0))->bridge == found(ADDR(0, 1, 0)));
}

TEST(pci, a_second_root_bus_has_no_bridge)
{
    start();
    fake_pci_bridge(ADDR(0, 1, 0), 1);
    fake_pci_endpoint(ADDR(0x40, 0, 0), 0x8086, 0x1572);
    scan(2);
    CHECK(found(ADDR(0x40, 0, 0))->bridge == NULL);
}

TEST(pci, bridges_that_lead_back_or_to_themselves_make_no_loop)
{
    start();
    fake_pci_bridge(ADDR(1, 0, 0), 2);
    fake_pci_bridge(ADDR(2, 0, 0), 1);
    fake_pci_bridge(ADDR(3, 0, 0), 3);
    fake_pci_endpoint(ADDR(3, 1, 0), 0x8086, 0x1572);
    fake_pci_endpoint(ADDR(1, 1, 0), 0x8086, 0x1572);
    scan(5);
    for (unsigned i = 0; i < pci_count(); i++) {
        unsigned depth = 0;

        for (const struct pci_device *d = pci_get(i); d != NULL; d = d->bridge)
            CHECK(depth++ < 256);
    }
    CHECK_CONTAINS(host_console_text(),
                   "bridge 0000:02:00.0 claims to lead to bus 1");
    pci_enable(found(ADDR(3, 1, 0)));
}

TEST(pci, a_link_ends_in_one_device_even_if_it_answers_for_all)
{
    start();
    struct fake_pci *port = fake_pci_bridge(ADDR(0, 1, 0), 1);

    fake_pci_add_pcie(port, ROOT_PORT, false);
    fake_pci_endpoint(ADDR(1, 0, 0), 0x8086, 0x1572)->answers_everywhere = true;
    scan(2);
    put_le16(port->space + FAKE_PCI_PCIE + 40, 0x20); /* ARI: all are real */
    scan(1 + 32);
}

TEST(pci, behind_a_switch_every_downstream_port_is_found)
{
    start();
    fake_pci_add_pcie(fake_pci_bridge(ADDR(0, 1, 0), 1), ROOT_PORT, false);
    fake_pci_add_pcie(fake_pci_bridge(ADDR(1, 0, 0), 2), UPSTREAM, false);
    fake_pci_add_pcie(fake_pci_bridge(ADDR(2, 0, 0), 3), DOWNSTREAM, false);
    fake_pci_add_pcie(fake_pci_bridge(ADDR(2, 7, 0), 4), DOWNSTREAM, false);
    fake_pci_endpoint(ADDR(3, 0, 0), 0x8086, 0x1572);
    fake_pci_endpoint(ADDR(4, 0, 0), 0x8086, 0x1572);
    scan(6);
}

TEST(pci, more_functions_than_the_table_holds_are_refused)
{
    start();
    for (unsigned i = 0; i <= PCI_FUNCTIONS_MAX; i++) {
        struct fake_pci *f = fake_pci_endpoint(
            ADDR((uint8_t)(i / 256), i / 8 % 32, i % 8), 1, 1);

        f->space[0x0E] = 0x80;
    }
    CHECK_EQ(pci_scan(), E_NOMEM);
    CHECK_EQ(pci_count(), PCI_FUNCTIONS_MAX);
    CHECK_CONTAINS(host_console_text(), "those from 0000:04:00.0 on");
}

/* ---- BARs ---- */

static const struct pci_device *with_bars(const uint32_t bar[6])
{
    start();
    struct fake_pci *f = fake_pci_endpoint(ADDR(0, 3, 0), 0x8086, 0x1583);

    for (unsigned i = 0; i < 6; i++)
        put_le32(f->space + 0x10 + 4 * i, bar[i]);
    scan(1);
    CHECK_EQ(f->writes, 0); /* read, never sized */
    return pci_get(0);
}

TEST(pci, bars_of_64_bits_may_be_anywhere)
{
    static const uint32_t bar[6] = { 0x0000000C, 0x00003800, 0xFE00E001,
                                     0,          0xFE000000, 0 };
    const struct pci_device *d = with_bars(bar);

    CHECK_EQ(d->bar[0].base, 0x380000000000);
    CHECK(d->bar[0].is_64bit && d->bar[0].is_prefetchable && !d->bar[0].is_io);
    CHECK_EQ(d->bar[1].base, 0);
    CHECK(d->bar[2].is_io);
    CHECK_EQ(d->bar[2].base, 0xFE00E000);
    CHECK_EQ(d->bar[4].base, 0xFE000000);
    CHECK(!d->bar[4].is_64bit && !d->bar[4].is_prefetchable);
}

TEST(pci, a_64_bit_bar_without_an_upper_half_is_none)
{
    static const uint32_t bar[6] = { 0, 0, 0, 0, 0, 0xFE00000C };

    CHECK_EQ(with_bars(bar)->bar[5].base, 0);
}

TEST(pci, a_bridge_has_two_bars)
{
    start();
    struct fake_pci *f = fake_pci_bridge(ADDR(0, 1, 0), 1);

    put_le32(f->space + 0x14, 0xFE00000C); /* 64 bits, but bus numbers follow */
    scan(1);
    CHECK_EQ(pci_get(0)->bar[1].base, 0);
    CHECK_EQ(pci_get(0)->bar[2].base, 0);
}

TEST(pci, only_assigned_memory_bars_are_mapped)
{
    static const uint32_t bar[6] = { 0x0000000C, 0x00003800, 0xE001, 0, 0, 0 };
    const struct pci_device *d = with_bars(bar);
    const struct host_device device = { .phys = 0x380000000000,
                                        .bytes = 0x800000 };

    host_device_add(&device);
    CHECK(pci_map_bar(d, 0, 0x800000) != NULL);
    CHECK(pci_map_bar(d, 0, 0x800001) == NULL); /* refused by the platform */
    CHECK(pci_map_bar(d, 0, 0) == NULL);
    CHECK(pci_map_bar(d, 1, 4) == NULL);
    CHECK(pci_map_bar(d, 2, 4) == NULL);
    CHECK(pci_map_bar(d, 6, 4) == NULL);
}

/* ---- capabilities ---- */

TEST(pci, capabilities_are_found_behind_unknown_ones)
{
    start();
    struct fake_pci *f = fake_pci_endpoint(ADDR(0, 3, 0), 0x8086, 0x1583);

    put_le16(f->space + 6, 0x10);
    f->space[0x34] = 0x43; /* the low two bits are reserved */
    put_le16(f->space + 0x40, 0xF09A);
    put_le16(f->space + 0xF0, 0x0011);
    scan(1);
    CHECK_EQ(pci_find_capability(pci_get(0), PCI_CAP_MSIX), 0xF0);
    CHECK_EQ(pci_find_capability(pci_get(0), PCI_CAP_PCIE), 0);
}

TEST(pci, a_capability_list_that_loops_ends)
{
    start();
    struct fake_pci *f = fake_pci_endpoint(ADDR(0, 3, 0), 0x8086, 0x1583);

    put_le16(f->space + 6, 0x10);
    f->space[0x34] = 0x40;
    put_le16(f->space + 0x40, 0x5009);
    put_le16(f->space + 0x50, 0x4009);
    scan(1);
    CHECK_EQ(pci_find_capability(pci_get(0), PCI_CAP_PCIE), 0);
    CHECK_EQ(pci_find_capability(pci_get(0), 0x09), 0x40);
    put_le16(f->space + 0x50, 0x0409); /* into the header */
    CHECK_EQ(pci_find_capability(pci_get(0), PCI_CAP_PCIE), 0);
    put_le16(f->space + 6, 0); /* no list at all */
    CHECK_EQ(pci_find_capability(pci_get(0), 0x09), 0);
}

TEST(pci, link_width_and_speed)
{
    struct pci_link link;

    start();
    struct fake_pci *f = fake_pci_endpoint(ADDR(0, 3, 0), 0x8086, 0x1583);

    scan(1);
    pci_link_get(pci_get(0), &link);
    CHECK_EQ(link.width + link.speed + link.max_width + link.max_speed, 0);
    fake_pci_add_pcie(f, ENDPOINT, false);
    pci_link_get(pci_get(0), &link);
    CHECK_EQ(link.width, 4);
    CHECK_EQ(link.speed, 2);
    CHECK_EQ(link.max_width, 8);
    CHECK_EQ(link.max_speed, 3);
}

/* ---- the path to memory ---- */

static uint16_t command(const struct fake_pci *f)
{
    return get_le16(f->space + 4);
}

TEST(pci, enable_opens_every_bridge_up_to_the_root)
{
    start();
    struct fake_pci *top = fake_pci_bridge(ADDR(0, 1, 0), 2);
    struct fake_pci *low = fake_pci_bridge(ADDR(2, 0, 0), 3);
    struct fake_pci *other = fake_pci_bridge(ADDR(0, 2, 0), 4);
    struct fake_pci *nic = fake_pci_endpoint(ADDR(3, 0, 0), 0x8086, 0x1583);

    put_le16(low->space + 4, 0x0103); /* what firmware set stays */
    scan(4);
    pci_enable(found(ADDR(3, 0, 0)));
    CHECK_EQ(command(top), 0x0006);
    CHECK_EQ(command(low), 0x0107);
    CHECK_EQ(command(nic), 0x0406); /* and no interrupt line */
    CHECK_EQ(command(other), 0);
    pci_disable_dma(found(ADDR(3, 0, 0)));
    CHECK_EQ(command(nic), 0x0402);
    CHECK_EQ(command(top), 0x0006);
    CHECK_STR(strstr(host_console_text(), "refuses") == NULL ? "" : "line", "");
}

TEST(pci, a_bridge_that_refuses_is_named)
{
    start();
    fake_pci_bridge(ADDR(0, 1, 0), 2)->ignores_command = true;
    fake_pci_endpoint(ADDR(2, 0, 0), 0x8086, 0x1583);
    scan(2);
    pci_enable(found(ADDR(2, 0, 0)));
    CHECK_CONTAINS(host_console_text(), "0000:00:01.0 refuses");
}

TEST(pci, enable_wakes_a_sleeping_function_and_keeps_its_bars)
{
    start();
    struct fake_pci *nic = fake_pci_endpoint(ADDR(2, 0, 0), 0x8086, 0x1583);

    fake_pci_add_pcie(nic, ENDPOINT, true);
    put_le32(nic->space + 0x10, 0xFE000000);
    put_le16(nic->space + FAKE_PCI_PM + 4, 0x0003); /* D3, soft reset */
    scan(1);
    const uint64_t before = plat_cycles();

    pci_enable(pci_get(0));
    CHECK_EQ(get_le16(nic->space + FAKE_PCI_PM + 4) & 3, 0);
    CHECK(plat_cycles() - before >= 10000000);
    CHECK_EQ(get_le32(nic->space + 0x10), 0xFE000000);
    CHECK_EQ(command(nic), 0x0406);
}

/* ---- function-level reset ---- */

static struct fake_pci *resettable(void)
{
    start();
    struct fake_pci *nic = fake_pci_endpoint(ADDR(2, 0, 0), 0x8086, 0x1583);

    fake_pci_add_pcie(nic, ENDPOINT, true);
    put_le32(nic->space + 0x10, 0x0000000C);
    put_le32(nic->space + 0x14, 0x00003800);
    nic->space[0x0C] = 0x10;
    nic->space[0x3C] = 11;
    put_le16(nic->space + 4, 0x0106);
    put_le16(nic->space + FAKE_PCI_PCIE + 40, 0x0009);
    scan(1);
    return nic;
}

TEST(pci, reset_keeps_configuration_and_waits_100_ms)
{
    struct fake_pci *nic = resettable();
    const uint64_t before = plat_cycles();

    CHECK_EQ(pci_function_reset(pci_get(0)), OK);
    CHECK_EQ(nic->resets, 1);
    CHECK_EQ(nic->command_at_reset & 4, 0); /* no DMA when it hits */
    CHECK(plat_cycles() - before >= 100000000);
    CHECK_EQ(command(nic), 0x0106);
    CHECK_EQ(get_le32(nic->space + 0x10), 0x0000000C);
    CHECK_EQ(get_le32(nic->space + 0x14), 0x00003800);
    CHECK_EQ(nic->space[0x0C], 0x10);
    CHECK_EQ(nic->space[0x3C], 11);
    CHECK_EQ(get_le16(nic->space + FAKE_PCI_PCIE + 8), 0x2830);
    CHECK_EQ(get_le16(nic->space + FAKE_PCI_PCIE + 40), 0x0009);
}

TEST(pci, reset_waits_for_a_slow_function)
{
    struct fake_pci *nic = resettable();

    nic->reset_ns = 700000000;
    CHECK_EQ(pci_function_reset(pci_get(0)), OK);
    CHECK(plat_cycles() >= 700000000 && plat_cycles() < 720000000);
    CHECK_EQ(get_le32(nic->space + 0x14), 0x00003800);
}

TEST(pci, a_function_that_does_not_come_back_is_gone_in_bounded_time)
{
    resettable()->never_returns = true;
    CHECK_EQ(pci_function_reset(pci_get(0)), E_GONE);
    CHECK(plat_cycles() >= 1100000000 && plat_cycles() < 1300000000);
    CHECK_CONTAINS(host_console_text(),
                   "0000:02:00.0 did not come back from a reset within 1100 "
                   "ms: vendor id reads ffff, 8086 expected");
}

TEST(pci, a_function_that_is_gone_already_is_not_reset)
{
    resettable()->away_until_ns = UINT64_MAX;
    CHECK_EQ(pci_function_reset(pci_get(0)), E_GONE);
    CHECK_EQ(plat_cycles(), 0);
    CHECK_CONTAINS(host_console_text(), "0000:02:00.0 is gone");
}

/* In steps, for whoever has packets to pass on meanwhile. */
TEST(pci, reset_in_steps_waits_nowhere)
{
    struct fake_pci *nic = resettable();
    struct pci_reset r = { .is_saved = false };
    unsigned polls = 0;

    CHECK_EQ(pci_reset_begin(pci_get(0), &r), OK);
    CHECK_EQ(command(nic) & 4, 0);
    while (pci_reset_poll(pci_get(0), &r) == E_BUSY) {
        host_advance_us(1000);
        polls++;
    }
    CHECK(polls >= 100 && polls <= 102);
    CHECK(plat_cycles() < 110000000);
    CHECK_EQ(nic->resets, 1);
    CHECK_EQ(command(nic), 0x0106);
}

/* Somebody reset the function before us: what it says now is not to be kept. */
TEST(pci, a_later_reset_restores_what_was_saved_first)
{
    struct fake_pci *nic = resettable();
    struct pci_reset r = { .is_saved = false };

    CHECK_EQ(pci_reset_begin(pci_get(0), &r), OK);
    while (pci_reset_poll(pci_get(0), &r) == E_BUSY)
        host_advance_us(1000);
    put_le32(nic->space + 0x14, 0);
    put_le16(nic->space + 4, 0);
    CHECK_EQ(pci_reset_begin(pci_get(0), &r), OK);
    while (pci_reset_poll(pci_get(0), &r) == E_BUSY)
        host_advance_us(1000);
    CHECK_EQ(nic->resets, 2);
    CHECK_EQ(get_le32(nic->space + 0x14), 0x00003800);
    CHECK_EQ(command(nic), 0x0106);
}

TEST(pci, reset_without_the_capability_is_unsupported_and_says_so)
{
    start();
    struct fake_pci *nic = fake_pci_endpoint(ADDR(2, 0, 0), 0x8086, 0x1583);

    scan(1);
    CHECK_EQ(pci_function_reset(pci_get(0)), E_UNSUPPORTED);
    fake_pci_add_pcie(nic, ENDPOINT, false);
    CHECK_EQ(pci_function_reset(pci_get(0)), E_UNSUPPORTED);
    CHECK_EQ(nic->writes, 0);
    CHECK_CONTAINS(host_console_text(), "no function-level reset");
}

TEST(pci, transactions_that_never_end_do_not_hold_up_the_reset)
{
    struct fake_pci *nic = resettable();

    put_le16(nic->space + FAKE_PCI_PCIE + 10, 0x0020);
    CHECK_EQ(pci_function_reset(pci_get(0)), OK);
    CHECK_EQ(nic->resets, 1);
    CHECK(plat_cycles() < 300000000);
    CHECK_CONTAINS(host_console_text(), "still has transactions under way");
}
