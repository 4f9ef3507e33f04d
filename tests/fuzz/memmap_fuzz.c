/*
 * memmap_fuzz.c - any memory map that firmware might return
 *
 * First byte: the stride (7 bits), and whether ranges of our own are added to a
 * table that is almost full, instead of to the firmware's.
 */
#include "boot/memmap.h"
#include "tests/fuzz/fuzz.h"

static struct boot_info info;

static void check_order(void)
{
    FUZZ_CHECK(info.mem_count <= sizeof(info.mem) / sizeof(info.mem[0]));
    for (unsigned i = 0; i < info.mem_count; i++) {
        const struct boot_mem *m = &info.mem[i];

        FUZZ_CHECK(m->bytes > 0 && m->base + (m->bytes - 1) >= m->base);
        if (i == 0)
            continue;
        FUZZ_CHECK(m[-1].base + (m[-1].bytes - 1) < m->base);
        FUZZ_CHECK(m[-1].base + m[-1].bytes < m->base || m[-1].type != m->type);
    }
}

/* Room for two ranges is left; those there lie high, with holes between. */
static void fill(void)
{
    static struct boot_info full;

    while (full.mem_count < BOOT_MEM_MAX - 2)
        FUZZ_CHECK(boot_mem_add(&full,
                                UINT64_C(0x1000000000) +
                                    UINT64_C(0x2000) * full.mem_count,
                                0x1000, BOOT_MEM_USABLE) == OK);
    info = full;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_in in = { data, size };
    const unsigned setup = (unsigned)fuzz_take(&in, 1);
    const size_t stride = setup & 0x7F;
    unsigned bad = 0;

    memset(&info, 0, sizeof(info));
    (void)!boot_mem_convert(&info, in.at, in.left, stride, &bad);
    check_order();
    if (setup & 0x80)
        fill();
    /* And on top of it ranges of our own. */
    while (in.left > 0) {
        const uint64_t base = fuzz_take(&in, 8), bytes = fuzz_take(&in, 6);

        (void)!boot_mem_add(&info, base, bytes, BOOT_MEM_ACPI);
    }
    check_order();
    return 0;
}
