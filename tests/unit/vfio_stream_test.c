/*
 * vfio_stream_test.c - messages through a socket, cut in every way (S1, S2)
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/bytes.h"
#include "server/conn.h"
#include "tests/fake/chip_standin.h"
#include "tests/unit/test.h"

static struct chip *chip;
static struct device dev;
static struct conn conn;
static int client;

static int pump(void)
{
    return conn_pump(&conn, &dev, 64, NULL);
}

static size_t make(uint8_t *to, uint16_t id, uint16_t command, const void *data,
                   size_t n)
{
    memset(to, 0, VFU_HEADER);
    put16(to, id);
    put16(to + 2, command);
    put32(to + 4, (uint32_t)(VFU_HEADER + n));
    if (n > 0)
        memcpy(to + VFU_HEADER, data, n);
    return VFU_HEADER + n;
}

static void say(const void *bytes, size_t n, const int *fds, unsigned nfds)
{
    union {
        char bytes[CMSG_SPACE(64 * sizeof(int))];
        struct cmsghdr align;
    } control = { .bytes = { 0 } };
    struct iovec iov = { (void *)bytes, n };
    struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

    if (nfds > 0) {
        msg.msg_control = control.bytes;
        msg.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
        control.align.cmsg_level = SOL_SOCKET;
        control.align.cmsg_type = SCM_RIGHTS;
        control.align.cmsg_len = CMSG_LEN(nfds * sizeof(int));
        memcpy(CMSG_DATA(&control.align), fds, nfds * sizeof(int));
    }
    CHECK_EQ(sendmsg(client, &msg, 0), n);
}

/* The next reply; its descriptor in *fd when there is one. */
static size_t hear(uint8_t *to, size_t room, int *fd)
{
    union {
        char bytes[CMSG_SPACE(sizeof(int))];
        struct cmsghdr align;
    } control;
    struct iovec iov = { to, VFU_HEADER };
    struct msghdr msg = { .msg_iov = &iov,
                          .msg_iovlen = 1,
                          .msg_control = control.bytes,
                          .msg_controllen = sizeof(control.bytes) };
    size_t size;

    if (recvmsg(client, &msg, MSG_DONTWAIT) != VFU_HEADER)
        return 0;
    if (fd != NULL)
        *fd = -1;
    if (fd != NULL && CMSG_FIRSTHDR(&msg) != NULL)
        memcpy(fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(*fd));
    size = get32(to + 4);
    CHECK(size >= VFU_HEADER && size <= room);
    if (size > VFU_HEADER)
        CHECK_EQ(recv(client, to + VFU_HEADER, size - VFU_HEADER, MSG_DONTWAIT),
                 size - VFU_HEADER);
    return size;
}

static void up(void)
{
    static const uint8_t version[] = { 0, 0, 0, 0, '{', '}', 0 };
    struct device_config config = { .shared_doorbells = true };
    uint8_t bytes[256];
    int ends[2];

    chip = config.chip = chip_create(NULL, NULL);
    CHECK(device_open(&dev, &config));
    CHECK(device_connect(&dev));
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    client = ends[0];
    conn_open(&conn, ends[1]);
    say(bytes, make(bytes, 1, VFU_VERSION, version, sizeof(version)), NULL, 0);
    CHECK_EQ(pump(), 1);
    CHECK_EQ(hear(bytes, sizeof(bytes), NULL), VFU_HEADER + 7);
}

static void down(void)
{
    conn_close(&conn);
    close(client);
    device_close(&dev);
    chip_destroy(chip);
}

static size_t make_read(uint8_t *to, uint16_t id, uint32_t region,
                        uint64_t offset, uint32_t count)
{
    uint8_t data[16];

    put64(data, offset);
    put32(data + 8, region);
    put32(data + 12, count);
    return make(to, id, VFU_REGION_READ, data, sizeof(data));
}

static size_t make_listen(uint8_t *to, uint16_t id, uint32_t vector,
                          uint32_t count)
{
    uint8_t data[20];

    put32(data, 20);
    put32(data + 4, 0x24);
    put32(data + 8, VFU_IRQ_MSIX);
    put32(data + 12, vector);
    put32(data + 16, count);
    return make(to, id, VFU_SET_IRQS, data, sizeof(data));
}

TEST(vfio_stream, message_that_comes_byte_by_byte_is_one_message)
{
    uint8_t bytes[64], back[8192];
    size_t n;

    up();
    n = make_read(bytes, 7, VFU_REGION_CONFIG, 0, 4);
    for (size_t i = 0; i < n; i++) {
        say(bytes + i, 1, NULL, 0);
        CHECK_EQ(pump(), i + 1 == n ? 1 : 0);
    }
    CHECK_EQ(hear(back, sizeof(back), NULL), VFU_HEADER + 20);
    CHECK_EQ(get16(back), 7);
    CHECK_EQ(get32(back + 32), 0x15838086);
    down();
}

TEST(vfio_stream, many_messages_in_one_piece_are_answered_in_order)
{
    uint8_t bytes[4096], back[256];
    size_t n = 0;

    up();
    for (uint16_t id = 0; id < 50; id++)
        n += make_read(bytes + n, id, VFU_REGION_CONFIG, 0, 4);
    say(bytes, n, NULL, 0);
    CHECK_EQ(pump(), 50);
    for (uint16_t id = 0; id < 50; id++) {
        CHECK_EQ(hear(back, sizeof(back), NULL), VFU_HEADER + 20);
        CHECK_EQ(get16(back), id);
    }
    down();
}

/* S1: the descriptors of the second message must not serve the first. */
TEST(vfio_stream, descriptors_stay_with_their_message)
{
    uint8_t bytes[128];
    int fds[2] = { eventfd(0, EFD_NONBLOCK), eventfd(0, EFD_NONBLOCK) };
    uint64_t n;

    up();
    say(bytes, make_listen(bytes, 1, 3, 1), &fds[0], 1);
    say(bytes, make_listen(bytes, 2, 4, 1), &fds[1], 1);
    CHECK_EQ(pump(), 2);
    irq_signal(&dev.irqs, VFU_IRQ_MSIX, 4);
    CHECK(read(fds[0], &n, sizeof(n)) < 0);
    CHECK_EQ(read(fds[1], &n, sizeof(n)), 8);
    irq_signal(&dev.irqs, VFU_IRQ_MSIX, 3);
    CHECK_EQ(read(fds[0], &n, sizeof(n)), 8);
    close(fds[0]);
    close(fds[1]);
    down();
}

TEST(vfio_stream, descriptors_survive_a_header_that_comes_in_two_pieces)
{
    uint8_t bytes[128];
    int fds[16];
    size_t n;
    uint64_t v;

    up();
    for (unsigned i = 0; i < 16; i++)
        fds[i] = eventfd(0, EFD_NONBLOCK);
    n = make_listen(bytes, 1, 0, 16);
    say(bytes, 3, fds, 16);
    CHECK_EQ(pump(), 0);
    say(bytes + 3, n - 3, NULL, 0);
    CHECK_EQ(pump(), 1);
    for (unsigned i = 0; i < 16; i++) {
        irq_signal(&dev.irqs, VFU_IRQ_MSIX, i);
        CHECK_EQ(read(fds[i], &v, sizeof(v)), 8);
        close(fds[i]);
    }
    down();
}

TEST(vfio_stream, more_descriptors_than_agreed_end_the_connection)
{
    uint8_t bytes[128];
    int fds[17];
    const int lowest = (up(), dup(0));

    close(lowest);
    for (unsigned i = 0; i < 17; i++)
        fds[i] = eventfd(0, EFD_NONBLOCK);
    say(bytes, make_listen(bytes, 1, 0, 17), fds, 17);
    for (unsigned i = 0; i < 17; i++)
        close(fds[i]);
    CHECK_EQ(pump(), -1);
    down();
    CHECK(dup(0) <= lowest); /* none is left open */
}

TEST(vfio_stream, impossible_sizes_end_the_connection)
{
    static const uint32_t sizes[] = { 0, 15, VFU_MESSAGE_MAX + 1, UINT32_MAX };

    for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t bytes[64];

        up();
        make(bytes, 1, VFU_DEVICE_RESET, NULL, 0);
        put32(bytes + 4, sizes[i]);
        say(bytes, VFU_HEADER, NULL, 0);
        CHECK_EQ(pump(), -1);
        down();
    }
}

TEST(vfio_stream, client_that_leaves_in_the_middle_is_noticed)
{
    uint8_t bytes[64];

    up();
    CHECK_EQ(pump(), 0);
    say(bytes, make_read(bytes, 1, 7, 0, 4) - 5, NULL, 0);
    shutdown(client, SHUT_RDWR);
    CHECK_EQ(pump(), -1);
    down();
}

/* S2: answers that are not taken hold back commands, and nothing is lost. */
TEST(vfio_stream, slow_reader_gets_every_answer)
{
    static uint8_t bytes[64], back[VFU_MESSAGE_MAX];
    enum { ASKED = 200 };
    unsigned answered = 0, rounds = 0;

    up();
    for (uint16_t id = 0; id < ASKED; id++)
        say(bytes, make_read(bytes, id, VFU_REGION_CONFIG, 0, 4096), NULL, 0);
    while (pump() > 0 || conn_wants_to_write(&conn)) {
        CHECK(rounds++ < 10000);
        while (hear(back, sizeof(back), NULL) > 0)
            CHECK_EQ(get16(back), answered++);
    }
    while (hear(back, sizeof(back), NULL) > 0)
        CHECK_EQ(get16(back), answered++);
    CHECK_EQ(answered, ASKED);
    down();
}

TEST(vfio_stream, page_from_the_reply_is_the_page_of_the_chip)
{
    uint8_t bytes[64], back[256], ask[32] = { 80 };
    uint32_t *page;
    int fd;

    up();
    say(bytes, make(bytes, 1, VFU_GET_REGION_INFO, ask, sizeof(ask)), NULL, 0);
    CHECK_EQ(pump(), 1);
    CHECK_EQ(hear(back, sizeof(back), &fd), VFU_HEADER + 80);
    CHECK(fd >= 0);
    page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0x108000);
    CHECK(page != MAP_FAILED);
    page[0] = 0xd00b;
    CHECK_EQ(chip->tails[0][0][0], 0xd00b);
    munmap(page, 4096);
    close(fd);
    down();
}

TEST(vfio_stream, budget_of_messages_is_kept)
{
    uint8_t bytes[4096];
    size_t n = 0;

    up();
    for (uint16_t id = 0; id < 10; id++)
        n += make_read(bytes + n, id, VFU_REGION_CONFIG, 0, 4);
    say(bytes, n, NULL, 0);
    CHECK_EQ(conn_pump(&conn, &dev, 4, NULL), 4);
    CHECK_EQ(conn_pump(&conn, &dev, 4, NULL), 4);
    CHECK_EQ(conn_pump(&conn, &dev, 4, NULL), 2);
    down();
}
