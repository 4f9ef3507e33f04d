/*
 * boot_fetch_test.c - TFTP and HTTP through firmware that knows half of them
 */
#include "tests/unit/test.h"

#include "boot/fetch.h"

#define ROOM 16

/* A firmware: its replies, and what it has. */
static struct {
    enum boot_reply size, read;
    uint64_t bytes;   /* that it tells */
    const char *text; /* that it has */
    bool says_room;   /* reports the room as read, like an old iPXE */
    unsigned sizes, reads;
} fw;

static char buffer[ROOM + 1];
static size_t bytes;

static enum boot_reply fw_size(void *ctx, uint64_t *n)
{
    CHECK(ctx == &fw);
    fw.sizes++;
    *n = fw.bytes;
    return fw.size;
}

static enum boot_reply fw_read(void *ctx, char *to, uint64_t *n)
{
    CHECK(ctx == &fw);
    fw.reads++;
    if (fw.read != BOOT_REPLY_OK)
        return fw.read;
    if (strlen(fw.text) > *n)
        return BOOT_REPLY_TOO_SMALL;
    memcpy(to, fw.text, strlen(fw.text));
    if (!fw.says_room)
        *n = strlen(fw.text);
    return BOOT_REPLY_OK;
}

static enum boot_found get(void)
{
    const struct boot_tftp tftp = { fw_size, fw_read, &fw };

    memset(buffer, 0, sizeof(buffer));
    bytes = 999;
    return boot_tftp_get(&tftp, buffer, ROOM, &bytes);
}

static void firmware(enum boot_reply size, enum boot_reply read,
                     const char *text)
{
    memset(&fw, 0, sizeof(fw));
    fw.size = size;
    fw.read = read;
    fw.text = text;
    fw.bytes = strlen(text);
}

TEST(boot_fetch, a_file_arrives_with_its_size)
{
    firmware(BOOT_REPLY_OK, BOOT_REPLY_OK, "version 1\n");
    CHECK_EQ(get(), BOOT_TAKEN);
    CHECK_EQ(bytes, 10);
    CHECK_STR(buffer, "version 1\n");
}

TEST(boot_fetch, a_known_size_outweighs_the_room)
{
    firmware(BOOT_REPLY_OK, BOOT_REPLY_OK, "version 1\n");
    fw.says_room = true;
    CHECK_EQ(get(), BOOT_TAKEN);
    CHECK_EQ(bytes, 10);
}

TEST(boot_fetch, a_file_that_is_too_large_does_not_flow)
{
    firmware(BOOT_REPLY_OK, BOOT_REPLY_OK, "0123456789abcdefg");
    CHECK_EQ(get(), BOOT_TAKEN);
    CHECK_EQ(bytes, ROOM + 1);
    CHECK_EQ(fw.reads, 0);
}

TEST(boot_fetch, a_file_of_just_the_room_is_taken)
{
    firmware(BOOT_REPLY_OK, BOOT_REPLY_OK, "0123456789abcdef");
    CHECK_EQ(get(), BOOT_TAKEN);
    CHECK_EQ(bytes, ROOM);
}

/* iPXE of 2019: no GET_FILE_SIZE, and the room as what was read. */
TEST(boot_fetch, without_a_size_the_zeros_tell_the_end)
{
    firmware(BOOT_REPLY_ERROR, BOOT_REPLY_OK, "version 1\n");
    fw.says_room = true;
    CHECK_EQ(get(), BOOT_TAKEN);
    CHECK_EQ(bytes, 10);
    firmware(BOOT_REPLY_ERROR, BOOT_REPLY_OK, "");
    fw.says_room = true;
    CHECK_EQ(get(), BOOT_TAKEN);
    CHECK_EQ(bytes, 0);
}

TEST(boot_fetch, without_a_size_too_large_shows_when_reading)
{
    firmware(BOOT_REPLY_ERROR, BOOT_REPLY_OK, "0123456789abcdefg");
    CHECK_EQ(get(), BOOT_TAKEN);
    CHECK_EQ(bytes, ROOM + 1);
}

TEST(boot_fetch, no_such_file_may_show_at_either_call)
{
    firmware(BOOT_REPLY_NO_FILE, BOOT_REPLY_OK, "x");
    CHECK_EQ(get(), BOOT_ABSENT);
    CHECK_EQ(fw.reads, 0);
    firmware(BOOT_REPLY_ERROR, BOOT_REPLY_NO_FILE, "x");
    CHECK_EQ(get(), BOOT_ABSENT);
}

/* The firmware has waited long enough: it is not asked a second time. */
TEST(boot_fetch, silence_is_met_once)
{
    firmware(BOOT_REPLY_SILENCE, BOOT_REPLY_OK, "x");
    CHECK_EQ(get(), BOOT_SILENT);
    CHECK_EQ(fw.sizes, 1);
    CHECK_EQ(fw.reads, 0);
    firmware(BOOT_REPLY_ERROR, BOOT_REPLY_SILENCE, "x");
    CHECK_EQ(get(), BOOT_SILENT);
}

TEST(boot_fetch, a_file_that_breaks_off_is_refused)
{
    firmware(BOOT_REPLY_OK, BOOT_REPLY_ERROR, "x");
    CHECK_EQ(get(), BOOT_REFUSED);
    firmware(BOOT_REPLY_ERROR, BOOT_REPLY_ERROR, "x");
    CHECK_EQ(get(), BOOT_REFUSED);
}

/* UEFI 2.10, 29.7.1, EFI_HTTP_STATUS_CODE, counted from 0. */
TEST(boot_fetch, places_in_a_list_become_status_codes)
{
    static const struct {
        unsigned place, code;
    } rows[] = {
        { 1, 100 },  { 2, 101 },  { 3, 200 },  { 9, 206 },  { 10, 300 },
        { 11, 301 }, { 15, 305 }, { 16, 307 }, { 17, 400 }, { 20, 403 },
        { 21, 404 }, { 27, 410 }, { 34, 417 }, { 35, 500 }, { 40, 505 },
        { 41, 308 }, { 0, 0 },    { 42, 0 },   { 404, 0 },
    };

    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        CHECK_EQ(boot_http_code(rows[i].place), rows[i].code);
}
