/*
 * vfio_fuzz.c - a client that sends any message to a function of the chip
 *
 * An input is a byte of setup, then messages: command (1), how (1), length of
 * payload (2), payload. @how: bits 0..2 how many descriptors come along, bit 3
 * they are eventfds instead of memory, bit 4 the header lies about the size,
 * bit 5 no reply is asked for, bit 6 time passes, bit 7 the payload's first
 * fields are made plausible. Setup: bit 0 doorbells are shared, bit 1 VERSION
 * was said, bit 2 the function may master the bus, bit 3 the client shortens its
 * memory files after each message with bit 6.
 */
#define _GNU_SOURCE
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/log.h"
#include "server/device.h"
#include "tests/fuzz/fuzz.h"

#define MESSAGES_MAX 64
#define RAM_BYTES    (64u << 10)

static struct chip *chip;
static struct device device;
static struct device_reply reply;
static uint64_t now_ns;
static int files[64]; /* the client's own ends of its memory */
static unsigned nfiles;

static void *on_dma(void *ctx, unsigned pf, uint64_t addr, size_t len,
                    bool write, size_t *got)
{
    (void)ctx, (void)pf;
    return device_dma(&device, addr, len, write, got);
}

static void on_msix(void *ctx, unsigned pf, unsigned vector)
{
    (void)ctx, (void)pf;
    device_msix(&device, vector);
}

static void on_intx(void *ctx, unsigned pf, bool asserted)
{
    (void)ctx, (void)pf;
    device_intx(&device, asserted);
}

static void on_wire(void *ctx, unsigned port, const uint8_t *frame, size_t len)
{
    (void)ctx, (void)port, (void)frame;
    FUZZ_CHECK(len <= CHIP_FRAME_MAX);
}

static void open_device(bool shared_doorbells)
{
    const struct chip_config config = {
        .device_id = 0x1583,
        .ports = 1,
        .mac = { { 2, 0, 0, 0, 0, 0x10 } },
        .fw_major = 6,
        .api_major = 1,
        .api_minor = 7,
        .queues_per_pf = 64,
        .sr_kib = 4,
        .link_up_at_reset = true,
    };
    const struct chip_host host = {
        .dma = on_dma, .msix = on_msix, .intx = on_intx, .wire_tx = on_wire
    };
    struct device_config dc = { .shared_doorbells = shared_doorbells };

    now_ns = 0;
    chip = dc.chip = chip_create(&config, &host);
    if (chip == NULL || !device_open(&device, &dc) || !device_connect(&device))
        abort();
}

static unsigned make_fds(unsigned how, int fds[8])
{
    const unsigned n = how & 7;

    for (unsigned i = 0; i < n; i++) {
        fds[i] = how & 8 ? eventfd(0, EFD_NONBLOCK)
                         : memfd_create("ram", MFD_CLOEXEC);
        if (fds[i] < 0 || how & 8)
            continue;
        if (ftruncate(fds[i], RAM_BYTES) < 0)
            abort();
        if (nfiles < sizeof(files) / sizeof(files[0]))
            files[nfiles++] = dup(fds[i]);
    }
    return n;
}

static void shorten_files(void)
{
    for (unsigned i = 0; i < nfiles; i++)
        if (ftruncate(files[i], 0) < 0)
            abort();
}

static void close_files(void)
{
    while (nfiles > 0)
        close(files[--nfiles]);
}

/* Ranges, regions and indices that exist, so that handlers go on. */
static void mend(uint8_t *p, size_t len, unsigned command)
{
    if (command == VFU_DMA_MAP && len == 32) {
        put32(p + 4, get32(p + 4) & 3);
        put64(p + 8, get64(p + 8) % RAM_BYTES & ~UINT64_C(0xFFF));
        put64(p + 24, 1 + get64(p + 24) % RAM_BYTES);
    } else if ((command == VFU_REGION_READ || command == VFU_REGION_WRITE) &&
               len >= 16) {
        static const uint8_t regions[] = { 0, 0, 3, 7 };
        const uint32_t region = regions[p[8] & 3];

        put64(p, get64(p) % device_region_size(region) & ~UINT64_C(3));
        put32(p + 8, region);
        put32(p + 12, command == VFU_REGION_WRITE ? (uint32_t)(len - 16)
                                                  : 4 + get32(p + 12) % 64);
    } else if (command == VFU_SET_IRQS && len >= 20) {
        put32(p + 8, get32(p + 8) % VFU_IRQS);
        put32(p + 12, get32(p + 12) % 130);
        put32(p + 16, get32(p + 16) % 8);
    }
}

static void send(struct fuzz_in *in, bool shortens)
{
    const unsigned command = (unsigned)fuzz_take(in, 1);
    const unsigned how = (unsigned)fuzz_take(in, 1);
    const size_t want = fuzz_take(in, 2);
    const size_t len = want < in->left ? want : in->left;
    uint8_t *msg = malloc(VFU_HEADER + len); /* not a byte more */
    int fds[8];
    const unsigned nfds = make_fds(how, fds);

    if (msg == NULL)
        abort();
    memset(msg, 0, VFU_HEADER);
    put16(msg + 2, (uint16_t)command);
    put32(msg + 4, (uint32_t)(VFU_HEADER + len + (how & 0x10 ? 1 : 0)));
    put32(msg + 8, how & 0x20 ? VFU_NO_REPLY : 0);
    fuzz_take_bytes(in, msg + VFU_HEADER, len);
    if (how & 0x80)
        mend(msg + VFU_HEADER, len, command);
    device_handle(&device, msg, VFU_HEADER + len, fds, nfds, &reply);
    free(msg);
    FUZZ_CHECK(reply.len <= VFU_MESSAGE_MAX);
    FUZZ_CHECK((how & 0x20) == 0 || reply.len == 0);
    if (reply.len != 0) {
        FUZZ_CHECK(reply.len >= VFU_HEADER);
        FUZZ_CHECK(get32(reply.bytes + 4) == reply.len);
    }
    (void)chip_poll(chip, 64);
    if (how & 0x40 && shortens)
        shorten_files();
    if (how & 0x40) {
        now_ns += 1000000000;
        chip_advance(chip, now_ns);
    }
}

/* What every client says first. */
static void say_version(void)
{
    uint8_t msg[VFU_HEADER + 4] = { 0 };

    put16(msg + 2, VFU_VERSION);
    put32(msg + 4, sizeof(msg));
    device_handle(&device, msg, sizeof(msg), NULL, 0, &reply);
}

static unsigned open_files(void)
{
    unsigned n = 0;

    for (int fd = 0; fd < 256; fd++)
        if (lseek(fd, 0, SEEK_CUR) >= 0 || dup2(fd, fd) == fd)
            n++;
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    const unsigned setup = (unsigned)fuzz_take(&in, 1);
    static FILE *nowhere;
    unsigned before;

    if (nowhere == NULL)
        model_log_to(nowhere = fopen("/dev/null", "w"));
    before = open_files();
    open_device(setup & 1);
    if (setup & 2)
        say_version();
    if (setup & 4) /* the function may master the bus */
        chip_cfg_write(chip, 0, 4, 2, 0x0006), device_config_changed(&device);
    for (unsigned n = 0; n < MESSAGES_MAX && in.left > 0; n++)
        send(&in, setup & 8);
    device_close(&device);
    chip_destroy(chip);
    close_files();
    FUZZ_CHECK(open_files() == before); /* every descriptor was closed */
    return 0;
}
