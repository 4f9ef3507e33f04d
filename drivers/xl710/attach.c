/*
 * attach.c - from a PCI function to a port with a number
 */
#include <stdio.h>
#include <string.h>

#include <millrace/log.h>

#include "drivers/xl710/nic.h"

/* trex-core issue 384 */
#define NVM_SLOW 0x6001

static struct nic nics[PORT_MAX];
static unsigned nic_count;

struct nic *nic_of(unsigned port)
{
    return port < nic_count ? &nics[port] : NULL;
}

unsigned port_count(void)
{
    return nic_count;
}

bool nic_has_older_sibling(const struct nic *nic)
{
    const struct pci_addr *a = &nic->dev->at;

    for (unsigned i = 0; i < nic->index; i++) {
        const struct pci_addr *b = &nics[i].dev->at;

        if (nics[i].state != PORT_CLOSED && nics[i].state != PORT_FAILED &&
            a->segment == b->segment && a->bus == b->bus &&
            a->device == b->device)
            return true;
    }
    return false;
}

/* Mb/s a lane carries, coding taken off (PCI Express Base 4.0, 4.2). */
static unsigned lane_mbps(unsigned generation)
{
    static const unsigned mbps[] = { 0, 2000, 4000, 7877, 15754, 31508 };

    return generation < ARRAY_SIZE(mbps) ? mbps[generation] : 0;
}

static void look_at_slot(struct nic *nic)
{
    const struct pci_link *l = &nic->pcie;

    pci_link_get(nic->dev, &nic->pcie);
    if (l->width == 0)
        return;
    log_info("xl710 %s: PCI Express gen %u x%u, at most %u Mb/s each way",
             nic->name, l->speed, l->width, l->width * lane_mbps(l->speed));
    if (l->width < l->max_width || l->speed < l->max_speed)
        log_warning("xl710 %s: the card could do gen %u x%u in another slot",
                    nic->name, l->max_speed, l->max_width);
}

static void log_identity(const struct nic *nic)
{
    const struct nic_firmware *f = &nic->firmware;

    log_info("xl710 %s: %s, port %u, MAC %02x:%02x:%02x:%02x:%02x:%02x",
             nic->name, nic->id->product, nic->index, nic->mac[0], nic->mac[1],
             nic->mac[2], nic->mac[3], nic->mac[4], nic->mac[5]);
    log_info("xl710 %s: firmware %u.%u, API %u.%u, NVM %x.%02x, image %#010x",
             nic->name, f->major, f->minor, f->api_major, f->api_minor,
             f->nvm >> 12, f->nvm & 0xFF, f->eetrack);
    if (f->nvm == NVM_SLOW)
        log_warning("xl710 %s: this NVM loses packets above 27 million a "
                    "second; a newer one does not",
                    nic->name);
}

enum status xl710_attach(struct pci_device *dev)
{
    struct nic *nic = &nics[nic_count];
    enum status s;

    if (!xl710_is_ours(dev))
        return E_UNSUPPORTED;
    if (nic_count == PORT_MAX) {
        log_error("xl710: %u ports are the limit", PORT_MAX);
        return E_NOMEM;
    }
    memset(nic, 0, sizeof(*nic));
    nic->dev = dev;
    nic->id = xl710_id_of(dev);
    nic->index = nic_count;
    nic->promiscuous = true;
    rss_open(nic);
    snprintf(nic->name, sizeof(nic->name), "%04x:%02x:%02x.%x", dev->at.segment,
             dev->at.bus, dev->at.device & 0x1F, dev->at.function & 7);
    s = nic_bring_up(nic);
    if (s != OK)
        return s;
    nic->state = PORT_STOPPED;
    nic_count++;
    log_identity(nic);
    look_at_slot(nic);
    return OK;
}

void xl710_forget_all(void)
{
    for (unsigned i = 0; i < nic_count; i++)
        port_close(i);
    nic_count = 0;
}
