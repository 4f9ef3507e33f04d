/*
 * kernel.c - the kernel out of the loader, its page tables, and the jump
 *
 *   J1  nothing can fail after the firmware has let go except a memory map
 *       that has no room in boot_info: tables are built before, because where
 *       memory is does not change, only who owns it
 *   J2  the tables that stay map no page of the loader as executable
 *
 * For J2 the jump goes over a bridge: a copy of the firmware's root table, in
 * which the last entry is ours. The loader still runs on it, and so does the
 * kernel's first instruction, which then loads the tables that stay.
 */
#include <string.h>

#include "boot/io.h"
#include "boot/loader.h"

#define CR3_ADDRESS        UINT64_C(0x000ffffffffff000)
#define CR4_LA57           (UINT64_C(1) << 12)
#define MSR_EFER           0xc0000080
#define EFER_NXE           (UINT64_C(1) << 11)
#define CPUID_EXT          0x80000000
#define CPUID_EXT_FEATURES 0x80000001
#define CPUID_EXT_EDX_NX   (UINT32_C(1) << 20)
#define CPUID_EXT_EDX_1G   (UINT32_C(1) << 26)
#define TABLE_ENTRIES      512

extern const uint8_t embedded_kernel[], embedded_kernel_end[];

bool kernel_load(struct loader *l)
{
    const size_t bytes = (size_t)(embedded_kernel_end - embedded_kernel);
    const char *why;
    void *to;

    if (boot_elf_check(embedded_kernel, bytes, &l->kernel, &why) != OK)
        return loader_fail(l, "the embedded kernel is damaged: %s", why);
    to = loader_pages(l, l->kernel.bytes);
    if (to == NULL)
        return false;
    boot_elf_place(embedded_kernel, &l->kernel, to);
    l->info->kernel_base = (uint64_t)(uintptr_t)to;
    l->info->kernel_bytes = l->kernel.bytes;
    return true;
}

static bool bridge_build(struct loader *l)
{
    const uint64_t *firmware = (void *)(uintptr_t)(cpu_cr3() & CR3_ADDRESS);
    uint64_t *bridge = loader_pages(l, BOOT_PAGE);

    if (bridge == NULL)
        return false;
    memcpy(bridge, firmware, BOOT_PAGE);
    bridge[TABLE_ENTRIES - 1] = l->paging.pool[TABLE_ENTRIES - 1];
    l->bridge_root = (uint64_t)(uintptr_t)bridge;
    return true;
}

bool tables_build(struct loader *l)
{
    const uint32_t features = cpu_id(CPUID_EXT).eax < CPUID_EXT_FEATURES
                                  ? 0
                                  : cpu_id(CPUID_EXT_FEATURES).edx;
    struct boot_paging *p = &l->paging;
    enum status status;

    if ((features & CPUID_EXT_EDX_NX) == 0)
        return loader_fail(l, "the CPU or its set-up forbids NX (execute "
                              "disable); enable it in the firmware's set-up");
    if (!memory_map_room(l))
        return false;
    if (EFI_ERROR(memory_map_get(l)))
        return loader_fail(l, "the firmware does not give its memory map");
    if (!memory_map_convert(l))
        return false;
    p->levels = (cpu_cr4() & CR4_LA57) != 0 ? 5 : 4;
    p->has_1g = (features & CPUID_EXT_EDX_1G) != 0;
    p->room = boot_paging_bound(l->info, &l->kernel, p->levels, p->has_1g);
    p->pool = loader_pages(l, p->room * BOOT_PAGE);
    if (p->pool == NULL)
        return false;
    status = boot_paging_build(p, l->info, &l->kernel);
    if (status != OK)
        return loader_fail(l, "page tables: %s after %u of %u pages",
                           status_text(status), p->used, p->room);
    l->info->page_root = (uint64_t)(uintptr_t)p->pool;
    return bridge_build(l);
}

_Noreturn void kernel_jump(struct loader *l)
{
    cpu_msr_write(MSR_EFER, cpu_msr_read(MSR_EFER) | EFER_NXE);
    __asm__ volatile("cli\n\t"
                     "cld\n\t"
                     "mov %0, %%cr3\n\t"
                     "jmp *%1"
                     :
                     : "r"(l->bridge_root), "r"(l->kernel.entry), "D"(l->info),
                       "S"(l->info->page_root)
                     : "memory");
    __builtin_unreachable();
}
