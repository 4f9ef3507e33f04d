/*
 * mac.c - engine mac: address each packet to the peer of the outgoing port
 */
#include <string.h>

#include "net/engine.h"

static always_inline void mac_edit(const struct edit_addresses *to,
                                   uint8_t *frame)
{
    memcpy(frame, &to->head, sizeof(to->head));
    memcpy(frame + sizeof(to->head), &to->rest, sizeof(to->rest));
}

static void mac_edit_all(const void *to, struct mbuf *const at[], size_t offset,
                         unsigned n)
{
    edit_frames(to, at, offset, n, mac_edit);
}

static always_inline unsigned mac_burst(struct stream *s, unsigned max)
{
    uint8_t both[2 * ETHER_ADDR_BYTES];
    struct edit_addresses to;

    memcpy(both, s->peer, sizeof(s->peer));
    memcpy(both + sizeof(s->peer), s->own, sizeof(s->own));
    memcpy(&to.head, both, sizeof(to.head));
    memcpy(&to.rest, both + sizeof(to.head), sizeof(to.rest));
    return stream_edit(s, max, &to, mac_edit, mac_edit_all);
}

ENGINE(mac, mac_burst, false, "destination: the peer; source: our own address");
