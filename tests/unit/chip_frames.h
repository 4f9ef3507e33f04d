/*
 * chip_frames.h - frames for the tests of the chip model, built by hand, and
 * the plainest possible arithmetic to judge them with
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define UNUSED __attribute__((unused))

UNUSED static void w16(uint8_t *p, unsigned v)
{
    p[0] = (uint8_t)(v >> 8);
    p[1] = (uint8_t)v;
}

UNUSED static void w32(uint8_t *p, uint32_t v)
{
    w16(p, v >> 16);
    w16(p + 2, v & 0xFFFF);
}

UNUSED static unsigned r16(const uint8_t *p)
{
    return p[0] << 8 | p[1];
}

UNUSED static uint32_t r32(const uint8_t *p)
{
    return (uint32_t)r16(p) << 16 | r16(p + 2);
}

/* RFC 1071, word by word. */
UNUSED static unsigned rfc1071(const uint8_t *p, size_t len, uint32_t sum)
{
    for (size_t i = 0; i < len; i++)
        sum += i % 2 == 0 ? (uint32_t)p[i] << 8 : p[i];
    while (sum >> 16)
        sum = (sum & 0xFFFF) + (sum >> 16);
    return sum;
}

/* Sum over addresses, protocol and @bytes of layer 4 (0: seed of TSO). */
UNUSED static unsigned pseudo_sum(const uint8_t *ip, unsigned proto,
                                  unsigned bytes)
{
    return ip[0] >> 4 == 4 ? rfc1071(ip + 12, 8, proto + bytes)
                           : rfc1071(ip + 8, 32, proto + bytes);
}

UNUSED static size_t put_eth(uint8_t *f, unsigned etype)
{
    static const uint8_t macs[12] = {
        0x02, 0, 0, 0, 0, 1, 0x02, 0, 0, 0, 0, 2
    };

    memcpy(f, macs, 12);
    w16(f + 12, etype);
    return 14;
}

/* A header for @bytes of payload, checksum filled in. */
UNUSED static size_t put_ipv4(uint8_t *ip, unsigned proto, unsigned bytes)
{
    static const uint8_t addr[8] = { 10, 0, 0, 1, 10, 0, 0, 2 };

    memset(ip, 0, 20);
    ip[0] = 0x45;
    w16(ip + 2, 20 + bytes);
    w16(ip + 4, 0x1234);
    ip[8] = 64;
    ip[9] = (uint8_t)proto;
    memcpy(ip + 12, addr, 8);
    w16(ip + 10, ~rfc1071(ip, 20, 0) & 0xFFFF);
    return 20;
}

UNUSED static size_t put_ipv6(uint8_t *ip, unsigned next, unsigned bytes)
{
    memset(ip, 0, 40);
    ip[0] = 0x60;
    w16(ip + 4, bytes);
    ip[6] = (uint8_t)next;
    ip[7] = 64;
    for (unsigned i = 0; i < 32; i++)
        ip[8 + i] = (uint8_t)(0x20 + i);
    return 40;
}

/* A good UDP datagram with @n bytes of data behind the IP header at @ip. */
UNUSED static size_t put_udp(uint8_t *ip, uint8_t *udp, unsigned n)
{
    memset(udp, 0, 8);
    w16(udp, 1000);
    w16(udp + 2, 2000);
    w16(udp + 4, 8 + n);
    for (unsigned i = 0; i < n; i++)
        udp[8 + i] = (uint8_t)i;
    w16(udp + 6, ~rfc1071(udp, 8 + n, pseudo_sum(ip, 17, 8 + n)) & 0xFFFF);
    return 8 + n;
}

UNUSED static size_t put_tcp(uint8_t *ip, uint8_t *tcp, unsigned n)
{
    memset(tcp, 0, 20);
    w16(tcp, 1000);
    w16(tcp + 2, 2000);
    w32(tcp + 4, 1);
    tcp[12] = 0x50;
    tcp[13] = 0x10;
    for (unsigned i = 0; i < n; i++)
        tcp[20 + i] = (uint8_t)i;
    w16(tcp + 16, ~rfc1071(tcp, 20 + n, pseudo_sum(ip, 6, 20 + n)) & 0xFFFF);
    return 20 + n;
}
