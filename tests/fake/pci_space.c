/*
 * pci_space.c - PCI functions that exist only as configuration space
 *
 * Offsets and bits are typed from the PCI and PCI Express specifications, not
 * shared with the code under test.
 */
#include <stdlib.h>
#include <string.h>

#include <millrace/endian.h>

#include "tests/fake/pci_space.h"
#include "tests/host/host.h"

#define FUNCTIONS_MAX 1200

static struct fake_pci *functions[FUNCTIONS_MAX];
static unsigned count;
static uint64_t reads;

static bool is_at(const struct fake_pci *f, struct pci_addr at)
{
    return f->at.segment == at.segment && f->at.bus == at.bus &&
           f->at.function == at.function &&
           (f->answers_everywhere || f->at.device == at.device);
}

static struct fake_pci *find(struct pci_addr at)
{
    for (unsigned i = 0; i < count; i++)
        if (is_at(functions[i], at))
            return functions[i];
    return NULL;
}

static bool is_away(const struct fake_pci *f)
{
    return plat_cycles() < f->away_until_ns;
}

static uint32_t read(void *ctx, struct pci_addr at, unsigned offset,
                     unsigned bytes)
{
    const struct fake_pci *f = find(at);
    uint32_t v = UINT32_MAX;

    (void)ctx;
    reads++;
    if (offset % bytes != 0 || offset + bytes > 4096)
        abort();
    if (f == NULL || is_away(f))
        return UINT32_MAX >> (32 - 8 * bytes);
    v = 0;
    memcpy(&v, f->space + offset, bytes);
    return v;
}

/* What a function reset leaves: identity and capabilities, nothing set up. */
static void function_reset(struct fake_pci *f)
{
    f->resets++;
    f->command_at_reset = get_le16(f->space + 4);
    put_le16(f->space + 4, 0);
    memset(f->space + 0x10, 0, 24);
    f->space[0x0C] = 0;
    f->space[0x3C] = 0;
    put_le16(f->space + FAKE_PCI_PCIE + 8, 0x2810);
    put_le16(f->space + FAKE_PCI_PCIE + 40, 0);
    f->away_until_ns =
        f->never_returns ? UINT64_MAX : plat_cycles() + f->reset_ns;
}

static void write(void *ctx, struct pci_addr at, unsigned offset,
                  unsigned bytes, uint32_t value)
{
    struct fake_pci *f = find(at);

    (void)ctx;
    if (f == NULL || is_away(f))
        return;
    f->writes++;
    if (offset < 4 || (offset >= 8 && offset < 12) || offset == 6)
        return; /* identity and status are not to be written */
    if (offset == 4 && f->ignores_command)
        return;
    const uint8_t pcie = f->space[0x34] != 0 ? FAKE_PCI_PCIE : 0;

    if (pcie != 0 && offset == pcie + 8u && (value & 0x8000)) {
        if (get_le32(f->space + pcie + 4) & 1u << 28)
            function_reset(f);
        value &= 0x7FFF;
        return;
    }
    memcpy(f->space + offset, &value, bytes);
}

void fake_pci_reset(void)
{
    while (count > 0)
        free(functions[--count]);
    reads = 0;
    host_pci_hooks(read, write, NULL);
}

uint64_t fake_pci_reads(void)
{
    return reads;
}

static struct fake_pci *add(struct pci_addr at, uint16_t vendor,
                            uint16_t device, uint8_t header)
{
    if (count == FUNCTIONS_MAX)
        abort();
    struct fake_pci *f = calloc(1, sizeof(*f));

    functions[count++] = f;
    f->at = at;
    put_le16(f->space, vendor);
    put_le16(f->space + 2, device);
    f->space[0x0E] = header;
    return f;
}

struct fake_pci *fake_pci_endpoint(struct pci_addr at, uint16_t vendor,
                                   uint16_t device)
{
    return add(at, vendor, device, 0);
}

struct fake_pci *fake_pci_bridge(struct pci_addr at, uint8_t secondary)
{
    struct fake_pci *f = add(at, 0x1B36, 0x000C, 1);

    put_le32(f->space + 8, 0x06040000);
    f->space[0x18] = at.bus;
    f->space[0x19] = secondary;
    f->space[0x1A] = secondary;
    return f;
}

void fake_pci_add_pcie(struct fake_pci *f, unsigned kind, bool flr)
{
    uint8_t *cap = f->space + FAKE_PCI_PCIE;

    put_le16(f->space + 6, 0x0010);
    f->space[0x34] = FAKE_PCI_PM;
    f->space[FAKE_PCI_PM] = 0x01;
    f->space[FAKE_PCI_PM + 1] = FAKE_PCI_PCIE;
    put_le16(f->space + FAKE_PCI_PM + 4, 0x0008); /* no soft reset, D0 */
    cap[0] = 0x10;
    cap[1] = 0;
    put_le16(cap + 2, (uint16_t)(kind << 4 | 2));
    put_le32(cap + 4, flr ? 1u << 28 : 0);
    put_le16(cap + 8, 0x2830);
    put_le32(cap + 12, 8u << 4 | 3); /* x8, 8 GT/s */
    put_le16(cap + 18, 4u << 4 | 2); /* trained to x4, 5 GT/s */
}
