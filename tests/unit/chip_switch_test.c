/* The model's switch: VSIs, filters, promiscuous, link, by command. */
#include "tests/unit/chip_bench.h"

#include "chip/chip_impl.h"

static unsigned open_switch(void)
{
    bench_open();
    aq_open(32);
    return main_seid();
}

static unsigned vsi_cmd(unsigned opcode, unsigned flags, unsigned seid)
{
    return aq(opcode, F_BUF | flags, 128,
              (uint8_t[16]) { seid & 0xFF, seid >> 8 });
}

/* ---- elements ---- */

/* iPXE asks with room for one element until next is 0. */
TEST(switch, configuration_comes_one_element_at_a_time)
{
    unsigned seid, next = 0, vsis = 0;
    uint8_t p[16] = { 0 };

    seid = open_switch();
    put16(p, seid);
    put16(p + 2, 1);
    put16(p + 4, 0);
    p[2] = 1; /* add a VMDq VSI below the main one */
    p[6] = 1;
    memset(aq_buf(), 0, 128);
    CHECK_EQ(aq(0x0210, F_BUF | F_RD, 128, p), 0);
    for (unsigned n = 0; n < 8; n++) {
        CHECK_EQ(aq16(0x0200, next, 0), 14); /* no buffer, no answer */
        CHECK_EQ(aq(0x0200, F_BUF, 32,
                    (uint8_t[16]) { next & 0xFF, (uint8_t)(next >> 8) }),
                 0);
        CHECK_EQ(get16(aq_buf()), 1);
        vsis += aq_buf()[16] == 19;
        next = get16(bench.params);
        if (next == 0)
            break;
    }
    CHECK_EQ(next, 0);
    CHECK_EQ(vsis, 2);
    bench_close();
}

TEST(switch, a_fresh_main_vsi_is_usable_without_any_update)
{
    const unsigned seid = open_switch();

    CHECK_EQ(vsi_cmd(0x0212, 0, seid), 0);
    CHECK_EQ(get16(bench.params), seid);
    CHECK(get16(bench.params + 2) < 384);
    CHECK_EQ(get16(aq_buf() + 28) & 1, 0); /* contiguous */
    CHECK_EQ(get16(aq_buf() + 30), 0);     /* from queue 0 */
    CHECK(get16(aq_buf() + 96) != 0xFFFF); /* queue set of class 0 */
    CHECK_EQ(get16(aq_buf() + 98), 0xFFFF);
    CHECK(get16(aq_buf() + 112) < 384); /* counters */
    /* Mixing these up must show. */
    CHECK(get16(aq_buf() + 112) != get16(bench.params + 2));
    CHECK(get16(aq_buf() + 96) != get16(bench.params + 2));
    bench_close();
}

TEST(switch, an_update_applies_only_the_sections_it_names)
{
    const unsigned seid = open_switch();
    uint8_t before[128];

    CHECK_EQ(vsi_cmd(0x0212, 0, seid), 0);
    memcpy(before, aq_buf(), 128);
    memset(aq_buf(), 0xEE, 128);
    put16(aq_buf(), 0x004); /* VLAN */
    aq_buf()[12] = 0x1B;
    CHECK_EQ(vsi_cmd(0x0211, F_RD, seid), 0);
    CHECK_EQ(aq_buf()[12], 0x1B);
    CHECK_BYTES(aq_buf() + 28, before + 28, 100);
    CHECK_BYTES(aq_buf() + 2, before + 2, 6);
    bench_close();
}

TEST(switch, a_queue_map_beyond_the_function_is_refused)
{
    const unsigned seid = open_switch();

    memset(aq_buf(), 0, 128);
    put16(aq_buf(), 0x040);
    put16(aq_buf() + 30, 100);
    put16(aq_buf() + 62, 5 << 9); /* 32 queues from 100: four too many */
    CHECK_EQ(vsi_cmd(0x0211, F_RD, seid), 14);
    CHECK_EQ(vsi_cmd(0x0212, 0, seid), 0);
    CHECK_EQ(get16(aq_buf() + 30), 0);
    memset(aq_buf(), 0, 128);
    put16(aq_buf(), 0x040);
    put16(aq_buf() + 30, 96);
    put16(aq_buf() + 62, 5 << 9);
    CHECK_EQ(vsi_cmd(0x0211, F_RD, seid), 0);
    bench_close();
}

TEST(switch, queues_are_found_through_either_kind_of_map)
{
    const unsigned seid = open_switch();
    struct chip_pf *pf = &bench.chip->pf[0];
    struct chip_vsi *vsi = vsi_by_seid(bench.chip, (uint16_t)seid);
    unsigned first;

    memset(aq_buf(), 0, 128);
    put16(aq_buf(), 0x040);
    put16(aq_buf() + 30, 8);
    put16(aq_buf() + 62, 2 << 9);
    CHECK_EQ(vsi_cmd(0x0211, F_RD, seid), 0);
    CHECK_EQ(vsi_tc_queues(vsi, 0, &first), 4);
    CHECK_EQ(first, 0);
    CHECK_EQ(vsi_tc_queues(vsi, 1, &first), 0);
    CHECK_EQ(vsi_queue(vsi, 3), 11);
    CHECK(vsi_of_queue(bench.chip, pf, 11) == vsi);
    CHECK(vsi_of_queue(bench.chip, pf, 12) == NULL);
    put16(aq_buf() + 28, 1); /* a list */
    put16(aq_buf() + 30, 5);
    put16(aq_buf() + 32, 3);
    put16(aq_buf() + 62, 1 << 9);
    put16(aq_buf(), 0x040);
    CHECK_EQ(vsi_cmd(0x0211, F_RD, seid), 0);
    CHECK_EQ(vsi_queue(vsi, 0), 5);
    CHECK_EQ(vsi_queue(vsi, 1), 3);
    CHECK(vsi_of_queue(bench.chip, pf, 3) == vsi);
    CHECK_EQ(vsi_queue(vsi, 16), -1);
    bench_close();
}

TEST(switch, a_foreign_or_absent_vsi_is_not_found)
{
    unsigned seid = open_switch();

    bench.pf = 1;
    aq_open(32);
    CHECK(main_seid() != seid);
    CHECK_EQ(vsi_cmd(0x0212, 0, seid), 2);
    CHECK_EQ(vsi_cmd(0x0212, 0, 999), 2);
    CHECK_EQ(vsi_cmd(0x0211, F_RD, seid), 2);
    CHECK_EQ(aq16(0x0243, seid, 0), 2);
    bench_close();
}

/* As Linux does for its flow-director VSI: VEB, then VSI below it. */
TEST(switch, veb_and_vsi_come_and_go)
{
    const unsigned seid = open_switch();
    uint8_t p[16] = { 0 };
    unsigned uplink, veb, vsi;

    CHECK_EQ(aq(0x0200, F_BUF, 512, NULL), 0);
    uplink = get16(aq_buf() + 20);
    put16(p, uplink);
    put16(p + 2, seid);
    put16(p + 4, 0x4);
    p[6] = 1;
    CHECK_EQ(aq(0x0230, 0, 0, p), 0);
    veb = get16(bench.params + 8);
    CHECK(veb != 0);
    CHECK_EQ(aq16(0x0232, veb, 0), 0);
    CHECK_EQ(get16(bench.params), veb);
    memset(p, 0, sizeof(p));
    put16(p, veb);
    p[2] = 1;
    p[6] = 2;
    memset(aq_buf(), 0, 128);
    CHECK_EQ(aq(0x0210, F_BUF | F_RD, 128, p), 0);
    vsi = get16(bench.params);
    CHECK(vsi != seid);
    CHECK(get16(aq_buf() + 96) != 0xFFFF);
    CHECK_EQ(aq16(0x0243, veb, 0), 12); /* something hangs on it */
    CHECK_EQ(aq16(0x0243, vsi, 0), 0);
    CHECK_EQ(aq16(0x0243, vsi, 0), 2);
    CHECK_EQ(aq16(0x0243, veb, 0), 0);
    CHECK_EQ(aq16(0x0243, seid, 0), 1); /* the main VSI stays */
    CHECK_EQ(main_seid(), seid);
    bench_close();
}

TEST(switch, vsis_run_out_with_enospc)
{
    const unsigned seid = open_switch();
    uint8_t p[16] = { 0 };
    unsigned added = 0;

    put16(p, seid);
    p[2] = 1;
    p[6] = 1;
    memset(aq_buf(), 0, 128);
    while (aq(0x0210, F_BUF | F_RD, 128, p) == 0) {
        memset(aq_buf(), 0, 128);
        CHECK(++added < 384);
    }
    CHECK_EQ(bench.retval, 16);
    CHECK_EQ(added, 33); /* 34 with the main one: capability 0x17 */
    p[6] = 0;            /* VFs: none */
    CHECK_EQ(aq(0x0210, F_BUF | F_RD, 128, p), 14);
    bench_close();
}

/* ---- filters ---- */

static void entry(unsigned i, uint8_t last, unsigned vlan, unsigned flags)
{
    uint8_t *e = aq_buf() + i * 16;

    memset(e, 0, 16);
    e[0] = 0x02;
    e[5] = last;
    put16(e + 6, vlan);
    put16(e + 8, flags);
    e[12] = 0xFF; /* as Linux presets it */
}

static unsigned filters(unsigned opcode, unsigned seid, unsigned n)
{
    uint8_t p[16] = { 0 };

    put16(p, n);
    put16(p + 2, seid | 0x8000);
    return aq(opcode, F_BUF | F_RD, n * 16, p);
}

TEST(switch, added_filters_are_matched_perfectly_and_counted)
{
    const unsigned seid = open_switch();

    entry(0, 1, 0, 5);
    entry(1, 2, 100, 1);
    CHECK_EQ(filters(0x0250, seid, 2), 0);
    CHECK_EQ(aq_buf()[12], 1);
    CHECK_EQ(aq_buf()[28], 1);
    CHECK_EQ(get16(bench.params), 2);
    CHECK_EQ(get16(bench.params + 2), 1534);
    entry(0, 1, 0, 5); /* again: still there, no second entry */
    CHECK_EQ(filters(0x0250, seid, 1), 0);
    CHECK_EQ(aq_buf()[12], 1);
    CHECK_EQ(get16(bench.params), 2);
    bench_close();
}

/* IGNORE_VLAN is bit 2 when adding and bit 3 when removing. */
TEST(switch, removal_needs_the_same_kind_of_entry)
{
    const unsigned seid = open_switch();

    entry(0, 1, 0, 5);
    CHECK_EQ(filters(0x0250, seid, 1), 0);
    entry(0, 1, 0, 1); /* untagged only: another filter */
    CHECK_EQ(filters(0x0251, seid, 1), 2);
    CHECK_EQ(aq_buf()[12], 0xFF);
    entry(0, 1, 0, 9);
    CHECK_EQ(filters(0x0251, seid, 1), 0);
    CHECK_EQ(aq_buf()[12], 0);
    entry(0, 1, 0, 9);
    CHECK_EQ(filters(0x0251, seid, 1), 2);
    bench_close();
}

TEST(switch, removing_a_list_removes_what_is_there)
{
    const unsigned seid = open_switch();

    entry(0, 1, 0, 5);
    CHECK_EQ(filters(0x0250, seid, 1), 0);
    entry(0, 7, 0, 9);
    entry(1, 1, 0, 9);
    CHECK_EQ(filters(0x0251, seid, 2), 2);
    CHECK_EQ(aq_buf()[12], 0xFF);
    CHECK_EQ(aq_buf()[28], 0);
    CHECK_EQ(bench.chip->filters_used, 0);
    bench_close();
}

TEST(switch, the_table_fills_and_says_which_entry_failed)
{
    const unsigned seid = open_switch();

    for (unsigned n = 0; n < 6; n++) {
        for (unsigned i = 0; i < 256; i++)
            entry(i, (uint8_t)i, n + 1, 1);
        CHECK_EQ(filters(0x0250, seid, 256), 0);
    }
    entry(0, 1, 1, 1);
    entry(1, 1, 99, 1);
    CHECK_EQ(filters(0x0250, seid, 2), 16);
    CHECK_EQ(aq_buf()[12], 1);
    CHECK_EQ(aq_buf()[28], 0xFF);
    wr(B_PFGEN_CTRL, 1);
    CHECK_EQ(bench.chip->filters_used, 0);
    bench_close();
}

TEST(switch, malformed_filter_lists_change_nothing)
{
    const unsigned seid = open_switch();
    uint8_t p[16] = { 0 };

    entry(0, 1, 0, 5);
    entry(1, 1, 4096, 1);
    CHECK_EQ(filters(0x0250, seid, 2), 14);
    entry(0, 1, 0, 4); /* neither perfect nor hash */
    CHECK_EQ(filters(0x0250, seid, 1), 14);
    entry(0, 1, 0, 5);
    put16(p, 2); /* two entries, room for one */
    put16(p + 2, seid | 0x8000);
    CHECK_EQ(aq(0x0250, F_BUF | F_RD, 16, p), 14);
    put16(p, 1); /* seid without its valid bit */
    put16(p + 2, seid);
    CHECK_EQ(aq(0x0250, F_BUF | F_RD, 16, p), 14);
    CHECK_EQ(bench.chip->filters_used, 0);
    bench_close();
}

static unsigned promisc(unsigned seid, unsigned flags, unsigned valid,
                        unsigned vlan)
{
    uint8_t p[16] = { 0 };

    put16(p, flags);
    put16(p + 2, valid);
    put16(p + 4, seid);
    put16(p + 6, vlan);
    return aq(0x0254, 0, 0, p);
}

TEST(switch, promiscuous_bits_change_only_under_their_mask)
{
    const unsigned seid = open_switch();
    const struct chip_vsi *vsi = vsi_by_seid(bench.chip, (uint16_t)seid);

    CHECK_EQ(promisc(seid, 0x17, 0x17, 0), 0);
    CHECK_EQ(vsi->promisc, 0x17);
    CHECK_EQ(promisc(seid, 0, 1, 0), 0);
    CHECK_EQ(vsi->promisc, 0x16);
    CHECK_EQ(promisc(seid, 4, 4, 0x8000 | 77), 0);
    CHECK_EQ(vsi->vlan_promisc[CAST_BROAD][77 / 64] >> (77 % 64) & 1, 1);
    CHECK_EQ(promisc(seid, 0, 4, 0x8000 | 77), 0);
    CHECK_EQ(vsi->vlan_promisc[CAST_BROAD][77 / 64], 0);
    CHECK_EQ(promisc(seid, 0x40, 0x40, 0), 14);
    CHECK_EQ(promisc(999, 1, 1, 0), 2);
    bench_close();
}

TEST(switch, control_filters_are_counted_and_removed)
{
    const unsigned seid = open_switch();
    uint8_t p[16] = { 0 };

    put16(p + 6, 0x8808);
    put16(p + 8, 0x0B); /* any MAC, drop, transmit */
    put16(p + 10, seid);
    CHECK_EQ(aq(0x025A, 0, 0, p), 0);
    CHECK_EQ(get16(bench.params + 2), 1);
    CHECK_EQ(aq(0x025A, 0, 0, p), 0);
    CHECK_EQ(get16(bench.params + 2), 1);
    CHECK_EQ(aq(0x025B, 0, 0, p), 0);
    CHECK_EQ(aq(0x025B, 0, 0, p), 2);
    bench_close();
}

TEST(switch, tunnels_get_an_index_each)
{
    uint8_t p[16] = { 0 };
    unsigned index;

    (void)open_switch();
    put16(p, 4789);
    CHECK_EQ(aq(0x0B00, 0, 0, p), 0);
    index = bench.params[2];
    put16(p, 6081);
    p[5] = 1;
    CHECK_EQ(aq(0x0B00, 0, 0, p), 0);
    CHECK(bench.params[2] != index);
    CHECK_EQ(bench.params[4], 2);
    p[2] = (uint8_t)index;
    CHECK_EQ(aq(0x0B01, 0, 0, p), 0);
    CHECK_EQ(aq(0x0B01, 0, 0, p), 2);
    for (unsigned i = 0; i < 15; i++) {
        put16(p, 10000 + i);
        CHECK_EQ(aq(0x0B00, 0, 0, p), 0);
    }
    put16(p, 20000);
    CHECK_EQ(aq(0x0B00, 0, 0, p), 16);
    bench_close();
}

/* ---- scheduler: what DPDK and Linux check ---- */

TEST(switch, bandwidth_answers_agree_on_the_traffic_class)
{
    const unsigned seid = open_switch();
    const uint8_t p[16] = { seid & 0xFF, (uint8_t)(seid >> 8) };
    unsigned handle;

    memset(aq_buf(), 0, 64);
    aq_buf()[0] = 1;
    aq_buf()[4] = 1;
    CHECK_EQ(aq(0x0407, F_BUF | F_RD, 32, p), 0);
    handle = get16(aq_buf() + 16);
    CHECK(handle < 1024); /* ten bits in a transmit context */
    CHECK_EQ(aq(0x0408, F_BUF, 64, p), 0);
    CHECK_EQ(aq_buf()[0], 1);
    CHECK_EQ(get16(aq_buf() + 16), handle);
    CHECK_EQ(aq(0x040A, F_BUF, 32, p), 0);
    CHECK_EQ(aq_buf()[0], 1);
    CHECK_EQ(aq_buf()[4], 1);
    CHECK_EQ(vsi_cmd(0x0212, 0, seid), 0);
    CHECK_EQ(get16(aq_buf() + 96), handle);
    CHECK(vsi_by_qs_handle(bench.chip, (uint16_t)handle) ==
          vsi_by_seid(bench.chip, (uint16_t)seid));
    CHECK(vsi_by_qs_handle(bench.chip, 0xFFFF) == NULL);
    bench_close();
}

/* Linux cannot live with these failing; see i40e_main.c. */
TEST(switch, commands_that_must_succeed_do)
{
    const unsigned seid = open_switch();

    CHECK_EQ(aq16(0x041C, 0, 0), 0);
    CHECK_EQ(aq16(0x0400, seid, 0), 0);
    CHECK_EQ(aq16(0x0205, 1, 1), 0);
    CHECK_EQ(aq16(0x0618, 0, 0), 0);
    CHECK_EQ(aq16(0x0303, 0x0101, 0), 0);
    CHECK_EQ(aq(0x0A08, F_BUF | F_RD, 64, NULL), 0);
    CHECK_EQ(aq(0x0A00, F_BUF, 1500, NULL), 1); /* agent off */
    CHECK_EQ(aq16(0x0A06, 1, 0), 0);
    CHECK_EQ(aq(0x0A00, F_BUF, 1500, NULL), 2); /* on, nothing learnt */
    CHECK_EQ(aq16(0x0A05, 1, 0), 0);
    CHECK_EQ(aq16(0x0A05, 1, 0), 1);
    bench_close();
}

/* ---- link by command ---- */

static void link_now(void)
{
    CHECK_EQ(aq16(0x0607, 0, 0), 0);
}

TEST(switch, link_status_register_and_command_agree)
{
    (void)open_switch();
    link_now();
    CHECK_EQ(bench.params[2], 0x19); /* 40GBASE-SR4 */
    CHECK_EQ(bench.params[3], 0x10); /* 40G */
    CHECK_EQ(bench.params[4] & 0x61, 0x61);
    CHECK_EQ(get16(bench.params + 8), 9728);
    CHECK_EQ(get32(bench.params + 11), 1u << 0x19);
    chip_link_set(bench.chip, 0, false);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 0);
    CHECK_EQ(bench.params[4] & 0x40, 0x40);
    CHECK_EQ(rd(B_LINKSTA), 0);
    bench_close();
}

static unsigned set_phy(uint32_t types, uint8_t speed, uint8_t abilities)
{
    uint8_t p[16] = { 0 };

    put32(p, types);
    p[4] = speed;
    p[5] = abilities;
    return aq(0x0601, 0, 0, p);
}

/* DPDK: stop holds the link down with PHY type 0, start asks for all types. */
TEST(switch, phy_configuration_holds_and_releases_the_link)
{
    (void)open_switch();
    CHECK_EQ(set_phy(0, 0, 0x20), 0);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 0);
    CHECK_EQ(aq(0x0600, F_BUF | F_LB, 536, NULL), 0);
    CHECK_EQ(get32(aq_buf()), 0);
    CHECK_EQ(aq(0x0600, F_BUF | F_LB, 536, (uint8_t[16]) { 2 }), 0);
    CHECK_EQ(get32(aq_buf()), 1u << 0x19);
    CHECK_EQ(set_phy(0x7FFFFFFF, 0xFF, 0x28), 0);
    pass_us(100000);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 1);
    CHECK_EQ(aq(0x0600, F_BUF | F_LB, 536, NULL), 0);
    CHECK_EQ(get32(aq_buf()), 1u << 0x19);
    CHECK_EQ(set_phy(1u << 0x14, 0x08, 0x28), 14); /* 10G here: no */
    bench_close();
}

TEST(switch, restart_of_negotiation_brings_the_link_back)
{
    (void)open_switch();
    CHECK_EQ(aq16(0x0607, 3, 0), 0);
    CHECK_EQ(set_phy(0, 0, 0x20), 0);
    CHECK_EQ(aq16(0x0605, 6, 0), 0);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 0); /* training */
    CHECK_EQ(aq16(0x0607, 3, 0), 0);
    pass_us(100000);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 1);
    CHECK_EQ(rd(B_ARQH), 2);         /* down, up */
    CHECK_EQ(aq16(0x0605, 2, 0), 0); /* without enable: down */
    pass_us(100000);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 0);
    bench_close();
}

/*
 * Linux i40e_set_pauseparam: the state that it reads right after a new
 * configuration decides whether it asks for a link with its next command.
 */
TEST(switch, a_link_that_is_up_falls_only_after_the_answer)
{
    (void)open_switch();
    CHECK_EQ(aq16(0x0607, 3, 0), 0);
    CHECK_EQ(set_phy(1u << 0x19, 0x10, 0x3B), 0);
    pass_us(5000);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 1);
    pass_us(10000);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 0);
    CHECK_EQ(rd(B_ARQH), 1);
    CHECK_EQ(aq16(0x0607, 3, 0), 0);
    pass_us(100000);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 1);
    CHECK_EQ(rd(B_ARQH), 2);
    bench_close();
}

/* Linux i40e_common.c i40e_aq_get_link_info: an_info bits 5 and 6. */
TEST(switch, pause_that_was_asked_for_is_in_force)
{
    (void)open_switch();
    link_now();
    CHECK_EQ(bench.params[5] & 0x60, 0);
    CHECK_EQ(set_phy(1u << 0x19, 0x10, 0x3A), 0); /* receive only */
    pass_us(1000000);
    pass_us(1000000);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 1);
    CHECK_EQ(bench.params[5] & 0x60, 0x40);
    bench_close();
}

TEST(switch, a_late_look_does_not_miss_that_the_link_fell)
{
    (void)open_switch();
    CHECK_EQ(aq16(0x0607, 3, 0), 0);
    CHECK_EQ(aq16(0x0605, 6, 0), 0);
    pass_us(1000000);
    CHECK_EQ(rd(B_ARQH), 1);
    pass_us(1000000);
    link_now();
    CHECK_EQ(bench.params[4] & 1, 1);
    bench_close();
}

TEST(switch, frame_size_is_checked_and_shown)
{
    (void)open_switch();
    CHECK_EQ(aq16(0x0603, 1526, 4), 0);
    link_now();
    CHECK_EQ(get16(bench.params + 8), 1526);
    CHECK_EQ(aq16(0x0603, 9729, 4), 14);
    CHECK_EQ(aq16(0x0603, 0, 4), 14);
    bench_close();
}

/* PHY type, speed bit and register of each kind of card: DPDK's decoding. */
TEST(switch, each_kind_of_card_has_its_speed)
{
    static const struct {
        uint16_t device;
        uint8_t phy, speed, module;
        uint32_t linksta, macc;
    } cards[] = {
        { 0x1583, 0x19, 0x10, 0x0D, 0x58000080, 0 },
        { 0x1572, 0x14, 0x08, 0x03, 0x50000080, 0 },
        { 0x158B, 0x21, 0x40, 0x03, 0x58000080, 0x20000 },
    };

    for (unsigned i = 0; i < 3; i++) {
        bench_open_as(cards[i].device, 64);
        aq_open(32);
        link_now();
        CHECK_EQ(bench.params[2], cards[i].phy);
        CHECK_EQ(bench.params[3], cards[i].speed);
        CHECK_EQ(rd(B_LINKSTA), cards[i].linksta);
        CHECK_EQ(rd(0x1E24E0) & 0x20000, cards[i].macc);
        CHECK_EQ(aq(0x0600, F_BUF | F_LB, 536, NULL), 0);
        CHECK_EQ(aq_buf()[4], cards[i].speed);
        CHECK_EQ(aq_buf()[20], cards[i].module);
        bench_close();
    }
}

/* SFF-8472: the sums over bytes 0..62 and 64..94. */
TEST(switch, an_sfp_has_right_check_codes)
{
    uint8_t p[16] = { 2, 0xA0 };
    unsigned sum = 0;

    bench_open_as(0x1572, 4);
    aq_open(32);
    for (unsigned i = 0; i < 96; i++) {
        p[4] = (uint8_t)i;
        CHECK_EQ(aq(0x0629, 0, 0, p), 0);
        if (i == 63 || i == 95) {
            CHECK_EQ(get32(bench.params + 8), sum & 0xFF);
            sum = 0;
        } else {
            sum += get32(bench.params + 8);
        }
    }
    p[1] = 0xA4;
    CHECK_EQ(aq(0x0629, 0, 0, p), 14);
    bench_close();
}
