/*
 * mempool.h - packet buffers of one size, shared by every core
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

struct mbuf;
struct mempool;

#define MEMPOOL_CACHE_MAX 512
#define MEMPOOL_NAME_MAX  32

struct mempool_config {
    const char *name;
    unsigned count;     /* buffers */
    unsigned cache;     /* per core, 0 (none) .. MEMPOOL_CACHE_MAX */
    unsigned data_room; /* bytes of each buffer, headroom included */
    unsigned private_bytes;
};

/*
 * Build a pool of @config->count buffers in DMA memory.
 *
 * Returns  NULL with the broken rule or the missing bytes in the log
 */
must_use struct mempool *mempool_create(const struct mempool_config *config);

/* E_BUSY, with the number in the log, while buffers are still out. */
must_use enum status mempool_destroy(struct mempool *pool);

/*
 * Take @n buffers for the calling core.
 *
 * @out     room for at least @n pointers; unspecified on failure
 * Returns  OK, or E_NOBUF with nothing taken
 * Order    out[0] is the buffer freed most recently
 */
must_use enum status mempool_get_bulk(struct mempool *pool, struct mbuf *out[],
                                      unsigned n);

/* Give @n buffers of this pool back. Cannot fail. */
void mempool_put_bulk(struct mempool *pool, struct mbuf *const in[],
                      unsigned n);

/* Buffers of the pool that nobody holds: shared store and all caches. */
unsigned mempool_available(const struct mempool *pool);
unsigned mempool_count(const struct mempool *pool);
const char *mempool_name(const struct mempool *pool);
unsigned mempool_data_room(const struct mempool *pool);

/* Walk all pools: NULL starts, NULL ends. */
struct mempool *mempool_next(const struct mempool *pool);
