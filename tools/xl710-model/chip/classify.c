/*
 * classify.c - the packet parser: PTYPE, PCTYPE, tunnels
 *
 *   I1  layers.c reads inside the frame only; what is read here beside it lies
 *       before the end of the IP payload
 *   I2  one tunnel is followed, so the work has a bound whatever the frame says
 *
 * Source  packet type numbers: Linux i40e i40e_common.c (i40e_ptype_lookup)
 */
#include "chip/classify.h"

#include "chip/bytes.h"
#include "chip/layers.h"

enum {
    PTYPE_L2 = 1,
    PTYPE_PTP = 2,
    PTYPE_LLDP = 6,
    PTYPE_EAPOL = 10,
    PTYPE_ARP = 11,
    PTYPE_IPV4 = 22, /* the first of a group, see enum l4_kind */
    PTYPE_IPV6 = 88,
};

/* Tunnel groups, relative to the outer IP's group. */
enum {
    TUNNEL_IPIP = 7,    /* + 7 when the inner is IPv6 */
    TUNNEL_GRENAT = 21, /* + 1 IPv4, + 8 IPv6 inside */
    TUNNEL_MAC = 36,
    TUNNEL_MAC_VLAN = 51,
    INNER_NONE = 0,
    INNER_IPV4 = 1,
    INNER_IPV6 = 8,
};

static uint8_t cast_of(const uint8_t *mac)
{
    static const uint8_t broadcast[6] = { 255, 255, 255, 255, 255, 255 };

    if (!(mac[0] & 1))
        return 0;
    return memcmp(mac, broadcast, sizeof(broadcast)) == 0 ? 2 : 1;
}

static uint8_t l2_ptype(uint16_t etype)
{
    switch (etype) {
    case ETYPE_ARP:
        return PTYPE_ARP;
    case ETYPE_LLDP:
        return PTYPE_LLDP;
    case ETYPE_PTP:
        return PTYPE_PTP;
    case ETYPE_EAPOL:
        return PTYPE_EAPOL;
    default:
        return PTYPE_L2;
    }
}

/* ---- tunnels ---- */

struct tunnel {
    uint8_t group; /* TUNNEL_*, 0 = none */
    uint16_t at;   /* the inner header: layer 2 or 3 */
    uint16_t etype;
    bool has_l2;
};

static void parse_gre(const uint8_t *f, const struct ip_layer *ip,
                      struct tunnel *t)
{
    unsigned bytes = 4, flags;

    if (ip->l4 + 4 > ip->end)
        return;
    flags = be16(f + ip->l4);
    if (flags & 7) /* version 0 only */
        return;
    bytes += (flags & 0x8000 ? 4 : 0) + (flags & 0x2000 ? 4 : 0) +
             (flags & 0x1000 ? 4 : 0);
    t->group = TUNNEL_GRENAT;
    t->at = (uint16_t)(ip->l4 + bytes);
    t->etype = be16(f + ip->l4 + 2);
    t->has_l2 = t->etype == ETYPE_TEB;
}

static void parse_udp_tunnel(const uint8_t *f, const struct ip_layer *ip,
                             const struct classify_tunnels *known,
                             struct tunnel *t)
{
    const uint16_t port = be16(f + ip->l4 + 2);
    const unsigned at = ip->l4 + 8u;

    for (unsigned i = 0; i < known->n; i++) {
        if (known->udp[i].port != port)
            continue;
        t->group = TUNNEL_GRENAT;
        if (at + 8 > ip->end)
            return;
        if (known->udp[i].type == 0) { /* VXLAN */
            t->at = (uint16_t)(at + 8);
            t->has_l2 = true;
        } else if (known->udp[i].type == 1) { /* Geneve */
            t->at = (uint16_t)(at + 8 + (f[at] & 63) * 4u);
            t->etype = be16(f + at + 2);
            t->has_l2 = t->etype == ETYPE_TEB;
        }
        return;
    }
}

static void find_tunnel(const uint8_t *f, const struct ip_layer *ip,
                        const struct classify_tunnels *known, struct tunnel *t)
{
    *t = (struct tunnel) { 0 };
    if (ip->kind == L4_UDP) {
        if (known != NULL && known->n != 0)
            parse_udp_tunnel(f, ip, known, t);
    } else if (ip->kind == L4_OTHER) {
        t->at = ip->l4;
        if (ip->proto == PROTO_GRE)
            parse_gre(f, ip, t);
        else if (ip->proto == PROTO_IPV4)
            *t = (struct tunnel) { TUNNEL_IPIP, ip->l4, ETYPE_IPV4, false };
        else if (ip->proto == PROTO_IPV6)
            *t = (struct tunnel) { TUNNEL_IPIP, ip->l4, ETYPE_IPV6, false };
    }
}

/*
 * Parse the inside of @t. Returns  the packet type, or 0 when the outer one
 * stands (IP in IP without a whole inner header)
 */
static uint8_t parse_inside(const uint8_t *f, unsigned outer_base,
                            const struct ip_layer *outer, struct tunnel *t,
                            struct ip_layer *in, uint16_t *etype)
{
    unsigned group = t->group;
    struct l2_layer l2;

    *in = (struct ip_layer) { 0 };
    if (t->has_l2 && t->at != 0 && layers_l2(f, t->at, outer->end, &l2)) {
        group = l2.tags ? TUNNEL_MAC_VLAN : TUNNEL_MAC;
        t->at = l2.l3;
        t->etype = l2.etype;
        *etype = l2.etype;
    }
    if (t->at != 0)
        layers_ip(f, t->at, outer->end, t->etype, in);
    if (t->group == TUNNEL_IPIP) {
        if (in->version == 0)
            return 0;
        return (uint8_t)(outer_base + TUNNEL_IPIP + (in->version == 6 ? 7 : 0) +
                         in->kind);
    }
    if (in->version == 0)
        return (uint8_t)(outer_base + group + INNER_NONE);
    return (uint8_t)(outer_base + group +
                     (in->version == 6 ? INNER_IPV6 : INNER_IPV4) + in->kind);
}

/* ---- together ---- */

static uint8_t pctype_of(const struct ip_layer *ip)
{
    const bool v6 = ip->version == 6;

    switch (ip->kind) {
    case L4_FRAG:
        return v6 ? PCTYPE_IPV6_FRAG : PCTYPE_IPV4_FRAG;
    case L4_UDP:
        return v6 ? PCTYPE_IPV6_UDP : PCTYPE_IPV4_UDP;
    case L4_TCP:
        return v6 ? PCTYPE_IPV6_TCP : PCTYPE_IPV4_TCP;
    case L4_SCTP:
        return v6 ? PCTYPE_IPV6_SCTP : PCTYPE_IPV4_SCTP;
    default:
        return v6 ? PCTYPE_IPV6_OTHER : PCTYPE_IPV4_OTHER;
    }
}

static void take_ip(struct classified *c, const struct ip_layer *ip)
{
    c->pctype = pctype_of(ip);
    c->ip = ip->version;
    c->l3 = ip->at;
    c->has_ports =
        ip->kind == L4_UDP || ip->kind == L4_TCP || ip->kind == L4_SCTP;
    c->l4 = ip->kind == L4_FRAG || ip->kind == L4_OTHER ? 0 : ip->l4;
    /* IPv6 has no header checksum: without layer 4 nothing was checked. */
    c->checked = ip->version == 4 || ip->l4_checked;
    c->ip_bad = ip->head_bad;
    c->l4_bad = ip->l4_bad;
    c->ipv6_ext = ip->ext;
}

void classify(const uint8_t *frame, size_t len,
              const struct classify_tunnels *tunnels, struct classified *out)
{
    struct l2_layer l2;
    struct ip_layer ip, in;
    struct tunnel t;
    uint8_t base, ptype;

    *out = (struct classified) { .ptype = PTYPE_L2, .pctype = PCTYPE_L2 };
    len = len < 0xFFFF ? len : 0xFFFF; /* offsets have 16 bits */
    if (!layers_l2(frame, 0, len, &l2))
        return;
    out->cast = cast_of(frame);
    out->tags = l2.tags;
    out->tpid = l2.tpid;
    out->tag = l2.tag;
    out->outer_etype = be16(frame + 12);
    out->etype = l2.etype;
    out->ptype = l2_ptype(l2.etype);
    layers_ip(frame, l2.l3, len, l2.etype, &ip);
    if (ip.version == 0)
        return;
    base = ip.version == 6 ? PTYPE_IPV6 : PTYPE_IPV4;
    out->ptype = (uint8_t)(base + ip.kind);
    take_ip(out, &ip);
    find_tunnel(frame, &ip, tunnels, &t);
    if (t.group == 0)
        return;
    ptype = parse_inside(frame, base, &ip, &t, &in, &out->etype);
    if (ptype != 0)
        out->ptype = ptype;
    if (in.version == 0)
        return;
    take_ip(out, &in);
    out->outer_ip_bad = ip.head_bad;
}
