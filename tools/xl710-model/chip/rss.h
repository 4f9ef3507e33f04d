/*
 * rss.h - receive side scaling: input set, Toeplitz hash
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/classify.h"

#define RSS_KEY_BYTES   52
#define RSS_INPUT_BYTES 48 /* each input bit needs 32 key bits behind it */

/* A key, and what each input byte value adds to the hash at each place. */
struct rss_key {
    bool is_built;
    uint32_t words[RSS_KEY_BYTES / 4]; /* as in PFQF_HKEY */
    uint32_t table[RSS_INPUT_BYTES][256];
};

/* Take over the 13 key registers; cheap when they did not change. */
void rss_key_set(struct rss_key *key, const uint32_t words[RSS_KEY_BYTES / 4]);

/* @len .. RSS_INPUT_BYTES */
uint32_t rss_hash(const struct rss_key *key, const uint8_t *input, size_t len);

/* The input set the drivers program for @pctype (GLQF_HASH_INSET layout). */
uint64_t rss_default_inset(unsigned pctype);

/*
 * Collect the words that @inset selects: bit 63 - w is field-vector word w,
 * ascending, in network byte order. @symmetric orders the two ends of the flow
 * so that both directions give the same input.
 * Returns  bytes in @input, at most RSS_INPUT_BYTES
 */
size_t rss_input(const uint8_t *frame, const struct classified *c,
                 uint64_t inset, bool symmetric,
                 uint8_t input[RSS_INPUT_BYTES]);

/* The same of the answer to this frame: source and destination exchanged. */
size_t rss_input_reversed(const uint8_t *frame, const struct classified *c,
                          uint64_t inset, uint8_t input[RSS_INPUT_BYTES]);
