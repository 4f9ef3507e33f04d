/*
 * ids.c - device ids of the 700 family
 *
 * From i40e_devids.h of Intel's drivers. Virtual functions are not listed: they
 * are driven through the mailbox of a physical function.
 */
#include "drivers/xl710/nic.h"

#define INTEL 0x8086

/* The switch arbiter's threshold differs by board (perf.c). */
static const struct xl710_id ids[] = {
    { 0x1572, PM_UP_THR_EF, "X710 10GbE SFP+" },
    { 0x1574, PM_UP_THR_KEEP, "XL710 emulation" },
    { 0x1580, PM_UP_THR_SF, "XL710 40GbE backplane" },
    { 0x1581, PM_UP_THR_EF, "X710 10GbE backplane" },
    { 0x1583, PM_UP_THR_SF, "XL710 40GbE QSFP+" },
    { 0x1584, PM_UP_THR_SF, "XL710 40GbE QSFP+ (one port)" },
    { 0x1585, PM_UP_THR_KEEP, "X710 10GbE QSFP+" },
    { 0x1586, PM_UP_THR_EF, "X710 10GBASE-T" },
    { 0x1587, PM_UP_THR_SF, "XL710 20GbE backplane" },
    { 0x1588, PM_UP_THR_SF, "XL710 20GbE backplane" },
    { 0x1589, PM_UP_THR_EF, "X710-T4 10GBASE-T" },
    { 0x158A, PM_UP_THR_SF, "XXV710 25GbE backplane" },
    { 0x158B, PM_UP_THR_SF, "XXV710 25GbE SFP28" },
    { 0x15FF, PM_UP_THR_KEEP, "X710-TL 10GBASE-T" },
    { 0x104E, PM_UP_THR_KEEP, "X710 10GbE SFP+" },
    { 0x104F, PM_UP_THR_KEEP, "X710 10GbE backplane" },
    { 0x101F, PM_UP_THR_KEEP, "V710 5GBASE-T" },
    { 0x0DD2, PM_UP_THR_KEEP, "I710 1GBASE-T" },
    { 0x0CF8, PM_UP_THR_KEEP, "X710 N3000" },
    { 0x0D58, PM_UP_THR_KEEP, "XXV710 25GbE N3000" },
    { 0x37CE, PM_UP_THR_X722, "X722 10GbE backplane" },
    { 0x37CF, PM_UP_THR_X722, "X722 10GbE QSFP+" },
    { 0x37D0, PM_UP_THR_X722_SFP, "X722 10GbE SFP+" },
    { 0x37D1, PM_UP_THR_X722, "X722 1GBASE-T" },
    { 0x37D2, PM_UP_THR_X722, "X722 10GBASE-T" },
    { 0x37D3, PM_UP_THR_X722, "X722 10GbE SFP+ (iWARP)" },
    { 0x0DDA, PM_UP_THR_X722, "X722 10GbE SFP+" },
};

const struct xl710_id *xl710_id_of(const struct pci_device *dev)
{
    if (dev->vendor != INTEL)
        return NULL;
    for (unsigned i = 0; i < ARRAY_SIZE(ids); i++)
        if (ids[i].device == dev->device)
            return &ids[i];
    return NULL;
}

bool xl710_is_ours(const struct pci_device *dev)
{
    return xl710_id_of(dev) != NULL;
}

const char *xl710_product(const struct pci_device *dev)
{
    const struct xl710_id *id = xl710_id_of(dev);

    return id == NULL ? NULL : id->product;
}
