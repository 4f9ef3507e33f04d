/*
 * classify.h - what the packet parser finds in a frame
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Packet classifier types: what RSS and flow director call a flow. */
enum pctype {
    PCTYPE_IPV4_UDP = 31,
    PCTYPE_IPV4_TCP = 33,
    PCTYPE_IPV4_SCTP = 34,
    PCTYPE_IPV4_OTHER = 35,
    PCTYPE_IPV4_FRAG = 36,
    PCTYPE_IPV6_UDP = 41,
    PCTYPE_IPV6_TCP = 43,
    PCTYPE_IPV6_SCTP = 44,
    PCTYPE_IPV6_OTHER = 45,
    PCTYPE_IPV6_FRAG = 46,
    PCTYPE_L2 = 63,
};

#define CLASSIFY_TUNNELS_MAX 16

/* UDP ports that announce a tunnel (0 VXLAN, 1 Geneve; others opaque). */
struct classify_tunnels {
    unsigned n;
    struct {
        uint16_t port;
        uint8_t type;
    } udp[CLASSIFY_TUNNELS_MAX];
};

struct classified {
    uint8_t ptype;
    uint8_t pctype;       /* enum pctype, of the innermost headers */
    uint8_t cast;         /* 0 unicast, 1 multicast, 2 broadcast */
    uint8_t tags;         /* VLAN tags before the payload, 0 .. 2 */
    uint16_t tpid;        /* of the outermost tag */
    uint16_t tag;         /* the outermost tag (TCI) */
    uint16_t outer_etype; /* first ethertype, before any tag is skipped */
    uint16_t etype;       /* last ethertype of the innermost layer 2 */
    uint8_t ip;           /* innermost: 0 none, 4, 6 */
    uint16_t l3;          /* offset of that header */
    uint16_t l4;          /* 0 = no layer 4 that could be parsed */
    bool has_ports;       /* UDP, TCP or SCTP at l4 */
    bool checked;         /* layers 3 and 4 were looked at (L3L4P) */
    bool ip_bad;          /* IPE */
    bool l4_bad;          /* L4E */
    bool outer_ip_bad;    /* EIPE */
    bool ipv6_ext;        /* routing or destination options seen (IPV6EXADD) */
};

/* Any @len (what is beyond 65535 is ignored); truncated headers are safe. */
void classify(const uint8_t *frame, size_t len,
              const struct classify_tunnels *tunnels, struct classified *out);
