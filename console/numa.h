/*
 * numa.h - which memory is near which port
 *
 * A port's node is what --port-numa-config says, else what the firmware says of
 * its PCI function (SRAT), else --socket-num. Rings go there, and packet buffers
 * where most ports are.
 *
 * Context  control core
 */
#pragma once

#include <stdint.h>

#include <millrace/status.h>

#include "console/options.h"
#include "mm/node.h"

/*
 * Find the node of every port, and say so where there is more than one.
 *
 * Returns  OK; E_NOENT when an option names a node without memory, or a port
 *          that is not there: the log has it
 */
must_use enum status numa_open(const struct options *o);

/* NODE_ANY when nobody says, and where there is only one. */
uint32_t numa_port_node(unsigned port);

/* The same as testpmd shows it: 0 when nobody says. */
unsigned numa_socket_shown(unsigned port);

/* The one with the most ports, the smallest of several; or NODE_ANY. */
uint32_t numa_main_node(void);

/*
 * Between the two, memory comes from @node; numa_done() says so when some of it
 * came from elsewhere. @what is for the log.
 */
void numa_prefer(uint32_t node);
void numa_done(const char *what);

/* Warn of every queue that a core of another node polls. */
void numa_check_cores(void);
