/*
 * port_fake.h - ports made of memory, for tests of net/ and console/
 *
 * It implements include/millrace/port.h instead of the driver. What a test puts
 * into a port is received; what is sent stays in the port until it is taken
 * out, or until the port is stopped or closed.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/port.h>

#define PORT_FAKE_QUEUE 4096
#define PORT_FAKE_RETA  128

struct mbuf;
struct mempool;

/*
 * @count ports, configured with @pool (may be NULL) and started. Port p is
 * 0000:01:00.p with the address 00:1b:21:00:00:0p. Packets of an earlier test
 * are forgotten, not freed.
 */
void port_fake_reset(unsigned count, struct mempool *pool);

/* It comes in next. The port owns @m. */
void port_fake_receive(unsigned port, struct mbuf *m);
unsigned port_fake_waiting(unsigned port);

/* The oldest packet that was sent, or NULL; the caller owns it. */
struct mbuf *port_fake_take_sent(unsigned port);
unsigned port_fake_sent_count(unsigned port);

/* Transmit takes at most @room packets more; UINT32_MAX = no limit (reset). */
void port_fake_tx_room(unsigned port, uint32_t room);

/*
 * @n of the packets sent are still in the transmit ring; each idle call lets
 * one leave.
 */
void port_fake_leaving(unsigned port, unsigned n);

/* Calls that will fail with @status, each once, after @after good ones. */
enum port_fake_call {
    PORT_FAKE_CONFIGURE,
    PORT_FAKE_START,
    PORT_FAKE_STOP,
    PORT_FAKE_PROMISCUOUS,
    PORT_FAKE_QUEUE_CALL,
    PORT_FAKE_RSS,
    PORT_FAKE_CALLS
};
void port_fake_fail(enum port_fake_call call, enum status status,
                    unsigned after);

/* What the port says of itself; a test may change it. */
struct port_stats *port_fake_stats(unsigned port);
struct port_info *port_fake_info(unsigned port);
struct port_link *port_fake_link(unsigned port);
void port_fake_xstats(const struct port_xstat *table, unsigned count);

const struct port_config *port_fake_config(unsigned port);
unsigned port_fake_idle_calls(unsigned port);
unsigned port_fake_tx_calls(unsigned port);
unsigned port_fake_xstats_clears(unsigned port);
unsigned port_fake_polls(void);
