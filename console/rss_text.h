/*
 * rss_text.h - hash keys, tables and types as words of the console
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/port.h>

#define RETA_PAIRS_MAX 64 /* in one line */

struct reta_pair {
    uint16_t hash;
    uint8_t queue;
};

/* "(0,1),(1,0)": hash, queue; each below what a port can have at most. */
bool text_to_reta(const char *text, struct reta_pair pairs[RETA_PAIRS_MAX],
                  unsigned *count);

/* All bytes of a key, two hexadecimal digits each. */
bool text_to_rss_key(const char *text, uint8_t key[PORT_RSS_KEY_BYTES]);

/* Types, or testpmd's words for groups of them, with '|' between. */
bool text_to_rss_types(const char *text, uint32_t *types);

/* The name of a type, or of a group of them; NULL from the end on. */
const char *rss_type_name(unsigned type);
const char *rss_group_name(unsigned index);
