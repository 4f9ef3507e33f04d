/*
 * link.h - the link as firmware last told it, and since when
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

struct nic;

struct nic_link {
    bool is_up;
    bool is_stale;       /* ask firmware at the next poll */
    bool has_mac_config; /* the frame size was set while the link was up */
    bool autoneg_done;
    bool warned_unqualified;
    uint32_t speed_mbps;
    uint32_t changes;
    uint64_t changed_cycles;
    uint64_t looked_cycles; /* when the MAC was looked at last */
};

/* Events on; the PHY, too, if nobody did it. Does not wait for a link. */
must_use enum status link_open(struct nic *nic);
void link_close(struct nic *nic);

/* Frames up to the chip's limit; repeated at the first link-up if need be. */
must_use enum status link_frame_size_set(struct nic *nic);

/* Take events, and look at the MAC now and then. Bounded, mostly free. */
void link_poll(struct nic *nic);

/* The device is gone: the link is down. */
void link_lost(struct nic *nic);
