/*
 * port_name.h - which port a name means
 *
 * At the prompt a port may be named by its number. In a configuration it may
 * not: numbers follow the order in which ports were found, and another card
 * moves them. There it has a PCI address or a MAC address, and the text says
 * of each port that may be missing that it is optional.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/plat.h>
#include <millrace/port.h>

#include "console/text.h"

struct port_address {
    bool is_mac;
    uint8_t mac[6];
    struct pci_addr pci;
};

/* How ports are named where a line stands. */
struct port_scope {
    bool is_offline; /* no ports to look at: every address may be one */
    unsigned count;
    struct port_address optional[PORT_MAX];
};

enum port_found {
    PORT_IS_THERE,
    PORT_IS_ABSENT,  /* not there, which the scope allows */
    PORT_IS_UNKNOWN, /* not there, or no name of a port */
};

/* A PCI address or a MAC address. */
bool port_address_read(const char *text, struct port_address *address);

/* @scope NULL: as at the prompt. */
enum port_found port_find(const char *text, const struct port_scope *scope,
                          unsigned *port);

/* Is there a port of this address? */
bool port_address_find(const struct port_address *address, unsigned *port);

/* False when the table is full. */
bool port_scope_add_optional(struct port_scope *scope,
                             const struct port_address *address);

/* The PCI address of a port, as a configuration has it. */
#define PORT_NAME_BYTES 16
void port_name(unsigned port, char name[PORT_NAME_BYTES]);
