/*
 * link.c - the link as firmware last told it
 *
 * Firmware owns the PHY and usually has the link up before we come, so nothing
 * here resets it: a switch disables a port that flaps. Changes arrive as events
 * in the admin queue. An event can be lost, so once a second the MAC's own
 * register is compared with what we believe, and firmware asked when they
 * differ.
 */
#include <millrace/clock.h>
#include <millrace/log.h>

#include "drivers/xl710/aq_cmd.h"
#include "drivers/xl710/nic.h"

#define MAC_LOOK_US   1000000
#define MAC_LINK_BITS 0x40000080 /* of PRTMAC_LINKSTA, as DPDK tests them */
#define EVENTS_WANTED                                                          \
    (AQ_EVENT_LINK_UPDOWN | AQ_EVENT_NO_MEDIA | AQ_EVENT_UNQUALIFIED)

/* Not fatal: on some parts the command wants a link; see link_poll. */
static enum status send_frame_size(struct nic *nic)
{
    const enum status s = aq_set_mac_config(nic, PORT_FRAME_MAX);

    if (s != OK && s != E_IO && s != E_BUSY)
        return s;
    nic->link.has_mac_config = s == OK && nic->link.is_up;
    return OK;
}

static void warn_unqualified(struct nic *nic, const struct aq_link *now)
{
    const bool bad = now->media_available && !now->media_qualified;

    if (bad && !now->is_up && !nic->link.warned_unqualified)
        log_warning("xl710 %s: the module in the port is rejected by firmware "
                    "(PHY type %#x): no link",
                    nic->name, now->phy_type);
    nic->link.warned_unqualified = bad;
}

static void log_change(const struct nic *nic, const struct aq_link *now)
{
    if (now->is_up)
        log_notice("xl710 %s: link up, %u Mb/s", nic->name, now->speed_mbps);
    else
        log_notice("xl710 %s: link down", nic->name);
}

static void take(struct nic *nic, const struct aq_link *now)
{
    struct nic_link *link = &nic->link;

    link->is_stale = false;
    link->autoneg_done = now->autoneg_done;
    warn_unqualified(nic, now);
    if (now->is_up != link->is_up) {
        link->changes++;
        link->changed_cycles = plat_cycles();
        log_change(nic, now);
    }
    link->is_up = now->is_up;
    link->speed_mbps = now->speed_mbps;
}

static void frame_size_at_first_link(struct nic *nic)
{
    if (!nic->link.is_up || nic->link.has_mac_config)
        return;
    if (send_frame_size(nic) != OK || !nic->link.has_mac_config)
        log_warning("xl710 %s: frame size not accepted with the link up",
                    nic->name);
    nic->link.has_mac_config = true; /* once */
}

static void ask(struct nic *nic)
{
    struct aq_link now;

    if (aq_get_link(nic, true, &now) == OK)
        take(nic, &now);
    else
        nic->link.is_stale = true;
}

/* ---- bring-up ---- */

static enum status switch_on(struct nic *nic)
{
    struct aq_phy phy;
    enum status s;

    if (nic->link.is_up)
        return OK;
    s = aq_get_phy(nic, &phy);
    if (s == E_IO || s == E_BUSY) {
        log_notice("xl710 %s: firmware does not describe the PHY; leaving the "
                   "link to it",
                   nic->name);
        return OK;
    }
    if (s != OK || (phy.link_is_enabled && phy.phy_types != 0))
        return s;
    s = aq_restart_link(nic);
    return s == E_IO || s == E_BUSY ? OK : s;
}

enum status link_open(struct nic *nic)
{
    const bool is_again = nic->recovery.stage != RECOVERY_NONE;
    struct aq_link now;
    enum status s;

    if (!is_again)
        nic->link = (struct nic_link) { .changed_cycles = plat_cycles() };
    nic->link.looked_cycles = plat_cycles();
    nic->link.has_mac_config = false;
    s = aq_set_event_mask(nic, EVENTS_WANTED);
    if (s == OK)
        s = aq_get_link(nic, true, &now);
    if (s != OK)
        return s;
    /* What we find at first is no transition. */
    if (!is_again)
        nic->link.is_up = now.is_up;
    take(nic, &now);
    return switch_on(nic);
}

void link_close(struct nic *nic)
{
    nic->link.is_up = false;
    nic->link.speed_mbps = 0;
}

enum status link_frame_size_set(struct nic *nic)
{
    struct aq_link now;
    enum status s = send_frame_size(nic);

    if (s != OK || !nic->link.has_mac_config)
        return s;
    s = aq_get_link(nic, true, &now);
    if (s != OK)
        return s;
    take(nic, &now);
    if (now.max_frame != PORT_FRAME_MAX)
        log_warning("xl710 %s: asked for frames of %u bytes, firmware says %u",
                    nic->name, PORT_FRAME_MAX, now.max_frame);
    return OK;
}

/* ---- run time ---- */

static void handle(struct nic *nic, const struct aq_event *event)
{
    struct aq_link now;

    if (event->opcode != aq_command_opcode(AQ_GET_LINK)) {
        nic->aq.unknown_events++;
        log_debug("xl710 %s: event %#06x ignored", nic->name, event->opcode);
        return;
    }
    aq_link_decode(event->params, &now);
    take(nic, &now);
    nic->link.is_stale = true;
}

static bool mac_disagrees(const struct nic *nic)
{
    const uint32_t v = reg_read(nic, PRTMAC_LINKSTA, 0);

    return ((v & MAC_LINK_BITS) == MAC_LINK_BITS) != nic->link.is_up;
}

void link_poll(struct nic *nic)
{
    struct nic_link *link = &nic->link;

    if (nic->aq.state != AQ_READY)
        return;
    /* An event is the last one until firmware is asked again. */
    if (adminq_poll(nic, handle) > 0 && link->is_stale)
        ask(nic);
    if (clock_cycles_to_us(plat_cycles() - link->looked_cycles) >=
        MAC_LOOK_US) {
        link->looked_cycles = plat_cycles();
        if (link->is_stale || mac_disagrees(nic))
            ask(nic);
    }
    frame_size_at_first_link(nic);
}

void link_lost(struct nic *nic)
{
    const struct aq_link down = { .is_up = false };

    take(nic, &down);
}
