/*
 * wire_pcap_test.c - captures in and out (P1, P2 of pcap.c)
 *
 * The files are written here byte by byte, from the format descriptions:
 * draft-ietf-opsawg-pcap (libpcap savefile), draft-ietf-opsawg-pcapng.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/wire_rig.h"

static char in_path[64], out_path[64];
static FILE *file;

static void le(unsigned bytes, uint32_t v)
{
    for (unsigned i = 0; i < bytes; i++)
        fputc((int)(v >> (8 * i) & 0xff), file);
}

static void file_begin(uint32_t magic, uint32_t link)
{
    rig_open("wire_pcap");
    snprintf(in_path, sizeof(in_path), "%s/in", dir);
    snprintf(out_path, sizeof(out_path), "%s/out", dir);
    file = fopen(in_path, "w");
    CHECK(file != NULL);
    le(4, magic);
    le(2, 2);
    le(2, 4);
    le(8 - 4, 0);
    le(4, 0);
    le(4, 262144);
    le(4, link);
}

static void bytes_of(uint8_t tag, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        fputc(i + 1 == n ? tag : 0x40 + tag, file);
}

/* A record of a frame of @len bytes, of which @kept are in the file. */
static void record(uint8_t tag, uint32_t len, uint32_t kept)
{
    le(4, 1700000000);
    le(4, 999999);
    le(4, kept);
    le(4, len);
    bytes_of(tag, kept);
}

static void file_end(void)
{
    fclose(file);
    file = NULL;
}

static void clean(struct wire *w)
{
    wire_destroy(w);
    unlink(in_path);
    unlink(out_path);
    rmdir(dir);
}

static struct wire *wire_up(const char *key, const char *value)
{
    struct wire *w = wire_create("pcap", 0, &host);

    CHECK(w != NULL);
    CHECK(wire_set(w, "in", in_path));
    if (key != NULL)
        CHECK(wire_set(w, key, value));
    return w;
}

static unsigned pump_all(struct wire *w)
{
    unsigned n, all = 0;

    while ((n = wire_pump(w, true, 32, 0)) > 0)
        all += n;
    return all;
}

TEST(wire_pcap, every_length_travels_or_is_refused_by_name)
{
    static const uint32_t lens[] = { 13, 14, 59, 60, 9728, 9729 };
    struct wire *w;

    file_begin(0xa1b2c3d4, 1);
    for (uint8_t i = 0; i < 6; i++)
        record(i, lens[i], lens[i]);
    record(6, 1514, 96); /* cut by the snap length */
    record(7, 0, 0);
    file_end();
    w = wire_up(NULL, NULL);
    CHECK(wire_open(w));
    CHECK_STR(w->error, "");
    status_has(w, "\"remaining\":4");
    CHECK_EQ(pump_all(w), 4);
    CHECK_EQ(port.len[0], 60); /* 14, padded */
    CHECK_EQ(port.len[1], 60); /* 59, padded */
    CHECK_EQ(port.last[0], 0);
    CHECK_EQ(port.first[1], 0x42);
    CHECK_EQ(port.last[1], 0);
    CHECK_EQ(port.len[2], 60);
    CHECK_EQ(port.last[2], 3);
    CHECK_EQ(port.len[3], 9728);
    CHECK_EQ(port.last[3], 4);
    CHECK_EQ(w->refused[WIRE_TOO_SHORT], 2);
    CHECK_EQ(w->refused[WIRE_TOO_LONG], 1);
    CHECK_EQ(w->refused[WIRE_TRUNCATED], 1);
    status_has(w, "\"state\":\"done\"");
    status_has(w, "\"remaining\":0");
    status_has(w, "\"too-long\":1");
    clean(w);
}

TEST(wire_pcap, frame_without_room_waits_and_goes_exactly_once)
{
    struct wire *w;

    file_begin(0xa1b2c3d4, 1);
    for (uint8_t i = 0; i < 10; i++)
        record(i, 20 + i, 20 + i);
    file_end();
    w = wire_up(NULL, NULL);
    CHECK(wire_open(w));
    port.room = 3;
    CHECK_EQ(wire_pump(w, true, 32, 0), 3);
    CHECK_EQ(wire_pump(w, true, 32, 0), 0);
    CHECK_EQ(wire_pump(w, true, 32, 0), 0);
    CHECK_EQ(w->waits, 3);
    CHECK_EQ(w->injected, 3);
    port.room = 100;
    CHECK_EQ(pump_all(w), 7);
    for (unsigned i = 0; i < 10; i++)
        CHECK_EQ(port.first[i], 0x40 + i);
    clean(w);
}

TEST(wire_pcap, nothing_is_offered_before_the_port_is_ready_or_while_held)
{
    struct wire *w;

    file_begin(0xa1b2c3d4, 1);
    record(1, 60, 60);
    file_end();
    w = wire_up("hold", "1");
    CHECK(wire_open(w));
    CHECK_EQ(wire_pump(w, false, 32, 0), 0);
    CHECK_EQ(wire_pump(w, true, 32, 0), 0);
    status_has(w, "\"state\":\"held\"");
    CHECK(wire_start(w));
    CHECK_EQ(wire_pump(w, false, 32, 0), 0);
    status_has(w, "\"state\":\"waiting\"");
    CHECK_EQ(wire_pump(w, true, 32, 0), 1);
    clean(w);
}

TEST(wire_pcap, loops_repeat_the_file_and_start_begins_again)
{
    struct wire *w;

    file_begin(0xa1b2c3d4, 1);
    record(1, 60, 60);
    record(2, 60, 60);
    record(3, 5, 5);
    file_end();
    w = wire_up("loop", "3");
    CHECK(wire_open(w));
    status_has(w, "\"remaining\":6");
    CHECK_EQ(pump_all(w), 6);
    CHECK_EQ(port.first[4], 0x41);
    CHECK_EQ(port.first[5], 0x42);
    CHECK_EQ(w->refused[WIRE_TOO_SHORT], 1); /* once, not once a loop */
    CHECK(wire_start(w));
    CHECK_EQ(pump_all(w), 6);
    clean(w);
}

TEST(wire_pcap, endless_loop_has_no_remaining)
{
    struct wire *w;

    file_begin(0xa1b2c3d4, 1);
    record(1, 60, 60);
    file_end();
    w = wire_up("loop", "0");
    CHECK(wire_open(w));
    status_has(w, "\"remaining\":null");
    for (unsigned i = 0; i < 10; i++)
        CHECK_EQ(wire_pump(w, true, 32, 0), 32);
    clean(w);
}

/* An endless loop over nothing must not turn for ever. */
TEST(wire_pcap, file_without_a_frame_is_done_at_once)
{
    struct wire *w;

    file_begin(0xa1b2c3d4, 1);
    record(1, 3, 3);
    file_end();
    w = wire_up("loop", "0");
    CHECK(wire_open(w));
    CHECK_EQ(wire_pump(w, true, 32, 0), 0);
    status_has(w, "\"state\":\"done\"");
    clean(w);
}

TEST(wire_pcap, nanosecond_and_swapped_files_are_read)
{
    struct wire *w;

    file_begin(0xa1b23c4d, 1);
    record(1, 60, 60);
    file_end();
    w = wire_up(NULL, NULL);
    CHECK(wire_open(w));
    CHECK_EQ(pump_all(w), 1);
    clean(w);

    file_begin(0xd4c3b2a1, 0x01000000); /* as a big-endian machine wrote it */
    CHECK_EQ(fseek(file, 4, SEEK_SET), 0);
    le(4, 0x04000200);
    CHECK_EQ(fseek(file, 16, SEEK_SET), 0);
    le(4, 0x00000400);
    CHECK_EQ(fseek(file, 24, SEEK_SET), 0);
    le(4, 0);
    le(4, 0);
    le(4, 60u << 24);
    le(4, 60u << 24);
    bytes_of(9, 60);
    file_end();
    w = wire_up(NULL, NULL);
    CHECK(wire_open(w));
    CHECK_EQ(pump_all(w), 1);
    CHECK_EQ(port.last[0], 9);
    clean(w);
}

static void block(uint32_t type, uint32_t body)
{
    le(4, type);
    le(4, body + 12);
}

static void packet_block(uint8_t tag, uint32_t len, uint32_t kept)
{
    const uint32_t padded = (kept + 3) & ~3u;

    block(6, 20 + padded);
    le(4, 0); /* interface */
    le(4, 0x12345);
    le(4, 0x6789abcd);
    le(4, kept);
    le(4, len);
    bytes_of(tag, kept);
    for (uint32_t i = kept; i < padded; i++)
        fputc(0, file);
    le(4, 20 + padded + 12);
}

/* @resolution  if_tsresol: stamps in units of 10^-n seconds */
static void interface_block(uint16_t link, uint8_t resolution)
{
    block(1, 8 + 12);
    le(2, link);
    le(2, 0);
    le(4, 65535);
    le(2, 9);
    le(2, 1);
    le(4, resolution);
    le(4, 0);
    le(4, 32);
}

static void pcapng_begin(void)
{
    file_begin(0, 0);
    rewind(file);
    block(0x0a0d0d0a, 16);
    le(4, 0x1a2b3c4d);
    le(2, 1);
    le(2, 0);
    le(4, UINT32_MAX);
    le(4, UINT32_MAX);
    le(4, 28);
}

TEST(wire_pcap, pcapng_is_read_whatever_its_stamps)
{
    for (uint8_t resolution = 3; resolution <= 12; resolution += 3) {
        struct wire *w;

        pcapng_begin();
        interface_block(1, resolution);
        packet_block(1, 61, 61);
        packet_block(2, 1500, 60);
        packet_block(3, 14, 14);
        file_end();
        w = wire_up(NULL, NULL);
        CHECK(wire_open(w));
        CHECK_STR(w->error, "");
        CHECK_EQ(pump_all(w), 2);
        CHECK_EQ(port.len[0], 61);
        CHECK_EQ(port.len[1], 60);
        CHECK_EQ(w->refused[WIRE_TRUNCATED], 1);
        clean(w);
    }
}

TEST(wire_pcap, what_is_not_ethernet_is_refused)
{
    struct wire *w;

    file_begin(0xa1b2c3d4, 113); /* Linux cooked */
    record(1, 60, 60);
    file_end();
    w = wire_up(NULL, NULL);
    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "LINUX_SLL");
    clean(w);
}

TEST(wire_pcap, what_is_no_capture_is_refused)
{
    struct wire *w;

    file_begin(0x12345678, 1);
    file_end();
    w = wire_up(NULL, NULL);
    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, in_path);
    clean(w);
    w = wire_create("pcap", 0, &host);
    CHECK(wire_set(w, "in", "/nonexistent/x.pcap"));
    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "No such file");
    wire_destroy(w);
    w = wire_create("pcap", 0, &host);
    CHECK(wire_set(w, "in", "/dev/null"));
    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "regular");
    wire_destroy(w);
}

/* A capture that was cut off travels as far as it goes, and says so. */
TEST(wire_pcap, damaged_end_is_counted_and_named)
{
    struct wire *w;

    file_begin(0xa1b2c3d4, 1);
    record(1, 60, 60);
    record(2, 60, 60);
    fflush(file);
    CHECK_EQ(ftruncate(fileno(file), 24 + 76 + 40), 0);
    file_end();
    w = wire_up(NULL, NULL);
    CHECK(wire_open(w));
    CHECK_CONTAINS(w->error, "after 1 frames");
    CHECK_EQ(w->refused[WIRE_UNREADABLE], 1);
    CHECK_EQ(pump_all(w), 1);
    clean(w);
}

TEST(wire_pcap, what_the_port_sends_is_recorded)
{
    static const uint8_t expected_head[24] = {
        0xd4, 0xc3, 0xb2, 0xa1, 2,   0,   4, 0, 0, 0, 0, 0,
        0,    0,    0,    0,    255, 255, 0, 0, 1, 0, 0, 0,
    };
    uint8_t frame[9728], head[24], record_head[16], back[9728];
    struct wire *w =
        (file_begin(0, 0), file_end(), wire_create("pcap", 0, &host));

    for (size_t i = 0; i < sizeof(frame); i++)
        frame[i] = (uint8_t)(i * 7);
    CHECK(wire_set(w, "out", out_path));
    CHECK(wire_open(w));
    wire_transmit(w, frame, 60);
    wire_transmit(w, frame, 9728);
    CHECK_EQ(wire_pump(w, true, 32, 0), 0); /* nothing to inject */
    status_has(w, "\"received\":2");
    status_has(w, "\"received_bytes\":9788");
    status_has(w, "\"write_failed\":false");
    file = fopen(out_path, "r"); /* flushed by the status */
    CHECK_EQ(fread(head, 1, 24, file), 24);
    CHECK_BYTES(head, expected_head, 24);
    for (size_t len = 60; len <= 9728; len += 9668) {
        CHECK_EQ(fread(record_head, 1, 16, file), 16);
        CHECK_EQ(record_head[8] | record_head[9] << 8, len);
        CHECK_BYTES(record_head + 8, record_head + 12, 4);
        CHECK_EQ(fread(back, 1, len, file), len);
        CHECK_BYTES(back, frame, len);
    }
    CHECK_EQ(fgetc(file), EOF);
    file_end();
    clean(w);
}

TEST(wire_pcap, before_the_first_frame_the_record_is_an_empty_capture)
{
    struct wire *w =
        (file_begin(0, 0), file_end(), wire_create("pcap", 0, &host));
    struct stat out;

    CHECK(wire_set(w, "out", out_path));
    CHECK(wire_open(w));
    CHECK_EQ(stat(out_path, &out), 0);
    CHECK_EQ(out.st_size, 24); /* the file header */
    clean(w);
}

TEST(wire_pcap, nanosecond_output_says_so)
{
    struct wire *w =
        (file_begin(0, 0), file_end(), wire_create("pcap", 0, &host));
    uint8_t magic[4];

    CHECK(wire_set(w, "out", out_path));
    CHECK(wire_set(w, "stamps", "ns"));
    CHECK(wire_open(w));
    wire_flush(w);
    clean((wire_destroy(w), file = fopen(out_path, "r"),
           (void)fread(magic, 1, 4, file), file_end(), NULL));
    CHECK_BYTES(magic, "\x4d\x3c\xb2\xa1", 4);
}

TEST(wire_pcap, output_that_cannot_be_written_is_refused)
{
    static const char *const path[] = { "/dev/full", "/nonexistent/out.pcap" };

    for (unsigned i = 0; i < 2; i++) {
        struct wire *w = wire_create("pcap", 0, &host);

        CHECK(wire_set(w, "out", path[i]));
        CHECK(!wire_open(w));
        CHECK_CONTAINS(w->error, path[i]);
        wire_destroy(w);
    }
}

/* A disk that fills up: the header fits, the first record does not. */
TEST(wire_pcap, output_that_fails_later_is_reported)
{
    uint8_t frame[60] = { 0 };
    struct rlimit all, header_only;
    struct wire *w =
        (file_begin(0, 0), file_end(), wire_create("pcap", 0, &host));

    CHECK(wire_set(w, "out", out_path));
    CHECK(wire_open(w));
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &all);
    header_only = (struct rlimit) { .rlim_cur = 24, .rlim_max = all.rlim_max };
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &header_only), 0);
    wire_transmit(w, frame, sizeof(frame));
    wire_flush(w);
    setrlimit(RLIMIT_FSIZE, &all);
    status_has(w, "\"write_failed\":true");
    clean(w);
}

TEST(wire_pcap, input_is_never_overwritten_by_the_output)
{
    struct stat st;
    struct wire *w;

    file_begin(0xa1b2c3d4, 1);
    record(1, 60, 60);
    file_end();
    w = wire_up("out", in_path);
    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "same file");
    CHECK_EQ(stat(in_path, &st), 0);
    CHECK_EQ(st.st_size, 24 + 76);
    clean(w);
}

TEST(wire_pcap, pace_sends_so_many_a_second)
{
    struct wire *w;
    unsigned sent = 0;

    file_begin(0xa1b2c3d4, 1);
    record(1, 60, 60);
    file_end();
    w = wire_up("loop", "0");
    CHECK(wire_set(w, "pps", "1000"));
    CHECK(wire_open(w));
    for (uint64_t ms = 5000; ms <= 8000; ms++)
        sent += wire_pump(w, true, 32, ms * 1000000);
    CHECK_EQ(sent, 3000);
    /* a long pause is not made up for */
    CHECK_EQ(wire_pump(w, true, 32, UINT64_C(60000000000)), 0);
    clean(w);
}

TEST(wire_pcap, wrong_settings_are_refused_by_name)
{
    static const char *const bad[][2] = {
        { "loop", "x" },  { "loop", "-1" },   { "pps", "" },
        { "pps", "1e6" }, { "stamps", "ms" }, { "hold", "2" },
        { "size", "60" },
    };
    struct wire *w = wire_create("pcap", 0, &host);

    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!wire_set(w, bad[i][0], bad[i][1]));
        CHECK_CONTAINS(w->error, bad[i][0]);
    }
    CHECK(wire_open(w));
    CHECK(!wire_set(w, "in", "x"));
    CHECK_CONTAINS(w->error, "while it runs");
    wire_destroy(w);
    CHECK(wire_create("string-and-cup", 0, &host) == NULL);
}
