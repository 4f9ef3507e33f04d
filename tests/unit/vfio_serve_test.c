/*
 * vfio_serve_test.c - the whole model with the real chip, over its sockets
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/bytes.h"
#include "model.h"
#include "tests/unit/test.h"

/* Register offsets: Linux i40e_register.h */
enum {
    GLGEN_RSTAT = 0xb8188,
    PF_ATQBAL = 0x80000,
    PF_ATQLEN = 0x80200,
    PF_ATQH = 0x80300,
    PF_ATQT = 0x80400,
    ATQ_ON = 1u << 31,
};

static struct options options;
static struct model *model;
static pthread_t thread;
static char dir[] = "/tmp/vfio_serve_XXXXXX";

static void *serve(void *unused)
{
    (void)unused;
    model_run(model);
    return NULL;
}

static void up(const char *mode)
{
    char error[OPTIONS_ERROR_MAX];
    char *argv[] = {
        (char *)"model",     (char *)"--socket-dir", dir,
        (char *)"--mode",    (char *)mode,           (char *)"--port",
        (char *)"wire=sink", (char *)"--port",       (char *)"wire=sink"
    };
    int status;

    strcpy(dir, "/tmp/vfio_serve_XXXXXX");
    CHECK(mkdtemp(dir) != NULL);
    CHECK(model_options_parse(&options, 9, argv, error));
    model = model_open(&options, &status);
    CHECK(model != NULL);
    CHECK_EQ(pthread_create(&thread, NULL, serve, NULL), 0);
}

static int dial(const char *name)
{
    struct sockaddr_un at = { .sun_family = AF_UNIX };
    const struct timeval patience = { .tv_sec = 20 };
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(at.sun_path, sizeof(at.sun_path), "%s/%s", dir, name);
    CHECK_EQ(connect(fd, (struct sockaddr *)&at, sizeof(at)), 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    return fd;
}

static void down(void)
{
    const int fd = dial("ctl.sock");
    char answer[64] = { 0 };

    CHECK_EQ(send(fd, "quit\n", 5, 0), 5);
    CHECK(recv(fd, answer, sizeof(answer) - 1, 0) > 0);
    CHECK_STR(answer, "{\"ok\":true}\n");
    close(fd);
    pthread_join(thread, NULL);
    model_close(model);
    model_options_free(&options);
    CHECK_EQ(rmdir(dir), 0);
}

/* Send one command, take its answer. Returns  the errno of the answer */
static uint32_t call(int fd, uint16_t command, const void *data, size_t n,
                     uint8_t *back, size_t room)
{
    uint8_t msg[256] = { 0 };

    put16(msg + 2, command);
    put32(msg + 4, (uint32_t)(VFU_HEADER + n));
    memcpy(msg + VFU_HEADER, data, n);
    CHECK_EQ(send(fd, msg, VFU_HEADER + n, 0), VFU_HEADER + n);
    CHECK_EQ(recv(fd, msg, VFU_HEADER, MSG_WAITALL), VFU_HEADER);
    n = get32(msg + 4) - VFU_HEADER;
    CHECK(n <= room);
    if (n > 0)
        CHECK_EQ(recv(fd, back, n, MSG_WAITALL), n);
    return get32(msg + 12);
}

static void access_to(uint8_t *data, uint32_t region, uint64_t offset)
{
    put64(data, offset);
    put32(data + 8, region);
    put32(data + 12, 4);
}

static uint32_t read32(int fd, uint32_t region, uint64_t offset)
{
    uint8_t data[16], back[64];

    access_to(data, region, offset);
    CHECK_EQ(call(fd, VFU_REGION_READ, data, 16, back, sizeof(back)), 0);
    return get32(back + 16);
}

static void write32(int fd, uint32_t region, uint64_t offset, uint32_t value)
{
    uint8_t data[20], back[64];

    access_to(data, region, offset);
    put32(data + 16, value);
    CHECK_EQ(call(fd, VFU_REGION_WRITE, data, 20, back, sizeof(back)), 0);
}

static int client_of(const char *name)
{
    static const uint8_t version[] = { 0, 0, 0, 0, '{', '}', 0 };
    const int fd = dial(name);
    uint8_t back[64];

    CHECK_EQ(call(fd, VFU_VERSION, version, sizeof(version), back, 64), 0);
    return fd;
}

static void registers_and_space_answer(const char *mode)
{
    int a, b;

    up(mode);
    a = client_of("pf0.sock");
    b = client_of("pf1.sock");
    CHECK_EQ(read32(a, VFU_REGION_CONFIG, 0), 0x15838086);
    CHECK_EQ(read32(b, VFU_REGION_CONFIG, 0), 0x15838086);
    CHECK_EQ(read32(a, VFU_REGION_BAR0, GLGEN_RSTAT) & 3, 0);
    write32(a, VFU_REGION_BAR0, PF_ATQBAL, 0x12340000);
    CHECK_EQ(read32(a, VFU_REGION_BAR0, PF_ATQBAL), 0x12340000);
    CHECK_EQ(read32(b, VFU_REGION_BAR0, PF_ATQBAL), 0);
    close(a);
    close(b);
    down();
}

TEST(vfio_serve, both_functions_answer_when_doorbells_are_polled)
{
    registers_and_space_answer("polled");
}

TEST(vfio_serve, both_functions_answer_when_doorbells_are_trapped)
{
    registers_and_space_answer("sync");
}

TEST(vfio_serve, second_client_is_refused_and_the_first_stays)
{
    uint8_t byte;
    int first, second;

    up("polled");
    first = client_of("pf0.sock");
    second = dial("pf0.sock");
    CHECK_EQ(recv(second, &byte, 1, 0), 0);
    CHECK_EQ(read32(first, VFU_REGION_CONFIG, 0), 0x15838086);
    close(first);
    close(second);
    down();
}

TEST(vfio_serve, new_client_finds_a_function_just_powered_on)
{
    int fd;

    up("polled");
    fd = client_of("pf0.sock");
    write32(fd, VFU_REGION_BAR0, PF_ATQBAL, 0x12340000);
    write32(fd, VFU_REGION_CONFIG, 4, 6);
    close(fd);
    fd = client_of("pf0.sock"); /* at once: the old one has hung up */
    CHECK_EQ(read32(fd, VFU_REGION_BAR0, PF_ATQBAL), 0);
    CHECK_EQ(read32(fd, VFU_REGION_CONFIG, 4) & 6, 0);
    close(fd);
    down();
}

TEST(vfio_serve, reset_is_a_power_on)
{
    uint8_t back[64];
    int fd;

    up("sync");
    fd = client_of("pf1.sock");
    write32(fd, VFU_REGION_BAR0, PF_ATQBAL, 0x12340000);
    CHECK_EQ(call(fd, VFU_DEVICE_RESET, "", 0, back, 64), 0);
    CHECK_EQ(read32(fd, VFU_REGION_BAR0, PF_ATQBAL), 0);
    close(fd);
    down();
}

TEST(vfio_serve, garbage_ends_the_client_not_the_server)
{
    uint8_t garbage[64];
    int fd;

    up("polled");
    memset(garbage, 0xff, sizeof(garbage));
    fd = client_of("pf0.sock");
    CHECK_EQ(send(fd, garbage, sizeof(garbage), 0), sizeof(garbage));
    while (recv(fd, garbage, 1, 0) > 0)
        continue;
    close(fd);
    fd = client_of("pf0.sock");
    CHECK_EQ(read32(fd, VFU_REGION_CONFIG, 0), 0x15838086);
    close(fd);
    down();
}

/* Give the server @size bytes of @memory as the guest's, from address 0 on. */
static void give_memory(int fd, int memory, uint64_t size)
{
    uint8_t msg[VFU_HEADER + 32] = { 0 };
    char room[CMSG_SPACE(sizeof(int))] = { 0 };
    struct iovec io = { msg, sizeof(msg) };
    struct msghdr h = { .msg_iov = &io,
                        .msg_iovlen = 1,
                        .msg_control = room,
                        .msg_controllen = sizeof(room) };
    struct cmsghdr *c = CMSG_FIRSTHDR(&h);

    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(c), &memory, sizeof(int));
    put16(msg + 2, VFU_DMA_MAP);
    put32(msg + 4, sizeof(msg));
    put32(msg + VFU_HEADER, 32);
    put32(msg + VFU_HEADER + 4, VFU_DMA_READABLE | VFU_DMA_WRITABLE);
    put64(msg + VFU_HEADER + 24, size);
    CHECK_EQ(sendmsg(fd, &h, 0), sizeof(msg));
    CHECK_EQ(recv(fd, msg, VFU_HEADER, MSG_WAITALL), VFU_HEADER);
    CHECK_EQ(get32(msg + 12), 0);
}

/* A client whose admin queue lies at address 0 of its memory. */
static int client_with_a_queue(int memory)
{
    const int fd = client_of("pf0.sock");

    give_memory(fd, memory, 0x10000);
    write32(fd, VFU_REGION_CONFIG, 4, 6);
    write32(fd, VFU_REGION_BAR0, PF_ATQLEN, 32 | ATQ_ON);
    return fd;
}

TEST(vfio_serve, who_takes_its_memory_away_is_dropped_and_nobody_else)
{
    const int memory = memfd_create("ram", MFD_CLOEXEC);
    uint8_t byte;
    int fd, other;

    CHECK_EQ(ftruncate(memory, 0x10000), 0);
    up("polled");
    other = client_of("pf1.sock");
    fd = client_with_a_queue(memory);
    write32(fd, VFU_REGION_BAR0, PF_ATQT, 1); /* all zeros: unknown, answered */
    CHECK_EQ(read32(fd, VFU_REGION_BAR0, PF_ATQH), 1);
    CHECK_EQ(ftruncate(memory, 0), 0);
    write32(fd, VFU_REGION_BAR0, PF_ATQT, 2);
    CHECK_EQ(recv(fd, &byte, 1, 0), 0);
    close(fd);
    CHECK_EQ(read32(other, VFU_REGION_CONFIG, 0), 0x15838086);
    CHECK_EQ(ftruncate(memory, 0x10000), 0);
    fd = client_with_a_queue(memory);
    write32(fd, VFU_REGION_BAR0, PF_ATQT, 1);
    CHECK_EQ(read32(fd, VFU_REGION_BAR0, PF_ATQH), 1);
    close(fd);
    close(other);
    close(memory);
    down();
}
