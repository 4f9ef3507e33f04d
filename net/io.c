/*
 * io.c - engine io: pass packets on untouched
 */
#include "net/engine.h"

static always_inline unsigned io_burst(struct stream *s, unsigned max)
{
    struct mbuf *pkts[FWD_BURST_MAX];
    const unsigned passed = stream_pass(s, max, NULL, NULL);
    unsigned n;

    if (likely(passed == max))
        return max;
    n = stream_receive(s, pkts, max - passed);
    if (n > 0)
        stream_send(s, pkts, n);
    return passed + n;
}

ENGINE(io, io_burst, false, "pass packets on untouched");
