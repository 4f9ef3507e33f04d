/*
 * options.h - the words the image was started with
 *
 *     [EAL words] -- [testpmd words]
 *
 * and, on either side, kernel-style console=, loglevel=, debug-exit=, panic=.
 * Spelling and meaning are those of DPDK's EAL and testpmd and of the Linux
 * command line; '..' and ".." keep blanks. What makes no sense without an
 * operating system (huge pages, IOVA mode, file prefix) is accepted and listed
 * as ignored. Anything else that is not known is an error.
 *
 *   P1  parsing has no effects and never prints
 *   P2  after an error the struct holds the defaults, and the kernel-style
 *       words before it, so that the console comes up as asked
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/core.h>
#include <millrace/log.h>
#include <millrace/plat.h>
#include <millrace/port.h>
#include <millrace/status.h>

#include "net/fwd.h"

struct engine;

#define OPTIONS_BYTES_MAX   4096
#define OPTIONS_WORDS_MAX   128
#define OPTIONS_CONSOLE_MAX 64
#define OPTIONS_PLACES_MAX  256

struct options {
    /* kernel-style */
    char console[OPTIONS_CONSOLE_MAX]; /* value of console=; "" = not given */
    enum log_level log_level;          /* also --log-level */
    uint16_t debug_exit;               /* I/O port; 0 = none */
    int panic_s;            /* seconds from a panic to the reboot; 0 = never */
    enum core_idle idle;    /* idle= */
    uint32_t madt_instance; /* acpi_apic_instance=; 0 = the first MADT */

    /* EAL */
    uint64_t lcores[LCORE_MAX / 64]; /* cores to use; all 0 = not given */
    uint32_t main_lcore;             /* LCORE_MAX = not given */
    struct pci_addr allow[PORT_MAX];
    struct pci_addr block[PORT_MAX];
    unsigned allow_count, block_count;
    uint32_t max_simd_bits; /* 64, 128, 256, 512 */

    /* testpmd */
    const struct engine *engine;
    uint32_t rxq, txq; /* queues of a port: as many of each */
    uint32_t rxd, txd; /* descriptors of a queue */
    uint32_t txrst, txfreet;
    uint32_t burst;
    uint32_t txpkts;
    uint32_t mbcache;         /* buffers each core may keep */
    uint32_t total_num_mbufs; /* 0 = as many as it takes */
    uint32_t nb_cores;        /* that forward; 0 = as many as are of use */
    struct fwd_place place[OPTIONS_PLACES_MAX]; /* --config */
    unsigned place_count;
    uint32_t port_node_given; /* bit p: port_node[p] was given */
    uint32_t port_node[PORT_MAX];
    uint32_t socket_num;   /* node of all other ports; NODE_ANY = not given */
    uint32_t portmask;     /* 0 = all */
    uint32_t stats_period; /* seconds, 0 = never */
    bool auto_start;
    bool disable_device_start;
    uint32_t peer_given; /* bit p: peer[p] was given */
    uint8_t peer[PORT_MAX][6];

    /* what to tell the user */
    char ignored[512];     /* words that were, with blanks between */
    unsigned error_column; /* from 1 */
    char error[320];       /* what is wrong, what was expected */
};

/* Everything as if no word had been given. */
void options_default(struct options *o);

/*
 * @text    NUL-terminated; NULL is no words
 * Returns  OK; E_INVALID with error and error_column set: go on with the
 *          console and configure nothing (P2)
 */
must_use enum status options_parse(const char *text, struct options *o);

/* Is core @lcore among those of -l or --lcores? */
bool options_lcore_given(const struct options *o, unsigned lcore);
/* Were there any? */
bool options_lcores_given(const struct options *o);
/* As EAL has it: --main-lcore, else the first of -l, else core 0. */
unsigned options_main_lcore(const struct options *o);

/* May the function at @at be used, as --allow and --block have it? */
bool options_allow(const struct options *o, struct pci_addr at);
