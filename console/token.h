/*
 * token.h - what may stand at one place of a command
 *
 * A pattern is a row of tokens with blanks between; a token is one or more
 * alternatives with '|' between, and [in brackets] when the command may end
 * before it. An alternative is a literal word or one of the kinds in token_kinds.c:
 *
 *     <port>    number, PCI address or MAC address of a port that exists
 *     <ports>   such ports with commas between
 *     <address> PCI address or MAC address, of a port that exists or not
 *     <engine>  a forwarding engine
 *     <fault>   a fault that `debug fault` knows
 *     <tests>   a group of tests that the image carries
 *     <topic>   a section of the help, or a word of a command
 *     <mac>     an Ethernet address
 *     <a..b>    a number from a to b
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/port.h>

struct port_scope; /* port_name.h */

struct token {
    const char *at;
    unsigned bytes;
    bool is_optional;
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
    uint32_t absent; /* bit i: port i of the list, or the port, is optional and
                        not there */
};

/* Token @index of @pattern; false when there are fewer. */
bool token_at(const char *pattern, unsigned index, struct token *token);

/*
 * Is @text one of the alternatives? Fills all of @value but the column.
 *
 * @scope  how ports may be named; NULL: as at the prompt
 */
bool token_match(const struct token *token, const char *text,
                 const struct port_scope *scope, struct token_value *value);

/*
 * Name everything that @token accepts: words as they are typed (@is_word), or a
 * description. @name is not NUL-terminated.
 */
typedef void token_name(void *ctx, const char *name, unsigned bytes,
                        bool is_word);
void token_expected(const struct token *token, const struct port_scope *scope,
                    token_name *name, void *ctx);

/* The same for one who types: ports by number, too. */
void token_complete(const struct token *token, token_name *name, void *ctx);

/* The kinds, for who explains them; false from the end on. */
bool token_kind(unsigned index, const char **name, const char **meaning);
