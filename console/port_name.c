/*
 * port_name.c - which port a name means
 */
#include "console/port_name.h"

#include <stdio.h>
#include <string.h>

#include <millrace/pci.h>

bool port_address_read(const char *text, struct port_address *address)
{
    *address = (struct port_address) { .is_mac = false };
    if (text_to_pci(text, &address->pci))
        return true;
    address->is_mac = text_to_mac(text, address->mac);
    return address->is_mac;
}

static bool pci_is(const struct pci_addr *a, const struct pci_addr *b)
{
    return a->segment == b->segment && a->bus == b->bus &&
           a->device == b->device && a->function == b->function;
}

bool port_address_find(const struct port_address *address, unsigned *port)
{
    for (unsigned p = 0; p < port_count(); p++) {
        struct port_info info;

        if (port_info_get(p, &info) != OK)
            continue;
        *port = p;
        if (address->is_mac ? memcmp(info.mac, address->mac, 6) == 0
                            : pci_is(&info.at, &address->pci))
            return true;
    }
    return false;
}

static bool is_optional(const struct port_scope *scope,
                        const struct port_address *address)
{
    for (unsigned i = 0; i < scope->count; i++) {
        const struct port_address *o = &scope->optional[i];

        if (o->is_mac == address->is_mac &&
            (o->is_mac ? memcmp(o->mac, address->mac, 6) == 0
                       : pci_is(&o->pci, &address->pci)))
            return true;
    }
    return false;
}

enum port_found port_find(const char *text, const struct port_scope *scope,
                          unsigned *port)
{
    struct port_address address;
    uint64_t number;

    *port = 0;
    if (scope == NULL && text_to_number(text, &number)) {
        *port = (unsigned)number;
        return number < port_count() ? PORT_IS_THERE : PORT_IS_UNKNOWN;
    }
    if (!port_address_read(text, &address))
        return PORT_IS_UNKNOWN;
    if (port_address_find(&address, port))
        return PORT_IS_THERE;
    *port = 0;
    if (scope != NULL && scope->is_offline)
        return PORT_IS_THERE;
    return scope != NULL && is_optional(scope, &address) ? PORT_IS_ABSENT
                                                         : PORT_IS_UNKNOWN;
}

bool port_scope_add_optional(struct port_scope *scope,
                             const struct port_address *address)
{
    if (is_optional(scope, address))
        return true;
    if (scope->count == PORT_MAX)
        return false;
    scope->optional[scope->count++] = *address;
    return true;
}

void port_name(unsigned port, char name[PORT_NAME_BYTES])
{
    struct port_info info = { 0 };

    (void)!port_info_get(port, &info);
    snprintf(name, PORT_NAME_BYTES, PCI_ADDR_FMT, PCI_ADDR_ARGS(info.at));
}
