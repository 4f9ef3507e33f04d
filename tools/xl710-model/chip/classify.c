/*
 * classify.c - the packet parser: PTYPE, PCTYPE, checksums
 *
 *   I1  no byte at or beyond the frame's end is read
 *   I2  at most two VLAN tags, eight IPv6 extension headers and one tunnel are
 *       followed, so the work has a bound whatever the frame says
 *
 * Source  packet type numbers: Linux i40e i40e_common.c (i40e_ptype_lookup)
 */
#include "chip/classify.h"

#include "chip/bytes.h"
#include "chip/sum.h"

#define ETH_BYTES    14
#define TAGS_MAX     2
#define IPV6_EXT_MAX 8

enum {
    ETYPE_IPV4 = 0x0800,
    ETYPE_ARP = 0x0806,
    ETYPE_TEB = 0x6558, /* Ethernet in GRE */
    ETYPE_VLAN = 0x8100,
    ETYPE_IPV6 = 0x86DD,
    ETYPE_EAPOL = 0x888E,
    ETYPE_SVLAN = 0x88A8,
    ETYPE_LLDP = 0x88CC,
    ETYPE_PTP = 0x88F7,
};

enum {
    PROTO_HOPOPT = 0,
    PROTO_ICMP = 1,
    PROTO_IPV4 = 4,
    PROTO_TCP = 6,
    PROTO_UDP = 17,
    PROTO_IPV6 = 41,
    PROTO_ROUTING = 43,
    PROTO_FRAGMENT = 44,
    PROTO_GRE = 47,
    PROTO_ICMPV6 = 58,
    PROTO_NONE = 59,
    PROTO_DSTOPTS = 60,
    PROTO_SCTP = 132,
};

enum {
    PTYPE_L2 = 1,
    PTYPE_PTP = 2,
    PTYPE_LLDP = 6,
    PTYPE_EAPOL = 10,
    PTYPE_ARP = 11,
    PTYPE_IPV4 = 22, /* the first of a group, see enum l4_kind */
    PTYPE_IPV6 = 88,
};

/* Place in a PTYPE group. */
enum l4_kind {
    L4_FRAG = 0,
    L4_OTHER = 1,
    L4_UDP = 2,
    L4_TCP = 4,
    L4_SCTP = 5,
    L4_ICMP = 6
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

struct ip_layer {
    uint8_t version; /* 0: no IP header that could be parsed */
    uint8_t proto;
    enum l4_kind kind;
    uint16_t at, l4, end; /* offsets; end of the IP payload in the frame */
    bool whole;           /* the frame holds all the header promises */
    bool head_bad, l4_checked, l4_bad, ext;
};

struct l2_layer {
    uint16_t l3;
    uint16_t etype;
    uint16_t tpid, tag;
    uint8_t tags;
};

/* ---- layer 2 ---- */

static bool is_tag(uint16_t etype)
{
    return etype == ETYPE_VLAN || etype == ETYPE_SVLAN;
}

/* Returns  false when the header does not fit */
static bool parse_l2(const uint8_t *f, size_t at, size_t len,
                     struct l2_layer *l2)
{
    *l2 = (struct l2_layer) { 0 };
    if (len < at + ETH_BYTES)
        return false;
    l2->etype = be16(f + at + 12);
    l2->l3 = (uint16_t)(at + ETH_BYTES);
    while (is_tag(l2->etype) && l2->tags < TAGS_MAX && l2->l3 + 4u <= len) {
        if (l2->tags++ == 0) {
            l2->tpid = l2->etype;
            l2->tag = be16(f + l2->l3);
        }
        l2->etype = be16(f + l2->l3 + 2);
        l2->l3 += 4;
    }
    return true;
}

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

/* ---- layer 4 ---- */

static bool pseudo_sum_is_bad(const uint8_t *f, const struct ip_layer *ip,
                              size_t bytes)
{
    const uint32_t start = sum_pseudo(f + ip->at, ip->proto) + (uint32_t)bytes;

    return sum_bytes(f + ip->l4, bytes, start) != 0xFFFF;
}

static void check_udp(const uint8_t *f, struct ip_layer *ip)
{
    const uint16_t bytes = be16(f + ip->l4 + 4);

    if (bytes < 8 || bytes > ip->end - ip->l4)
        return;
    ip->l4_checked = true;
    if (be16(f + ip->l4 + 6) == 0) /* no checksum: allowed by IPv4 only */
        ip->l4_bad = ip->version == 6;
    else
        ip->l4_bad = pseudo_sum_is_bad(f, ip, bytes);
}

static void parse_l4(const uint8_t *f, struct ip_layer *ip)
{
    const unsigned bytes = ip->end - ip->l4;

    ip->kind = L4_OTHER;
    if (ip->proto == PROTO_UDP && bytes >= 8) {
        ip->kind = L4_UDP;
        if (ip->whole)
            check_udp(f, ip);
    } else if (ip->proto == PROTO_TCP && bytes >= 20) {
        ip->kind = L4_TCP;
        ip->l4_checked = ip->whole;
        ip->l4_bad = ip->whole && pseudo_sum_is_bad(f, ip, bytes);
    } else if (ip->proto == PROTO_SCTP && bytes >= 12) {
        ip->kind = L4_SCTP;
        ip->l4_checked = ip->whole;
        ip->l4_bad =
            ip->whole && sum_sctp(f + ip->l4, bytes) != le32(f + ip->l4 + 8);
    } else if (ip->proto == (ip->version == 4 ? PROTO_ICMP : PROTO_ICMPV6) &&
               bytes >= 4) {
        ip->kind = L4_ICMP;
    }
}

/* ---- layer 3 ---- */

/* The IP payload ends where the header says, or with the frame. */
static void set_end(struct ip_layer *ip, size_t end, size_t len)
{
    ip->whole = end <= len;
    ip->end = (uint16_t)(ip->whole ? end : len);
}

static void parse_ipv4(const uint8_t *f, size_t at, size_t len,
                       struct ip_layer *ip)
{
    unsigned head, total;

    if (len < at + 20 || f[at] >> 4 != 4)
        return;
    head = (f[at] & 15) * 4u;
    total = be16(f + at + 2);
    if (head < 20 || len < at + head || total < head)
        return;
    ip->version = 4;
    ip->at = (uint16_t)at;
    ip->l4 = (uint16_t)(at + head);
    ip->proto = f[at + 9];
    ip->head_bad = sum_bytes(f + at, head, 0) != 0xFFFF;
    set_end(ip, at + total, len);
    if (be16(f + at + 6) & 0x3FFF) /* more fragments, or an offset */
        ip->kind = L4_FRAG;
    else
        parse_l4(f, ip);
}

/*
 * Skip extension headers. Returns  false when the packet is a fragment
 */
static bool skip_ipv6_ext(const uint8_t *f, struct ip_layer *ip)
{
    for (unsigned i = 0; i < IPV6_EXT_MAX && ip->l4 + 8 <= ip->end; i++) {
        const unsigned bytes = (f[ip->l4 + 1] + 1u) * 8;

        switch (ip->proto) {
        case PROTO_FRAGMENT:
            return false;
        case PROTO_ROUTING:
        case PROTO_DSTOPTS:
            ip->ext = true;
            break;
        case PROTO_HOPOPT:
            break;
        default:
            return true;
        }
        if (bytes > (unsigned)(ip->end - ip->l4))
            break;
        ip->proto = f[ip->l4];
        ip->l4 = (uint16_t)(ip->l4 + bytes);
    }
    return true;
}

static void parse_ipv6(const uint8_t *f, size_t at, size_t len,
                       struct ip_layer *ip)
{
    if (len < at + 40 || f[at] >> 4 != 6)
        return;
    ip->version = 6;
    ip->at = (uint16_t)at;
    ip->l4 = (uint16_t)(at + 40);
    ip->proto = f[at + 6];
    set_end(ip, at + 40 + be16(f + at + 4), len);
    if (!skip_ipv6_ext(f, ip))
        ip->kind = L4_FRAG;
    else
        parse_l4(f, ip);
}

static void parse_ip(const uint8_t *f, size_t at, size_t len, uint16_t etype,
                     struct ip_layer *ip)
{
    *ip = (struct ip_layer) { 0 };
    if (etype == ETYPE_IPV4)
        parse_ipv4(f, at, len, ip);
    else if (etype == ETYPE_IPV6)
        parse_ipv6(f, at, len, ip);
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
    if (t->has_l2 && t->at != 0 && parse_l2(f, t->at, outer->end, &l2)) {
        group = l2.tags ? TUNNEL_MAC_VLAN : TUNNEL_MAC;
        t->at = l2.l3;
        t->etype = l2.etype;
        *etype = l2.etype;
    }
    if (t->at != 0)
        parse_ip(f, t->at, outer->end, t->etype, in);
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
    if (!parse_l2(frame, 0, len, &l2))
        return;
    out->cast = cast_of(frame);
    out->tags = l2.tags;
    out->tpid = l2.tpid;
    out->tag = l2.tag;
    out->outer_etype = be16(frame + 12);
    out->etype = l2.etype;
    out->ptype = l2_ptype(l2.etype);
    parse_ip(frame, l2.l3, len, l2.etype, &ip);
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
