/*
 * wire_dgram_test.c - a cable over UNIX datagram sockets
 *
 * The other end is this test; a datagram is a frame, as in QEMU's net/dgram.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "tests/unit/wire_rig.h"

static char here[64], there[64];

static void folder_make(void)
{
    rig_open("wire_dgram");
    snprintf(here, sizeof(here), "%s/here", dir);
    snprintf(there, sizeof(there), "%s/there", dir);
}

static struct wire *wire_made(void)
{
    struct wire *w = wire_create("dgram", 0, &host);

    CHECK(w != NULL);
    CHECK(wire_set(w, "local", here));
    CHECK(wire_set(w, "remote", there));
    return w;
}

static struct wire *wire_up(void)
{
    struct wire *w = wire_made();

    CHECK(wire_open(w));
    return w;
}

static int bound(const char *path)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);

    strcpy(at.sun_path, path);
    CHECK_EQ(bind(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static int peer_up(void)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const int fd = bound(there);

    strcpy(at.sun_path, here);
    CHECK_EQ(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    return fd;
}

static void clean(struct wire *w)
{
    wire_destroy(w);
    unlink(there);
    CHECK_EQ(rmdir(dir), 0);
}

static void peer_sends(int fd, uint8_t tag, size_t len)
{
    static uint8_t frame[70000];

    memset(frame, tag, len);
    CHECK_EQ(send(fd, frame, len, 0), (ssize_t)len);
}

TEST(dgram, a_frame_is_a_datagram_both_ways)
{
    uint8_t frame[1514], got[2000];
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up();
    fd = peer_up();
    memset(frame, 0x77, sizeof(frame));
    wire_transmit(w, frame, sizeof(frame));
    wire_transmit(w, frame, 60);
    serve(w);
    CHECK_EQ(recv(fd, got, sizeof(got), 0), 1514);
    CHECK_BYTES(got, frame, sizeof(frame));
    CHECK_EQ(recv(fd, got, sizeof(got), 0), 60);
    peer_sends(fd, 1, 60);
    peer_sends(fd, 2, WIRE_FRAME_MAX);
    serve(w);
    CHECK_EQ(port.taken, 2);
    CHECK_EQ(port.len[0], 60);
    CHECK_EQ(port.len[1], WIRE_FRAME_MAX);
    CHECK_EQ(port.last[1], 2);
    close(fd);
    clean(w);
}

TEST(dgram, frames_of_a_wrong_size_are_counted_and_short_ones_padded)
{
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up();
    fd = peer_up();
    peer_sends(fd, 1, 0);
    peer_sends(fd, 2, 13);
    peer_sends(fd, 3, WIRE_FRAME_MAX + 1);
    peer_sends(fd, 4, 69632);
    serve(w);
    CHECK_EQ(port.taken, 0);
    peer_sends(fd, 5, 14);
    serve(w);
    CHECK_EQ(port.taken, 1);
    CHECK_EQ(port.len[0], WIRE_FRAME_PAD);
    CHECK_EQ(port.first[0], 5);
    CHECK_EQ(port.last[0], 0);
    status_has(w, "\"too-short\":2");
    status_has(w, "\"too-long\":2");
    close(fd);
    clean(w);
}

TEST(dgram, the_other_end_may_come_late_and_leave)
{
    uint8_t frame[60] = { 0 }, got[100];
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up();
    wire_transmit(w, frame, sizeof(frame));
    serve(w);
    status_has(w, "\"unconnected\":1");
    fd = peer_up();
    wire_transmit(w, frame, sizeof(frame));
    serve(w);
    CHECK_EQ(recv(fd, got, sizeof(got), 0), 60);
    close(fd);
    wire_transmit(w, frame, sizeof(frame));
    serve(w);
    status_has(w, "\"unconnected\":2");
    clean(w);
}

/* The kernel queues a few datagrams a socket; then ours wait here, in order. */
TEST(dgram, a_slow_reader_holds_the_sender_back_and_loses_nothing)
{
    uint8_t frame[1000] = { 0 }, got[1000];
    uint32_t sent = 0, next = 0, number;
    unsigned waits = 0;
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up();
    fd = peer_up();
    while (next < 10000) {
        while (sent < 10000 && wire_ready(w)) {
            memcpy(frame, &sent, sizeof(sent));
            wire_transmit(w, frame, sizeof(frame));
            sent++;
        }
        waits += !wire_ready(w);
        serve(w);
        CHECK_EQ(recv(fd, got, sizeof(got), 0), 1000);
        do {
            memcpy(&number, got, sizeof(number));
            CHECK_EQ(number, next);
            next++;
        } while (recv(fd, got, sizeof(got), 0) == 1000);
    }
    CHECK(waits > 0);
    status_has(w, "\"refused\":{}");
    status_has(w, "\"unsent\":0");
    close(fd);
    clean(w);
}

TEST(dgram, a_port_without_room_holds_the_peer_back)
{
    static uint8_t frame[9000];
    unsigned sent = 0, taken = 0;
    struct wire *w;
    int fd;

    folder_make();
    w = wire_up();
    fd = peer_up();
    port.room = 0;
    for (unsigned stuck = 0; stuck < 3 && sent < 10000; stuck++) {
        while (send(fd, frame, sizeof(frame), 0) > 0) {
            sent++;
            stuck = 0;
        }
        serve(w);
    }
    CHECK(sent < 1000);
    CHECK_EQ(wire_watch(w), -1);
    for (unsigned i = 0; i < 1000 && taken < sent; i++) {
        port.room = 32;
        port.taken = 0;
        serve(w);
        taken += port.taken;
    }
    CHECK_EQ(taken, sent);
    close(fd);
    clean(w);
}

TEST(dgram, a_socket_left_over_is_replaced_and_a_live_one_is_not)
{
    struct wire *w;
    int fd;

    folder_make();
    fd = bound(here);
    w = wire_made();
    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "local=");
    wire_destroy(w);
    close(fd); /* its name stays */
    clean(wire_up());
}

TEST(dgram, a_file_in_the_way_is_not_removed)
{
    struct stat still;
    struct wire *w;

    folder_make();
    close(open(here, O_CREAT | O_WRONLY, 0600));
    w = wire_made();
    CHECK(!wire_open(w));
    wire_destroy(w);
    CHECK_EQ(stat(here, &still), 0);
    unlink(here);
    CHECK_EQ(rmdir(dir), 0);
}

TEST(dgram, settings_that_cannot_work_are_refused)
{
    struct wire *w = wire_create("dgram", 0, &host);

    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "local=PATH and remote=PATH");
    CHECK(!wire_set(w, "local", ""));
    CHECK(!wire_set(w, "listen", "/tmp/x"));
    CHECK(wire_set(w, "local", "/nowhere/x"));
    CHECK(!wire_open(w));
    CHECK(wire_set(w, "remote", "/nowhere/x"));
    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "both");
    CHECK(wire_set(w, "remote", "/nowhere/y"));
    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "No such file");
    wire_destroy(w);
}
