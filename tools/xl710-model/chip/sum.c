/*
 * sum.c - the Internet checksum (RFC 1071), SCTP's CRC32c (RFC 9260), the
 * Ethernet FCS (IEEE 802.3)
 */
#include "chip/sum.h"

#include "chip/bytes.h"

#define SCTP_SUM_AT 8

uint16_t sum_bytes(const uint8_t *p, size_t len, uint32_t start)
{
    uint64_t sum = 0;

    /* Byte order does not matter to the sum, only to its result. */
    for (; len >= 4; p += 4, len -= 4)
        sum += le32(p);
    if (len >= 2) {
        sum += le16(p);
        p += 2;
        len -= 2;
    }
    if (len == 1)
        sum += *p;
    sum = (sum & 0xFFFFFFFF) + (sum >> 32);
    sum = (sum & 0xFFFFFFFF) + (sum >> 32);
    sum = (sum & 0xFFFF) + (sum >> 16);
    sum = (sum & 0xFFFF) + (sum >> 16);
    return sum_fold((uint32_t)__builtin_bswap16((uint16_t)sum) +
                    sum_fold(start));
}

uint32_t sum_pseudo(const uint8_t *ip, uint8_t proto)
{
    if (ip[0] >> 4 == 4)
        return sum_bytes(ip + 12, 8, proto);
    return sum_bytes(ip + 8, 32, proto);
}

/* Reflected CRCs a nibble at a time; rows are the sixteen single steps. */
static const uint32_t crc32c_nibble[16] = {
    /* 0x82F63B78 */
    0x00000000, 0x105EC76F, 0x20BD8EDE, 0x30E349B1, 0x417B1DBC, 0x5125DAD3,
    0x61C69362, 0x7198540D, 0x82F63B78, 0x92A8FC17, 0xA24BB5A6, 0xB21572C9,
    0xC38D26C4, 0xD3D3E1AB, 0xE330A81A, 0xF36E6F75,
};
static const uint32_t crc32_nibble[16] = {
    /* 0xEDB88320 */
    0x00000000, 0x1DB71064, 0x3B6E20C8, 0x26D930AC, 0x76DC4190, 0x6B6B51F4,
    0x4DB26158, 0x5005713C, 0xEDB88320, 0xF00F9344, 0xD6D6A3E8, 0xCB61B38C,
    0x9B64C2B0, 0x86D3D2D4, 0xA00AE278, 0xBDBDF21C,
};

static uint32_t crc_bytes(const uint32_t nibble[16], uint32_t crc,
                          const uint8_t *p, size_t len)
{
    for (; len > 0; p++, len--) {
        crc = (crc >> 4) ^ nibble[(crc ^ *p) & 15];
        crc = (crc >> 4) ^ nibble[(crc ^ (*p >> 4)) & 15];
    }
    return crc;
}

uint32_t sum_sctp(const uint8_t *p, size_t len)
{
    static const uint8_t zero[4];
    uint32_t crc = 0xFFFFFFFF;

    crc = crc_bytes(crc32c_nibble, crc, p, SCTP_SUM_AT);
    crc = crc_bytes(crc32c_nibble, crc, zero, sizeof(zero));
    return ~crc_bytes(crc32c_nibble, crc, p + SCTP_SUM_AT + 4,
                      len - SCTP_SUM_AT - 4);
}

uint32_t sum_fcs(const uint8_t *p, size_t len)
{
    return ~crc_bytes(crc32_nibble, 0xFFFFFFFF, p, len);
}
