/*
 * vsi.c - our place in the chip's switch: one VSI that owns every queue
 */
#include <string.h>

#include <millrace/bits.h>
#include <millrace/endian.h>
#include <millrace/log.h>

#include "drivers/xl710/aq_cmd.h"
#include "drivers/xl710/nic.h"

/* Offsets in the 128 bytes of VSI properties. */
#define VSI_SECTIONS      0
#define VSI_VLAN_FLAGS    12
#define VSI_MAPPING_FLAGS 28
#define VSI_QUEUE_MAP     30
#define VSI_QUEUE_MAP_LEN 32
#define VSI_TC_MAP        62
#define VSI_TC_MAP_LEN    16

#define SECTION_VLAN      0x0004
#define SECTION_QUEUES    0x0040
#define VLAN_ACCEPT_ALL   0x03
#define VLAN_KEEP_TAGS    0x18
#define TC_QUEUES_SHIFT   9
#define QUEUE_SET_INVALID 0xFFFF
#define QUEUE_SET_MAX     0x3FF
#define STAT_BLOCKS       384

enum {
    ALL_FRAMES = AQ_PROMISC_UNICAST | AQ_PROMISC_MULTICAST | AQ_PROMISC_VLAN,
};

enum status vsi_find(struct nic *nic)
{
    const enum status s = aq_find_vsi(nic, &nic->vsi.seid);

    return s == OK ? aq_get_vsi(nic) : s;
}

/*
 * A traffic class holds a power of two of queues, all of them ours; a queue
 * needs a context, and a vector whose timer writes it back (intr.c).
 */
static unsigned queues_possible(const struct nic *nic)
{
    unsigned n = nic->hmc.pairs;

    if (!rss_is_possible(nic))
        return 1;
    n = n < nic->queue_count ? n : nic->queue_count;
    n = n < nic->caps.vectors - 1 ? n : nic->caps.vectors - 1;
    return 1u << log2_floor(n);
}

/*
 * Tags stay in the packet, tagged and untagged frames are welcome, and all
 * queues belong to traffic class 0: those that are not in use as well, for the
 * hash names only those that are (rss.c).
 */
enum status vsi_shape(struct nic *nic)
{
    uint8_t *p = nic->vsi.properties;
    enum status s;

    nic->queues_max = queues_possible(nic);
    put_le16(p + VSI_SECTIONS, SECTION_VLAN | SECTION_QUEUES);
    p[VSI_VLAN_FLAGS] = VLAN_ACCEPT_ALL | VLAN_KEEP_TAGS;
    put_le16(p + VSI_MAPPING_FLAGS, 0);
    memset(p + VSI_QUEUE_MAP, 0, VSI_QUEUE_MAP_LEN);
    memset(p + VSI_TC_MAP, 0, VSI_TC_MAP_LEN);
    put_le16(p + VSI_TC_MAP,
             (uint16_t)(log2_floor(nic->queues_max) << TC_QUEUES_SHIFT));
    s = aq_update_vsi(nic);
    if (s == OK)
        s = aq_get_vsi(nic);
    if (s != OK)
        return s;
    if (nic->vsi.queue_set > QUEUE_SET_MAX ||
        nic->vsi.queue_set == QUEUE_SET_INVALID ||
        nic->vsi.stat_block >= STAT_BLOCKS) {
        log_error("xl710 %s: VSI %u has queue set %#x and statistics block %u, "
                  "which cannot be",
                  nic->name, nic->vsi.number, nic->vsi.queue_set,
                  nic->vsi.stat_block);
        return E_CORRUPT;
    }
    return OK;
}

/* Broadcast always: some firmware hands ARP to another VSI otherwise. */
enum status vsi_promiscuous_set(struct nic *nic, bool on)
{
    const uint16_t rx_only = api_at_least(nic, 5) ? AQ_PROMISC_RX_ONLY : 0;
    const uint16_t all = (uint16_t)(on ? ALL_FRAMES | rx_only : 0);
    const enum status s = aq_set_promiscuous(
        nic, (uint16_t)(all | AQ_PROMISC_BROADCAST),
        (uint16_t)(ALL_FRAMES | AQ_PROMISC_BROADCAST | rx_only));

    if (s == OK)
        nic->promiscuous = on;
    return s;
}

enum status vsi_filters_set(struct nic *nic)
{
    const enum status s = aq_add_own_mac(nic);

    return s == OK ? vsi_promiscuous_set(nic, nic->promiscuous) : s;
}

/* On the way out; a firmware that no longer answers is not asked twice. */
void vsi_filters_clear(struct nic *nic)
{
    enum status s;

    if (nic->aq.state != AQ_READY)
        return;
    s = aq_set_promiscuous(nic, 0,
                           ALL_FRAMES | AQ_PROMISC_BROADCAST |
                               (api_at_least(nic, 5) ? AQ_PROMISC_RX_ONLY : 0));
    if (s == OK)
        s = aq_remove_own_mac(nic);
    if (s != OK)
        log_warning("xl710 %s: filters stay behind: %s", nic->name,
                    status_text(s));
}

/* MAC filters on, flow director off, and no hash before there are queues. */
enum status filter_control_set(struct nic *nic)
{
    const uint32_t on =
        field_is(PFQF_CTL_0_ETYPE_ENA, 1) | field_is(PFQF_CTL_0_MACVLAN_ENA, 1);
    const uint32_t off = field_is(PFQF_CTL_0_FD_ENA, 1);
    uint32_t v = 0;
    enum status s = aq_rxctl_read(nic, reg_offset(PFQF_CTL_0, 0), &v);

    if (s == OK && ((v & off) != 0 || (v & on) != on))
        s = aq_rxctl_write(nic, reg_offset(PFQF_CTL_0, 0), (v & ~off) | on);
    for (unsigned i = 0; s == OK && i < 2; i++)
        s = aq_rxctl_write(nic, reg_offset(PFQF_HENA, i), 0);
    nic->rss.is_on = false;
    return s;
}

/*
 * A frame of type 0x88A8 is a frame like any other: with the S-tag enabled the
 * switch would take the tag for its own and drop the frame (DPDK 5b00b18884).
 */
enum status outer_tags_set(struct nic *nic)
{
    const uint32_t v = reg_read(nic, PRT_L2TAGSEN, 0);

    if (field_of(PRT_L2TAGSEN_STAG, v) != 0)
        reg_write(nic, PRT_L2TAGSEN, 0, v & ~field_is(PRT_L2TAGSEN_STAG, 1));
    return OK;
}
