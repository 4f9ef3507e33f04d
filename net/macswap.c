/*
 * macswap.c - engine macswap: send each packet on with its addresses exchanged
 */
#include "net/engine.h"

static always_inline void macswap_edit(const struct stream *s,
                                       struct ether_hdr *eth)
{
    struct ether_hdr old;

    (void)s;
    memcpy(&old, eth, sizeof(old));
    memcpy(eth->dst, old.src, sizeof(eth->dst));
    memcpy(eth->src, old.dst, sizeof(eth->src));
}

static always_inline unsigned macswap_burst(struct stream *s, unsigned max)
{
    return stream_edit(s, max, macswap_edit);
}

ENGINE(macswap, macswap_burst, false, "exchange source and destination");
