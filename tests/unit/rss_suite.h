/*
 * rss_suite.h - Microsoft's published suite of Toeplitz hashes ("Verifying the
 * RSS Hash Calculation", Windows driver documentation)
 */
#pragma once

#include <stdint.h>

static const uint8_t suite_key[40] = {
    0x6d, 0x5a, 0x56, 0xda, 0x25, 0x5b, 0x0e, 0xc2, 0x41, 0x67,
    0x25, 0x3d, 0x43, 0xa3, 0x8f, 0xb0, 0xd0, 0xca, 0x2b, 0xcb,
    0xae, 0x7b, 0x30, 0xb4, 0x77, 0xcb, 0x2d, 0xa3, 0x80, 0x30,
    0xf2, 0x0c, 0x6a, 0x42, 0xb7, 0x3b, 0xbe, 0xac, 0x01, 0xfa,
};

struct vector {
    const char *dst, *src;
    uint16_t dport, sport;
    uint32_t ip, tcp;
};

static const struct vector v4[] = {
    { "161.142.100.80", "66.9.149.187", 1766, 2794, 0x323e8fc2, 0x51ccc178 },
    { "65.69.140.83", "199.92.111.2", 4739, 14230, 0xd718262a, 0xc626b0ea },
    { "12.22.207.184", "24.19.198.95", 38024, 12898, 0xd2d0a5de, 0x5c2b394a },
    { "209.142.163.6", "38.27.205.30", 2217, 48228, 0x82989176, 0xafc7327f },
    { "202.188.127.2", "153.39.163.191", 1303, 44251, 0x5d1809c5, 0x10e828a2 },
};

static const struct vector v6[] = {
    { "3ffe:2501:200:3::1", "3ffe:2501:200:1fff::7", 1766, 2794, 0x2cc18cd5,
      0x40207d3d },
    { "ff02::1", "3ffe:501:8::260:97ff:fe40:efab", 4739, 14230, 0x0f0c461c,
      0xdde51bbf },
    { "fe80::200:f8ff:fe21:67cf", "3ffe:1900:4545:3:200:f8ff:fe21:67cf", 38024,
      44251, 0x4b61e985, 0x02d1feef },
};
