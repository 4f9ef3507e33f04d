/*
 * txonly.h - the packet that engine txonly sends
 */
#pragma once

#include "net/headers.h"
#include "net/lcore.h"

struct txonly_frame {
    struct ether_hdr eth;
    struct ipv4_hdr ip;
    struct udp_hdr udp;
};
_Static_assert(sizeof(struct txonly_frame) == 42, "no padding between headers");

#define TXONLY_LEN_MIN     42 /* headers and an empty datagram */
#define TXONLY_LEN_DEFAULT 64
#define TXONLY_LEN_MAX     2048 /* what one usual buffer holds */

/* Send @max packets; returns @max, or 0 when there were no buffers. */
unsigned txonly_burst(struct stream *s, unsigned max);

/* Headers of the packet that stream @s sends; @s->tx_len sets the lengths. */
void txonly_headers(const struct stream *s, struct txonly_frame *frame);
