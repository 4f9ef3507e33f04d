/*
 * apic.h - the local APIC: who we are, and signals to other cores
 *
 * x2APIC mode where processor and firmware allow it: no page to map, ids of 32
 * bits, a signal is one register write. Else the page of the older mode.
 *
 * Source: Intel SDM volume 3A, chapter 11.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/status.h>

/*
 * On the boot core, before any other runs: choose the mode and switch on.
 *
 * @may_x2  false when the firmware asked to stay in the older mode
 * Returns  OK; E_UNSUPPORTED without a local APIC, E_NOMEM when its page cannot
 *          be mapped
 */
must_use enum status apic_open(bool may_x2);

/*
 * The same mode on the calling core. From then on it takes no interrupt but our
 * own signals, not even with interrupts on: whatever the firmware left running
 * is of a lower class.
 */
void apic_enable(void);

/* "x2APIC", "xAPIC" or "none" */
const char *apic_mode_text(void);

/* Can a signal be addressed to @id in this mode? */
bool apic_reaches(uint32_t id);

/*
 * Signals. What was stored before is visible to whom it reaches.
 *
 * Context  any core; one at a time in the older mode, whose register they share
 *          with nobody but what interrupts them
 * Cost     a register write; in the older mode a bounded wait before it
 */
void apic_send_init(uint32_t id);
void apic_send_start(uint32_t id, uint32_t page); /* run at page * 4096 */
void apic_send_nmi(uint32_t id);
void apic_send_wake(uint32_t id); /* an interrupt, TRAP_WAKE */

/* The interrupt that was taken last is done with; no harm when there is none. */
void apic_done(void);
