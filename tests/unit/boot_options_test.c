/*
 * boot_options_test.c - LoadOptions of every shape firmware has handed over
 */
#include "tests/unit/test.h"

#include <stdlib.h>

#include "boot/boot_info.h"
#include "boot/options.h"

static char line[BOOT_CMDLINE_MAX];
static struct boot_options_found found;

/* Decode from a heap copy of exactly @bytes, so that ASan sees one too many. */
static size_t decode_room(const void *raw, size_t bytes, size_t room)
{
    void *copy = malloc(bytes == 0 ? 1 : bytes);
    size_t n;

    memcpy(copy, raw, bytes);
    n = boot_options_decode(bytes == 0 ? NULL : copy, bytes, line, room,
                            &found);
    free(copy);
    return n;
}

static size_t decode(const void *raw, size_t bytes)
{
    return decode_room(raw, bytes, sizeof(line));
}

#define DECODE(text) decode(text, sizeof(text))

static bool is_orderly(void)
{
    return !found.is_cut && !found.is_binary && !found.is_odd;
}

TEST(boot_options, none_at_all_is_an_empty_line)
{
    CHECK_EQ(decode("", 0), 0);
    CHECK_STR(line, "");
    CHECK(is_orderly());
}

TEST(boot_options, words_arrive_as_written)
{
    CHECK_EQ(DECODE(u"-l 0-1 -- --forward-mode=io"), 27);
    CHECK_STR(line, "-l 0-1 -- --forward-mode=io");
    CHECK(is_orderly());
}

TEST(boot_options, without_a_terminator_the_size_is_the_end)
{
    CHECK_EQ(decode(u"console=ttyS1", 13 * 2), 13);
    CHECK_STR(line, "console=ttyS1");
    CHECK(is_orderly());
}

TEST(boot_options, nothing_after_the_terminator_counts)
{
    CHECK_EQ(DECODE(u"-l 0\0\xdc00garbage"), 4);
    CHECK_STR(line, "-l 0");
    CHECK(is_orderly());
}

TEST(boot_options, half_a_character_at_the_end_is_told)
{
    CHECK_EQ(decode(u"-l 0x", 9), 4);
    CHECK_STR(line, "-l 0");
    CHECK(found.is_odd);
    CHECK_EQ(decode("x", 1), 0);
    CHECK(found.is_odd);
}

TEST(boot_options, blanks_around_the_line_go)
{
    CHECK_EQ(DECODE(u"  \t-l 0 \r\n"), 4);
    CHECK_STR(line, "-l 0");
}

TEST(boot_options, a_leading_program_name_is_dropped)
{
    DECODE(u"millrace.efi -l 0");
    CHECK_STR(line, "-l 0");
    DECODE(u"FS0:\\EFI\\BOOT\\BOOTX64.EFI   -- -i");
    CHECK_STR(line, "-- -i");
    DECODE(u"boot.efi");
    CHECK_STR(line, "");
}

TEST(boot_options, words_that_only_resemble_a_program_name_stay)
{
    DECODE(u"-x.efi -l 0");
    CHECK_STR(line, "-x.efi -l 0");
    DECODE(u"file=a.efi");
    CHECK_STR(line, "file=a.efi");
    DECODE(u"efi -l 0");
    CHECK_STR(line, "efi -l 0");
    DECODE(u"-l a.efi");
    CHECK_STR(line, "-l a.efi");
}

/* Expected bytes: RFC 3629, section 3. */
TEST(boot_options, characters_beyond_ascii_become_utf8)
{
    DECODE(u"a\u00e9\u20ac\U0001f600z");
    CHECK_STR(line, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z");
    CHECK(is_orderly());
}

/* EDK2's boot manager marks its own entries with this GUID as options. */
TEST(boot_options, a_boot_managers_private_data_is_no_command_line)
{
    static const uint8_t guid[] = { 0x4e, 0xac, 0x08, 0x81, 0x11, 0x9f,
                                    0x59, 0x4d, 0x85, 0x0e, 0xe2, 0x1a,
                                    0x52, 0x2c, 0x59, 0xb2 };

    CHECK_EQ(decode(guid, sizeof(guid)), 0);
    CHECK_STR(line, "");
    CHECK(found.is_binary);
}

TEST(boot_options, what_is_no_text_inside_makes_the_whole_no_text)
{
    static const uint16_t bad[][4] = {
        { 'a', 1, 'b', 0 },         { 'a', 0x7f, 'b', 0 },
        { 'a', 0xd800, 'b', 0 },    { 'a', 0xdc00, 'b', 0 },
        { 'a', 0xd800, 0xd800, 0 }, { 'a', 0xffff, 'b', 0 },
        { 'a', 'b', 'c', 0xd800 },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        CHECK_EQ(decode(bad[i], sizeof(bad[i])), 0);
        CHECK(found.is_binary);
    }
}

TEST(boot_options, a_line_too_long_is_cut_between_words)
{
    CHECK_EQ(decode_room(u"one two three", 26, 10), 7);
    CHECK_STR(line, "one two");
    CHECK(found.is_cut);
    CHECK_EQ(decode_room(u"one two three", 26, 8), 7);
    CHECK_STR(line, "one two");
    CHECK(found.is_cut);
    CHECK_EQ(decode_room(u"one two three", 26, 7), 3);
    CHECK_STR(line, "one");
    CHECK_EQ(decode_room(u"toolong", 14, 7), 0);
    CHECK(found.is_cut);
}

TEST(boot_options, a_line_that_just_fits_is_whole)
{
    CHECK_EQ(decode_room(u"one two", 14, 8), 7);
    CHECK_STR(line, "one two");
    CHECK(is_orderly());
}

TEST(boot_options, four_kilobytes_of_characters_never_overrun)
{
    static uint16_t raw[BOOT_CMDLINE_MAX];

    for (unsigned i = 0; i < ARRAY_SIZE(raw); i++)
        raw[i] = i % 8 == 7 ? ' ' : 0x20ac;
    raw[0] = 'a';
    CHECK(decode(raw, sizeof(raw)) < sizeof(line));
    CHECK(found.is_cut);
    CHECK_EQ(strlen(line) % 22, 19); /* 7 characters of 3 bytes and a blank */
}
