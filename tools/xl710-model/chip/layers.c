/*
 * layers.c - MAC, VLAN, IPv4, IPv6 and layer 4 headers, and their checksums
 *
 *   I1  no byte at or beyond the frame's end is read
 *   I2  at most two VLAN tags and eight IPv6 extension headers are followed
 */
#include "chip/layers.h"

#include "chip/bytes.h"
#include "chip/sum.h"

#define ETH_BYTES    14
#define TAGS_MAX     2
#define IPV6_EXT_MAX 8

/* ---- layer 2 ---- */

static bool is_tag(uint16_t etype)
{
    return etype == ETYPE_VLAN || etype == ETYPE_SVLAN;
}

bool layers_l2(const uint8_t *f, size_t at, size_t len, struct l2_layer *l2)
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

void layers_ip(const uint8_t *f, size_t at, size_t len, uint16_t etype,
               struct ip_layer *ip)
{
    *ip = (struct ip_layer) { 0 };
    if (etype == ETYPE_IPV4)
        parse_ipv4(f, at, len, ip);
    else if (etype == ETYPE_IPV6)
        parse_ipv6(f, at, len, ip);
}
