/*
 * adminq_event.c - the receive queue: what the firmware says unasked
 *
 *   A5  an event that finds no descriptor waits, and sets OVFL; only when
 *       CHIP_EVENTS_MAX wait is one lost
 *   A6  order of a delivery: data, descriptor, its flags, head, interrupt
 */
#include "chip/control.h"

#include <string.h>

static void overflow(struct chip_pf *pf)
{
    pf->regs.PF_ARQLEN[0] |= AQ_LEN_OVFL;
}

static bool deliver(struct chip *chip, struct chip_pf *pf,
                    const struct chip_event *event)
{
    struct chip_regs *r = &pf->regs;
    const uint32_t entries = r->PF_ARQLEN[0] & AQ_LEN_ENTRIES;
    const uint64_t base = (uint64_t)r->PF_ARQBAH[0] << 32 | r->PF_ARQBAL[0];
    const uint64_t addr = (base & ~(uint64_t)(AQ_BASE_ALIGN - 1)) +
                          (uint64_t)r->PF_ARQH[0] * AQ_DESC_BYTES;
    uint8_t desc[AQ_DESC_BYTES];
    uint16_t flags = AQ_FLAG_DD | AQ_FLAG_CMP, len = 0;
    uint64_t buf;

    if (!chip_dma_read(chip, pf, addr, desc, sizeof(desc)))
        return false;
    buf = (uint64_t)le32(desc + 24) << 32 | le32(desc + 28);
    if (event->len != 0 && (le16(desc) & AQ_FLAG_BUF)) {
        len = event->len < le16(desc + 4) ? event->len : le16(desc + 4);
        flags |= AQ_FLAG_BUF | (le16(desc) & AQ_FLAG_LB);
        if (!chip_dma_write(chip, pf, buf, event->data, len))
            return false;
    }
    memset(desc, 0, sizeof(desc));
    put_le16(desc, flags);
    put_le16(desc + 2, event->opcode);
    put_le16(desc + 4, len);
    memcpy(desc + 16, event->params, 16);
    if (len != 0) {
        put_le32(desc + 24, (uint32_t)(buf >> 32));
        put_le32(desc + 28, (uint32_t)buf);
    }
    if (!chip_dma_write(chip, pf, addr + 2, desc + 2, AQ_DESC_BYTES - 2))
        return false;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    if (!chip_dma_write(chip, pf, addr, desc, 2))
        return false;
    r->PF_ARQH[0] = (r->PF_ARQH[0] + 1) % entries;
    return true;
}

static bool can_deliver(const struct chip_pf *pf)
{
    const struct chip_regs *r = &pf->regs;
    const uint32_t entries = r->PF_ARQLEN[0] & AQ_LEN_ENTRIES;

    return (r->PF_ARQLEN[0] & AQ_LEN_ENA) && r->PF_ARQH[0] < entries &&
           r->PF_ARQT[0] < entries && r->PF_ARQH[0] != r->PF_ARQT[0];
}

static void drain(struct chip *chip, struct chip_pf *pf)
{
    struct chip_aq *aq = &pf->aq;
    bool any = false;

    while (aq->events != 0 && can_deliver(pf)) {
        if (!deliver(chip, pf, &aq->event[aq->event_first])) {
            chip_complain(chip, pf, "aq-no-memory",
                          "event ring of %u entries at 0x%08x%08x",
                          pf->regs.PF_ARQLEN[0] & AQ_LEN_ENTRIES,
                          pf->regs.PF_ARQBAH[0], pf->regs.PF_ARQBAL[0]);
            pf->regs.PF_ARQLEN[0] |= AQ_LEN_CRIT;
            aq->events = 0;
            break;
        }
        aq->event_first = (aq->event_first + 1) % CHIP_EVENTS_MAX;
        aq->events--;
        any = true;
    }
    if (any)
        intr_other(chip, pf, ICR0_ADMINQ);
}

void adminq_event(struct chip *chip, struct chip_pf *pf, uint16_t opcode,
                  const uint8_t params[16], const void *data, uint16_t len)
{
    struct chip_aq *aq = &pf->aq;
    struct chip_event *event;

    if (!(pf->regs.PF_ARQLEN[0] & AQ_LEN_ENA))
        return; /* nobody listens */
    if (aq->events == CHIP_EVENTS_MAX) {
        overflow(pf);
        return;
    }
    event = &aq->event[(aq->event_first + aq->events) % CHIP_EVENTS_MAX];
    event->opcode = opcode;
    event->len = len < sizeof(event->data) ? len : sizeof(event->data);
    memcpy(event->params, params, sizeof(event->params));
    if (event->len != 0)
        memcpy(event->data, data, event->len);
    aq->events++;
    drain(chip, pf);
    if (aq->events != 0)
        overflow(pf);
}

void adminq_arq_tail(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    const uint32_t len = pf->regs.PF_ARQLEN[0];
    const uint64_t base = pf->regs.PF_ARQBAL[0];

    pf->regs.PF_ARQT[0] = value;
    if (!(len & AQ_LEN_ENA) || (value == 0 && pf->regs.PF_ARQH[0] == 0))
        return;
    if (value >= (len & AQ_LEN_ENTRIES)) {
        chip_complain(chip, pf, "aq-tail-range",
                      "ARQT = %u, the ring has %u entries", value,
                      len & AQ_LEN_ENTRIES);
        return;
    }
    if (base % AQ_BASE_ALIGN != 0)
        chip_complain(chip, pf, "aq-base-align", "receive ring at 0x%08x",
                      (unsigned)base);
    drain(chip, pf);
}

void adminq_arq_len(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    (void)chip;
    if (!(value & AQ_LEN_ENA))
        pf->aq.events = 0;
    pf->regs.PF_ARQLEN[0] = value;
}
