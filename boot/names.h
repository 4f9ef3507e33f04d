/*
 * names.h - the names under which a configuration is looked for
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BOOT_NAMES_MAX 3
#define BOOT_NAME_ROOM 64

/* In the order in which they are tried. */
struct boot_names {
    unsigned count;
    char name[BOOT_NAMES_MAX][BOOT_NAME_ROOM];
};

/*
 * The most specific first: millrace-<mac>.conf for the port we were booted
 * from, as in millrace-68-05-ca-00-00-10.conf; millrace-<uuid>.conf for this
 * machine, in the form that SMBIOS tools print; millrace.conf for all.
 *
 * @mac     of the port, or NULL
 * @uuid    in the order of its digits, or NULL
 */
void boot_names_usual(struct boot_names *names, const uint8_t mac[6],
                      const uint8_t uuid[16]);

/*
 * Take what the word config=<name> of a command line asks for, when there is
 * one: "none" leaves no name at all.
 *
 * Returns  false when the name is empty, too long, or holds anything but
 *          letters, digits and ._- ; @names then holds what was asked for, as
 *          far as it can be shown
 */
bool boot_names_asked(struct boot_names *names, const char *cmdline,
                      bool *was_asked);

/*
 * The URL of @name in the folder of @url; what follows a ? or # is dropped.
 *
 * Returns  false when @url has no path or @out is too small
 */
bool boot_url_beside(const char *url, const char *name, char *out, size_t room);

/* The host of @url, with its port; false when there is none or no room. */
bool boot_url_host(const char *url, char *out, size_t room);
