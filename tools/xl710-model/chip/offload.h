/*
 * offload.h - what transmit does to a frame on its way out: checksums, tags,
 * segments. Pure functions on one linear frame.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum offload_ip {
    OFFLOAD_IP_NONE,
    OFFLOAD_IPV6,
    OFFLOAD_IPV4,
    OFFLOAD_IPV4_SUM
};
enum offload_l4 { OFFLOAD_L4_NONE, OFFLOAD_TCP, OFFLOAD_SCTP, OFFLOAD_UDP };

/*
 * Where the headers are, from a data descriptor's CMD and OFFSET and a context
 * descriptor's tunneling parameters. Offsets in bytes from the frame's start.
 */
struct offload {
    enum offload_ip ip;       /* innermost */
    enum offload_l4 l4;       /* innermost */
    enum offload_ip outer_ip; /* OFFLOAD_IP_NONE: no tunnel */
    bool outer_is_udp;
    bool outer_l4_sum;   /* fill in the outer UDP checksum */
    bool outer_id_fixed; /* outer IPv4 id does not count up */
    uint16_t outer_at, outer_l4_at;
    uint16_t ip_at, l4_at, payload_at;
    uint16_t mac_len, ip_len, l4_len;
};

void offload_decode(uint32_t cmd, uint32_t offset, uint32_t tunnel,
                    struct offload *o);

/*
 * The lengths the driver left out though CMD needs them, or headers that do
 * not fit @len. Returns  NULL when fine, else one line
 */
const char *offload_fault(const struct offload *o, size_t len);

/* Fill in what CMD asks for. @frame holds @len bytes. */
void offload_checksums(uint8_t *frame, size_t len, const struct offload *o);

/*
 * Make segment @index of a TSO packet out of a copy of its headers followed by
 * its share of the payload: lengths, ids, sequence number, flags, checksums.
 * @done bytes of payload went before; @clear are TCP flags to clear.
 */
void offload_segment(uint8_t *frame, size_t len, const struct offload *o,
                     unsigned index, size_t done, unsigned clear);

/*
 * Put a tag after the addresses; four bytes before @frame must be free.
 * Returns  the new start of the frame, four bytes before @frame
 */
uint8_t *offload_insert_tag(uint8_t *frame, uint16_t tpid, uint16_t tag);
