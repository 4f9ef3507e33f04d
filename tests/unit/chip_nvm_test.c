/* The model's shadow RAM and module memory, read as the drivers read them. */
#include "tests/unit/chip_bench.h"

#define GENS   0xB6100
#define SRCTL  0xB6110
#define SRDATA 0xB6114

static void lock_nvm(void)
{
    CHECK_EQ(aq16(0x0008, 1, 1), 0);
}

static unsigned word(unsigned n)
{
    CHECK_EQ(rd(SRCTL) >> 31, 1);
    wr(SRCTL, n << 14 | 1u << 30);
    CHECK_EQ(rd(SRCTL) >> 31, 1);
    return rd(SRDATA) >> 16;
}

/* Linux i40e_nvm.c i40e_validate_nvm_checksum, in our words. */
TEST(nvm, the_checksum_is_right_by_the_drivers_rule)
{
    unsigned words, vpd, alt, sum = 0;

    bench_open();
    aq_open(32);
    lock_nvm();
    words = 512u << (rd(GENS) >> 5 & 7);
    CHECK_EQ(words, 2048);
    vpd = word(0x2F);
    alt = word(0x3E);
    for (unsigned i = 0; i < words; i++) {
        if (i == 0x3F || (i >= vpd && i < vpd + 512) ||
            (i >= alt && i < alt + 512))
            continue;
        sum += word(i);
    }
    CHECK_EQ((0xBABA - sum) & 0xFFFF, word(0x3F));
    CHECK_EQ(word(0) >> 6 & 3, 1);
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(nvm, every_pointer_a_driver_follows_stays_inside)
{
    bench_open();
    aq_open(32);
    lock_nvm();
    CHECK(word(0x17) + 0x84 < 2048); /* boot configuration, OEM version */
    CHECK(word(0x48) + 0x2B < 2048); /* settings, LLDP */
    CHECK(word(0x0F) + 0x2B < 2048); /* EMP module */
    CHECK_EQ(word(0x1B), 0xFFFF);    /* no OEM block */
    CHECK_EQ(bench.complaints, 0);
    bench_close();
}

TEST(nvm, a_word_beyond_the_end_reads_ones_and_is_told)
{
    bench_open();
    aq_open(32);
    lock_nvm();
    CHECK_EQ(word(2048), 0xFFFF);
    CHECK_STR(bench.rule, "reg-range");
    bench_close();
}

TEST(nvm, reading_a_word_while_another_holds_the_nvm_is_told)
{
    bench_open();
    aq_open(32);
    (void)word(0); /* nobody holds it: DPDK does this */
    CHECK_EQ(bench.complaints, 0);
    lock_nvm();
    (void)word(0);
    CHECK_EQ(bench.complaints, 0);
    bench.pf = 1;
    (void)word(0);
    CHECK_STR(bench.rule, "nvm-unlocked");
    bench_close();
}

static unsigned read_cmd(unsigned offset, unsigned len, unsigned room)
{
    uint8_t p[16] = { 0 };

    put16(p + 2, len);
    put32(p + 4, offset);
    return aq(0x0701, F_BUF | (room > 512 ? F_LB : 0), room, p);
}

TEST(nvm, the_read_command_and_the_word_register_agree)
{
    bench_open();
    aq_open(32);
    lock_nvm();
    CHECK_EQ(read_cmd(0, 4096, 4096), 0);
    for (unsigned i = 0; i < 2048; i++)
        CHECK_EQ(get16(aq_buf() + 2 * i), word(i));
    CHECK_EQ(read_cmd(0x2F * 2, 2, 2), 0);
    CHECK_EQ(get16(aq_buf()), word(0x2F));
    bench_close();
}

TEST(nvm, impossible_reads_are_refused)
{
    bench_open();
    aq_open(32);
    CHECK_EQ(read_cmd(0, 0, 16), 14);
    CHECK_EQ(read_cmd(0, 32, 16), 14);     /* longer than the buffer */
    CHECK_EQ(read_cmd(4090, 16, 16), 14);  /* crosses a sector */
    CHECK_EQ(read_cmd(65536, 16, 16), 14); /* beyond the end of the flash */
    CHECK_EQ(read_cmd(0xFFFFFF, 2, 16), 14);
    bench_close();
}

/* Linux i40e_ethtool.c i40e_get_eeprom_len: 64 KiB << GLPCI_LBARCTRL bits 6-8,
 * and ethtool reads all of that. */
TEST(nvm, the_flash_behind_the_shadow_ram_reads_as_erased)
{
    bench_open();
    aq_open(32);
    CHECK_EQ(rd(0xBE484) >> 6 & 7, 0);
    CHECK_EQ(read_cmd(65520, 16, 16), 0);
    for (unsigned i = 0; i < 16; i++)
        CHECK_EQ(aq_buf()[i], 0xFF);
    bench_close();
}

/* 4 KiB at a time, and never across a multiple of that. */
TEST(nvm, a_read_stays_inside_its_sector)
{
    bench_open_as(0x1583, 64);
    aq_open(32);
    CHECK_EQ(rd(GENS) >> 5 & 7, 6); /* 32768 words */
    CHECK_EQ(read_cmd(4096, 16, 16), 0);
    CHECK_EQ(read_cmd(4080, 16, 16), 0);
    CHECK_EQ(read_cmd(4090, 16, 16), 14);
    CHECK_EQ(read_cmd(65520, 16, 16), 0);
    CHECK_EQ(read_cmd(65536, 16, 16), 14);
    bench_close();
}

TEST(nvm, the_other_functions_lock_is_respected)
{
    bench_open();
    aq_open(32);
    lock_nvm();
    bench.pf = 1;
    aq_open(32);
    CHECK_EQ(read_cmd(0, 16, 16), 12);
    bench_close();
}

TEST(nvm, writing_is_refused)
{
    bench_open();
    aq_open(32);
    CHECK_EQ(aq(0x0702, 0, 0, NULL), 1);
    CHECK_EQ(aq(0x0703, F_BUF | F_RD, 16, NULL), 1);
    bench_close();
}

static unsigned module_byte(unsigned device, unsigned at)
{
    uint8_t p[16] = { 0 };

    p[0] = 2;
    p[1] = (uint8_t)device;
    put32(p + 4, at);
    CHECK_EQ(aq(0x0629, 0, 0, p), 0);
    return get32(bench.params + 8);
}

/* SFF-8636: identifiers, the two check codes, ASCII padded with spaces. */
TEST(nvm, the_module_is_a_qsfp_with_right_check_codes)
{
    unsigned base = 0, ext = 0;

    bench_open();
    aq_open(32);
    CHECK_EQ(module_byte(0, 0), 0x0D);
    CHECK_EQ(module_byte(0, 128), 0x0D);
    CHECK_EQ(module_byte(0, 131) & 0x04, 0x04); /* 40GBASE-SR4 */
    for (unsigned i = 128; i < 191; i++)
        base += module_byte(0, i);
    for (unsigned i = 192; i < 223; i++)
        ext += module_byte(0, i);
    CHECK_EQ(module_byte(0, 191), base & 0xFF);
    CHECK_EQ(module_byte(0, 223), ext & 0xFF);
    for (unsigned i = 148; i < 164; i++)
        CHECK(module_byte(0, i) >= 0x20 && module_byte(0, i) < 0x7F);
    bench_close();
}

TEST(nvm, module_bytes_beyond_the_page_are_refused)
{
    uint8_t p[16] = { 2 };

    bench_open();
    aq_open(32);
    put32(p + 4, 256);
    CHECK_EQ(aq(0x0629, 0, 0, p), 14);
    p[0] = 3;
    CHECK_EQ(aq(0x0629, 0, 0, p), 14);
    bench_close();
}
