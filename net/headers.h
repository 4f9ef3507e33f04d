/*
 * headers.h - protocol headers as bytes on the wire
 *
 * Every member is a byte or an array of bytes, so a header may lie at any
 * address; get_be16() and its sisters (endian.h) read and write the numbers.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/endian.h>

#define ETHER_ADDR_BYTES 6
#define ETHER_TYPE_IPV4  0x0800

/* IEEE 802.3 clause 3 */
struct ether_hdr {
    uint8_t dst[ETHER_ADDR_BYTES];
    uint8_t src[ETHER_ADDR_BYTES];
    uint8_t type[2];
};
_Static_assert(sizeof(struct ether_hdr) == 14, "IEEE 802.3");

/* RFC 791 section 3.1, without options */
#define IPV4_VERSION_IHL 0x45
#define IP_PROTOCOL_UDP  17

struct ipv4_hdr {
    uint8_t version_ihl;
    uint8_t tos;
    uint8_t total_length[2];
    uint8_t id[2];
    uint8_t fragment[2];
    uint8_t ttl;
    uint8_t protocol;
    uint8_t checksum[2];
    uint8_t src[4];
    uint8_t dst[4];
};
_Static_assert(sizeof(struct ipv4_hdr) == 20, "RFC 791");
_Static_assert(offsetof(struct ipv4_hdr, checksum) == 10, "RFC 791");

/* RFC 768 */
struct udp_hdr {
    uint8_t src_port[2];
    uint8_t dst_port[2];
    uint8_t length[2];
    uint8_t checksum[2];
};
_Static_assert(sizeof(struct udp_hdr) == 8, "RFC 768");

/*
 * The Internet checksum (RFC 1071) of @bytes bytes at @data, ready to be stored
 * with put_be16(); 0 for a header whose checksum is in place and right.
 */
static inline uint16_t inet_checksum(const void *data, size_t bytes)
{
    const uint8_t *p = data;
    uint64_t sum = 0;

    for (; bytes >= 2; bytes -= 2, p += 2)
        sum += get_be16(p);
    if (bytes == 1)
        sum += (uint32_t)p[0] << 8;
    while (sum >> 16 != 0)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)~sum;
}
