/*
 * wire_stream_test.c - a cable over a UNIX stream socket (T1, T2 of stream.c)
 *
 * The other end is this test, which speaks the format of QEMU's net/stream.c:
 * the length of each frame in four bytes, highest first, then the frame.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/wire_rig.h"

static char path[64];

static void folder_make(void)
{
    rig_open("wire_stream");
    snprintf(path, sizeof(path), "%s/s", dir);
}

static struct wire *wire_up(const char *key)
{
    struct wire *w = wire_create("stream", 0, &host);

    CHECK(w != NULL);
    CHECK(wire_set(w, key, path));
    CHECK(wire_open(w));
    return w;
}

static void clean(struct wire *w)
{
    wire_destroy(w);
    CHECK_EQ(rmdir(dir), 0);
}

static int peer_connects(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(at.sun_path, path);
    CHECK_EQ(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    CHECK_EQ(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
    return fd;
}

static int peer_listens(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(at.sun_path, path);
    CHECK_EQ(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    CHECK_EQ(listen(fd, 1), 0);
    return fd;
}

static void peer_writes(int fd, const void *bytes, size_t len)
{
    CHECK_EQ(write(fd, bytes, len), (ssize_t)len);
}

/* A frame of @len bytes of @tag behind a length field that says so. */
static size_t framed(uint8_t *out, uint8_t tag, uint32_t len)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint8_t)(len >> (24 - 8 * i));
    memset(out + 4, tag, len);
    return 4 + len;
}

TEST(stream, a_frame_goes_out_behind_its_length)
{
    const uint8_t want[] = { 0, 0, 1, 4 };
    uint8_t frame[260], got[300];
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    serve(w);
    status_has(w, "\"connected\":true");
    memset(frame, 0x5a, sizeof(frame));
    wire_transmit(w, frame, sizeof(frame));
    serve(w);
    CHECK_EQ(read(fd, got, sizeof(got)), 264);
    CHECK_BYTES(got, want, 4);
    CHECK_BYTES(got + 4, frame, sizeof(frame));
    close(fd);
    clean(w);
}

TEST(stream, frames_come_in_whole_and_in_order)
{
    uint8_t bytes[3 * WIRE_FRAME_MAX];
    size_t n;
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    n = framed(bytes, 1, 60);
    n += framed(bytes + n, 2, WIRE_FRAME_MAX);
    n += framed(bytes + n, 3, 61);
    peer_writes(fd, bytes, n);
    serve(w);
    CHECK_EQ(port.taken, 3);
    CHECK_EQ(port.len[0], 60);
    CHECK_EQ(port.len[1], WIRE_FRAME_MAX);
    CHECK_EQ(port.len[2], 61);
    for (unsigned i = 0; i < 3; i++)
        CHECK_EQ(port.frame[i][port.len[i] - 1], i + 1);
    close(fd);
    clean(w);
}

TEST(stream, bytes_that_come_one_by_one_make_the_same_frames)
{
    uint8_t bytes[200];
    size_t n;
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    n = framed(bytes, 7, 64);
    n += framed(bytes + n, 8, 70);
    for (size_t i = 0; i < n; i++) {
        peer_writes(fd, bytes + i, 1);
        serve(w);
        CHECK_EQ(port.taken, (i >= 67) + (i == n - 1));
    }
    CHECK_EQ(port.len[1], 70);
    CHECK_EQ(port.frame[1][69], 8);
    close(fd);
    clean(w);
}

TEST(stream, the_beginning_of_a_frame_waits_for_its_end)
{
    uint8_t bytes[200];
    size_t n;
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    n = framed(bytes, 7, 64);
    n += framed(bytes + n, 8, 70);
    peer_writes(fd, bytes, 100);
    serve(w);
    CHECK_EQ(port.taken, 1);
    peer_writes(fd, bytes + 100, n - 100);
    serve(w);
    CHECK_EQ(port.taken, 2);
    CHECK_EQ(port.frame[1][0], 8);
    CHECK_EQ(port.frame[1][69], 8);
    close(fd);
    clean(w);
}

TEST(stream, short_frames_are_padded_with_zeros)
{
    uint8_t bytes[64];
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    peer_writes(fd, bytes, framed(bytes, 9, 42));
    serve(w);
    CHECK_EQ(port.taken, 1);
    CHECK_EQ(port.len[0], WIRE_FRAME_PAD);
    CHECK_EQ(port.frame[0][41], 9);
    for (unsigned i = 42; i < WIRE_FRAME_PAD; i++)
        CHECK_EQ(port.frame[0][i], 0);
    close(fd);
    clean(w);
}

/* QEMU may send up to 68 KiB: no frame of ours, but the stream goes on. */
TEST(stream, frames_of_a_wrong_size_are_counted_and_skipped)
{
    static uint8_t bytes[80000];
    size_t n;
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    n = framed(bytes, 1, 13);
    n += framed(bytes + n, 2, WIRE_FRAME_MAX + 1);
    n += framed(bytes + n, 3, 60);
    peer_writes(fd, bytes, n);
    serve(w);
    peer_writes(fd, bytes, framed(bytes, 4, 69632));
    serve(w);
    peer_writes(fd, bytes, framed(bytes, 5, 60));
    serve(w);
    CHECK_EQ(port.taken, 2);
    CHECK_EQ(port.frame[0][0], 3);
    CHECK_EQ(port.frame[1][0], 5);
    status_has(w, "\"too-short\":1");
    status_has(w, "\"too-long\":2");
    close(fd);
    clean(w);
}

static void hangs_up_after(const uint8_t *garbage, size_t len)
{
    uint8_t bytes[128];
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    peer_writes(fd, bytes, framed(bytes, 1, 60));
    peer_writes(fd, garbage, len);
    serve(w);
    CHECK_EQ(port.taken, 1); /* what came before was sound */
    status_has(w, "\"connected\":false");
    CHECK_EQ(read(fd, bytes, 1), 0);
    close(fd);
    fd = peer_connects();
    peer_writes(fd, bytes, framed(bytes, 2, 60));
    serve(w);
    CHECK_EQ(port.taken, 2);
    CHECK_EQ(port.frame[1][59], 2);
    close(fd);
    clean(w);
}

TEST(stream, a_length_that_cannot_be_ends_the_connection_only)
{
    static const uint8_t one_too_many[] = { 0, 1, 0x10, 1 };
    static const uint8_t huge[] = { 0xff, 0xff, 0xff, 0xff };
    static const uint8_t zero[] = { 0, 0, 0, 0 };
    static const uint8_t text[] = "GET / HTTP/1.1\r\n\r\n";

    hangs_up_after(one_too_many, sizeof(one_too_many));
    hangs_up_after(huge, sizeof(huge));
    hangs_up_after(zero, sizeof(zero));
    hangs_up_after(text, sizeof(text));
}

/* The rest of the old frame must not begin the new one. */
TEST(stream, a_client_that_leaves_in_the_middle_of_a_frame_makes_room)
{
    uint8_t bytes[128];
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    framed(bytes, 1, 60);
    peer_writes(fd, bytes, 30);
    serve(w);
    close(fd);
    serve(w);
    status_has(w, "\"connected\":false");
    fd = peer_connects();
    peer_writes(fd, bytes, framed(bytes, 2, 60));
    serve(w);
    CHECK_EQ(port.taken, 1);
    CHECK_EQ(port.frame[0][0], 2);
    close(fd);
    clean(w);
}

TEST(stream, without_a_peer_frames_are_counted_not_kept)
{
    uint8_t frame[60] = { 0 }, got[100];
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    CHECK(wire_ready(w));
    wire_transmit(w, frame, sizeof(frame));
    serve(w);
    status_has(w, "\"unconnected\":1");
    fd = peer_connects();
    serve(w);
    CHECK(read(fd, got, sizeof(got)) < 0 && errno == EAGAIN);
    close(fd);
    clean(w);
}

TEST(stream, the_end_that_connects_tries_until_somebody_listens)
{
    uint8_t bytes[128];
    struct wire *w;
    int listener, fd;

    folder_make();
    w = wire_up("connect");
    serve(w);
    serve(w);
    status_has(w, "\"connected\":false");
    for (unsigned life = 1; life <= 2; life++) {
        listener = peer_listens();
        serve(w);
        status_has(w, "\"connected\":true");
        fd = accept(listener, NULL, NULL);
        CHECK(fd >= 0);
        peer_writes(fd, bytes, framed(bytes, (uint8_t)life, 60));
        serve(w);
        CHECK_EQ(port.taken, life);
        CHECK_EQ(port.frame[life - 1][0], life);
        close(listener);
        unlink(path);
        close(fd);
        serve(w);
    }
    clean(w);
}

/* Reads all that waits, and checks that the numbers go up without a gap. */
static void peer_reads(int fd, uint32_t *next)
{
    static uint8_t bytes[1 << 20];
    static size_t have;
    ssize_t n;

    if (*next == 0)
        have = 0;
    while ((n = read(fd, bytes + have, sizeof(bytes) - have)) > 0) {
        size_t at = 0;

        have += (size_t)n;
        for (; have - at >= 4 + 1000; at += 4 + 1000) {
            const uint8_t want[] = { 0, 0, 1000 >> 8, 1000 & 0xff };
            uint32_t number;

            CHECK_BYTES(bytes + at, want, 4);
            memcpy(&number, bytes + at + 4, 4);
            CHECK_EQ(number, *next);
            ++*next;
        }
        have -= at;
        memmove(bytes, bytes + at, have);
    }
}

/* More than the buffers hold, several times over; the socket takes pieces. */
TEST(stream, a_slow_reader_holds_the_sender_back_and_loses_nothing)
{
    uint8_t frame[1000] = { 0 };
    uint32_t sent = 0, next = 0;
    unsigned waits = 0;
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    serve(w);
    while (sent < 20000) {
        if (wire_ready(w)) {
            memcpy(frame, &sent, sizeof(sent));
            wire_transmit(w, frame, sizeof(frame));
            sent++;
            continue;
        }
        waits++;
        serve(w);
        peer_reads(fd, &next);
    }
    for (unsigned i = 0; i < 1000 && next < sent; i++) {
        serve(w);
        peer_reads(fd, &next);
    }
    CHECK(waits > 0);
    CHECK_EQ(next, sent);
    status_has(w, "\"unsent_bytes\":0");
    status_has(w, "\"refused\":{}");
    close(fd);
    clean(w);
}

TEST(stream, a_port_without_pause_never_waits_for_a_stuck_reader)
{
    uint8_t frame[WIRE_FRAME_MAX] = { 0 };
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up("listen");
    CHECK(wire_set(w, "pause", "0"));
    fd = peer_connects();
    serve(w);
    for (unsigned i = 0; i < 1000; i++) {
        CHECK(wire_ready(w));
        wire_transmit(w, frame, sizeof(frame));
        serve(w);
    }
    status_has(w, "\"no-room\":");
    close(fd);
    clean(w);
}

/* What the port does not take stays here up to a limit, then in the socket. */
TEST(stream, a_port_without_room_holds_the_peer_back)
{
    static uint8_t bytes[4 + 9000];
    size_t taken_by_socket = 0;
    unsigned frames = 0;
    struct wire *w;
    ssize_t n = 0;
    int fd;

    folder_make();
    w = wire_up("listen");
    fd = peer_connects();
    serve(w);
    port.room = 0;
    framed(bytes, 1, 9000);
    for (unsigned stuck = 0; stuck < 3; stuck++) {
        while (n >= 0) {
            n = write(fd, bytes + taken_by_socket % sizeof(bytes),
                      sizeof(bytes) - taken_by_socket % sizeof(bytes));
            if (n < 0)
                break;
            taken_by_socket += (size_t)n;
            stuck = 0;
        }
        n = 0;
        serve(w);
    }
    CHECK(taken_by_socket < (size_t)8 << 20);
    CHECK_EQ(wire_watch(w), -1);
    for (unsigned i = 0; i < 100000 && frames * sizeof(bytes) + sizeof(bytes) <=
                                           taken_by_socket;
         i++) {
        port.room = 32;
        port.taken = 0;
        serve(w);
        frames += port.taken;
    }
    CHECK_EQ(frames, taken_by_socket / sizeof(bytes));
    close(fd);
    clean(w);
}

TEST(stream, settings_that_cannot_work_are_refused)
{
    char longest[200];
    struct wire *w = wire_create("stream", 0, &host);

    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "listen=PATH or connect=PATH");
    CHECK(!wire_set(w, "listen", ""));
    memset(longest, 'a', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    CHECK(!wire_set(w, "connect", longest));
    CHECK_CONTAINS(w->error, "1 to 107");
    CHECK(!wire_set(w, "path", "/tmp/x"));
    CHECK(wire_set(w, "listen", "/nowhere/at/all"));
    CHECK(!wire_set(w, "connect", "/tmp/x"));
    CHECK_CONTAINS(w->error, "already");
    CHECK(!wire_open(w));
    wire_destroy(w);
}

TEST(stream, two_wires_of_one_path_are_refused)
{
    struct wire *w, *second;

    folder_make();
    w = wire_up("listen");
    second = wire_create("stream", 0, &host);
    CHECK(wire_set(second, "listen", path));
    CHECK(!wire_open(second));
    wire_destroy(second);
    clean(w);
}
