/*
 * dma.c - the chip's way to guest memory
 *
 *   D1  nothing is touched while the function is not bus master
 *   D2  an address is the host program's business alone: no arithmetic here
 *       wraps, no piece is longer than what the host program vouched for
 */
#include "chip/control.h"

#include <string.h>

void *chip_dma_map(struct chip *chip, struct chip_pf *pf, uint64_t addr,
                   size_t len, bool write, size_t *got)
{
    size_t n = 0;
    void *p;

    if (!pci_is_master(pf)) {
        chip_complain(chip, pf, "dma-bus-master", "%s of %zu bytes at 0x%llx",
                      write ? "write" : "read", len, (unsigned long long)addr);
        return NULL;
    }
    if (len == 0 || addr + len < addr)
        p = NULL;
    else
        p = chip->host.dma(chip->host.ctx, pf->index, addr, len, write, &n);
    if (p == NULL || n == 0) {
        chip_complain(chip, pf, "dma-unmapped", "%s of %zu bytes at 0x%llx",
                      write ? "write" : "read", len, (unsigned long long)addr);
        return NULL;
    }
    *got = n < len ? n : len;
    return p;
}

bool chip_dma_read(struct chip *chip, struct chip_pf *pf, uint64_t addr,
                   void *buf, size_t len)
{
    uint8_t *to = buf;
    size_t done = 0;

    while (done < len) {
        size_t got;
        const void *p =
            chip_dma_map(chip, pf, addr + done, len - done, false, &got);

        if (p == NULL) {
            memset(buf, 0, len);
            return false;
        }
        memcpy(to + done, p, got);
        done += got;
    }
    return true;
}

bool chip_dma_write(struct chip *chip, struct chip_pf *pf, uint64_t addr,
                    const void *buf, size_t len)
{
    const uint8_t *from = buf;
    size_t done = 0;

    while (done < len) {
        size_t got;
        void *p = chip_dma_map(chip, pf, addr + done, len - done, true, &got);

        if (p == NULL)
            return false;
        memcpy(p, from + done, got);
        done += got;
    }
    return true;
}
