/*
 * screen.h - the firmware's screen as a second console
 *
 * It shows what the serial console shows; nothing can be typed there. A machine
 * without a screen pays one test for each write.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <millrace/status.h>

#include "boot/boot_info.h"

/*
 * Take the screen over, and show what was written so far. Before serial_init(),
 * which ends the keeping; after vm_init().
 *
 * @f       base 0 = there is none: OK, and nothing happens
 * Returns  OK; E_RANGE (a mode that makes no sense), E_NOMEM (it cannot be
 *          mapped), with the reason in the log and no screen
 * Cost     every pixel is written once
 */
must_use enum status screen_open(const struct boot_framebuffer *f);

/* For plat_console_write(). Until screen_poll() is called, and in a panic, the
 * text is visible on return; in between it waits for screen_poll(). */
void screen_write(const char *text, size_t bytes);

/*
 * Draw what waits, for a slice of time.
 *
 * @is_busy  packets wait: take a slice of 50 us each millisecond, no more
 * Context   control core, from its loop
 */
void screen_poll(bool is_busy);

/* Draw all that waits, and as before the first screen_poll() from then on: for
 * who stops the loop. */
void screen_flush(void);
