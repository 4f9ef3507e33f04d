/*
 * rxonly.c - engine rxonly: count what comes in and let it go
 */
#include "net/engine.h"

static always_inline unsigned rxonly_burst(struct stream *s, unsigned max)
{
    struct mbuf *pkts[FWD_BURST_MAX];
    const unsigned n = stream_receive(s, pkts, max);

    if (n > 0)
        mbuf_free_bulk(pkts, n);
    return n;
}

ENGINE(rxonly, rxonly_burst, false, "receive and free");
