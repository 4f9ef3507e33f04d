/*
 * edit.c - engines that rewrite Ethernet headers, where a burst is not plain
 */
#include <string.h>

#include "net/engine.h"

unsigned stream_edit_odd(struct stream *s, struct mbuf *pkts[], unsigned n,
                         const struct edit_addresses *to, engine_edit *edit)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < n; i++) {
        struct mbuf *m = pkts[i];
        uint8_t copy[EDIT_BYTES] = { 0 };

        if (m->data_len >= EDIT_BYTES) {
            edit(to, mbuf_data(m));
        } else if (m->data_len >= sizeof(struct ether_hdr)) {
            memcpy(copy, mbuf_data(m), m->data_len);
            edit(to, copy);
            memcpy(mbuf_data(m), copy, m->data_len);
        } else {
            stream_drop(s, FWD_DROP_TOO_SHORT, &m, 1);
            continue;
        }
        pkts[kept++] = m;
    }
    return kept;
}
