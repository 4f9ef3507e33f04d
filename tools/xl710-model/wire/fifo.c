/*
 * fifo.c - frames under way, in a ring of bytes
 *
 *   F1  a frame lies in one piece: what would wrap starts at the front again,
 *       after a skip mark
 *   F2  head - tail <= FIFO_BYTES
 */
#include <stdlib.h>
#include <string.h>

#include "wire/fifo.h"
#include "wire/wire.h"

#define FIFO_BYTES  ((size_t)4 << 20)
#define RECORD(len) ((4 + (len) + 3) & ~(size_t)3)
#define SKIP        UINT32_MAX

_Static_assert((FIFO_BYTES & (FIFO_BYTES - 1)) == 0, "cursors are masked");

bool fifo_open(struct fifo *f)
{
    *f = (struct fifo) { .bytes = malloc(FIFO_BYTES) };
    return f->bytes != NULL;
}

void fifo_close(struct fifo *f)
{
    free(f->bytes);
    f->bytes = NULL;
}

static size_t fifo_room(const struct fifo *f)
{
    return FIFO_BYTES - (f->head - f->tail);
}

bool fifo_has_room(const struct fifo *f)
{
    return fifo_room(f) >= FIFO_ONE_PACKET;
}

static void put_len(struct fifo *f, uint32_t len)
{
    memcpy(f->bytes + (f->head & (FIFO_BYTES - 1)), &len, sizeof(len));
}

static uint32_t get_len(const struct fifo *f)
{
    uint32_t len;

    memcpy(&len, f->bytes + (f->tail & (FIFO_BYTES - 1)), sizeof(len));
    return len;
}

bool fifo_push(struct fifo *f, const uint8_t *frame, size_t len)
{
    const size_t to_end = FIFO_BYTES - (f->head & (FIFO_BYTES - 1));

    /* the frame, and as much again that a wrap may waste */
    if (len > WIRE_FRAME_MAX || fifo_room(f) < 2 * RECORD(WIRE_FRAME_MAX))
        return false;
    if (RECORD(len) > to_end) {
        put_len(f, SKIP);
        f->head += to_end;
    }
    put_len(f, (uint32_t)len);
    memcpy(f->bytes + (f->head & (FIFO_BYTES - 1)) + 4, frame, len);
    f->head += RECORD(len);
    f->frames++;
    return true;
}

const uint8_t *fifo_front(const struct fifo *f, size_t *len)
{
    size_t at = f->tail & (FIFO_BYTES - 1);
    uint32_t n;

    if (f->frames == 0)
        return NULL;
    n = get_len(f);
    if (n == SKIP) {
        at = 0;
        memcpy(&n, f->bytes, sizeof(n));
    }
    *len = n;
    return f->bytes + at + 4;
}

void fifo_pop(struct fifo *f)
{
    if (get_len(f) == SKIP)
        f->tail += FIFO_BYTES - (f->tail & (FIFO_BYTES - 1));
    f->tail += RECORD(get_len(f));
    f->frames--;
}
