/*
 * wire_tap_test.c - a cable to a tap interface
 *
 * The interface lives in a network namespace that this process makes for
 * itself; where that is forbidden, only the refusals can be looked at.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/unit/wire_rig.h"

static uint8_t frame[60] = { 2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5 };

static bool may_make_taps(void)
{
    const int fd = open("/dev/net/tun", O_RDWR);

    if (fd >= 0)
        close(fd);
    return fd >= 0 && geteuid() == 0 && unshare(CLONE_NEWNET) == 0;
}

/* Linux also sends by itself on a new link: only our frame counts. */
static unsigned own_frames(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < port.taken && i < KEPT_MAX; i++)
        n += port.len[i] == sizeof(frame) &&
             memcmp(port.frame[i], frame, sizeof(frame)) == 0;
    return n;
}

static void linux_sends(const char *ifname, const uint8_t *bytes, size_t len)
{
    const struct sockaddr_ll to = { .sll_family = AF_PACKET,
                                    .sll_ifindex = (int)if_nametoindex(ifname),
                                    .sll_halen = 6 };
    const int s = socket(AF_PACKET, SOCK_RAW, 0);

    CHECK_EQ(sendto(s, bytes, len, 0, (const struct sockaddr *)&to, sizeof(to)),
             (ssize_t)len);
    close(s);
}

TEST(tap, settings_that_cannot_work_are_refused)
{
    struct wire *w = wire_create("tap", 0, &host);

    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "ifname=NAME");
    CHECK(!wire_set(w, "ifname", ""));
    CHECK(!wire_set(w, "ifname", "sixteen-letters-"));
    CHECK_CONTAINS(w->error, "1 to 15");
    CHECK(!wire_set(w, "ifname", "a/b"));
    CHECK(!wire_set(w, "netns", "../x"));
    CHECK(!wire_set(w, "path", "x"));
    CHECK(wire_set(w, "ifname", "tap0"));
    CHECK(wire_set(w, "netns", "nobody-made-this-one"));
    CHECK(!wire_open(w));
    CHECK_CONTAINS(w->error, "netns=nobody-made-this-one: No such file");
    wire_destroy(w);
}

TEST(tap, frames_pass_both_ways_once_the_interface_is_up)
{
    struct ifreq request = { .ifr_name = "mtap0" };
    struct wire *w;
    int s;

    if (!may_make_taps())
        return;
    port_open();
    w = wire_create("tap", 0, &host);
    CHECK(wire_set(w, "ifname", "mtap0"));
    CHECK(wire_open(w));
    wire_transmit(w, frame, sizeof(frame));
    serve(w);
    status_has(w, "\"unconnected\":1"); /* it is down */

    s = socket(AF_INET, SOCK_DGRAM, 0);
    CHECK_EQ(ioctl(s, SIOCGIFFLAGS, &request), 0);
    request.ifr_flags |= IFF_UP;
    CHECK_EQ(ioctl(s, SIOCSIFFLAGS, &request), 0);
    wire_transmit(w, frame, sizeof(frame));
    serve(w);
    status_has(w, "\"unconnected\":1");
    status_has(w, "\"unsent\":0");
    linux_sends("mtap0", frame, sizeof(frame));
    serve(w);
    CHECK(own_frames() > 0);
    close(s);
    wire_destroy(w);
}
