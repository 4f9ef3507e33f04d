/*
 * fifo.h - frames under way
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room that one packet may take: with the headers of its segments. */
#define FIFO_ONE_PACKET ((size_t)1 << 20)

struct fifo {
    uint8_t *bytes;
    size_t head, tail; /* free-running; each frame is 4 bytes length, then it */
    uint64_t frames;
};

bool fifo_open(struct fifo *f); /* false: no memory */
void fifo_close(struct fifo *f);

/* Is there room for all that one packet may become: a segmented 256 KiB? */
bool fifo_has_room(const struct fifo *f);

/* Returns  false, with nothing added, without room */
bool fifo_push(struct fifo *f, const uint8_t *frame, size_t len);

/* The oldest frame, valid until the next pop; NULL when empty. */
const uint8_t *fifo_front(const struct fifo *f, size_t *len);
void fifo_pop(struct fifo *f);
