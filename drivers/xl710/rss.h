/*
 * rss.h - which packet goes to which queue
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/port.h>
#include <millrace/status.h>

struct nic;

struct nic_rss {
    struct port_rss conf;
    uint8_t table[PORT_RETA_MAX];
    unsigned queues; /* that the table is made for; 0 = there is none */
    bool is_given;   /* the table is the user's */
    bool is_on;      /* the chip hashes */
};

/* Default key, all types. */
void rss_open(struct nic *nic);

/* Can the chip spread packets in a way this driver knows? The log has why not. */
bool rss_is_possible(const struct nic *nic);

/* The number of queues may be another: then the table is made anew. */
void rss_queues_changed(struct nic *nic);

/* How many hashes go to @queue; 0 when nothing is hashed. */
unsigned rss_entries_of(const struct nic *nic, unsigned queue);

/*
 * Before queues are switched on: the hash as configured, or none for one queue.
 *
 * Returns  OK; E_CORRUPT when our own hash is wrong; E_IO when the chip does not
 *          hold what was written; what firmware refused
 */
must_use enum status rss_start(struct nic *nic);
