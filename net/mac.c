/*
 * mac.c - engine mac: address each packet to the peer of the outgoing port
 */
#include "net/engine.h"

static always_inline void mac_edit(const struct stream *s,
                                   struct ether_hdr *eth)
{
    memcpy(eth->dst, s->peer, sizeof(eth->dst));
    memcpy(eth->src, s->own, sizeof(eth->src));
}

static always_inline unsigned mac_burst(struct stream *s, unsigned max)
{
    return stream_edit(s, max, mac_edit);
}

ENGINE(mac, mac_burst, false, "destination: the peer; source: our own address");
