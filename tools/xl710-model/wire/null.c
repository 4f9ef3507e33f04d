/*
 * null.c - a cable that ends in a counter; nothing ever comes back
 */
#include "wire/wire.h"

const struct wire_type wire_null = {
    .name = "null",
    .help = "counts what the port sends",
};

const struct wire_type wire_sink = {
    .name = "sink",
    .help = "the same",
};
