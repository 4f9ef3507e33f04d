/*
 * aq_cmd.h - the admin commands, with types
 *
 * Layouts as in i40e_adminq_cmd.h of Intel's drivers. All calls wait for the
 * answer (adminq.h says how long) and log their failures.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

struct nic;

#define AQ_LINK_BYTES 16

/* What firmware says about the link, in an answer or in an event. */
struct aq_link {
    bool is_up;
    bool media_available;
    bool media_qualified;
    bool autoneg_done;
    bool events_on;
    uint8_t phy_type;
    uint16_t max_frame;
    uint32_t speed_mbps;
};

struct aq_phy {
    uint64_t phy_types; /* bitmap of what is enabled */
    uint8_t speeds;     /* bitmap */
    bool link_is_enabled;
    uint8_t module_type; /* SFF-8024 identifier; 0 = none */
};

/* Ask until firmware answers, at most ten times; fills nic->firmware. */
must_use enum status aq_get_version(struct nic *nic);

/* A lock that a dead agent may hold; a refusal means there was none. */
must_use enum status aq_release_nvm(struct nic *nic);

/* NVM version into nic->firmware, under the ownership lock; may stay 0. */
must_use enum status aq_read_nvm_version(struct nic *nic);

must_use enum status aq_clear_pxe(struct nic *nic);

/* Fills nic->caps. */
must_use enum status aq_get_capabilities(struct nic *nic);

/* E_CORRUPT for an address no station can have. */
must_use enum status aq_read_mac(struct nic *nic, uint8_t mac[6]);

/* The one VSI element that firmware made for this function. */
must_use enum status aq_find_vsi(struct nic *nic, uint16_t *seid);

/* Fill nic->vsi from nic->vsi.seid. */
must_use enum status aq_get_vsi(struct nic *nic);

/* Send nic->vsi.properties. */
must_use enum status aq_update_vsi(struct nic *nic);

#define AQ_PROMISC_UNICAST   0x0001
#define AQ_PROMISC_MULTICAST 0x0002
#define AQ_PROMISC_BROADCAST 0x0004
#define AQ_PROMISC_VLAN      0x0010
#define AQ_PROMISC_RX_ONLY   0x8000 /* not our own frames; API 1.5 */

/* Of the flags in @valid, switch on those in @flags. */
must_use enum status aq_set_promiscuous(struct nic *nic, uint16_t flags,
                                        uint16_t valid);

/* Frames to nic->mac, with any tag or none. */
must_use enum status aq_add_own_mac(struct nic *nic);
must_use enum status aq_remove_own_mac(struct nic *nic);

/* Largest frame on the wire, FCS included; FCS appended by the MAC. */
must_use enum status aq_set_mac_config(struct nic *nic, uint16_t max_frame);

/* Read the link; @events also turns link events on. */
must_use enum status aq_get_link(struct nic *nic, bool events,
                                 struct aq_link *link);
void aq_link_decode(const uint8_t raw[AQ_LINK_BYTES], struct aq_link *link);

must_use enum status aq_get_phy(struct nic *nic, struct aq_phy *phy);
must_use enum status aq_restart_link(struct nic *nic);

#define AQ_EVENT_LINK_UPDOWN 0x0002
#define AQ_EVENT_NO_MEDIA    0x0004
#define AQ_EVENT_UNQUALIFIED 0x0100

/* Only the events in @wanted are sent. */
must_use enum status aq_set_event_mask(struct nic *nic, uint16_t wanted);

/*
 * Receive control registers, which firmware shares with us: through it from
 * API 1.5 on, and directly when it keeps refusing.
 */
must_use enum status aq_rxctl_read(struct nic *nic, uint32_t offset,
                                   uint32_t *value);
must_use enum status aq_rxctl_write(struct nic *nic, uint32_t offset,
                                    uint32_t value);

/* Registers that only firmware may touch. */
must_use enum status aq_reg_read(struct nic *nic, uint32_t offset,
                                 uint32_t *value);
must_use enum status aq_reg_write(struct nic *nic, uint32_t offset,
                                  uint32_t value);

/* Is the LLDP agent of the firmware at work? It eats LLDP frames. */
must_use enum status aq_lldp_agent_runs(struct nic *nic, bool *runs);
