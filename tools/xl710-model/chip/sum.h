/*
 * sum.h - the Internet checksum (RFC 1071), SCTP's CRC32c (RFC 9260), the
 * Ethernet FCS (IEEE 802.3)
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * Ones' complement sum of @len bytes added to @start, folded to 16 bits and in
 * host order; an odd last byte counts as the high half of a word.
 */
uint16_t sum_bytes(const uint8_t *p, size_t len, uint32_t start);

/* Fold to 16 bits. */
static inline uint16_t sum_fold(uint32_t sum)
{
    sum = (sum & 0xFFFF) + (sum >> 16);
    return (uint16_t)((sum & 0xFFFF) + (sum >> 16));
}

/* Pseudo header of @ip (its version in the first nibble) without the length. */
uint32_t sum_pseudo(const uint8_t *ip, uint8_t proto);

/* The checksum of an SCTP packet, its field taken as 0; as stored (LE). */
uint32_t sum_sctp(const uint8_t *p, size_t len);

/* The Ethernet frame check sequence, as sent (LE). */
uint32_t sum_fcs(const uint8_t *p, size_t len);
