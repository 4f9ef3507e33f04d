/*
 * fdir.h - flow director: exact flows and what becomes of their packets
 *
 * Included by chip_impl.h only. All zero is an empty table.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/rss.h"

struct chip;
struct chip_pf;
struct classified;

#define FDIR_GUARANTEED  512  /* filters, of each function alone */
#define FDIR_BEST_EFFORT 7168 /* of whoever comes first */
#define FDIR_PFS         4
#define FDIR_MAX         (FDIR_PFS * FDIR_GUARANTEED + FDIR_BEST_EFFORT)
#define FDIR_BUCKETS     4096

enum fdir_dest { FDIR_DROP = 0, FDIR_TO_QUEUE = 1, FDIR_AS_OTHERS = 2 };

/* What to report with a packet (FD_STATUS); flexible bytes are not modelled. */
enum fdir_report { FDIR_NOTHING = 0, FDIR_ID = 1 };

struct fdir_filter {
    bool used;
    bool is_best_effort;
    uint8_t pf;
    uint8_t pctype;
    uint8_t len; /* of @input */
    uint8_t dest, report;
    bool counts;
    uint16_t counter; /* index of GLQF_PCNT */
    uint16_t vsi;     /* number */
    uint16_t queue;   /* VSI-relative */
    uint16_t next;    /* of the bucket: index + 1, 0 = end */
    uint32_t id;
    uint8_t input[RSS_INPUT_BYTES];
};

struct fdir_table {
    uint16_t bucket[FDIR_BUCKETS]; /* index + 1 of the first, 0 = none */
    struct fdir_filter filter[FDIR_MAX];
    unsigned hint; /* where to look for a free one */
    unsigned best_effort;
    unsigned guaranteed[FDIR_PFS];
    unsigned of_pf[FDIR_PFS];
};

/* A filter-program descriptor. */
struct fdir_desc {
    uint32_t flow; /* queue, flexible offset, packet type, VSI */
    uint32_t cmd;
    uint32_t id;
};

/*
 * Queue @q carried @desc and then the packet @frame, seen as its receiver's
 * peer sends it: source and destination are the other way round. What cannot
 * be done is told by a status descriptor on receive queue @q. An IP length that
 * @frame lacks is filled in.
 */
void fdir_program(struct chip *chip, struct chip_pf *pf, unsigned q,
                  const struct fdir_desc *desc, uint8_t *frame, size_t len);

/* The filter of VSI @vsi for this frame, or NULL. */
const struct fdir_filter *fdir_match(const struct chip *chip,
                                     const struct chip_pf *pf, unsigned vsi,
                                     const uint8_t *frame,
                                     const struct classified *c);

/* A frame that @f matched was taken or dropped. */
void fdir_count(struct chip *chip, const struct fdir_filter *f);

/* Forget the filters of @pf. */
void fdir_clear(struct chip *chip, struct chip_pf *pf);
