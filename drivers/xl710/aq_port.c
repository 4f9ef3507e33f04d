/*
 * aq_port.c - admin commands about the switch, the port and its link
 */
#include <string.h>

#include <millrace/clock.h>
#include <millrace/endian.h>
#include <millrace/log.h>

#include "drivers/xl710/aq_cmd.h"
#include "drivers/xl710/nic.h"

/* ---- addresses ---- */

#define MAC_LAN_VALID  0x0010
#define MAC_PORT_VALID 0x0040
#define MAC_BYTES      24 /* LAN, SAN, port, wake: 6 each */

static bool is_station(const uint8_t mac[6])
{
    static const uint8_t zero[6];

    return (mac[0] & 1) == 0 && memcmp(mac, zero, sizeof(zero)) != 0;
}

enum status aq_read_mac(struct nic *nic, uint8_t mac[6])
{
    uint8_t list[MAC_BYTES];
    struct aq_call call = {
        .command = AQ_MAC_READ,
        .from = list,
        .bytes = sizeof(list),
    };
    const enum status s = adminq_call(nic, &call);
    uint16_t flags;

    if (s != OK)
        return s;
    flags = get_le16(call.params);
    if ((flags & (MAC_LAN_VALID | MAC_PORT_VALID)) == 0) {
        log_error("xl710 %s: firmware knows no MAC address (flags %#x)",
                  nic->name, flags);
        return E_CORRUPT;
    }
    memcpy(mac, list + ((flags & MAC_LAN_VALID) != 0 ? 0 : 12), 6);
    if (!is_station(mac)) {
        log_error("xl710 %s: firmware gives %02x:%02x:%02x:%02x:%02x:%02x, "
                  "which is no station's address",
                  nic->name, mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
        return E_CORRUPT;
    }
    return OK;
}

#define SEID_VALID       0x8000
#define MACVLAN_BYTES    16
#define MACVLAN_PERFECT  0x01
#define MACVLAN_ANY_VLAN 0x04
#define REMOVE_ANY_VLAN  0x08
#define MATCH_NONE       0xFF

static enum status own_mac(struct nic *nic, enum aq_command command,
                           uint8_t flags)
{
    uint8_t entry[MACVLAN_BYTES] = { 0 };
    struct aq_call call = {
        .command = command,
        .to = entry,
        .from = entry,
        .bytes = sizeof(entry),
    };
    enum status s;

    memcpy(entry, nic->mac, 6);
    entry[8] = flags;
    entry[12] = MATCH_NONE;
    put_le16(call.params, 1);
    put_le16(call.params + 2, SEID_VALID | nic->vsi.seid);
    s = adminq_call(nic, &call);
    if (s == OK && command == AQ_ADD_MACVLAN && call.code == AQ_OK &&
        entry[12] == MATCH_NONE) {
        log_error("xl710 %s: the switch has no room for our MAC address",
                  nic->name);
        return E_NOMEM;
    }
    return s;
}

enum status aq_add_own_mac(struct nic *nic)
{
    return own_mac(nic, AQ_ADD_MACVLAN, MACVLAN_PERFECT | MACVLAN_ANY_VLAN);
}

enum status aq_remove_own_mac(struct nic *nic)
{
    return own_mac(nic, AQ_REMOVE_MACVLAN, MACVLAN_PERFECT | REMOVE_ANY_VLAN);
}

/* ---- switch ---- */

#define SWITCH_BYTES       512
#define SWITCH_HEADER      16
#define SWITCH_ELEMENT     16
#define SWITCH_VSI         19
#define SWITCH_READS_MAX   64 /* the chip has 384 VSIs, an answer holds 31 */
#define SWITCH_PER_READING ((SWITCH_BYTES - SWITCH_HEADER) / SWITCH_ELEMENT)

/* Look through one answer; true when the VSI was in it. */
static bool vsi_in(const uint8_t *list, uint16_t *seid)
{
    unsigned n = get_le16(list);

    if (n > SWITCH_PER_READING)
        n = SWITCH_PER_READING;
    for (unsigned i = 0; i < n; i++) {
        const uint8_t *e = list + SWITCH_HEADER + (size_t)i * SWITCH_ELEMENT;

        if (e[0] != SWITCH_VSI)
            continue;
        *seid = get_le16(e + 2);
        return true;
    }
    return false;
}

/* The answer overwrites the command, so each round builds it anew. */
enum status aq_find_vsi(struct nic *nic, uint16_t *seid)
{
    uint16_t start = 0;

    for (unsigned i = 0; i < SWITCH_READS_MAX; i++) {
        uint8_t list[SWITCH_BYTES];
        struct aq_call call = {
            .command = AQ_GET_SWITCH,
            .from = list,
            .bytes = sizeof(list),
        };
        enum status s;

        put_le16(call.params, start);
        s = adminq_call(nic, &call);
        if (s != OK)
            return s;
        if (vsi_in(list, seid))
            return OK;
        start = get_le16(call.params);
        if (start == 0)
            break;
    }
    log_error("xl710 %s: firmware made no VSI for this function", nic->name);
    return E_NOENT;
}

#define VSI_QUEUE_SETS 96
#define VSI_STAT_BLOCK 112

static void take_properties(struct nic *nic, const struct aq_call *call)
{
    nic->vsi.number = get_le16(call->params + 2);
    nic->vsi.queue_set = get_le16(nic->vsi.properties + VSI_QUEUE_SETS);
    nic->vsi.stat_block = get_le16(nic->vsi.properties + VSI_STAT_BLOCK);
}

enum status aq_get_vsi(struct nic *nic)
{
    struct aq_call call = {
        .command = AQ_GET_VSI,
        .from = nic->vsi.properties,
        .bytes = sizeof(nic->vsi.properties),
    };
    enum status s;

    put_le16(call.params, nic->vsi.seid);
    s = adminq_call(nic, &call);
    if (s == OK)
        take_properties(nic, &call);
    return s;
}

enum status aq_update_vsi(struct nic *nic)
{
    struct aq_call call = {
        .command = AQ_UPDATE_VSI,
        .to = nic->vsi.properties,
        .bytes = sizeof(nic->vsi.properties),
    };

    put_le16(call.params, nic->vsi.seid);
    return adminq_call(nic, &call);
}

enum status aq_set_promiscuous(struct nic *nic, uint16_t flags, uint16_t valid)
{
    struct aq_call call = { .command = AQ_PROMISCUOUS };

    put_le16(call.params, flags);
    put_le16(call.params + 2, valid);
    put_le16(call.params + 4, nic->vsi.seid);
    return adminq_call(nic, &call);
}

/* ---- MAC and link ---- */

#define MAC_CRC_ENABLE      0x04
#define MAC_REFRESH_DEFAULT 0x7FFF

enum status aq_set_mac_config(struct nic *nic, uint16_t max_frame)
{
    struct aq_call call = { .command = AQ_SET_MAC_CONFIG };

    put_le16(call.params, max_frame);
    call.params[2] = MAC_CRC_ENABLE;
    put_le16(call.params + 6, MAC_REFRESH_DEFAULT);
    return adminq_call(nic, &call);
}

#define LINK_EVENTS_ON   3
#define LINK_UP          0x01
#define LINK_MEDIA       0x40
#define LINK_AN_DONE     0x01
#define LINK_QUALIFIED   0x80
#define LINK_EVENTS_FLAG 0x01

static uint32_t speed_of(uint8_t bits)
{
    switch (bits) {
    case 0x01:
        return 2500;
    case 0x02:
        return 100;
    case 0x04:
        return 1000;
    case 0x08:
        return 10000;
    case 0x10:
        return 40000;
    case 0x20:
        return 20000;
    case 0x40:
        return 25000;
    case 0x80:
        return 5000;
    }
    return 0;
}

void aq_link_decode(const uint8_t raw[AQ_LINK_BYTES], struct aq_link *link)
{
    *link = (struct aq_link) {
        .is_up = (raw[4] & LINK_UP) != 0,
        .media_available = (raw[4] & LINK_MEDIA) != 0,
        .media_qualified = (raw[5] & LINK_QUALIFIED) != 0,
        .autoneg_done = (raw[5] & LINK_AN_DONE) != 0,
        .events_on = (raw[0] & LINK_EVENTS_FLAG) != 0,
        .phy_type = raw[2],
        .max_frame = get_le16(raw + 8),
    };
    if (link->is_up)
        link->speed_mbps = speed_of(raw[3]);
}

enum status aq_get_link(struct nic *nic, bool events, struct aq_link *link)
{
    struct aq_call call = { .command = AQ_GET_LINK };
    enum status s;

    put_le16(call.params, events ? LINK_EVENTS_ON : 0);
    s = adminq_call(nic, &call);
    if (s == OK)
        aq_link_decode(call.params, link);
    return s;
}

#define PHY_BYTES        536
#define PHY_LINK_ENABLED 0x08
#define PHY_TRIES        20
#define PHY_RETRY_US     1000

enum status aq_get_phy(struct nic *nic, struct aq_phy *phy)
{
    uint8_t raw[PHY_BYTES];
    enum status s = E_BUSY;

    for (unsigned try = 0; s == E_BUSY && try < PHY_TRIES; try++) {
        struct aq_call call = {
            .command = AQ_GET_PHY,
            .from = raw,
            .bytes = sizeof(raw),
            .is_quiet = true,
        };

        if (try > 0)
            clock_delay_us(PHY_RETRY_US);
        s = adminq_call(nic, &call);
    }
    if (s != OK)
        return s;
    *phy = (struct aq_phy) {
        .phy_types = get_le32(raw) | (uint64_t)raw[13] << 32,
        .speeds = raw[4],
        .link_is_enabled = (raw[5] & PHY_LINK_ENABLED) != 0,
        .module_type = raw[20],
    };
    return OK;
}

#define LINK_RESTART_AN 0x02
#define LINK_ENABLE     0x04

enum status aq_restart_link(struct nic *nic)
{
    struct aq_call call = {
        .command = AQ_RESTART_LINK,
        .params = { LINK_RESTART_AN | LINK_ENABLE },
    };

    return adminq_call(nic, &call);
}

#define EVENTS_ALL 0x03FF

enum status aq_set_event_mask(struct nic *nic, uint16_t wanted)
{
    struct aq_call call = { .command = AQ_EVENT_MASK };

    put_le16(call.params + 8, EVENTS_ALL & (uint16_t)~wanted);
    return adminq_call(nic, &call);
}
