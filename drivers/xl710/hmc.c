/*
 * hmc.c - queue contexts in host memory
 *
 *   H1  one direct segment backs all contexts; the chip does not touch memory
 *       beyond the objects we announce
 *   H2  a field is written only through its row, and reads back as written
 */
#include <string.h>

#include <millrace/bits.h>
#include <millrace/log.h>

#include "drivers/xl710/hmc.h"
#include "drivers/xl710/nic.h"
#include "mm/dma.h"

#define FPM_UNIT      512 /* bases are given in these */
#define PAGE          4096
#define SEGMENT_PAGES 512 /* of a segment, 2 MiB */

struct hmc_row {
    const char *name;
    uint16_t lsb;
    uint8_t width;
};

static const struct hmc_row rows[HMC_FIELD_COUNT] = {
#define HMC_ROW(name, lsb, width) [name] = { #name, lsb, width },
    HMC_TX_FIELDS(HMC_ROW) HMC_RX_FIELDS(HMC_ROW)
#undef HMC_ROW
};

/* Fields cross bytes at will, so bits move one by one; set-up only. */
void hmc_put(uint8_t *context, enum hmc_field field, uint64_t v)
{
    const struct hmc_row *row = &rows[field];

    if (v >> 1 >> (row->width - 1) != 0)
        panic("xl710: %s cannot hold %#llx", row->name, (unsigned long long)v);
    for (unsigned i = 0; i < row->width; i++) {
        const unsigned bit = row->lsb + i;
        const uint8_t mask = (uint8_t)(1u << bit % 8);

        if ((v >> i & 1) != 0)
            context[bit / 8] |= mask;
        else
            context[bit / 8] &= (uint8_t)~mask;
    }
}

uint64_t hmc_get(const uint8_t *context, enum hmc_field field)
{
    const struct hmc_row *row = &rows[field];
    uint64_t v = 0;

    for (unsigned i = 0; i < row->width; i++) {
        const unsigned bit = row->lsb + i;

        v |= (uint64_t)(context[bit / 8] >> bit % 8 & 1) << i;
    }
    return v;
}

uint8_t *hmc_tx_context(struct nic *nic, unsigned queue)
{
    uint8_t *c = nic->hmc.memory + (size_t)queue * HMC_TX_BYTES;

    memset(c, 0, HMC_TX_BYTES);
    return c;
}

uint8_t *hmc_rx_context(struct nic *nic, unsigned queue)
{
    uint8_t *c =
        nic->hmc.memory + nic->hmc.rx_base + (size_t)queue * HMC_RX_BYTES;

    memset(c, 0, HMC_RX_BYTES);
    return c;
}

static void segment_write(struct nic *nic, uint64_t bus, bool is_valid)
{
    const uint32_t low = (uint32_t)bus |
                         field_is(PFHMC_SDDATALOW_BPCOUNT, SEGMENT_PAGES) |
                         field_is(PFHMC_SDDATALOW_DIRECT, 1) |
                         field_is(PFHMC_SDDATALOW_VALID, is_valid);

    reg_write(nic, PFHMC_SDDATAHIGH, 0, (uint32_t)(bus >> 32));
    reg_write(nic, PFHMC_SDDATALOW, 0, low);
    reg_write(nic, PFHMC_SDCMD, 0,
              field_is(PFHMC_SDCMD_PMSDIDX, 0) |
                  field_is(PFHMC_SDCMD_PMSDWR, 1));
}

/* Where each kind of object begins and how many there are; no FCoE. */
static void announce(struct nic *nic, unsigned pairs)
{
    const unsigned pf = nic->pf;
    const uint32_t rx = nic->hmc.rx_base / FPM_UNIT;
    const uint32_t end =
        (uint32_t)align_up(nic->hmc.rx_base + pairs * HMC_RX_BYTES, FPM_UNIT) /
        FPM_UNIT;

    reg_write(nic, GLHMC_LANTXBASE, pf, 0);
    reg_write(nic, GLHMC_LANTXCNT, pf, pairs);
    reg_write(nic, GLHMC_LANRXBASE, pf, rx);
    reg_write(nic, GLHMC_LANRXCNT, pf, pairs);
    reg_write(nic, GLHMC_FCOEDDPBASE, pf, end);
    reg_write(nic, GLHMC_FCOEDDPCNT, pf, 0);
    reg_write(nic, GLHMC_FCOEFBASE, pf, end);
    reg_write(nic, GLHMC_FCOEFCNT, pf, 0);
}

static unsigned pairs_possible(const struct nic *nic)
{
    unsigned n = reg_get(nic, GLHMC_LANQMAX_COUNT, 0);

    n = n < nic->caps.rx_queues ? n : nic->caps.rx_queues;
    n = n < nic->caps.tx_queues ? n : nic->caps.tx_queues;
    return n < XL710_PAIRS_MAX ? n : XL710_PAIRS_MAX;
}

enum status hmc_open(struct nic *nic)
{
    struct hmc *hmc = &nic->hmc;
    const uint32_t tx = UINT32_C(1) << reg_get(nic, GLHMC_LANTXOBJSZ_LOG2, 0);
    const uint32_t rx = UINT32_C(1) << reg_get(nic, GLHMC_LANRXOBJSZ_LOG2, 0);
    size_t bytes;

    hmc->pairs = pairs_possible(nic);
    if (tx != HMC_TX_BYTES || rx != HMC_RX_BYTES || hmc->pairs == 0) {
        log_error("xl710 %s: contexts are %u and %u bytes for %u queues, "
                  "expected %u and %u for 1 or more",
                  nic->name, tx, rx, hmc->pairs, HMC_TX_BYTES, HMC_RX_BYTES);
        return E_UNSUPPORTED;
    }
    hmc->rx_base = (uint32_t)align_up(hmc->pairs * HMC_TX_BYTES, FPM_UNIT);
    bytes = align_up(hmc->rx_base + hmc->pairs * HMC_RX_BYTES, PAGE);
    if (hmc->bytes != bytes) { /* else the chip was reset: use it again */
        dma_free(hmc->memory);
        hmc->memory = dma_alloc(bytes, PAGE, "xl710 queue contexts");
        hmc->bytes = hmc->memory == NULL ? 0 : bytes;
    }
    if (hmc->memory == NULL)
        return E_NOMEM;
    segment_write(nic, plat_bus_addr(hmc->memory), true);
    announce(nic, hmc->pairs);
    return OK;
}

void hmc_error_log(struct nic *nic)
{
    const uint32_t info = reg_read(nic, PFHMC_ERRORINFO, 0);

    if (field_of(PFHMC_ERRORINFO_DETECTED, info) == 0)
        return;
    log_error("xl710 %s: the chip could not read a queue context: error type "
              "%u, object type %u, data %#x",
              nic->name, field_of(PFHMC_ERRORINFO_ERROR_TYPE, info),
              field_of(PFHMC_ERRORINFO_OBJECT_TYPE, info),
              reg_read(nic, PFHMC_ERRORDATA, 0));
    reg_write(nic, PFHMC_ERRORINFO, 0, 0);
}

void hmc_close(struct nic *nic)
{
    if (nic->hmc.memory == NULL)
        return;
    segment_write(nic, 0, false);
    reg_write(nic, GLHMC_LANTXCNT, nic->pf, 0);
    reg_write(nic, GLHMC_LANRXCNT, nic->pf, 0);
    reg_flush(nic);
    dma_free(nic->hmc.memory);
    memset(&nic->hmc, 0, sizeof(nic->hmc));
}
