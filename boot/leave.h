/*
 * leave.h - the order of calls that ends boot services
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/status.h>

#define BOOT_LEAVE_ATTEMPTS 8

struct boot_leave {
    /* The firmware's calls; each returns its status, 0 is success. */
    uint64_t (*get_map)(void *ctx); /* GetMemoryMap, keeping map and key */
    uint64_t (*exit)(void *ctx);    /* ExitBootServices with that key */
    void *ctx;

    /* How it went. */
    uint64_t firmware_status; /* of the last call */
    unsigned attempts;        /* calls of exit */
    bool has_begun;           /* the firmware may be shut down in part */
};

/*
 * Leave boot services. Between the two calls of an attempt, and after the first
 * attempt, nothing else of the firmware is called.
 *
 * Returns  OK; E_IO when there is no memory map; E_BUSY when the firmware
 *          refused BOOT_LEAVE_ATTEMPTS times. With has_begun set only a reset
 *          leads back then.
 */
must_use enum status boot_leave(struct boot_leave *l);
