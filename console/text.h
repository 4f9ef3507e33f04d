/*
 * text.h - words, numbers and addresses as people write them
 *
 * Every parser takes the whole text or nothing: no sign, no blanks, no tail.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/plat.h>
#include <millrace/status.h>

/* Decimal, or hexadecimal after 0x; up to 2^64 - 1. */
bool text_to_number(const char *text, uint64_t *value);

/* Hexadecimal, 0x in front allowed. */
bool text_to_hex(const char *text, uint64_t *value);

/* aa:bb:cc:dd:ee:ff */
bool text_to_mac(const char *text, uint8_t mac[6]);

/* 0000:3b:00.0, or 3b:00.0 in segment 0. */
bool text_to_pci(const char *text, struct pci_addr *at);

/* "ab:cd:..." into at least TEXT_MAC_BYTES. */
#define TEXT_MAC_BYTES 18
void text_from_mac(char out[TEXT_MAC_BYTES], const uint8_t mac[6]);

/* Printable ASCII. */
static inline bool text_is_printable(int c)
{
    return c >= 0x20 && c < 0x7F;
}

/* Edits (insert, delete, replace, swap neighbours) between @a and @b, or a large
 * number when one is longer than TEXT_WORD_MAX. */
#define TEXT_WORD_MAX 32
unsigned text_distance(const char *a, const char *b);

/* Is @candidate close enough to @typed to be what was meant? */
bool text_is_near(const char *typed, const char *candidate);

struct word {
    char *text;      /* NUL-terminated, inside the line */
    unsigned column; /* of its first character, from 1 */
};

/*
 * Split @line in place at blanks and tabs.
 *
 * @quotes  also take '..' and ".." off and keep the blanks inside them
 * @error   column of the trouble, when the status is not OK
 * Returns  OK; E_OVERFLOW for more than @max words; E_CORRUPT when a quote is
 *          not closed
 */
must_use enum status words_split(char *line, struct word out[], unsigned max,
                                 bool quotes, unsigned *count, unsigned *error);

/* A text that is put together piece by piece and never overflows. */
struct text {
    char *at;
    size_t bytes; /* room, NUL included */
    size_t used;
};
void text_init(struct text *t, char *room, size_t bytes);
void text_add(struct text *t, const char *fmt, ...) printf_like(2, 3);
