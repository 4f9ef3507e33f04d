/*
 * mailbox.h - work for one core, and a way to make it stand still
 *
 *   M1  two lines: control writes the one, the core the other
 *   M2  a job is posted when the one before is done; asked and done are counts,
 *       so the core takes each job once
 *   M3  a core that has acknowledged a hold runs no step before it is lifted
 *   M4  what control wrote before a post or the end of a hold, the step sees;
 *       what the step wrote, control sees once it is done or held
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/core.h>
#include <millrace/status.h>

struct mailbox {
    /* written by control */
    core_step *step cache_aligned;
    void *arg;
    uint32_t asked;  /* jobs posted */
    uint32_t hold;   /* number of the hold in force; 0 = none */
    uint64_t ticket; /* of the quiet point asked for last */

    /* written by the core */
    uint32_t done cache_aligned; /* jobs finished */
    uint32_t held;               /* hold acknowledged last */
    uint64_t quiet;              /* ticket seen last between two steps */
} cache_aligned;

/* ---- control ---- */

/* E_BUSY while a job is not done. */
must_use enum status mailbox_post(struct mailbox *m, core_step *step,
                                  void *arg);
bool mailbox_is_busy(const struct mailbox *m);

/* Ask for a halt at the next quiet point; @number is not 0 and always new. */
void mailbox_hold(struct mailbox *m, uint32_t number);
/* Has it come to a halt, or is there nothing to halt? */
bool mailbox_is_held(const struct mailbox *m);
void mailbox_release(struct mailbox *m);

/* Ask for a quiet point without a halt; tickets ascend. */
void mailbox_quiet_ask(struct mailbox *m, uint64_t ticket);
/* Was it between two steps since, or has it nothing to do? */
bool mailbox_quiet_reached(const struct mailbox *m, uint64_t ticket);

/* ---- the core ---- */

/* A job to work on, or a hold to stand through. */
bool mailbox_has_work(const struct mailbox *m);

/* One step, or one look at a hold. Returns false when there was neither. */
bool mailbox_turn(struct mailbox *m);
