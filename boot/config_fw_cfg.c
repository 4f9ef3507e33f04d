/*
 * config_fw_cfg.c - configuration handed over by QEMU, for test machines
 *
 * Layout after QEMU's docs/specs/fw_cfg.rst. The ports are touched only when
 * CPUID says that a hypervisor is present: on other machines they could be
 * anything.
 */
#include <string.h>

#include <millrace/endian.h>

#include "boot/io.h"
#include "boot/loader.h"

#define FW_CFG_SELECT          0x510
#define FW_CFG_DATA            0x511
#define KEY_SIGNATURE          0x0000
#define KEY_FILE_DIR           0x0019
#define ENTRY_BYTES            64
#define ENTRY_SIZE             0
#define ENTRY_KEY              4
#define ENTRY_NAME             8
#define ENTRIES_MAX            4096
#define CPUID_1_ECX_HYPERVISOR (UINT32_C(1) << 31)

static const char wanted[] = "opt/org.millrace/config";

static void fw_cfg_select(uint16_t key)
{
    io_out16(FW_CFG_SELECT, key);
}

static void fw_cfg_read(void *to, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)to)[i] = io_in8(FW_CFG_DATA);
}

static bool fw_cfg_is_there(void)
{
    char signature[4];

    if ((cpu_id(1).ecx & CPUID_1_ECX_HYPERVISOR) == 0)
        return false;
    fw_cfg_select(KEY_SIGNATURE);
    fw_cfg_read(signature, sizeof(signature));
    return memcmp(signature, "QEMU", sizeof(signature)) == 0;
}

static bool open_fw_cfg(void *ctx, char *where, size_t room)
{
    (void)ctx;
    (void)where;
    (void)room;
    return fw_cfg_is_there();
}

static enum boot_found fetch_fw_cfg(void *ctx, const char *name, char *to,
                                    size_t room, size_t *bytes)
{
    uint8_t entry[ENTRY_BYTES];
    uint8_t count[4];

    (void)ctx;
    (void)name;
    fw_cfg_select(KEY_FILE_DIR);
    fw_cfg_read(count, sizeof(count));
    for (uint32_t n = get_be32(count), i = 0; i < n && i < ENTRIES_MAX; i++) {
        fw_cfg_read(entry, sizeof(entry));
        if (memcmp(entry + ENTRY_NAME, wanted, sizeof(wanted)) != 0)
            continue;
        *bytes = get_be32(entry + ENTRY_SIZE);
        fw_cfg_select(get_be16(entry + ENTRY_KEY));
        fw_cfg_read(to, *bytes > room ? 0 : *bytes);
        return BOOT_TAKEN;
    }
    return BOOT_ABSENT;
}

const struct boot_place place_fw_cfg = {
    .kind = "fw_cfg",
    .open = open_fw_cfg,
    .fetch = fetch_fw_cfg,
    .is_nameless = true,
};
