/*
 * link.c - PHY configuration, link state, events
 *
 *   L1  the link is up exactly when the wire is alive, the PHY configuration
 *       allows a link, training is over and no global reset runs
 *   L2  PRTMAC_LINKSTA, 0x0607 and link_is_up agree at every moment
 *   L3  an event tells of a change only while events are on; sending one turns
 *       them off until the driver asks again (Linux i40e_main.c,
 *       i40e_handle_link_event)
 *
 * Values: Linux i40e_adminq_cmd.h (PHY types, speeds, link_info), DPDK
 * i40e_ethdev.c (PRTMAC_LINKSTA).
 */
#include "chip/control.h"

#define FALL_NS        (10 * CHIP_MS_NS)
#define TRAIN_NS       (20 * CHIP_MS_NS)
#define OP_LINK_STATUS 0x0607
#define EVENT_LINK     0x0002u

#define PHY_40G_SR4 0x19u
#define PHY_10G_SR  0x14u
#define PHY_25G_SR  0x21u
#define SPEED_10G   0x08u
#define SPEED_40G   0x10u
#define SPEED_25G   0x40u
#define MACC_25G    0x00020000u

#define ABIL_PAUSE       0x03u /* transmit, receive */
#define ABIL_LINK_ENABLE 0x08u
#define ABIL_AN          0x10u
#define ABIL_MODULE      0x20u

#define AN_PAUSE_SHIFT 5 /* the same two bits in an_info */

#define INFO_UP      0x01u
#define INFO_PORT_UP 0x20u
#define INFO_MEDIA   0x40u
#define INFO_SIGNAL  0x80u

uint8_t link_speed(const struct chip *chip)
{
    switch (chip->config.device_id) {
    case 0x1583:
    case 0x1584:
    case 0x1585:
        return SPEED_40G;
    case 0x158A:
    case 0x158B:
    case 0x0D58:
        return SPEED_25G;
    default:
        return SPEED_10G;
    }
}

static uint8_t phy_type(const struct chip *chip)
{
    const uint8_t speed = link_speed(chip);

    return speed == SPEED_40G   ? PHY_40G_SR4
           : speed == SPEED_25G ? PHY_25G_SR
                                : PHY_10G_SR;
}

uint32_t link_phy_types(const struct chip *chip)
{
    const uint8_t type = phy_type(chip);

    return type < 32 ? 1u << type : 0;
}

uint8_t link_phy_types_ext(const struct chip *chip)
{
    /* The extension byte starts at 25G KR, number 0x1F. */
    return phy_type(chip) == PHY_25G_SR ? 0x04 : 0;
}

uint8_t link_module_id(const struct chip *chip)
{
    const uint8_t speed = link_speed(chip);

    return speed == SPEED_40G ? 0x0D : 0x03;
}

bool link_is_up(const struct chip *chip, unsigned port)
{
    return port < chip->ports && chip->pf[port].link.is_up;
}

bool chip_link_get(struct chip *chip, unsigned port)
{
    return link_is_up(chip, port);
}

static uint32_t linksta(const struct chip *chip, const struct chip_pf *pf)
{
    if (!pf->link.is_up)
        return 0;
    return link_speed(chip) == SPEED_10G ? 0x50000080u : 0x58000080u;
}

void link_status(const struct chip *chip, const struct chip_pf *pf,
                 uint8_t params[16])
{
    const struct chip_link *l = &pf->link;

    for (unsigned i = 0; i < 16; i++)
        params[i] = 0;
    params[0] = l->events_on ? 1 : 0;
    params[2] = phy_type(chip);
    params[3] = l->is_up ? link_speed(chip) : 0;
    params[4] = INFO_MEDIA;
    if (l->is_up) {
        params[4] |= INFO_UP | INFO_PORT_UP | INFO_SIGNAL;
        params[5] = 0x81; /* negotiation complete, module qualified */
        /* Over fibre nothing is negotiated: what was asked for is in force. */
        params[5] |= (uint8_t)((l->abilities & ABIL_PAUSE) << AN_PAUSE_SHIFT);
    } else {
        params[5] = 0x80;
    }
    put_le16(&params[8], l->max_frame);
    params[10] = l->mac_config & 0x7C;
    put_le32(&params[11], link_phy_types(chip));
    params[15] = link_phy_types_ext(chip);
}

static bool may_be_up(const struct chip *chip, const struct chip_pf *pf)
{
    const struct chip_link *l = &pf->link;

    return l->wire_up && (l->abilities & ABIL_LINK_ENABLE) && l->speed != 0 &&
           (l->phy_type != 0 || l->phy_type_ext != 0) &&
           chip->now_ns >= l->train_until_ns && !reset_is_running(chip);
}

static void tell(struct chip *chip, struct chip_pf *pf)
{
    struct chip_link *l = &pf->link;
    uint8_t params[16];

    intr_other(chip, pf, ICR0_LINK_CHANGE);
    if (!l->events_on || (l->mask & EVENT_LINK))
        return;
    link_status(chip, pf, params);
    l->events_on = false;
    adminq_event(chip, pf, OP_LINK_STATUS, params, NULL, 0);
}

void link_update(struct chip *chip, struct chip_pf *pf)
{
    struct chip_link *l = &pf->link;
    const bool was = l->is_up;

    l->is_up = may_be_up(chip, pf);
    pf->regs.PRTMAC_LINKSTA[0] = linksta(chip, pf);
    pf->regs.PRTMAC_MACC[0] = link_speed(chip) == SPEED_25G ? MACC_25G : 0;
    if (l->is_up == was)
        return;
    if (was)
        pf->regs.PRTMAC_LINK_DOWN_COUNTER[0] =
            (pf->regs.PRTMAC_LINK_DOWN_COUNTER[0] + 1) & 0xFFFF;
    tell(chip, pf);
}

static void start_training(struct chip *chip, struct chip_link *l)
{
    l->fall_ns = 0;
    l->train_until_ns = chip->now_ns + TRAIN_NS;
}

/*
 * The firmware answers first, and a link that is up falls a little later. Linux
 * relies on it: i40e_set_pauseparam reads the state right after 0x0601, sees no
 * event while it holds the RTNL lock, and then restarts the negotiation with
 * "enable" only when that state was up.
 */
void link_retrain(struct chip *chip, struct chip_pf *pf)
{
    struct chip_link *l = &pf->link;

    if (!l->is_up)
        start_training(chip, l);
    else if (l->fall_ns == 0)
        l->fall_ns = chip->now_ns + FALL_NS;
    link_update(chip, pf);
}

void link_advance(struct chip *chip, struct chip_pf *pf)
{
    struct chip_link *l = &pf->link;

    if (l->fall_ns != 0 && chip->now_ns >= l->fall_ns) {
        start_training(chip, l);
        link_update(chip, pf);
    }
    if (l->is_up || chip->now_ns < l->train_until_ns)
        return;
    link_update(chip, pf);
}

void chip_link_set(struct chip *chip, unsigned port, bool up)
{
    if (port >= chip->ports)
        return;
    chip->pf[port].link.wire_up = up;
    link_update(chip, &chip->pf[port]);
}

void link_reset(struct chip *chip, struct chip_pf *pf, enum chip_reset reset)
{
    struct chip_link *l = &pf->link;

    /* Events are off after every reset; the PHY keeps its configuration
     * through those that leave the MAC alone. */
    l->events_on = false;
    l->mask = 0;
    if (reset < CHIP_RESET_GLOBR)
        return;
    l->phy_type = link_phy_types(chip);
    l->phy_type_ext = link_phy_types_ext(chip);
    l->speed = link_speed(chip);
    l->abilities = ABIL_LINK_ENABLE | ABIL_AN | ABIL_MODULE;
    l->fec = 0;
    l->max_frame = 9728;
    l->mac_config = 0x04;
    l->loopback = 0;
    l->fall_ns = 0;
    l->train_until_ns = reset == CHIP_RESET_POR ? 0 : chip->now_ns + TRAIN_NS;
}
