/*
 * devpath.h - what a UEFI device path says about where an image came from
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_FOLDER_MAX 128
#define BOOT_URI_MAX    256

struct boot_devpath {
    bool has_mac;
    uint8_t mac[6];

    bool has_ipv4; /* of the interface, when the firmware took a lease for it */
    uint8_t ip[4], mask[4]; /* a mask of zeros: not told */

    char uri[BOOT_URI_MAX]; /* "" = none, or one that is too long */

    /* The folder of a file on its volume, backslashes, no last one: "" is the
     * root, and also stands for one that is too long. */
    uint16_t folder[BOOT_FOLDER_MAX];
};

/*
 * Read the path of an image (UEFI 2.10, chapter 10).
 *
 * @path    nodes of any alignment up to an end node or to @max bytes, where
 *          reading ends too; also at the first node with an impossible length
 */
void boot_devpath_read(const void *path, size_t max, struct boot_devpath *out);
