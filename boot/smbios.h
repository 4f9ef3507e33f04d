/*
 * smbios.h - the machine's own name out of SMBIOS
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct boot_smbios {
    uint64_t table; /* physical */
    uint32_t bytes; /* at most; the table may end before */
    bool has_old_uuid;
};

/*
 * Read an entry point: "_SM3_" of SMBIOS 3, or "_SM_" of SMBIOS 2.
 *
 * @entry   32 readable bytes
 * Returns  false when it is neither, or its checksum is wrong
 */
bool boot_smbios_entry(const void *entry, struct boot_smbios *smbios);

/*
 * The UUID of the system, in the order of its digits.
 *
 * @table   the structures, @smbios->bytes of them
 * Returns  false when there is none, or only a placeholder
 */
bool boot_smbios_uuid(const struct boot_smbios *smbios, const void *table,
                      uint8_t uuid[16]);
