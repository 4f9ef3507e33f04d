/*
 * token.h - what may stand at one place of a command
 *
 * A pattern is a row of tokens with blanks between; a token is one or more
 * alternatives with '|' between. An alternative is a literal word or one of
 *
 *     <port>    number, PCI address or MAC address of a port that exists
 *     <ports>   such ports with commas between
 *     <engine>  a forwarding engine
 *     <fault>   a fault that `debug fault` knows
 *     <tests>   a group of tests that the image carries
 *     <section> a section of the help
 *     <mac>     an Ethernet address
 *     <a..b>    a number from a to b
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/port.h>

struct token {
    const char *at;
    unsigned bytes;
};

/* What a word turned out to be. */
struct token_value {
    const char *text;
    unsigned column;
    unsigned choice;        /* which alternative, from 0 */
    uint64_t number;        /* <port>, <a..b> */
    uint8_t mac[6];         /* <mac> */
    uint8_t list[PORT_MAX]; /* <ports> */
    unsigned list_count;
};

/* Token @index of @pattern; false when there are fewer. */
bool token_at(const char *pattern, unsigned index, struct token *token);

/* Is @text one of the alternatives? Fills all of @value but the column. */
bool token_match(const struct token *token, const char *text,
                 struct token_value *value);

/*
 * Name everything that @token accepts: words as they are typed (@is_word), or a
 * description. @name is not NUL-terminated.
 */
typedef void token_name(void *ctx, const char *name, unsigned bytes,
                        bool is_word);
void token_expected(const struct token *token, token_name *name, void *ctx);
