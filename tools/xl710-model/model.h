/*
 * model.h - the chip, its sockets and its cables, in one process
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "chip/chip.h"
#include "ctl/ctl.h"
#include "options.h"
#include "server/conn.h"
#include "server/device.h"
#include "wire/wire.h"

#define COMPLAINTS_MAX 128
#define PATH_ROOM      256

struct complaint {
    unsigned pf;
    uint64_t count;
    char rule[48];
    char text[208]; /* of the first */
};

/* One function: where its client connects, and its cable. */
struct model_port {
    struct device device;
    struct conn conn;
    int listener;
    char path[PATH_ROOM];
    struct wire *wire;
    bool rx_is_on; /* some receive queue is enabled */
};

struct model {
    const struct options *options;
    struct chip *chip;
    unsigned ports;
    struct model_port port[CHIP_PF_MAX];
    struct wire_host wire_host;
    struct ctl ctl;
    bool quit;
    bool queues_on; /* some queue of any port: doorbells can ring */
    uint64_t queues_seen_ns;

    struct complaint complaints[COMPLAINTS_MAX];
    unsigned complaint_kinds;
    uint64_t complaints_total;
};

/* Exit status beside 0: start failed, or the driver broke rules. */
enum { MODEL_EXIT_FAILED = 1, MODEL_EXIT_USAGE = 2, MODEL_EXIT_COMPLAINTS = 3 };

/*
 * Everything listens when it returns.
 * Returns  NULL with a log line and the exit status in *@status
 */
struct model *model_open(const struct options *options, int *status);
void model_close(struct model *m);

/* Serve until quit or a signal. */
void model_run(struct model *m);

uint64_t model_now_ns(void);
void model_link_set(struct model *m, unsigned port, bool up);

/* Is a queue enabled? @base: QTX_ENA or QRX_ENA of the chip. */
enum { MODEL_QTX_ENA = 0x100000, MODEL_QRX_ENA = 0x120000 };
bool model_queue_is_on(struct model *m, unsigned pf, uint32_t base, unsigned q);
