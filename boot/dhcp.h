/*
 * dhcp.h - what DHCPv4 answers say about where a boot file came from
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_FILE_MAX 256

struct boot_dhcp {
    bool has_server;
    uint8_t server[4];
    /* The boot file as the server names it; "" = it names none. */
    char file[BOOT_FILE_MAX];
    bool is_sent_from; /* the server is only the one that sent this answer */
};

/* Read one packet of @bytes, from its op code on, any alignment. */
void boot_dhcp_read(const void *packet, size_t bytes, struct boot_dhcp *out);

/*
 * The path of a file beside the boot file, in the words of TFTP.
 *
 * @file    the boot file, possibly a whole tftp:// URL
 * Returns  false when it did not come by TFTP (it is another kind of URL), or
 *          @out is too small
 */
bool boot_tftp_beside(const char *file, const char *name, char *out,
                      size_t room);
