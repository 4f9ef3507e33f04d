/*
 * vfio_message_test.c - each vfio-user message byte by byte (M1..M4, Q1, Q2)
 *
 * Layouts are those of docs/interop/vfio-user.rst in QEMU.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/log.h"
#include "server/device.h"
#include "tests/fake/chip_standin.h"
#include "tests/unit/test.h"

enum { NO_FD = -1, COMMAND_REG = 4, MSIX_CTL = 0x72, MSI_CTL = 0x52 };

static struct chip *chip;
static struct device dev;
static struct device_reply reply;
static uint8_t msg[VFU_MESSAGE_MAX];
static size_t msg_len; /* payload */

static void begin(void)
{
    msg_len = 0;
}

static void add(unsigned bytes, uint64_t value)
{
    uint8_t *p = msg + VFU_HEADER + msg_len;

    for (unsigned i = 0; i < bytes; i++)
        p[i] = (uint8_t)(value >> (8 * i));
    msg_len += bytes;
}

/* Send with these header flags. Returns  errno of the reply, 0 when well. */
static int send_flags(uint16_t command, uint32_t flags, const int *fds,
                      unsigned nfds)
{
    const size_t len = VFU_HEADER + msg_len;
    /* exactly as long as the message: one byte beyond is a finding */
    uint8_t *exact = malloc(len);

    put16(msg, 0x1234);
    put16(msg + 2, command);
    put32(msg + 4, (uint32_t)len);
    put32(msg + 8, flags);
    put32(msg + 12, 0);
    memcpy(exact, msg, len);
    memset(reply.bytes, 0xee, 4096); /* left-overs must not pass for fields */
    device_handle(&dev, exact, len, fds, nfds, &reply);
    free(exact);
    if (reply.len == 0)
        return 0;
    CHECK_EQ(get16(reply.bytes), 0x1234);
    CHECK_EQ(get16(reply.bytes + 2), command);
    CHECK_EQ(get32(reply.bytes + 4), reply.len);
    if (get32(reply.bytes + 8) == 1) {
        CHECK_EQ(get32(reply.bytes + 12), 0);
        return 0;
    }
    CHECK_EQ(get32(reply.bytes + 8), 0x21);
    CHECK_EQ(reply.len, VFU_HEADER);
    CHECK(get32(reply.bytes + 12) != 0);
    return (int)get32(reply.bytes + 12);
}

static int send_fd(uint16_t command, int fd)
{
    return send_flags(command, 0, &fd, fd >= 0 ? 1 : 0);
}

static int send(uint16_t command)
{
    return send_flags(command, 0, NULL, 0);
}

static const uint8_t *payload(void)
{
    return reply.bytes + VFU_HEADER;
}

static int say_version(uint16_t major, const char *json)
{
    begin();
    add(2, major);
    add(2, 0);
    for (; *json != '\0'; json++)
        add(1, (uint8_t)*json);
    add(1, 0);
    return send(VFU_VERSION);
}

static void up(bool shared_doorbells)
{
    struct device_config config = { .pf = 1 };

    chip = config.chip = chip_create(NULL, NULL);
    config.shared_doorbells = shared_doorbells;
    CHECK(device_open(&dev, &config));
    CHECK(device_connect(&dev));
    CHECK_EQ(say_version(0, "{}"), 0);
}

static void down(void)
{
    device_close(&dev);
    chip_destroy(chip);
}

static bool is_open(int fd)
{
    return fcntl(fd, F_GETFD) >= 0;
}

static int ram(size_t bytes)
{
    const int fd = memfd_create("ram", MFD_CLOEXEC);

    CHECK(fd >= 0 && ftruncate(fd, (off_t)bytes) == 0);
    return fd;
}

static int dma_map(uint64_t addr, uint64_t size, uint64_t offset, int fd)
{
    begin();
    add(4, 32);
    add(4, VFU_DMA_READABLE | VFU_DMA_WRITABLE);
    add(8, offset);
    add(8, addr);
    add(8, size);
    return send_fd(VFU_DMA_MAP, fd);
}

static int dma_unmap(uint32_t flags, uint64_t addr, uint64_t size)
{
    begin();
    add(4, 24);
    add(4, flags);
    add(8, addr);
    add(8, size);
    return send(VFU_DMA_UNMAP);
}

static int region(uint16_t command, uint32_t index, uint64_t offset,
                  uint32_t count)
{
    begin();
    add(8, offset);
    add(4, index);
    add(4, count);
    return command == VFU_REGION_READ ? send(command) : 0;
}

static int region_write(uint32_t index, uint64_t offset, uint32_t count,
                        uint64_t value)
{
    region(VFU_REGION_WRITE, index, offset, count);
    add(count, value);
    return send(VFU_REGION_WRITE);
}

static int set_irqs(uint32_t flags, uint32_t index, uint32_t start,
                    uint32_t count, const int *fds, unsigned nfds)
{
    begin();
    add(4, 20);
    add(4, flags);
    add(4, index);
    add(4, start);
    add(4, count);
    return send_flags(VFU_SET_IRQS, 0, fds, nfds);
}

static uint64_t events(int fd)
{
    uint64_t n = 0;

    return read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static int listener(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

/* ---- header and version ---- */

TEST(vfio_message, version_answers_with_limits)
{
    char asked[256] = "{\"capabilities\":{\"max_msg_fds\":16}}";

    up(false);
    dev.negotiated = false;
    memset(asked + strlen(asked), ' ', 200 - strlen(asked));
    CHECK_EQ(say_version(0, asked), 0);
    CHECK_EQ(get32(payload()), 0);
    CHECK_EQ(reply.bytes[reply.len - 1], 0);
    CHECK_CONTAINS((const char *)payload() + 4, "\"max_msg_fds\":16");
    CHECK_CONTAINS((const char *)payload() + 4, "\"write_multiple\":true");
    down();
}

/* The client receives into the buffer it sent from. */
TEST(vfio_message, version_reply_is_never_longer_than_the_request)
{
    char asked[256];

    up(false);
    for (size_t n = 0; n < 200; n++) {
        memset(asked, ' ', sizeof(asked));
        asked[n] = '\0';
        dev.negotiated = false;
        CHECK_EQ(say_version(0, asked), 0);
        CHECK(reply.len <= VFU_HEADER + 4 + n + 1);
    }
    down();
}

TEST(vfio_message, version_refuses_what_it_cannot_speak)
{
    up(false);
    CHECK_EQ(say_version(0, "{}"), EINVAL); /* a second time */
    dev.negotiated = false;
    CHECK_EQ(say_version(1, "{}"), EINVAL);
    begin();
    add(4, 0);
    add(2, 'x');
    msg[VFU_HEADER + 5] = 'x'; /* no NUL at the end */
    CHECK_EQ(send(VFU_VERSION), EINVAL);
    begin();
    add(2, 0);
    CHECK_EQ(send(VFU_VERSION), EINVAL);
    CHECK(!dev.negotiated);
    down();
}

TEST(vfio_message, nothing_works_before_version)
{
    up(false);
    dev.negotiated = false;
    begin();
    CHECK_EQ(send(VFU_DEVICE_RESET), EINVAL);
    CHECK_EQ(region(VFU_REGION_READ, VFU_REGION_CONFIG, 0, 4), EINVAL);
    down();
}

TEST(vfio_message, unknown_commands_are_refused_by_name)
{
    static const uint16_t unknown[] = { 0, 6, 11, 12, 14, 16, 17, 18, 0xffff };

    up(false);
    begin();
    for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++)
        CHECK_EQ(send(unknown[i]), ENOSYS);
    down();
}

TEST(vfio_message, no_reply_is_sent_where_none_is_wanted)
{
    up(false);
    region(VFU_REGION_WRITE, 0, 0x1000, 4);
    add(4, 0xcafe);
    CHECK_EQ(send_flags(VFU_REGION_WRITE, VFU_NO_REPLY, NULL, 0), 0);
    CHECK_EQ(reply.len, 0);
    CHECK_EQ(get32(&chip->regs[1][0x1000]), 0xcafe);
    begin();
    send_flags(99, VFU_NO_REPLY, NULL, 0); /* not even for an error */
    CHECK_EQ(reply.len, 0);
    send_flags(VFU_DEVICE_RESET, VFU_TYPE_REPLY, NULL, 0);
    CHECK_EQ(reply.len, 0); /* a reply asks for none */
    CHECK_EQ(send_flags(VFU_DEVICE_RESET, 7, NULL, 0), EINVAL);
    down();
}

TEST(vfio_message, lengths_that_do_not_fit_the_command_are_refused)
{
    static const struct {
        uint16_t command;
        size_t exact;
    } fixed[] = {
        { VFU_DMA_MAP, 32 },     { VFU_DMA_UNMAP, 24 },
        { VFU_GET_INFO, 16 },    { VFU_GET_IRQ_INFO, 16 },
        { VFU_REGION_READ, 16 }, { VFU_DEVICE_RESET, 0 },
    };
    static const struct {
        uint16_t command;
        size_t least;
    } open_ended[] = {
        { VFU_GET_REGION_INFO, 32 },
        { VFU_SET_IRQS, 20 },
        { VFU_REGION_WRITE, 16 },
        { VFU_REGION_WRITE_MULTI, 8 },
    };

    up(false);
    for (unsigned i = 0; i < 6; i++) {
        for (size_t n = 0; n < 40; n++) {
            memset(msg, 0, sizeof(msg));
            msg_len = n;
            if (n != fixed[i].exact)
                CHECK_EQ(send(fixed[i].command), EINVAL);
        }
    }
    for (unsigned i = 0; i < 4; i++) {
        for (size_t n = 0; n < open_ended[i].least; n++) {
            memset(msg, 0, sizeof(msg));
            msg_len = n;
            CHECK_EQ(send(open_ended[i].command), EINVAL);
        }
    }
    down();
}

TEST(vfio_message, descriptors_nobody_wants_are_closed)
{
    int fds[3];

    up(false);
    for (unsigned i = 0; i < 3; i++)
        fds[i] = listener();
    begin();
    CHECK_EQ(send_flags(VFU_DEVICE_RESET, 0, fds, 3), 0);
    for (unsigned i = 0; i < 3; i++)
        CHECK(!is_open(fds[i]));
    fds[0] = listener();
    CHECK_EQ(send_flags(99, VFU_NO_REPLY, fds, 1), 0);
    CHECK(!is_open(fds[0]));
    down();
}

/* ---- memory ---- */

TEST(vfio_message, dma_map_and_unmap)
{
    const int fd = ram(0x10000);
    size_t got;

    up(false);
    chip->cfg[1][COMMAND_REG] = 4;
    device_config_changed(&dev);
    CHECK_EQ(dma_map(0x100000, 0x8000, 0x4000, fd), 0);
    CHECK_EQ(reply.len, VFU_HEADER);
    CHECK(!is_open(fd));
    CHECK(device_dma(&dev, 0x100000, 8, true, &got) != NULL);
    CHECK_EQ(dma_map(0x104000, 0x1000, 0, ram(0x1000)), EEXIST);
    CHECK_EQ(dma_unmap(0, 0x100000, 0x8000), 0);
    CHECK_EQ(reply.len, VFU_HEADER + 24);
    CHECK_EQ(get64(payload() + 8), 0x100000);
    CHECK(device_dma(&dev, 0x100000, 8, true, &got) == NULL);
    down();
}

TEST(vfio_message, unmap_all_takes_everything)
{
    up(false);
    for (uint64_t i = 0; i < 10; i++)
        CHECK_EQ(dma_map(0x100000 + i * 0x2000, 0x1000, 0, ram(0x1000)), 0);
    CHECK_EQ(dma_unmap(VFU_UNMAP_ALL, 0, 0), 0);
    CHECK_EQ(dev.dma.count, 0);
    CHECK_EQ(dma_unmap(4, 0, 0x1000), EINVAL);
    down();
}

TEST(vfio_message, unshared_ram_is_refused_but_firmware_is_not)
{
    up(false);
    CHECK_EQ(dma_map(0, 0x20000000, 0, NO_FD), EINVAL);
    CHECK_EQ(dma_map(UINT64_C(0x100000000), 0x40000000, 0, NO_FD), EINVAL);
    CHECK_EQ(dma_map(0xffc00000, 0x400000, 0, NO_FD), 0);
    CHECK_EQ(dma_map(0xc0000, 0x20000, 0, NO_FD), 0);
    CHECK_EQ(dma_map(0xfd108000, 0x2000, 0, NO_FD), 0);
    down();
}

TEST(vfio_message, dma_map_with_odd_descriptors_or_flags_is_refused)
{
    int fds[2] = { ram(0x1000), ram(0x1000) };

    up(false);
    begin();
    add(4, 32);
    add(4, 3);
    add(8, 0);
    add(8, 0);
    add(8, 0x1000);
    CHECK_EQ(send_flags(VFU_DMA_MAP, 0, fds, 2), EINVAL);
    CHECK(!is_open(fds[0]) && !is_open(fds[1]));
    msg[VFU_HEADER + 4] = 7;
    CHECK_EQ(send_fd(VFU_DMA_MAP, ram(0x1000)), EINVAL);
    CHECK_EQ(dev.dma.count, 0);
    down();
}

/* V1: shared memory has no gate but this one. */
TEST(vfio_message, no_memory_is_reached_while_bus_mastering_is_off)
{
    size_t got;

    up(false);
    CHECK_EQ(dma_map(0, 0x1000, 0, ram(0x1000)), 0);
    CHECK(device_dma(&dev, 0, 8, false, &got) == NULL);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, COMMAND_REG, 2, 6), 0);
    CHECK(device_dma(&dev, 0, 8, false, &got) != NULL);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, COMMAND_REG, 2, 2), 0);
    CHECK(device_dma(&dev, 0, 8, false, &got) == NULL);
    CHECK_EQ(dev.dma_refused, 2);
    down();
}

/* ---- information ---- */

TEST(vfio_message, get_info_describes_a_pci_device)
{
    up(false);
    begin();
    add(4, 16);
    add(8, 0);
    add(4, 0);
    CHECK_EQ(send(VFU_GET_INFO), 0);
    CHECK_EQ(reply.len, 32);
    CHECK_EQ(get32(payload()), 16);
    CHECK_EQ(get32(payload() + 4), 3);
    CHECK_EQ(get32(payload() + 8), 9);
    CHECK_EQ(get32(payload() + 12), 5);
    down();
}

static int region_info(uint32_t argsz, uint32_t index)
{
    begin();
    add(4, argsz);
    add(4, 0);
    add(4, index);
    add(4, 0);
    add(8, 0);
    add(8, 0);
    return send(VFU_GET_REGION_INFO);
}

TEST(vfio_message, region_sizes_are_those_of_the_nic)
{
    static const uint64_t sizes[9] = {
        0x800000, 0, 0, 0x8000, 0, 0, 0, 4096, 0
    };

    up(false);
    for (uint32_t i = 0; i < 9; i++) {
        CHECK_EQ(region_info(32, i), 0);
        CHECK_EQ(reply.len, VFU_HEADER + 32);
        CHECK_EQ(get32(payload()), 32);
        CHECK_EQ(get32(payload() + 4), sizes[i] != 0 ? 3 : 0);
        CHECK_EQ(get32(payload() + 8), i);
        CHECK_EQ(get64(payload() + 16), sizes[i]);
        CHECK(reply.fd < 0);
    }
    CHECK_EQ(region_info(32, 9), EINVAL);
    CHECK_EQ(region_info(31, 0), EINVAL);
    down();
}

/*
 * A client that asks with 32 bytes learns how much to ask for; the flag for
 * capabilities must not be set before they fit.
 */
TEST(vfio_message, doorbell_pages_are_offered_in_two_steps)
{
    up(true);
    CHECK_EQ(region_info(32, 0), 0);
    CHECK_EQ(reply.len, VFU_HEADER + 32);
    CHECK_EQ(get32(payload()), 80);
    CHECK_EQ(get32(payload() + 4), 7);
    CHECK_EQ(region_info(79, 0), 0);
    CHECK_EQ(get32(payload() + 4), 7);
    CHECK_EQ(region_info(80, 0), 0);
    CHECK_EQ(reply.len, VFU_HEADER + 80);
    CHECK_EQ(get32(payload() + 4), 15);
    CHECK_EQ(get32(payload() + 12), 32);
    CHECK_EQ(get16(payload() + 32), 1);
    CHECK_EQ(get16(payload() + 34), 1);
    CHECK_EQ(get32(payload() + 36), 0);
    CHECK_EQ(get32(payload() + 40), 2);
    CHECK_EQ(get64(payload() + 48), 0x108000);
    CHECK_EQ(get64(payload() + 56), 0x2000);
    CHECK_EQ(get64(payload() + 64), 0x128000);
    CHECK_EQ(get64(payload() + 72), 0x2000);
    CHECK(reply.fd >= 0);
    down();
}

TEST(vfio_message, what_the_client_stores_in_a_doorbell_page_the_chip_sees)
{
    uint32_t *page;
    struct stat st;

    up(true);
    CHECK_EQ(region_info(80, 0), 0);
    CHECK_EQ(fstat(reply.fd, &st), 0);
    CHECK_EQ(st.st_size, 0x800000);
    page = mmap(NULL, 0x2000, PROT_READ | PROT_WRITE, MAP_SHARED, reply.fd,
                0x128000);
    CHECK(page != MAP_FAILED);
    page[5] = 77;
    CHECK_EQ(chip->tails[1][1][5], 77);
    CHECK_EQ(chip->tails[1][0][5], 0);
    /* a client that shortens the file would kill us with SIGBUS */
    CHECK(ftruncate(reply.fd, 0) < 0);
    begin();
    CHECK_EQ(send(VFU_DEVICE_RESET), 0);
    CHECK_EQ(page[5], 0);
    munmap(page, 0x2000);
    device_disconnect(&dev);
    CHECK(chip->tails[1][0] == NULL && chip->tails[1][1] == NULL);
    down();
}

TEST(vfio_message, irq_info_counts_vectors)
{
    static const uint32_t counts[5] = { 1, 1, 129, 0, 1 };
    static const uint32_t flags[5] = { 7, 1, 1, 1, 1 };

    up(false);
    for (uint32_t i = 0; i < 5; i++) {
        begin();
        add(4, 16);
        add(4, 0);
        add(4, i);
        add(4, 0);
        CHECK_EQ(send(VFU_GET_IRQ_INFO), 0);
        CHECK_EQ(reply.len, 32);
        CHECK_EQ(get32(payload() + 4), flags[i]);
        CHECK_EQ(get32(payload() + 8), i);
        CHECK_EQ(get32(payload() + 12), counts[i]);
    }
    msg[VFU_HEADER + 8] = 5;
    CHECK_EQ(send(VFU_GET_IRQ_INFO), EINVAL);
    down();
}

/* ---- regions ---- */

TEST(vfio_message, register_accesses_keep_their_width)
{
    up(false);
    for (unsigned bytes = 1; bytes <= 8; bytes *= 2) {
        CHECK_EQ(region_write(0, 0x2000, bytes, UINT64_C(0x8877665544332211)),
                 0);
        CHECK_EQ(reply.len, VFU_HEADER + 16);
        CHECK_EQ(chip->reg_bytes_last, bytes);
        CHECK_EQ(region(VFU_REGION_READ, 0, 0x2000, bytes), 0);
        CHECK_EQ(reply.len, VFU_HEADER + 16 + bytes);
        CHECK_EQ(chip->reg_bytes_last, bytes);
        CHECK_BYTES(payload() + 16, "\x11\x22\x33\x44\x55\x66\x77\x88", bytes);
    }
    down();
}

TEST(vfio_message, odd_accesses_are_cut_at_their_alignment)
{
    up(false);
    chip->reg_accesses = 0;
    CHECK_EQ(region(VFU_REGION_READ, 0, 0x2001, 7), 0); /* 1 + 2 + 4 */
    CHECK_EQ(chip->reg_accesses, 3);
    CHECK_EQ(chip->reg_bytes_last, 4);
    down();
}

TEST(vfio_message, configuration_space_reads_in_one_go)
{
    up(false);
    CHECK_EQ(region(VFU_REGION_READ, VFU_REGION_CONFIG, 0, 4096), 0);
    CHECK_EQ(reply.len, VFU_HEADER + 16 + 4096);
    CHECK_BYTES(payload() + 16, chip->cfg[1], 4096);
    down();
}

TEST(vfio_message, accesses_outside_a_region_are_refused)
{
    static const struct {
        uint32_t index;
        uint64_t offset;
        uint32_t count;
    } bad[] = {
        { 0, 0x800000, 1 },
        { 0, 0x7ffffd, 4 },
        { 0, UINT64_MAX - 1, 4 },
        { 0, 0, 0 },
        { 0, 0, VFU_DATA_MAX + 1 },
        { 1, 0, 4 },
        { 6, 0, 4 },
        { 7, 4095, 2 },
        { 7, 0, 4097 },
        { 9, 0, 4 },
        { UINT32_MAX, 0, 4 },
    };

    up(false);
    chip->reg_accesses = 0;
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_EQ(
            region(VFU_REGION_READ, bad[i].index, bad[i].offset, bad[i].count),
            EINVAL);
        region(VFU_REGION_WRITE, bad[i].index, bad[i].offset, bad[i].count);
        add(8, 0);
        CHECK_EQ(send(VFU_REGION_WRITE), EINVAL);
    }
    CHECK_EQ(chip->reg_accesses, 0);
    down();
}

TEST(vfio_message, write_must_hold_the_bytes_it_promises)
{
    up(false);
    region(VFU_REGION_WRITE, 0, 0x2000, 4);
    add(2, 0xffff);
    CHECK_EQ(send(VFU_REGION_WRITE), EINVAL);
    add(4, 0xffff);
    CHECK_EQ(send(VFU_REGION_WRITE), EINVAL);
    CHECK_EQ(get32(&chip->regs[1][0x2000]), 0);
    down();
}

static void multi_entry(uint64_t offset, uint32_t index, uint32_t count,
                        uint64_t value)
{
    add(8, offset);
    add(4, index);
    add(4, count);
    add(8, value);
}

TEST(vfio_message, write_multi_does_all_or_nothing)
{
    up(false);
    begin();
    add(8, 2);
    multi_entry(0x3000, 0, 4, 0x11);
    multi_entry(0x3004, 0, 8, 0x22);
    CHECK_EQ(send(VFU_REGION_WRITE_MULTI), 0);
    CHECK_EQ(get32(&chip->regs[1][0x3000]), 0x11);
    CHECK_EQ(get32(&chip->regs[1][0x3004]), 0x22);
    begin();
    add(8, 2);
    multi_entry(0x4000, 0, 4, 0x11);
    multi_entry(0x4004, 0, 9, 0x22);
    CHECK_EQ(send(VFU_REGION_WRITE_MULTI), EINVAL);
    CHECK_EQ(get32(&chip->regs[1][0x4000]), 0);
    msg[VFU_HEADER] = 3; /* more entries than bytes */
    CHECK_EQ(send(VFU_REGION_WRITE_MULTI), EINVAL);
    begin();
    add(8, UINT64_MAX / 24 + 1); /* the product would wrap */
    CHECK_EQ(send(VFU_REGION_WRITE_MULTI), EINVAL);
    down();
}

TEST(vfio_message, msix_table_is_memory_and_masked_at_first)
{
    up(false);
    CHECK_EQ(region(VFU_REGION_READ, VFU_REGION_BAR3, 128 * 16 + 12, 4), 0);
    CHECK_EQ(get32(payload() + 16), 1);
    CHECK_EQ(region_write(VFU_REGION_BAR3, 0x10, 4, 0xfee00000), 0);
    CHECK_EQ(region(VFU_REGION_READ, VFU_REGION_BAR3, 0x10, 4), 0);
    CHECK_EQ(get32(payload() + 16), 0xfee00000);
    CHECK_EQ(region_write(VFU_REGION_BAR3, 0x1000, 8, UINT64_MAX), 0);
    CHECK_EQ(region(VFU_REGION_READ, VFU_REGION_BAR3, 0x1000, 8), 0);
    CHECK_EQ(get64(payload() + 16), 0); /* the PBA is read-only */
    down();
}

/* ---- interrupts ---- */

static void msix_on(void)
{
    CHECK_EQ(region_write(VFU_REGION_CONFIG, COMMAND_REG, 2, 6), 0);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, MSIX_CTL, 2, 0x8080), 0);
}

TEST(vfio_message, vector_reaches_its_listener)
{
    const int fds[2] = { listener(), listener() };

    up(false);
    msix_on();
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSIX, 5, 2, fds, 2), 0);
    device_msix(&dev, 6);
    device_msix(&dev, 6);
    device_msix(&dev, 500); /* no such vector: nothing */
    CHECK_EQ(events(fds[0]), 0);
    CHECK_EQ(events(fds[1]), 2);
    down();
}

/* Q1: QEMU attaches a vector when the guest first unmasks it. */
TEST(vfio_message, event_without_listener_waits_for_it)
{
    int fd = listener();
    const int watch = dup(fd);

    up(false);
    msix_on();
    device_msix(&dev, 7);
    device_msix(&dev, 7);
    CHECK_EQ(region(VFU_REGION_READ, VFU_REGION_BAR3, 0x1000, 1), 0);
    CHECK_EQ(payload()[16], 1 << 7);
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSIX, 7, 1, &fd, 1), 0);
    CHECK_EQ(events(watch), 1);
    CHECK_EQ(region(VFU_REGION_READ, VFU_REGION_BAR3, 0x1000, 1), 0);
    CHECK_EQ(payload()[16], 0);
    close(watch);
    down();
}

TEST(vfio_message, detached_listener_is_closed_and_silent)
{
    int fd = listener();

    up(false);
    msix_on();
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSIX, 3, 1, &fd, 1), 0);
    CHECK(is_open(fd));
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSIX, 3, 1, NULL, 0), 0);
    CHECK(!is_open(fd));
    device_msix(&dev, 3); /* pending */
    fd = listener();
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSIX, 4, 1, &fd, 1), 0);
    CHECK_EQ(set_irqs(0x21, VFU_IRQ_MSIX, 0, 0, NULL, 0), 0);
    CHECK(!is_open(fd));
    CHECK(!irq_is_pending(&dev.irqs, VFU_IRQ_MSIX, 3));
    down();
}

TEST(vfio_message, messages_need_bus_mastering_and_enabling)
{
    int fd = listener();

    up(false);
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSIX, 0, 1, &fd, 1), 0);
    device_msix(&dev, 0);
    CHECK_EQ(events(fd), 0);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, MSIX_CTL, 2, 0x8080), 0);
    device_msix(&dev, 0);
    CHECK_EQ(events(fd), 0);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, COMMAND_REG, 2, 4), 0);
    device_msix(&dev, 0);
    CHECK_EQ(events(fd), 1);
    down();
}

TEST(vfio_message, msi_serves_vector_0)
{
    int fd = listener();

    up(false);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, COMMAND_REG, 2, 4), 0);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, MSI_CTL, 2, 1), 0);
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSI, 0, 1, &fd, 1), 0);
    device_msix(&dev, 0);
    device_msix(&dev, 1);
    CHECK_EQ(events(fd), 1);
    down();
}

/* Q2: the first signal masks; each unmask repeats it while it is asserted. */
TEST(vfio_message, intx_is_a_level)
{
    int fd = listener();

    up(false);
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_INTX, 0, 1, &fd, 1), 0);
    device_intx(&dev, true);
    device_intx(&dev, true);
    CHECK_EQ(events(fd), 1);
    CHECK_EQ(set_irqs(0x11, VFU_IRQ_INTX, 0, 1, NULL, 0), 0);
    CHECK_EQ(events(fd), 1);
    device_intx(&dev, false);
    CHECK_EQ(set_irqs(0x11, VFU_IRQ_INTX, 0, 1, NULL, 0), 0);
    CHECK_EQ(events(fd), 0);
    CHECK_EQ(set_irqs(0x09, VFU_IRQ_INTX, 0, 1, NULL, 0), 0); /* mask */
    device_intx(&dev, true);
    CHECK_EQ(events(fd), 0);
    down();
}

/* A stray INTx makes QEMU give up shared doorbells. */
TEST(vfio_message, intx_is_silent_unless_the_guest_uses_it)
{
    int fd = listener();

    up(false);
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_INTX, 0, 1, &fd, 1), 0);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, MSIX_CTL, 2, 0x8080), 0);
    device_intx(&dev, true);
    CHECK_EQ(events(fd), 0);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, COMMAND_REG, 2, 0x400), 0);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, MSIX_CTL, 2, 0x80), 0);
    CHECK_EQ(events(fd), 0);
    CHECK_EQ(region_write(VFU_REGION_CONFIG, COMMAND_REG, 2, 0), 0);
    CHECK_EQ(events(fd), 1); /* now it does, and the pin is still up */
    down();
}

TEST(vfio_message, client_can_fire_vectors_itself)
{
    const int fds[2] = { listener(), listener() };

    up(false);
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSIX, 0, 2, fds, 2), 0);
    CHECK_EQ(set_irqs(0x21, VFU_IRQ_MSIX, 1, 1, NULL, 0), 0);
    CHECK_EQ(events(fds[0]), 0);
    CHECK_EQ(events(fds[1]), 1);
    begin();
    add(4, 20);
    add(4, 0x22);
    add(4, VFU_IRQ_MSIX);
    add(4, 0);
    add(4, 2);
    add(1, 1);
    CHECK_EQ(send(VFU_SET_IRQS), EINVAL); /* one byte for two vectors */
    add(1, 0);
    CHECK_EQ(send(VFU_SET_IRQS), 0);
    CHECK_EQ(events(fds[0]), 1);
    CHECK_EQ(events(fds[1]), 0);
    down();
}

TEST(vfio_message, impossible_irq_requests_are_refused)
{
    static const struct {
        uint32_t flags, index, start, count;
        unsigned nfds;
    } bad[] = {
        { 0x24, 5, 0, 1, 1 },   /* no such index */
        { 0x24, 2, 129, 1, 1 }, /* one past the end */
        { 0x24, 2, 128, 2, 2 },
        { 0x24, 2, 1, UINT32_MAX, 0 }, /* start + count wraps */
        { 0x24, 2, UINT32_MAX, 2, 2 },
        { 0x24, 3, 0, 1, 1 }, /* ERR has no vector */
        { 0x24, 2, 0, 2, 1 }, /* fewer descriptors than vectors */
        { 0x24, 2, 0, 1, 2 },
        { 0x23, 2, 0, 1, 0 }, /* two kinds of data */
        { 0x31, 2, 0, 1, 0 }, /* two actions */
        { 0x01, 2, 0, 1, 0 }, /* none */
        { 0x20, 2, 0, 1, 0 },
        { 0x64, 2, 0, 1, 0 }, /* unknown bit */
        { 0x09, 2, 0, 1, 0 }, /* MSI-X cannot be masked here */
        { 0x0c, 0, 0, 1, 1 }, /* nor INTx by eventfd */
    };

    up(false);
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        const int fds[2] = { listener(), listener() };

        CHECK_EQ(set_irqs(bad[i].flags, bad[i].index, bad[i].start,
                          bad[i].count, fds, bad[i].nfds),
                 EINVAL);
        for (unsigned f = 0; f < 2; f++)
            CHECK(f < bad[i].nfds ? !is_open(fds[f]) : close(fds[f]) == 0);
    }
    down();
}

TEST(vfio_message, listener_that_would_block_does_not)
{
    int pipes[2];
    char full[4096];

    up(false);
    msix_on();
    CHECK_EQ(pipe2(pipes, O_CLOEXEC | O_NONBLOCK), 0);
    memset(full, 0, sizeof(full));
    while (write(pipes[1], full, sizeof(full)) > 0)
        continue;
    CHECK_EQ(fcntl(pipes[1], F_SETFL, O_WRONLY), 0); /* blocking again */
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSIX, 0, 1, &pipes[1], 1), 0);
    device_msix(&dev, 0);
    close(pipes[0]);
    down();
}

/* ---- reset and the end of a client ---- */

TEST(vfio_message, reset_powers_the_function_on)
{
    unsigned before;

    up(false);
    before = chip->power_ons[1];
    msix_on();
    device_msix(&dev, 9);
    begin();
    CHECK_EQ(send(VFU_DEVICE_RESET), 0);
    CHECK_EQ(reply.len, VFU_HEADER);
    CHECK_EQ(chip->power_ons[1], before + 1);
    CHECK_EQ(chip->power_ons[0], 0);
    CHECK(!dev.bus_master && !dev.msix_is_on);
    CHECK(!irq_is_pending(&dev.irqs, VFU_IRQ_MSIX, 9));
    down();
}

TEST(vfio_message, pulled_cable_stays_pulled_over_a_reset)
{
    up(false);
    dev.config.cable_down = true;
    chip->link[1] = true;
    begin();
    CHECK_EQ(send(VFU_DEVICE_RESET), 0);
    CHECK(!chip->link[1]);
    down();
}

/* V2 */
TEST(vfio_message, client_leaves_nothing_behind)
{
    int fd = listener();

    up(true);
    msix_on();
    CHECK_EQ(dma_map(0, 0x1000, 0, ram(0x1000)), 0);
    CHECK_EQ(set_irqs(0x24, VFU_IRQ_MSIX, 0, 1, &fd, 1), 0);
    device_disconnect(&dev);
    CHECK(!is_open(fd));
    CHECK_EQ(dev.dma.count, 0);
    CHECK_EQ(dev.bar0_fd, -1);
    CHECK(!dev.bus_master);
    CHECK(device_connect(&dev));
    CHECK_EQ(say_version(0, "{}"), 0);
    CHECK(dev.bar0_fd >= 0);
    down();
}

/* Any bytes at all: no crash, and an answer exactly when one is due. */
TEST(vfio_message, noise_is_answered_or_refused)
{
    uint32_t seed = 7;

    FILE *nowhere = fopen("/dev/null", "w");

    model_log_to(nowhere);
    up(true);
    for (unsigned i = 0; i < 100000; i++) {
        int fds[2] = { NO_FD, NO_FD };
        unsigned nfds;

        seed = seed * 1664525 + 1013904223;
        begin();
        for (unsigned n = seed >> 26; n > 0; n--) {
            seed = seed * 1664525 + 1013904223;
            add(1, seed >> 30 ? 0 : seed >> 20);
        }
        seed = seed * 1664525 + 1013904223;
        nfds = (seed >> 28) < 2 ? seed >> 28 : 0;
        for (unsigned f = 0; f < nfds; f++)
            fds[f] = listener();
        dev.negotiated = (seed >> 9 & 7) != 0;
        send_flags((uint16_t)(seed >> 16 & 31), 0, fds, nfds);
        CHECK(reply.len >= VFU_HEADER);
    }
    CHECK(listener() < 64); /* descriptors did not pile up */
    down();
    model_log_to(NULL);
    fclose(nowhere);
}
