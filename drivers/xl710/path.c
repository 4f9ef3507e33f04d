/*
 * path.c - the paths, and what each asks of the CPU
 *
 * A vector set can be used when CPUID names it and XCR0 says that its registers
 * are kept (Intel SDM volume 1, 13.3 and 15.2 to 15.4).
 */
#include <stdint.h>

#include <cpuid.h>

#include <millrace/compiler.h>

#include "drivers/xl710/path.h"

#define LEAF1_ECX_SSE41   (1u << 19)
#define LEAF1_ECX_OSXSAVE (1u << 27)
#define LEAF7_EBX_AVX2    (1u << 5)
#define LEAF7_EBX_AVX512  (1u << 16 | 1u << 30 | 1u << 31) /* F, BW, VL */
#define XCR0_AVX          0x06u
#define XCR0_AVX512       0xE6u

static const struct path paths[] = {
    { "scalar", 64, rx_burst_scalar, tx_burst_scalar, forward_scalar },
    { "sse", 128, rx_burst_sse, tx_burst_sse, forward_scalar },
    { "avx2", 256, rx_burst_avx2, tx_burst_avx2, forward_avx2 },
    { "avx512", 512, rx_burst_avx512, tx_burst_avx512, forward_avx2 },
};

static uint32_t xcr0(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

/* Bits of the widest vector registers that may be used; 64 = none. */
static unsigned cpu_bits(void)
{
    unsigned a, b, c, d, kept;

    if (__get_cpuid(1, &a, &b, &c, &d) == 0 || (c & LEAF1_ECX_SSE41) == 0)
        return 64;
    if ((c & LEAF1_ECX_OSXSAVE) == 0)
        return 128;
    kept = xcr0();
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 ||
        (b & LEAF7_EBX_AVX2) == 0 || (kept & XCR0_AVX) != XCR0_AVX)
        return 128;
    if ((b & LEAF7_EBX_AVX512) != LEAF7_EBX_AVX512 ||
        (kept & XCR0_AVX512) != XCR0_AVX512)
        return 256;
    return 512;
}

const struct path *path_at(unsigned index)
{
    return index < ARRAY_SIZE(paths) ? &paths[index] : NULL;
}

bool path_is_possible(const struct path *path)
{
    return path->bits <= cpu_bits();
}

const struct path *path_choose(unsigned max_bits)
{
    const struct path *best = &paths[0];

    for (unsigned i = 1; i < ARRAY_SIZE(paths); i++)
        if (path_is_possible(&paths[i]) &&
            (max_bits == 0 || paths[i].bits <= max_bits))
            best = &paths[i];
    return best;
}

void path_set(const struct path *path, struct port_rxq *rxq,
              struct port_txq *txq)
{
    rxq->burst = path->rx;
    rxq->forward = path->forward;
    txq->burst = path->tx;
}

const char *path_rx_name(rx_burst_function *burst)
{
    for (unsigned i = 0; i < ARRAY_SIZE(paths); i++)
        if (paths[i].rx == burst)
            return paths[i].name;
    return "none";
}

const char *path_tx_name(tx_burst_function *burst)
{
    for (unsigned i = 0; i < ARRAY_SIZE(paths); i++)
        if (paths[i].tx == burst)
            return paths[i].name;
    return "none";
}
