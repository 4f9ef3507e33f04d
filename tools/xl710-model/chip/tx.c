/*
 * tx.c - a transmit queue at work: gather, send, report
 *
 * A packet is gathered first (its descriptors read once and checked), then
 * sent, then reported; only then does head move. What the hardware calls
 * malicious stops the queue with head at the offending packet.
 *
 *   I1  nothing is sent for a packet that breaks a rule the hardware enforces
 *   I2  one visit handles at most as many packets as asked for
 *   I3  a packet that the wire has no room for stays in the ring, whole
 */
#include "chip/tx_impl.h"

#define DTYPE_DONE 0xF

void tx_stop(struct tx_pass *p, enum tx_mdd event, const char *rule,
             const char *why)
{
    chip_complain(p->chip, p->pf, rule, "queue %u slot %u: %s", p->q,
                  p->txq->head, why);
    mdd_raise(p->chip, p->pf, true, p->q, event);
    p->txq->stopped = true;
}

/* Mark the descriptors that carried RS as done. */
static void mark_done(struct tx_pass *p)
{
    for (unsigned i = 0; i < p->packet.bufs; i++) {
        uint8_t *desc = p->buf[i].rs ? tx_desc(p, p->buf[i].slot) : NULL;

        if (desc != NULL)
            __atomic_store_n((uint64_t *)(void *)(desc + 8),
                             le64(desc + 8) | DTYPE_DONE, __ATOMIC_RELEASE);
    }
}

/* The packet is out: report in its descriptors, move on. */
static void finish(struct tx_pass *p)
{
    struct chip_txq *txq = p->txq;

    if (p->packet.has_rs) {
        txq->no_rs = 0;
    } else {
        txq->no_rs += ring_span(txq->head, p->packet.next, txq->ctx.qlen);
        if (!txq->ctx.head_wb && txq->no_rs >= txq->ctx.qlen) {
            chip_complain(p->chip, p->pf, "tx-no-rs",
                          "queue %u: a whole ring without RS", p->q);
            txq->no_rs = 0;
        }
    }
    if (p->packet.has_rs && !txq->ctx.head_wb)
        mark_done(p);
    txq->head = p->packet.next;
    txq->mid_packet = false;
}

static void note_incomplete(struct tx_pass *p)
{
    if (p->txq->head == p->txq->tail || p->txq->mid_packet)
        return;
    p->txq->mid_packet = true;
    chip_complain(p->chip, p->pf, "tx-tail-mid-packet",
                  "queue %u: tail %u ends inside the packet at %u", p->q,
                  p->txq->tail, p->txq->head);
}

/* The VSI behind the queue may change while the queue runs. */
static struct chip_vsi *owner(struct chip *chip, struct chip_pf *pf, unsigned q)
{
    struct chip_txq *txq = &pf->txq[q];

    if (txq->vsi_gen != chip->switch_gen) {
        const struct chip_vsi *vsi = vsi_of_queue(chip, pf, q);

        txq->vsi_gen = chip->switch_gen;
        txq->vsi = vsi != NULL ? vsi->number : CHIP_NO_VSI;
    }
    return txq->vsi == CHIP_NO_VSI ? NULL : vsi_by_number(chip, txq->vsi);
}

/* Pause frames hold the queue back; without a link nobody sends any. */
static bool wire_is_ready(const struct tx_pass *p)
{
    const struct chip_host *host = &p->chip->host;

    return host->wire_ready == NULL || !link_is_up(p->chip, p->pf->index) ||
           host->wire_ready(host->ctx, p->pf->index);
}

unsigned tx_run(struct chip *chip, struct chip_pf *pf, unsigned q,
                unsigned budget)
{
    struct tx_pass p = {
        .chip = chip,
        .pf = pf,
        .txq = &pf->txq[q],
        .q = q,
        .buf = chip->data.buf,
    };
    unsigned n = 0;
    bool rs = false;

    if (p.txq->head == p.txq->tail || p.txq->stopped ||
        fault_queue_stalled(chip, pf, true, q))
        return 0;
    rxfilter_sync(chip, pf);
    p.vsi = owner(chip, pf, q);
    p.ring = chip_dma_map(chip, pf, p.txq->ctx.base,
                          (size_t)p.txq->ctx.qlen * TX_DESC_BYTES, true,
                          &p.ring_got);
    if (p.ring == NULL)
        p.ring_got = 0;
    while (n < budget && p.txq->head != p.txq->tail && wire_is_ready(&p)) {
        const enum tx_gathered got = tx_gather(&p);

        if (got == TX_INCOMPLETE)
            note_incomplete(&p);
        if (got != TX_GATHERED || !tx_send(&p))
            break;
        finish(&p);
        rs |= p.packet.has_rs;
        n++;
    }
    if (n != 0)
        writeback_tx(chip, pf, q, rs);
    return n;
}
