/*
 * offload.c - what transmit does to a frame on its way out
 *
 *   I1  offload_fault() has passed @o for this @len before anything is written
 *
 * An L4 checksum field arrives with the pseudo-header sum in it, complete with
 * the length unless the packet is to be segmented (Linux i40e_txrx.c, DPDK
 * i40e_rxtx.c); the hardware adds what is missing and complements.
 */
#include "chip/offload.h"

#include "chip/bytes.h"
#include "chip/sum.h"

/* CMD, bits of the data descriptor from bit 4 on. */
#define CMD_IIPT(cmd) (((cmd) >> 5) & 3)
#define CMD_L4T(cmd)  (((cmd) >> 8) & 3)

/* OFFSET */
#define OFFSET_MACLEN(v) (((v)&0x7F) * 2)
#define OFFSET_IPLEN(v)  (((v) >> 7 & 0x7F) * 4)
#define OFFSET_L4LEN(v)  (((v) >> 14 & 0xF) * 4)

/* Tunneling parameters of the context descriptor. */
#define TUN_EXT_IP(v)    ((v)&3)
#define TUN_EXT_IPLEN(v) (((v) >> 2 & 0x3F) * 4)
#define TUN_NATT(v)      ((v) >> 9 & 3)
#define TUN_EIP_NOINC    (1u << 11)
#define TUN_NATLEN(v)    (((v) >> 12 & 0x7F) * 2)
#define TUN_L4T_CS       (1u << 23)

#define TCP_SEQ_AT   4
#define TCP_FLAGS_AT 12 /* with the data offset in the high nibble */
#define TCP_SUM_AT   16
#define UDP_LEN_AT   4
#define UDP_SUM_AT   6
#define SCTP_SUM_AT  8

void offload_decode(uint32_t cmd, uint32_t offset, uint32_t tunnel,
                    struct offload *o)
{
    *o = (struct offload) {
        .ip = (enum offload_ip)CMD_IIPT(cmd),
        .l4 = (enum offload_l4)CMD_L4T(cmd),
        .mac_len = OFFSET_MACLEN(offset),
        .ip_len = OFFSET_IPLEN(offset),
        .l4_len = OFFSET_L4LEN(offset),
    };
    o->ip_at = o->mac_len;
    /* 1 IPv6, 2 IPv4, 3 IPv4 with checksum: the same code as IIPT. */
    o->outer_ip = (enum offload_ip)TUN_EXT_IP(tunnel);
    if (o->outer_ip != OFFLOAD_IP_NONE) {
        o->outer_at = o->mac_len;
        o->outer_l4_at = (uint16_t)(o->outer_at + TUN_EXT_IPLEN(tunnel));
        o->outer_is_udp = TUN_NATT(tunnel) == 1;
        o->outer_l4_sum = tunnel & TUN_L4T_CS;
        o->outer_id_fixed = tunnel & TUN_EIP_NOINC;
        o->ip_at = (uint16_t)(o->outer_l4_at + TUN_NATLEN(tunnel));
    }
    o->l4_at = (uint16_t)(o->ip_at + o->ip_len);
    o->payload_at = (uint16_t)(o->l4_at + o->l4_len);
}

/* Bytes of an IP header that must be there to be worked on. */
static unsigned ip_min(enum offload_ip ip)
{
    return ip == OFFLOAD_IPV6 ? 40 : 20;
}

static unsigned l4_min(enum offload_l4 l4)
{
    return l4 == OFFLOAD_TCP ? 20 : l4 == OFFLOAD_SCTP ? 12 : 8;
}

const char *offload_fault(const struct offload *o, size_t len)
{
    if (o->ip == OFFLOAD_IP_NONE && o->l4 == OFFLOAD_L4_NONE &&
        o->outer_ip == OFFLOAD_IP_NONE)
        return NULL;
    if (o->mac_len == 0)
        return "MACLEN is 0";
    if (o->ip == OFFLOAD_IP_NONE && o->l4 != OFFLOAD_L4_NONE)
        return "L4T without IIPT";
    if (o->ip != OFFLOAD_IP_NONE && o->ip_len < ip_min(o->ip))
        return "IPLEN is too short";
    if (o->l4 != OFFLOAD_L4_NONE && o->l4_len < l4_min(o->l4))
        return "L4LEN is too short";
    if (o->outer_ip != OFFLOAD_IP_NONE &&
        o->outer_l4_at - o->outer_at < (int)ip_min(o->outer_ip))
        return "EXT_IPLEN is too short";
    if (o->outer_ip != OFFLOAD_IP_NONE && o->outer_is_udp &&
        o->ip_at - o->outer_l4_at < 8)
        return "NATLEN is too short";
    if (o->payload_at > len)
        return "the headers are longer than the packet";
    return NULL;
}

/* ---- one header each ---- */

static void fill_ipv4_sum(uint8_t *ip, size_t bytes)
{
    put_be16(ip + 10, 0);
    put_be16(ip + 10, (uint16_t)~sum_bytes(ip, bytes, 0));
}

/* @extra: what the field's sum lacks (the length in TSO). */
static void fill_l4_sum(uint8_t *l4, size_t bytes, enum offload_l4 kind,
                        uint32_t extra)
{
    const unsigned at = kind == OFFLOAD_TCP ? TCP_SUM_AT : UDP_SUM_AT;
    uint16_t sum;

    if (kind == OFFLOAD_SCTP) {
        put_le32(l4 + SCTP_SUM_AT, sum_sctp(l4, bytes));
        return;
    }
    sum = (uint16_t)~sum_bytes(l4, bytes, extra);
    if (sum == 0 && kind == OFFLOAD_UDP)
        sum = 0xFFFF; /* 0 would mean "none" */
    put_be16(l4 + at, sum);
}

/*
 * Where layer 4 ends: as the IP header says, so that padding behind it does
 * not count; the frame's end when the header makes no sense.
 */
static size_t l4_bytes(const uint8_t *frame, size_t len,
                       const struct offload *o)
{
    const uint8_t *ip = frame + o->ip_at;
    const size_t end =
        o->ip_at + (o->ip == OFFLOAD_IPV6 ? 40u + be16(ip + 4) : be16(ip + 2));

    if (end < o->payload_at || end > len)
        return len - o->l4_at;
    return end - o->l4_at;
}

static void fill_outer(uint8_t *frame, size_t len, const struct offload *o)
{
    uint8_t *udp = frame + o->outer_l4_at;

    if (o->outer_ip == OFFLOAD_IPV4_SUM)
        fill_ipv4_sum(frame + o->outer_at,
                      (size_t)(o->outer_l4_at - o->outer_at));
    if (o->outer_ip != OFFLOAD_IP_NONE && o->outer_is_udp && o->outer_l4_sum)
        fill_l4_sum(udp, len - o->outer_l4_at, OFFLOAD_UDP, 0);
}

void offload_checksums(uint8_t *frame, size_t len, const struct offload *o)
{
    if (o->ip == OFFLOAD_IPV4_SUM)
        fill_ipv4_sum(frame + o->ip_at, o->ip_len);
    if (o->l4 != OFFLOAD_L4_NONE)
        fill_l4_sum(frame + o->l4_at, l4_bytes(frame, len, o), o->l4, 0);
    fill_outer(frame, len, o);
}

/* ---- segments ---- */

static void set_ip_len(uint8_t *ip, enum offload_ip kind, size_t bytes,
                       unsigned id_step)
{
    if (kind == OFFLOAD_IPV6) {
        put_be16(ip + 4, (uint16_t)(bytes - 40));
        return;
    }
    put_be16(ip + 2, (uint16_t)bytes);
    put_be16(ip + 4, (uint16_t)(be16(ip + 4) + id_step));
}

static void segment_outer(uint8_t *frame, size_t len, const struct offload *o,
                          unsigned index)
{
    uint8_t *udp = frame + o->outer_l4_at;
    const size_t bytes = len - o->outer_l4_at;

    if (o->outer_ip == OFFLOAD_IP_NONE)
        return;
    set_ip_len(frame + o->outer_at, o->outer_ip, len - o->outer_at,
               o->outer_id_fixed ? 0 : index);
    if (o->outer_ip == OFFLOAD_IPV4_SUM)
        fill_ipv4_sum(frame + o->outer_at,
                      (size_t)(o->outer_l4_at - o->outer_at));
    if (!o->outer_is_udp)
        return;
    put_be16(udp + UDP_LEN_AT, (uint16_t)bytes);
    if (o->outer_l4_sum)
        fill_l4_sum(udp, bytes, OFFLOAD_UDP, (uint32_t)bytes);
}

void offload_segment(uint8_t *frame, size_t len, const struct offload *o,
                     unsigned index, size_t done, unsigned clear)
{
    uint8_t *l4 = frame + o->l4_at;
    const size_t bytes = len - o->l4_at;

    set_ip_len(frame + o->ip_at, o->ip, len - o->ip_at, index);
    if (o->ip == OFFLOAD_IPV4_SUM)
        fill_ipv4_sum(frame + o->ip_at, o->ip_len);
    if (o->l4 == OFFLOAD_TCP) {
        const uint16_t flags = be16(l4 + TCP_FLAGS_AT);

        put_be32(l4 + TCP_SEQ_AT, be32(l4 + TCP_SEQ_AT) + (uint32_t)done);
        put_be16(l4 + TCP_FLAGS_AT, (uint16_t)(flags & ~(clear & 0xFFF)));
    } else if (o->l4 == OFFLOAD_UDP) {
        put_be16(l4 + UDP_LEN_AT, (uint16_t)bytes);
    }
    fill_l4_sum(l4, bytes, o->l4, (uint32_t)bytes);
    segment_outer(frame, len, o, index);
}

uint8_t *offload_insert_tag(uint8_t *frame, uint16_t tpid, uint16_t tag)
{
    uint8_t *start = frame - 4;

    memmove(start, frame, 12);
    put_be16(start + 12, tpid);
    put_be16(start + 14, tag);
    return start;
}
