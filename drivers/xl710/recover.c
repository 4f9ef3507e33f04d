/*
 * recover.c - a port whose chip was reset at run time comes back by itself
 *
 * Another port, another driver or firmware itself may reset the chip under our
 * rings, and firmware may die. Then, in this order:
 *
 *   quiet       the queues are off for whoever polls them, and no core is in a
 *               burst; the bus is taken from the function and every buffer goes
 *               back to its pool
 *   chip        a reset of the chip that is under way has ended
 *   function    a function-level reset, so that all starts from one state
 *   bring-up    the table of bringup.c from behind the reset on, with the
 *               memory it had; then the queues, if they were on
 *
 *   V1  no buffer is freed, and no ring written by control, before the quiet
 *       point was reached and the function lost the bus
 *   V2  one poll takes a bounded time: a stage is looked at, or some steps are
 *       run; where a step waits for the chip, packets of other ports pass
 *       (wait.c), and so does the console between polls
 *   V3  a try that fails is followed by another, later each time, until
 *       TRIES_MAX failed in a row; a device that is gone or firmware that
 *       cannot work ends it at once. The end is PORT_FAILED and a line.
 *   V4  recoveries shortly after another are spaced, however many there are
 */
#include <millrace/clock.h>
#include <millrace/log.h>

#include "drivers/xl710/nic.h"

#define TRIES_MAX     8
#define PAUSE_US      250000   /* before the second try, doubled for each */
#define PAUSE_MAX_US  16000000 /* but no more than this */
#define FREE_IN_A_ROW 2        /* recoveries that need not be spaced */
#define SPACE_MAX_US  2000000  /* between those in a row */
#define IN_A_ROW_US   10000000 /* what is later is not in a row */
#define SLICE_US      1000     /* steps of bring-up in one poll */
#define FLR_WAIT_US   100000
#define QUIET_US      1000000 /* a burst takes microseconds */

static unsigned ms_since(uint64_t cycles)
{
    return (unsigned)(clock_cycles_to_us(plat_cycles() - cycles) / 1000);
}

bool nic_is_gone(const struct nic *nic)
{
    return plat_pci_read(nic->dev->at, 0, 2) != nic->dev->vendor;
}

/* ---- begin and end ---- */

static void take_away(struct nic *nic, enum port_state state)
{
    struct nic_recovery *r = &nic->recovery;

    queues_take(nic);
    nic->state = state;
    if (nic->aq.state == AQ_READY)
        nic->aq.state = AQ_DEAD;
    link_lost(nic);
    r->ticket = nic_quiet_ask();
    r->since_cycles = plat_cycles();
    r->deadline = deadline_in_us(QUIET_US);
    r->has_complained = false;
    r->stage = RECOVERY_QUIET;
}

void nic_recover(struct nic *nic, const char *why)
{
    struct nic_recovery *r = &nic->recovery;
    const bool again =
        r->count > 0 &&
        clock_cycles_to_us(plat_cycles() - r->ended_cycles) < IN_A_ROW_US;

    log_error("xl710 %s: %s; the port recovers", nic->name, why);
    r->wants_queues = nic->state == PORT_STARTED;
    r->gives_up = false;
    r->tries = 0;
    r->in_a_row = again ? r->in_a_row + 1 : 0;
    take_away(nic, PORT_RECOVERING);
}

void nic_give_up(struct nic *nic, const char *why)
{
    log_error("xl710 %s: %s; the port is out of service", nic->name, why);
    nic->recovery.gives_up = true;
    take_away(nic, PORT_FAILED);
}

static void succeed(struct nic *nic)
{
    struct nic_recovery *r = &nic->recovery;

    r->stage = RECOVERY_NONE;
    r->count++;
    r->tries = 0;
    r->ended_cycles = plat_cycles();
    nic->state = r->wants_queues ? PORT_STARTED : PORT_STOPPED;
    log_notice("xl710 %s: the port has recovered after %u ms", nic->name,
               ms_since(r->since_cycles));
}

/* PAUSE_US, doubled @n times, but no more than @most. */
static uint64_t pause_us(unsigned n, uint64_t most)
{
    uint64_t us = PAUSE_US;

    while (n-- > 0 && us < most)
        us *= 2;
    return us < most ? us : most;
}

static void wait_a_while(struct nic *nic, uint64_t us)
{
    nic->recovery.stage = RECOVERY_PAUSE;
    nic->recovery.deadline = deadline_in_us(us);
}

/* Firmware that still answers must not answer into the void. */
static void lose_bus(struct nic *nic)
{
    adminq_silence(nic);
    reg_flush(nic);
    pci_disable_dma(nic->dev);
}

/* What a reset cannot mend: there is nothing to try again. */
static bool is_hopeless(const struct nic *nic, enum status s)
{
    return s == E_UNSUPPORTED || (s == E_GONE && nic_is_gone(nic));
}

static void try_again_later(struct nic *nic, enum status s)
{
    struct nic_recovery *r = &nic->recovery;
    uint64_t us;

    nic->state = PORT_RECOVERING; /* whatever a queue made of it */
    nic->aq.state = nic->aq.state == AQ_READY ? AQ_DEAD : nic->aq.state;
    link_lost(nic);
    lose_bus(nic);
    if (is_hopeless(nic, s)) {
        nic_give_up(nic, s == E_GONE ? "the device is gone from the bus"
                                     : "it cannot be brought up again");
        return;
    }
    if (++r->tries == TRIES_MAX) {
        nic_give_up(nic, "it did not come back in 8 tries");
        return;
    }
    us = pause_us(r->tries - 1, PAUSE_MAX_US);
    wait_a_while(nic, us);
    log_warning("xl710 %s: the port is not back; try %u of %u follows in %u ms",
                nic->name, r->tries + 1, TRIES_MAX, (unsigned)(us / 1000));
}

/* ---- quiet ---- */

/*
 * V1. The answer to a read of configuration space pushes ahead of it what the
 * function had written before it lost the bus.
 */
static void take_buffers(struct nic *nic)
{
    unsigned n;

    if (!nic->queues_on)
        return;
    (void)plat_pci_read(nic->dev->at, 0, 2);
    n = queues_drain(nic);
    nic->queues_on = false;
    log_info("xl710 %s: queues are off, %u buffers are back in their pools",
             nic->name, n);
}

static void begin_try(struct nic *nic)
{
    nic->recovery.stage = RECOVERY_CHIP;
    nic->recovery.deadline = deadline_in_us(nic_chip_reset_us(nic));
}

static void after_quiet(struct nic *nic)
{
    struct nic_recovery *r = &nic->recovery;

    lose_bus(nic);
    take_buffers(nic);
    if (r->gives_up)
        r->stage = RECOVERY_NONE;
    else if (r->in_a_row >= FREE_IN_A_ROW)
        wait_a_while(nic, pause_us(r->in_a_row - FREE_IN_A_ROW, SPACE_MAX_US));
    else
        begin_try(nic);
}

/* What a core that stands still may be writing to cannot be freed (V1). */
static void wait_for_quiet(struct nic *nic)
{
    struct nic_recovery *r = &nic->recovery;

    if (nic_quiet_reached(r->ticket)) {
        after_quiet(nic);
    } else if (!r->has_complained && deadline_passed(&r->deadline)) {
        log_error("xl710 %s: a core has not ended its burst for %u ms; the "
                  "port waits for it",
                  nic->name, QUIET_US / 1000);
        r->has_complained = true;
    }
}

void nic_recover_without_queues(struct nic *nic)
{
    if (nic->recovery.stage == RECOVERY_QUIET)
        lose_bus(nic);
    take_buffers(nic);
    nic->recovery.wants_queues = false;
}

/* ---- chip and function ---- */

static void begin_function_reset(struct nic *nic)
{
    const enum status s = pci_reset_begin(nic->dev, &nic->flr);

    nic->recovery.step = 0;
    if (s == OK)
        nic->recovery.stage = RECOVERY_FUNCTION;
    else if (s == E_UNSUPPORTED)
        nic->recovery.stage = RECOVERY_BRING_UP; /* resets by hand */
    else
        try_again_later(nic, s);
}

/*
 * All ones are read from a function that somebody resets at this moment, and
 * from one whose configuration a reset has cleared: then the reset restores it.
 */
static void wait_for_chip(struct nic *nic)
{
    const bool late = deadline_passed(&nic->recovery.deadline);
    const uint32_t rstat = reg_read(nic, GLGEN_RSTAT, 0);

    if (nic_is_gone(nic)) {
        if (late)
            try_again_later(nic, E_GONE);
    } else if (rstat == UINT32_MAX ||
               field_of(GLGEN_RSTAT_DEVSTATE, rstat) == 0) {
        begin_function_reset(nic);
    } else if (late) {
        log_error("xl710 %s: the chip's own reset does not end", nic->name);
        try_again_later(nic, E_TIMEOUT);
    }
}

static void wait_for_function(struct nic *nic)
{
    const enum status s = pci_reset_poll(nic->dev, &nic->flr);

    if (s == E_BUSY)
        return;
    if (s != OK) {
        try_again_later(nic, s);
        return;
    }
    chip_wait_add(FLR_WAIT_US);
    nic->recovery.stage = RECOVERY_BRING_UP;
}

/* ---- bring-up ---- */

/* The function is reset; the chip may still be loading. */
static enum status open_chip(struct nic *nic)
{
    pci_enable(nic->dev);
    return nic->flr.is_saved ? nic_chip_ready(nic) : nic_reset_by_hand(nic);
}

static enum status start_queues(struct nic *nic)
{
    const enum status s = nic->recovery.wants_queues ? queues_start(nic) : OK;

    nic->queues_on = s == OK && nic->recovery.wants_queues;
    if (nic->queues_on)
        queues_give(nic);
    return s;
}

static void bring_up(struct nic *nic)
{
    struct nic_recovery *r = &nic->recovery;
    const struct deadline slice = deadline_in_us(SLICE_US);
    bool is_done = false;
    enum status s = r->step == 0 ? open_chip(nic) : OK;

    while (s == OK && !is_done) {
        s = nic_bring_up_again(nic, &r->step, &is_done);
        if (s == OK && !is_done && deadline_passed(&slice))
            return;
    }
    if (s == OK)
        s = start_queues(nic);
    if (s == OK)
        succeed(nic);
    else
        try_again_later(nic, s);
}

/* ---- the rounds ---- */

void nic_recover_poll(struct nic *nic)
{
    switch (nic->recovery.stage) {
    case RECOVERY_NONE:
        return;
    case RECOVERY_QUIET:
        wait_for_quiet(nic);
        return;
    case RECOVERY_PAUSE:
        if (deadline_passed(&nic->recovery.deadline))
            begin_try(nic);
        return;
    case RECOVERY_CHIP:
        wait_for_chip(nic);
        return;
    case RECOVERY_FUNCTION:
        wait_for_function(nic);
        return;
    case RECOVERY_BRING_UP:
        bring_up(nic);
        return;
    }
}

/* A function in reset is not spoken to: its time must pass. */
void nic_recover_end(struct nic *nic)
{
    struct nic_recovery *r = &nic->recovery;

    if (r->stage == RECOVERY_NONE)
        return;
    nic_recover_without_queues(nic);
    if (r->stage == RECOVERY_FUNCTION) {
        while (pci_reset_poll(nic->dev, &nic->flr) == E_BUSY)
            nic_wait_turn();
        pci_enable(nic->dev);
    }
    r->stage = RECOVERY_NONE;
}
