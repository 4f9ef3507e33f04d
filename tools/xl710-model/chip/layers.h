/*
 * layers.h - one header after the other: what classify.c asks of layers.c
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Place in a PTYPE group. */
enum l4_kind {
    L4_FRAG = 0,
    L4_OTHER = 1,
    L4_UDP = 2,
    L4_TCP = 4,
    L4_SCTP = 5,
    L4_ICMP = 6
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

/* The MAC header at @at. Returns  false when it does not fit @len */
bool layers_l2(const uint8_t *f, size_t at, size_t len, struct l2_layer *l2);

/* The IP header at @at, and what follows it; version 0 when there is none. */
void layers_ip(const uint8_t *f, size_t at, size_t len, uint16_t etype,
               struct ip_layer *ip);
