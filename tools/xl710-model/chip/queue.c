/*
 * queue.c - queues start, stop, and hear their doorbells
 *
 *   I1  a queue is on a function's list exactly while it is on
 *   I2  a tail beyond the ring is never taken over
 *   I3  nothing of a stopped queue reaches memory
 */
#include "chip/chip_impl.h"

/* ---- the lists of running queues ---- */

static void list_add(struct data_list *list, unsigned q)
{
    if (list->n < DATA_QUEUES_MAX)
        list->q[list->n++] = (uint16_t)q;
}

static void list_remove(struct data_list *list, unsigned q)
{
    for (unsigned i = 0; i < list->n; i++) {
        if (list->q[i] == q) {
            list->q[i] = list->q[--list->n];
            return;
        }
    }
}

/* ---- doorbells ---- */

static uint32_t ring_bell(const uint32_t *memory, uint32_t trapped, unsigned q)
{
    return memory == NULL ? trapped
                          : __atomic_load_n(&memory[q], __ATOMIC_ACQUIRE);
}

/* Returns  whether @tail may be taken over */
static bool tx_tail_is_fine(struct chip *chip, struct chip_pf *pf, unsigned q,
                            uint32_t tail)
{
    struct chip_txq *txq = &pf->txq[q];
    const unsigned qlen = txq->ctx.qlen;

    if (tail >= qlen) {
        chip_complain(chip, pf, "tx-tail-range",
                      "queue %u: tail %u in a ring of %u", q, tail, qlen);
        mdd_raise(chip, pf, true, q, TX_MDD_ENDLESS);
        txq->stopped = true;
        return false;
    }
    if (ring_span(txq->head, tail, qlen) <
        ring_span(txq->head, txq->tail, qlen))
        chip_complain(chip, pf, "tx-tail-backward",
                      "queue %u: tail went from %u to %u with head at %u", q,
                      txq->tail, tail, txq->head);
    return true;
}

static void tx_take_tail(struct chip *chip, struct chip_pf *pf, unsigned q,
                         uint32_t tail)
{
    struct chip_txq *txq = &pf->txq[q];

    if (tail == txq->rung)
        return;
    txq->rung = tail;
    if (tx_tail_is_fine(chip, pf, q, tail))
        txq->tail = (uint16_t)tail;
}

static bool rx_tail_is_fine(struct chip *chip, struct chip_pf *pf, unsigned q,
                            uint32_t tail)
{
    struct chip_rxq *rxq = &pf->rxq[q];
    const unsigned qlen = rxq->ctx.qlen;
    unsigned oldest;

    if (tail >= qlen) {
        chip_complain(chip, pf, "rx-tail-range",
                      "queue %u: tail %u in a ring of %u", q, tail, qlen);
        return false;
    }
    /* What is not written back yet still belongs to the queue. */
    oldest = ring_span(rxq->held, rxq->head, qlen);
    if (ring_span(oldest, tail, qlen) < ring_span(oldest, rxq->tail, qlen))
        chip_complain(chip, pf, "rx-tail-backward",
                      "queue %u: tail went from %u to %u with head at %u", q,
                      rxq->tail, tail, oldest);
    return true;
}

static void rx_take_tail(struct chip *chip, struct chip_pf *pf, unsigned q,
                         uint32_t tail)
{
    struct chip_rxq *rxq = &pf->rxq[q];

    if (tail == rxq->rung)
        return;
    rxq->rung = tail;
    if (rx_tail_is_fine(chip, pf, q, tail))
        rxq->tail = (uint16_t)tail;
}

void queue_rx_refresh(struct chip *chip, struct chip_pf *pf, unsigned q)
{
    rx_take_tail(chip, pf, q, ring_bell(pf->qrx_tail, pf->regs.QRX_TAIL[q], q));
}

void tx_doorbell(struct chip *chip, struct chip_pf *pf, unsigned q,
                 uint32_t tail)
{
    if (!pf->txq[q].on) {
        if (tail != 0)
            chip_complain(chip, pf, "tx-tail-off",
                          "queue %u: tail %u while the queue is off", q, tail);
        return;
    }
    tx_take_tail(chip, pf, q, tail);
    if (pf->qtx_tail == NULL) /* nobody polls */
        (void)tx_run(chip, pf, q, DATA_RING_MAX);
}

void rx_doorbell(struct chip *chip, struct chip_pf *pf, unsigned q,
                 uint32_t tail)
{
    if (pf->rxq[q].on)
        rx_take_tail(chip, pf, q, tail);
}

/* ---- start ---- */

static bool tx_context(struct chip *chip, struct chip_pf *pf, unsigned q,
                       struct chip_txctx *ctx)
{
    uint8_t raw[CHIP_TXCTX_BYTES];
    const struct chip_ctx_fault *fault;
    bool is_usable = true;

    if (!hmc_context_read(chip, pf, true, q, raw))
        return false;
    chip_txctx_decode(raw, ctx);
    for (unsigned i = 0; (fault = chip_txctx_fault(ctx, i)) != NULL; i++) {
        chip_complain(chip, pf, fault->rule, "transmit queue %u: %s", q,
                      fault->text);
        is_usable &= !fault->fatal;
    }
    return is_usable;
}

static bool rx_context(struct chip *chip, struct chip_pf *pf, unsigned q,
                       struct chip_rxctx *ctx)
{
    uint8_t raw[CHIP_RXCTX_BYTES];
    const struct chip_ctx_fault *fault;
    bool is_usable = true;

    if (!hmc_context_read(chip, pf, false, q, raw))
        return false;
    chip_rxctx_decode(raw, ctx);
    for (unsigned i = 0; (fault = chip_rxctx_fault(ctx, i)) != NULL; i++) {
        chip_complain(chip, pf, fault->rule, "receive queue %u: %s", q,
                      fault->text);
        is_usable &= !fault->fatal;
    }
    return is_usable;
}

/* Does the context name the scheduler's queue set of the VSI it serves? */
static void check_qs_handle(struct chip *chip, struct chip_pf *pf, unsigned q,
                            uint16_t handle)
{
    const struct chip_vsi *vsi = vsi_of_queue(chip, pf, q);

    for (unsigned tc = 0; vsi != NULL && tc < 8; tc++) {
        if (le16(vsi->props + VSI_QS_HANDLE + tc * 2) == handle)
            return;
    }
    chip_complain(chip, pf, "tx-ctx-qs-handle",
                  "transmit queue %u: RDYLIST 0x%x is no queue set of %s", q,
                  handle, vsi != NULL ? "its VSI" : "any VSI");
}

bool queue_tx_enable(struct chip *chip, struct chip_pf *pf, unsigned q)
{
    struct chip_txq *txq = &pf->txq[q];
    struct chip_txctx ctx;

    if (txq->on || !tx_context(chip, pf, q, &ctx))
        return txq->on;
    check_qs_handle(chip, pf, q, ctx.qs_handle);
    /*
     * A queue starts empty whatever its tail register held: Linux does not
     * write QTX_TAIL when it takes an interface up again.
     */
    *txq = (struct chip_txq) {
        .ctx = ctx,
        .on = true,
        .vsi = CHIP_NO_VSI,
        .vsi_gen = chip->switch_gen - 1,
        .head = ctx.head,
        .tail = ctx.head,
        .rung = ctx.head,
    };
    pf->regs.QTX_TAIL[q] = ctx.head;
    if (pf->qtx_tail != NULL)
        __atomic_store_n(&pf->qtx_tail[q], ctx.head, __ATOMIC_RELEASE);
    list_add(&pf->data.tx_on, q);
    return true;
}

bool queue_rx_enable(struct chip *chip, struct chip_pf *pf, unsigned q)
{
    struct chip_rxq *rxq = &pf->rxq[q];
    struct chip_rxctx ctx;

    if (rxq->on || !rx_context(chip, pf, q, &ctx))
        return rxq->on;
    *rxq = (struct chip_rxq) {
        .ctx = ctx,
        .on = true,
        .head = ctx.head,
        .tail = ctx.head,
        .rung = ctx.head,
    };
    list_add(&pf->data.rx_on, q);
    queue_rx_refresh(chip, pf, q); /* drivers may post before they enable */
    return true;
}

/* ---- stop ---- */

void queue_tx_disable(struct chip *chip, struct chip_pf *pf, unsigned q)
{
    if (!pf->txq[q].on)
        return;
    /* Doorbells rung before the request are heard: the queue drains. */
    tx_take_tail(chip, pf, q, ring_bell(pf->qtx_tail, pf->regs.QTX_TAIL[q], q));
    (void)tx_run(chip, pf, q, DATA_RING_MAX);
    pf->txq[q].on = false;
    list_remove(&pf->data.tx_on, q);
}

void queue_rx_disable(struct chip *chip, struct chip_pf *pf, unsigned q)
{
    if (!pf->rxq[q].on)
        return;
    writeback_rx_flush(chip, pf, q);
    pf->rxq[q].on = false;
    list_remove(&pf->data.rx_on, q);
}

void data_reset(struct chip *chip, struct chip_pf *pf, enum chip_reset reset)
{
    (void)chip;
    (void)reset; /* all resets are alike to a queue */
    for (unsigned i = 0; i < pf->data.tx_on.n; i++)
        pf->txq[pf->data.tx_on.q[i]] = (struct chip_txq) { 0 };
    for (unsigned i = 0; i < pf->data.rx_on.n; i++)
        pf->rxq[pf->data.rx_on.q[i]] = (struct chip_rxq) { 0 };
    pf->data.tx_on.n = 0;
    pf->data.rx_on.n = 0;
    pf->data.has_switch = false;
}

/* ---- time passes, doorbells are looked at ---- */

/*
 * A function that lost bus mastering issues no request and holds its rings
 * still. That is no fault of a driver: a host's reset clears the command
 * register before it resets the function. Who never set it is told when the
 * queue's context or the admin queue is fetched.
 */
static unsigned poll_pf(struct chip *chip, struct chip_pf *pf, unsigned budget)
{
    unsigned n = 0;

    if (!pci_is_master(pf))
        return 0;
    for (unsigned i = 0; i < pf->data.rx_on.n; i++)
        queue_rx_refresh(chip, pf, pf->data.rx_on.q[i]);
    for (unsigned i = 0; i < pf->data.tx_on.n; i++) {
        const unsigned q = pf->data.tx_on.q[i];

        tx_take_tail(chip, pf, q,
                     ring_bell(pf->qtx_tail, pf->regs.QTX_TAIL[q], q));
        n += tx_run(chip, pf, q, budget);
    }
    writeback_run(chip, pf);
    return n;
}

unsigned data_poll(struct chip *chip, unsigned budget)
{
    unsigned n = 0;

    if (chip->resetting != CHIP_RESET_NONE)
        return 0;
    for (unsigned i = 0; i < chip->ports; i++)
        n += poll_pf(chip, &chip->pf[i], budget);
    return n;
}

void data_advance(struct chip *chip, uint64_t now_ns)
{
    (void)now_ns; /* chip->now_ns has it */
    if (chip->resetting != CHIP_RESET_NONE)
        return;
    for (unsigned i = 0; i < chip->ports; i++)
        if (pci_is_master(&chip->pf[i]))
            writeback_run(chip, &chip->pf[i]);
}
