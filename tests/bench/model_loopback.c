/*
 * model_loopback.c - how fast the chip model moves 64-byte frames
 *
 * One core, one process: a ring writer plays both drivers. It fills port 0's
 * transmit ring, the chip sends each frame to port 1 as a cable would, and the
 * writer takes it from port 1's receive ring and posts the buffer again. No
 * socket, no system call, doorbells in shared memory.
 *
 * A block is a fixed number of frames; what counts is the median of the blocks.
 * The clock is the thread's processor time: it never sleeps, so that is what a
 * core of its own would take, and other load disturbs it least.
 *
 * Every frame is accounted for and the examiner listens: a number for work not
 * done would be worth nothing.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chip/chip.h"
#include "../fake/chip_ring.h"

enum {
    BLOCKS = 9,
    WARM_UP = 2, /* blocks before those that count */
    FRAME = 60,  /* 64 with the FCS */
    RING = 1024,
    BURST = 32,
    DESC = 16,
    BUFFER = 2048,
};
#define FRAMES_A_BLOCK 1000000u

/* Guest memory, and what lies where. */
#define BUS        UINT64_C(0x100000000)
#define MEM_BYTES  (8u << 20)
#define AT_HMC     0x000000u
#define AT_TX_RING 0x010000u
#define AT_RX_RING 0x020000u
#define AT_ADMIN   0x030000u /* two descriptors, then a buffer */
#define AT_TX_BUF  0x100000u
#define AT_RX_BUF  0x400000u
#define RX_CONTEXT 0x4000u /* within the HMC's memory */

/* Admin queue (Linux i40e_register.h). */
enum {
    ATQBAL = 0x80000,
    ATQBAH = 0x80100,
    ATQLEN = 0x80200,
    ATQT = 0x80400,
};

#define TXD_LAST(rs)                                                           \
    (UINT64_C(1) << 4 | (rs) << 5 | UINT64_C(4) << 4 | (uint64_t)FRAME << 34)

static struct chip *chip;
static uint8_t *mem;
static uint32_t tails[2][2][2048]; /* of a port: transmit, receive */
static uint64_t complaints;
static unsigned tx_tail, rx_next, rx_post;

/* ---- what the chip asks of the world ---- */

static void *on_dma(void *ctx, unsigned pf, uint64_t addr, size_t len,
                    bool write, size_t *got)
{
    const uint64_t at = addr - BUS;

    (void)ctx, (void)pf, (void)write;
    if (addr < BUS || at >= MEM_BYTES)
        return NULL;
    *got = len < MEM_BYTES - at ? len : MEM_BYTES - at;
    return mem + at;
}

static void on_msix(void *ctx, unsigned pf, unsigned vector)
{
    (void)ctx, (void)pf, (void)vector;
}

static void on_intx(void *ctx, unsigned pf, bool asserted)
{
    (void)ctx, (void)pf, (void)asserted;
}

static void on_wire(void *ctx, unsigned port, const uint8_t *frame, size_t len)
{
    (void)ctx;
    (void)chip_wire_rx(chip, port ^ 1, frame, len, false);
}

static void on_complain(void *ctx, unsigned pf, const char *rule,
                        const char *text)
{
    (void)ctx, (void)pf, (void)rule;
    if (complaints++ == 0)
        fprintf(stderr, "%s\n", text);
}

/* ---- a driver in the smallest ---- */

static void reg(unsigned pf, uint32_t offset, uint32_t value)
{
    chip_reg_write(chip, pf, offset, 4, value);
}

/*
 * Take every unicast frame: command 0x0200 names the function's VSI, 0x0254
 * makes it promiscuous.
 */
static void promiscuous(unsigned pf)
{
    uint8_t *desc = mem + AT_ADMIN, *answer = mem + AT_ADMIN + 256;

    command_get_switch(desc, BUS + AT_ADMIN + 256, 256);
    reg(pf, ATQLEN, 32 | 1u << 31);
    reg(pf, ATQBAL, (uint32_t)BUS + AT_ADMIN);
    reg(pf, ATQBAH, BUS >> 32);
    reg(pf, ATQT, 1);
    command_promiscuous(desc + 32, le16(answer + 18), 1);
    reg(pf, ATQT, 2);
}

static void transmit_open(void)
{
    /* 0x20: the main VSI's queue set */
    context_tx(mem + AT_HMC, BUS + AT_TX_RING, RING, 0x20);
    reg(0, R_QTX_CTL, 2);
    reg(0, R_QTX_ENA, 1);
    for (unsigned i = 0; i < RING; i++) {
        uint8_t *frame = mem + AT_TX_BUF + i * BUFFER;

        memset(frame, (int)i, FRAME);
        memcpy(frame, "\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x88\xb5", 14);
    }
}

static void receive_slot(unsigned slot)
{
    uint8_t *desc = mem + AT_RX_RING + slot * DESC;

    put_le64(desc, BUS + AT_RX_BUF + slot * BUFFER);
    put_le64(desc + 8, 0);
}

static void receive_open(void)
{
    context_rx(mem + AT_HMC + RX_CONTEXT, BUS + AT_RX_RING, RING, DESC, BUFFER);
    reg(1, R_QRX_ENA, 1);
    for (rx_post = 0; rx_post < RING - 8; rx_post++)
        receive_slot(rx_post);
    __atomic_store_n(&tails[1][1][0], rx_post, __ATOMIC_RELEASE);
}

static void open_all(void)
{
    const struct chip_config config = {
        .device_id = 0x1583,
        .ports = 2,
        .mac = { { 2, 0, 0, 0, 0, 1 }, { 2, 0, 0, 0, 0, 2 } },
        .fw_major = 6,
        .api_major = 1,
        .api_minor = 7,
        .queues_per_pf = 64,
        .sr_kib = 4,
        .link_up_at_reset = true,
    };
    const struct chip_host host = {
        .dma = on_dma,
        .msix = on_msix,
        .intx = on_intx,
        .wire_tx = on_wire,
        .complain = on_complain,
    };

    mem = aligned_alloc(4096, MEM_BYTES);
    chip = chip_create(&config, &host);
    if (mem == NULL || chip == NULL) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    memset(mem, 0, MEM_BYTES);
    for (unsigned pf = 0; pf < 2; pf++) {
        chip_cfg_write(chip, pf, 4, 2, 0x0006);
        chip_doorbells_set(chip, pf, tails[pf][0], tails[pf][1]);
        context_memory_open(reg, pf, BUS + AT_HMC, 0, RX_CONTEXT);
    }
    chip_advance(chip, 2000000000); /* the link trains */
    promiscuous(1);
    transmit_open();
    receive_open();
}

/* ---- one burst ---- */

static void send_burst(void)
{
    for (unsigned i = 0; i < BURST; i++) {
        uint8_t *desc = mem + AT_TX_RING + tx_tail * DESC;

        put_le64(desc, BUS + AT_TX_BUF + tx_tail * BUFFER);
        put_le64(desc + 8, TXD_LAST(UINT64_C(i == BURST - 1)));
        tx_tail = (tx_tail + 1) % RING;
    }
    __atomic_store_n(&tails[0][0][0], tx_tail, __ATOMIC_RELEASE);
}

/* Take what was written back. Returns how many frames. */
static unsigned receive_burst(void)
{
    unsigned n = 0;

    for (;; n++) {
        const uint8_t *desc = mem + AT_RX_RING + rx_next * DESC;
        const uint64_t qw1 = le64(desc + 8);

        if ((qw1 & 1) == 0 || rx_next == rx_post)
            break;
        if ((qw1 >> 38 & 0x3FFF) != FRAME) {
            fprintf(stderr, "a frame of %u bytes\n",
                    (unsigned)(qw1 >> 38 & 0x3FFF));
            exit(1);
        }
        rx_next = (rx_next + 1) % RING;
        receive_slot(rx_post);
        rx_post = (rx_post + 1) % RING;
    }
    if (n != 0)
        __atomic_store_n(&tails[1][1][0], rx_post, __ATOMIC_RELEASE);
    return n;
}

static double block_mpps(void)
{
    struct timespec from, to;
    unsigned sent = 0, got = 0;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    while (sent < FRAMES_A_BLOCK) {
        send_burst();
        sent += BURST;
        (void)chip_poll(chip, BURST);
        got += receive_burst();
    }
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    if (got != sent || complaints != 0) {
        fprintf(stderr, "sent %u, received %u, %llu complaints\n", sent, got,
                (unsigned long long)complaints);
        exit(1);
    }
    return sent / ((double)(to.tv_sec - from.tv_sec) * 1e6 +
                   (double)(to.tv_nsec - from.tv_nsec) / 1e3);
}

/* ---- report ---- */

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* The processor's name, without blanks to keep the line easy to split. */
static void cpu_name(char *out, size_t room)
{
    char line[256];
    FILE *f = fopen("/proc/cpuinfo", "r");

    snprintf(out, room, "unknown");
    while (f != NULL && fgets(line, sizeof(line), f) != NULL) {
        char *name = strchr(line, ':');

        if (strncmp(line, "model name", 10) != 0 || name == NULL)
            continue;
        name += 1 + strspn(name + 1, " \t");
        name[strcspn(name, "\n")] = '\0';
        for (char *c = name; *c != '\0'; c++)
            if (*c == ' ')
                *c = '_';
        snprintf(out, room, "%s", name);
        break;
    }
    if (f != NULL)
        fclose(f);
}

static void stay_on_one_core(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET((size_t)sched_getcpu(), &set);
    (void)!sched_setaffinity(0, sizeof(set), &set);
}

int main(void)
{
    double mpps[BLOCKS];
    char cpu[128];

    stay_on_one_core();
    open_all();
    for (unsigned i = 0; i < WARM_UP; i++)
        (void)block_mpps();
    for (unsigned i = 0; i < BLOCKS; i++)
        mpps[i] = block_mpps();
    chip_destroy(chip);
    free(mem);
    qsort(mpps, BLOCKS, sizeof(mpps[0]), by_value);
    cpu_name(cpu, sizeof(cpu));
    printf("BENCH model_loopback ours=%.2f unit=mpps n=%d min=%.2f max=%.2f "
           "frame=64 frames_a_block=%u cores=1 clock=thread-cpu cpu=%s\n",
           mpps[BLOCKS / 2], BLOCKS, mpps[0], mpps[BLOCKS - 1], FRAMES_A_BLOCK,
           cpu);
    return 0;
}
