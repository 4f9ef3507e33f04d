/*
 * app_impl.h - the inside of the appliance; for console/app*.c
 */
#pragma once

#include <millrace/port.h>

#include "console/options.h"

/*
 * A pool for the rings and cores that the options ask for; it becomes that of
 * @port and of forwarding.
 *
 * Returns  OK; E_RANGE for more streams than can be; E_INVALID for a pool that
 *          is asked for and too small; E_NOMEM. The log has the sum.
 */
must_use enum status app_pool_build(const struct options *o,
                                    struct port_config *port);

/*
 * Would forwarding and the pool do for @queues pairs on each port? E_RANGE,
 * E_INVALID with the sum in the log; E_STATE without a pool.
 */
must_use enum status app_queues_check(unsigned queues);
