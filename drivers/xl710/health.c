/*
 * health.c - what the chip says about itself, in words
 */
#include <stdio.h>

#include <millrace/clock.h>
#include <millrace/log.h>

#include "drivers/xl710/nic.h"

#define RESET_PERIOD_US       50000
#define HEALTH_PERIOD_US      1000000
#define FIRMWARE_RESETS(code) ((code) >= 0x20 && (code) <= 0x2A)

/* Codes of FWS1B that Intel's Linux driver tells apart (i40e_main.c). */
static const char *firmware_state_text(uint32_t code)
{
    switch (code) {
    case 0x20 ... 0x2A:
        return "a reset of the firmware has not ended";
    case 0x30:
        return "recovery mode after a core reset";
    case 0x31:
        return "recovery mode after a global reset";
    case 0x32:
        return "changing to recovery mode";
    case 0x33:
        return "recovery mode, the NVM image is damaged";
    }
    return "a state this driver does not know";
}

enum status nic_firmware_check(struct nic *nic)
{
    const uint32_t status = reg_read(nic, GL_FWSTS, 0);
    const uint32_t code = field_of(GL_FWSTS_FWS1B, status);

    if (status == UINT32_MAX) {
        log_error("xl710 %s: the device does not answer", nic->name);
        return E_GONE;
    }
    if (code == 0)
        return OK;
    if (FIRMWARE_RESETS(code)) {
        log_error("xl710 %s: firmware is in %#x: %s", nic->name, code,
                  firmware_state_text(code));
        return E_BUSY;
    }
    log_error("xl710 %s: firmware is in %#x: %s; write a good NVM image with "
              "the vendor's tool",
              nic->name, code, firmware_state_text(code));
    return E_UNSUPPORTED;
}

/* ---- malicious-driver detection ---- */

/*
 * The chip names the event by number only. Which driver mistakes raise one is
 * listed in FreeBSD's sys/dev/ixl/ixl_txrx.c; no source maps the numbers.
 */
void mdd_tx_text(uint32_t v, char *text, unsigned bytes)
{
    snprintf(text, bytes,
             "transmit event %u on queue %u of the chip, function %u, VF %u",
             (unsigned)field_of(GL_MDET_TX_EVENT, v),
             (unsigned)field_of(GL_MDET_TX_QUEUE, v),
             (unsigned)field_of(GL_MDET_TX_PF_NUM, v),
             (unsigned)field_of(GL_MDET_TX_VF_NUM, v));
}

void mdd_rx_text(uint32_t v, char *text, unsigned bytes)
{
    snprintf(text, bytes,
             "receive event %u on queue %u of the chip, function %u",
             (unsigned)field_of(GL_MDET_RX_EVENT, v),
             (unsigned)field_of(GL_MDET_RX_QUEUE, v),
             (unsigned)field_of(GL_MDET_RX_FUNCTION, v));
}

/* Registers of the chip name the culprit; those of the function say "us". */
static bool mdd_tx_is_ours(struct nic *nic, uint32_t v, unsigned *queue)
{
    *queue = field_of(GL_MDET_TX_QUEUE, v) - nic->first_queue;
    return field_of(GL_MDET_TX_PF_NUM, v) == nic->pf &&
           *queue < nic_queues(nic);
}

static bool mdd_rx_is_ours(struct nic *nic, uint32_t v, unsigned *queue)
{
    *queue = field_of(GL_MDET_RX_QUEUE, v) - nic->first_queue;
    return *queue < nic_queues(nic);
}

/* What the chip did not like; several causes may hide behind one event. */
static void log_descriptors(const struct nic *nic, const struct port_txq *q)
{
    unsigned slot = q->clean;

    for (unsigned i = 0; i < 4 && slot != q->tail; i++) {
        log_notice("xl710 %s: transmit descriptor %u: %016llx %016llx",
                   nic->name, slot, (unsigned long long)q->ring[slot].address,
                   (unsigned long long)q->ring[slot].qw1);
        slot = slot + 1 == q->n ? 0 : slot + 1;
    }
}

static void mdd_tx(struct nic *nic, uint32_t v)
{
    unsigned named;
    char text[96];

    mdd_tx_text(v, text, sizeof(text));
    log_error("xl710 %s: malicious driver: %s; the queue restarts", nic->name,
              text);
    nic->mdd_events++;
    reg_write(nic, GL_MDET_TX, 0, UINT32_MAX);
    reg_write(nic, PF_MDET_TX, 0, 0xFFFF);
    if (!nic->queues_on)
        return;
    if (mdd_tx_is_ours(nic, v, &named)) {
        log_descriptors(nic, &nic->txq[named]);
        nic_watch_ask(&nic->tx_watch[named]);
        return;
    }
    /* The chip names the first culprit only, and that one was another. */
    for (unsigned i = 0; i < nic_queues(nic); i++)
        nic_watch_ask(&nic->tx_watch[i]);
}

static void mdd_rx(struct nic *nic, uint32_t v)
{
    unsigned named;
    char text[96];

    mdd_rx_text(v, text, sizeof(text));
    log_error("xl710 %s: malicious driver: %s; the queue restarts", nic->name,
              text);
    nic->mdd_events++;
    reg_write(nic, GL_MDET_RX, 0, UINT32_MAX);
    reg_write(nic, PF_MDET_RX, 0, 0xFFFF);
    for (unsigned i = 0; nic->queues_on && i < nic_queues(nic); i++)
        if (!mdd_rx_is_ours(nic, v, &named) || named == i)
            nic_watch_ask(&nic->rx_watch[i]);
}

void mdd_poll(struct nic *nic)
{
    const uint32_t tx = reg_read(nic, GL_MDET_TX, 0);
    const uint32_t rx = reg_read(nic, GL_MDET_RX, 0);

    if (field_of(GL_MDET_TX_VALID, tx) != 0 &&
        reg_get(nic, PF_MDET_TX_VALID, 0) != 0)
        mdd_tx(nic, tx);
    if (field_of(GL_MDET_RX_VALID, rx) != 0 &&
        reg_get(nic, PF_MDET_RX_VALID, 0) != 0)
        mdd_rx(nic, rx);
}

/* Error bits of the event queue latch; writing them back as 0 clears them. */
static void event_queue_poll(struct nic *nic, uint32_t len)
{
    const uint32_t errors = field_is(PF_ARQLEN_VFE, 1) |
                            field_is(PF_ARQLEN_OVFL, 1) |
                            field_is(PF_ARQLEN_CRIT, 1);

    if ((len & errors) == 0)
        return;
    log_warning("xl710 %s: event queue:%s%s%s", nic->name,
                field_of(PF_ARQLEN_OVFL, len) ? " events were lost" : "",
                field_of(PF_ARQLEN_VFE, len) ? " a VF sent garbage" : "",
                field_of(PF_ARQLEN_CRIT, len) ? " firmware gave up" : "");
    nic->lost_events += field_of(PF_ARQLEN_OVFL, len);
    reg_write(nic, PF_ARQLEN, 0, len & ~errors);
    nic->link.is_stale = true; /* the lost event may have been a link's */
}

/* ---- the rounds ---- */

static bool is_due(uint64_t *last, uint64_t period_us)
{
    if (clock_cycles_to_us(plat_cycles() - *last) < period_us)
        return false;
    *last = plat_cycles();
    return true;
}

/* Nothing tells of a reset but this register; true when the port is lost. */
static bool was_reset(struct nic *nic)
{
    const uint32_t rstat = reg_read(nic, GLGEN_RSTAT, 0);

    if (rstat == UINT32_MAX)
        nic_recover(nic, "the device does not answer");
    else if (field_of(GLGEN_RSTAT_DEVSTATE, rstat) != 0)
        nic_recover(nic, "the chip resets itself");
    else if (field_of(GLGEN_RSTAT_RESET_COUNTS, rstat) != nic->reset_counts)
        nic_recover(nic, "the chip was reset by firmware or through another "
                         "port");
    else
        return false;
    return true;
}

/* A reset of the function alone leaves no other trace than what it cleared. */
static bool function_was_reset(struct nic *nic, uint32_t arqlen)
{
    if (field_of(PF_ARQLEN_ENABLE, arqlen) == 0) {
        nic_recover(nic, "the function was reset by somebody else");
        return true;
    }
    for (unsigned i = 0; nic->state == PORT_STARTED && i < nic_queues(nic);
         i++) {
        if (nic->rx_stopped[i] || reg_get(nic, QRX_ENA_QENA_STAT, i) != 0)
            continue;
        nic_recover(nic, "the function was reset by somebody else: its queues "
                         "are off");
        return true;
    }
    return false;
}

static bool firmware_is_lost(struct nic *nic)
{
    const uint32_t status = reg_read(nic, GL_FWSTS, 0);
    const uint32_t code = field_of(GL_FWSTS_FWS1B, status);

    if (status == UINT32_MAX)
        nic_recover(nic, "the device does not answer");
    else if (nic->aq.state == AQ_DEAD)
        nic_recover(nic, "firmware does not answer");
    else if (code != 0 && FIRMWARE_RESETS(code))
        nic_recover(nic, firmware_state_text(code));
    else if (code != 0)
        nic_give_up(nic, firmware_state_text(code));
    else
        return false;
    return true;
}

void nic_health_poll(struct nic *nic)
{
    uint32_t arqlen;

    if (is_due(&nic->reset_look_cycles, RESET_PERIOD_US) && was_reset(nic))
        return;
    if (!is_due(&nic->health_cycles, HEALTH_PERIOD_US) || firmware_is_lost(nic))
        return;
    arqlen = reg_read(nic, PF_ARQLEN, 0);
    if (function_was_reset(nic, arqlen))
        return;
    mdd_poll(nic);
    event_queue_poll(nic, arqlen);
}
