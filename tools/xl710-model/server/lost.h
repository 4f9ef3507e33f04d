/*
 * lost.h - files that somebody else may shorten while they are mapped here
 *
 * To touch what is gone raises SIGBUS. In a watched mapping zeros take the place
 * of the whole file instead, and a flag says so: a client can spoil its own
 * memory, but not end the process.
 */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct lost_watch {
    uint8_t *base; /* of the mapping */
    size_t size;
    volatile sig_atomic_t is_lost;
    struct lost_watch *next;
};

/*
 * Watch the mapping of @w, whose base and size are set, until lost_unwatch.
 * @w stays where it is so long. Not for several threads at a time; the mapping
 * may be touched by any.
 */
void lost_watch(struct lost_watch *w);
void lost_unwatch(struct lost_watch *w);
