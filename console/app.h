/*
 * app.h - from options to a forwarding appliance, and the loop that keeps it so
 *
 * kernel/main.c brings the machine and the NICs up, calls app_open() once and
 * app_poll() for ever.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <millrace/compiler.h>
#include <millrace/port.h>
#include <millrace/status.h>

#include "console/options.h"

struct app_setup {
    /* From options_parse(). With its status not OK nothing is configured. */
    const struct options *options;
    enum status options_status;

    /* Configuration text; 0 bytes = none. */
    const char *config;
    size_t config_bytes;
    const char *config_source;

    /* NICs that were wanted and did not come up; the log has why. */
    unsigned nics_failed;
};

/*
 * Build the packet pool, configure and start the ports, apply the configuration
 * text, start forwarding when asked to. Every refusal is one line in the log,
 * and leaves the console usable with what was there before.
 *
 * Returns  OK, or the status of the first step that failed
 */
must_use enum status app_open(const struct app_setup *setup);

/*
 * One turn: some rounds of forwarding, and when their time has come ports'
 * housekeeping (every 10 ms), console and periodic statistics.
 */
void app_poll(void);

/*
 * What ports need every 10 ms, when its time has come: for a command that takes
 * long.
 */
void app_housekeeping(void);

/* fwd_start(), and tell what runs now. */
must_use enum status app_forward(void);

/* Stop forwarding and leave every NIC quiet. The console stays. */
void app_close(void);

/* None has its queues on, or will have them by itself. */
bool app_ports_are_stopped(void);

/*
 * From the next start of the ports on, @queues pairs on each. A port that is out
 * of service keeps what it has.
 *
 * Returns  OK; E_STATE while a port is started; E_RANGE or E_INVALID, with the
 *          limit or the sum in the log, when chip, forwarding or pool have not
 *          enough; E_NOMEM. The old number stays then.
 */
must_use enum status app_queues_set(unsigned queues);

/* What ports are configured with. */
const struct port_config *app_port_config(void);
