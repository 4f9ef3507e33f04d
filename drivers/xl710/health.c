/*
 * health.c - what the chip says about itself, in words
 */
#include <stdio.h>

#include <millrace/clock.h>
#include <millrace/log.h>

#include "drivers/xl710/nic.h"

#define HEALTH_PERIOD_US 1000000

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
static void mdd_poll(struct nic *nic)
{
    const uint32_t tx = reg_read(nic, GL_MDET_TX, 0);
    const uint32_t rx = reg_read(nic, GL_MDET_RX, 0);
    char text[96];

    if (field_of(GL_MDET_TX_VALID, tx) != 0 &&
        reg_get(nic, PF_MDET_TX_VALID, 0) != 0) {
        mdd_tx_text(tx, text, sizeof(text));
        log_error("xl710 %s: malicious driver: %s; the queue stays blocked "
                  "until port stop and start",
                  nic->name, text);
        reg_write(nic, GL_MDET_TX, 0, UINT32_MAX);
        reg_write(nic, PF_MDET_TX, 0, 0xFFFF);
        nic->mdd_events++;
    }
    if (field_of(GL_MDET_RX_VALID, rx) != 0 &&
        reg_get(nic, PF_MDET_RX_VALID, 0) != 0) {
        mdd_rx_text(rx, text, sizeof(text));
        log_error("xl710 %s: malicious driver: %s", nic->name, text);
        reg_write(nic, GL_MDET_RX, 0, UINT32_MAX);
        reg_write(nic, PF_MDET_RX, 0, 0xFFFF);
        nic->mdd_events++;
    }
}

/* Error bits of the event queue latch; writing them back as 0 clears them. */
static void event_queue_poll(struct nic *nic)
{
    const uint32_t len = reg_read(nic, PF_ARQLEN, 0);
    const uint32_t errors = field_is(PF_ARQLEN_VFE, 1) |
                            field_is(PF_ARQLEN_OVFL, 1) |
                            field_is(PF_ARQLEN_CRIT, 1);

    if ((len & errors) == 0 || len == UINT32_MAX)
        return;
    log_warning("xl710 %s: event queue:%s%s%s", nic->name,
                field_of(PF_ARQLEN_OVFL, len) ? " events were lost" : "",
                field_of(PF_ARQLEN_VFE, len) ? " a VF sent garbage" : "",
                field_of(PF_ARQLEN_CRIT, len) ? " firmware gave up" : "");
    nic->lost_events += field_of(PF_ARQLEN_OVFL, len);
    reg_write(nic, PF_ARQLEN, 0, len & ~errors);
    nic->link.is_stale = true; /* the lost event may have been a link's */
}

static void fail(struct nic *nic, const char *why)
{
    log_error("xl710 %s: %s; the port is out of service", nic->name, why);
    nic->aq.state = nic->aq.state == AQ_CLOSED ? AQ_CLOSED : AQ_DEAD;
    nic->state = PORT_FAILED;
    link_lost(nic);
}

void nic_health_poll(struct nic *nic)
{
    uint32_t rstat;

    if (clock_cycles_to_us(plat_cycles() - nic->health_cycles) <
        HEALTH_PERIOD_US)
        return;
    nic->health_cycles = plat_cycles();
    rstat = reg_read(nic, GLGEN_RSTAT, 0);
    if (rstat == UINT32_MAX) {
        fail(nic, "the device is gone from the bus");
        return;
    }
    if (field_of(GLGEN_RSTAT_DEVSTATE, rstat) != 0) {
        fail(nic, "the chip resets itself");
        return;
    }
    if (field_of(GLGEN_RSTAT_RESET_COUNTS, rstat) != nic->reset_counts) {
        fail(nic, "the chip was reset by firmware or through another port");
        return;
    }
    if (nic->aq.state == AQ_DEAD) {
        fail(nic, "firmware does not answer");
        return;
    }
    mdd_poll(nic);
    event_queue_poll(nic);
}
