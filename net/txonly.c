/*
 * txonly.c - engine txonly: send UDP packets as fast as the port takes them
 *
 * The packet is testpmd's: 198.18.0.1 to 198.18.0.2 (the benchmark network of
 * RFC 2544), discard port to discard port (RFC 863), time to live 64, no UDP
 * checksum. The payload is zero: old buffer contents never leave the machine.
 */
#include "net/txonly.h"

#include "net/engine.h"

#define TXONLY_TTL  64
#define TXONLY_PORT 9

static const uint8_t txonly_src[4] = { 198, 18, 0, 1 };
static const uint8_t txonly_dst[4] = { 198, 18, 0, 2 };

void txonly_headers(const struct stream *s, struct txonly_frame *f)
{
    const uint16_t ip_len = (uint16_t)(s->tx_len - sizeof(f->eth));

    memset(f, 0, sizeof(*f));
    memcpy(f->eth.dst, s->peer, sizeof(f->eth.dst));
    memcpy(f->eth.src, s->own, sizeof(f->eth.src));
    put_be16(f->eth.type, ETHER_TYPE_IPV4);

    f->ip.version_ihl = IPV4_VERSION_IHL;
    put_be16(f->ip.total_length, ip_len);
    f->ip.ttl = TXONLY_TTL;
    f->ip.protocol = IP_PROTOCOL_UDP;
    memcpy(f->ip.src, txonly_src, sizeof(f->ip.src));
    memcpy(f->ip.dst, txonly_dst, sizeof(f->ip.dst));
    put_be16(f->ip.checksum, inet_checksum(&f->ip, sizeof(f->ip)));

    put_be16(f->udp.src_port, TXONLY_PORT);
    put_be16(f->udp.dst_port, TXONLY_PORT);
    put_be16(f->udp.length, (uint16_t)(ip_len - sizeof(f->ip)));
}

unsigned txonly_burst(struct stream *s, unsigned max)
{
    struct mbuf *pkts[FWD_BURST_MAX];
    struct txonly_frame headers;

    if (unlikely(mbuf_alloc_bulk(s->pool, pkts, max) != OK)) {
        counter_add(&s->stats.no_mbuf, 1);
        port_tx_idle(s->txq);
        return 0;
    }
    txonly_headers(s, &headers);
    for (unsigned i = 0; i < max; i++) {
        uint8_t *data = mbuf_data(pkts[i]);

        memcpy(data, &headers, sizeof(headers));
        memset(data + sizeof(headers), 0, s->tx_len - sizeof(headers));
        pkts[i]->data_len = s->tx_len;
        pkts[i]->pkt_len = s->tx_len;
    }
    stream_send(s, pkts, max);
    return max;
}

ENGINE(txonly, txonly_burst, true, "send UDP packets, `set txpkts` bytes each");
