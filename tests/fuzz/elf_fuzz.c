/*
 * elf_fuzz.c - any file in the place of the embedded kernel
 */
#include "boot/elf.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct boot_elf elf;
    const char *why = NULL;
    uint8_t *to;

    if (boot_elf_check(data, size, &elf, &why) != OK) {
        FUZZ_CHECK(why != NULL);
        return 0;
    }
    FUZZ_CHECK(elf.count >= 1 && elf.count <= BOOT_ELF_SEGMENTS);
    FUZZ_CHECK(elf.bytes > 0 && elf.bytes % BOOT_PAGE == 0);
    FUZZ_CHECK(elf.bytes <= BOOT_KERNEL_MAX && elf.base >= BOOT_KERNEL_LOWEST);
    FUZZ_CHECK(elf.entry - elf.base < elf.bytes);
    to = malloc(elf.bytes);
    if (to == NULL)
        abort();
    boot_elf_place(data, &elf, to);
    free(to);
    return 0;
}
