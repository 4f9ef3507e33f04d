/*
 * vm.h - the page tables we run on, and what is added to them
 *
 * The loader built them: the image with its rights, memory at its own address.
 * Devices and tables in reserved memory are added here as they become known.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/status.h>

#include "boot/boot_info.h"
#include "kernel/acpi.h"

/*
 * Take over the loader's tables. After mm_init(): new tables come from there.
 * plat_map_device() works from here on, and returns NULL before.
 *
 * @info    stays in memory
 */
void vm_init(const struct boot_info *info);

/*
 * plat_map_device() for a device's memory, such as a screen's: stores may wait
 * and leave together, and come to an end with sfence. Never read it.
 */
volatile void *vm_map_combined(uint64_t phys, size_t bytes);

/*
 * Memory as the ACPI parser may read it: mapped RAM and firmware memory, and
 * what the memory map calls reserved, but no device registers.
 */
struct acpi_memory vm_acpi_memory(void);

/*
 * The page at @virt traps from now on. Only the calling core hears of it: call
 * it before others run.
 */
must_use enum status vm_guard(uint64_t virt);

/* Does @virt lead anywhere? */
bool vm_is_mapped(uint64_t virt);

/* Walk the tables: nothing may be both writable and executable. */
must_use enum status vm_check(void);
