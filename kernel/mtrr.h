/*
 * mtrr.h - the memory types of one core, to be compared with another's or copied
 *
 * Source: Intel SDM volume 3A, 11.11 (11.11.8: several processors).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define MTRR_MAX 80

struct mtrr {
    unsigned count; /* 0: the processor has none */
    struct {
        uint32_t msr;
        uint64_t value;
    } row[MTRR_MAX];
};

/* Those of the calling core. */
void mtrr_read(struct mtrr *out);

/* False with the first register that differs in @msr. */
bool mtrr_equal(const struct mtrr *a, const struct mtrr *b, uint32_t *msr);

/*
 * Give the calling core the types in @m.
 *
 * Cost     two flushes of its caches; with other cores' lines in a shared cache
 *          these wait, too
 */
void mtrr_load(const struct mtrr *m);

/* What @m has of @msr; 0 when it has none. */
uint64_t mtrr_value(const struct mtrr *m, uint32_t msr);
