/*
 * options_impl.h - between options.c (the walk) and options_table.c (the words)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct options;

/* Where a word may stand. */
enum option_part {
    PART_EAL,     /* before the lone -- */
    PART_TESTPMD, /* after it */
    PART_KERNEL,  /* name=value, anywhere */
};

enum option_value {
    VALUE_NONE,
    VALUE_NEEDED,   /* --name=value, --name value, -nvalue, -n value */
    VALUE_ATTACHED, /* only --name=value, and it may be missing */
};

/*
 * One word. It is handled by @set when there is one; else it is a number in
 * [low, high], a multiple of @multiple, for the uint32_t at @field; else it is
 * accepted and ignored.
 */
struct option {
    const char *name; /* with its dashes */
    enum option_part part;
    enum option_value value;
    const char *expects; /* for the error; NULL for plain numbers */
    bool (*set)(struct options *o, const char *value);
    size_t field;
    uint32_t low, high, multiple; /* high 0: no number */
};

/* A name of NULL ends it. */
extern const struct option option_table[];
