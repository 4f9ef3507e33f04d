/*
 * perf.c - three registers of the switch arbiter that decide the packet rate
 *
 * With reset values small packets are slow in promiscuous mode. Values as in
 * i40e_configure_registers() of DPDK's i40e_ethdev.c. The registers serve the
 * whole chip, so only the first of our ports on it writes them.
 */
#include <millrace/log.h>

#include "drivers/xl710/aq_cmd.h"
#include "drivers/xl710/nic.h"

#define PRI_JOIN_MAP_0_FW5  0x10000200
#define PRI_JOIN_MAP_0_FW6  0x203F0200
#define PRI_JOIN_MAP_0_X722 0x20000200
#define PRI_JOIN_MAP_2_XL   0x011F0200
#define PRI_JOIN_MAP_2_X722 0x013F0200
#define PM_UP_THR_VALUE_EF  0x03030303
#define PM_UP_THR_VALUE_SF  0x06060606

static uint32_t join_map_0(const struct nic *nic)
{
    if (nic_is_x722(nic))
        return PRI_JOIN_MAP_0_X722;
    return nic->firmware.major < 6 ? PRI_JOIN_MAP_0_FW5 : PRI_JOIN_MAP_0_FW6;
}

/* 0 = leave it alone. */
static uint32_t up_threshold(const struct nic *nic)
{
    switch (nic->id->pm_up_thr) {
    case PM_UP_THR_EF:
    case PM_UP_THR_X722_SFP:
        return PM_UP_THR_VALUE_EF;
    case PM_UP_THR_SF:
        return PM_UP_THR_VALUE_SF;
    }
    return 0;
}

static enum status set_one(struct nic *nic, enum reg reg, uint32_t want)
{
    const uint32_t offset = reg_offset(reg, 0);
    uint32_t found, now = want;
    enum status s = aq_reg_read(nic, offset, &found);

    if (s != OK || found == want)
        return s;
    s = aq_reg_write(nic, offset, want);
    if (s == OK)
        s = aq_reg_read(nic, offset, &now);
    if (s == OK && now != want)
        log_warning("xl710 %s: switch register %#x: wrote %#x, reads %#x",
                    nic->name, offset, want, now);
    return s;
}

/* Only speed is at stake, so a refusal is no reason to stop. */
enum status perf_registers_set(struct nic *nic)
{
    const uint32_t threshold = up_threshold(nic);
    enum status s;

    if (nic_has_older_sibling(nic))
        return OK;
    s = set_one(nic, GL_SWR_PRI_JOIN_MAP_0, join_map_0(nic));
    if (s == OK)
        s = set_one(nic, GL_SWR_PRI_JOIN_MAP_2,
                    nic_is_x722(nic) ? PRI_JOIN_MAP_2_X722 : PRI_JOIN_MAP_2_XL);
    if (s == OK && threshold != 0)
        s = set_one(nic, GL_SWR_PM_UP_THR, threshold);
    if (s != E_IO && s != E_BUSY)
        return s;
    log_warning("xl710 %s: switch arbiter not tuned: small packets may be slow",
                nic->name);
    return OK;
}
