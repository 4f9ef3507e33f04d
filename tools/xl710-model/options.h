/*
 * options.h - what the command line asks for
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/chip.h"

#define OPTIONS_ERROR_MAX 320

struct port_options {
    char *wire;     /* kind */
    char *settings; /* "key=value\0key=value\0\0" for the wire */
    bool link_down;
};

enum strictness {
    STRICT_OFF,
    STRICT_LOG,   /* complaints are logged; the exit status tells */
    STRICT_FATAL, /* the first one ends the model */
};

struct options {
    struct chip_config chip;
    struct port_options port[CHIP_PF_MAX];
    const char *socket_dir;
    const char *log_file;
    bool shared_doorbells;
    enum strictness strict;
    bool help;
};

/*
 * Understand the command line.
 * @error   OPTIONS_ERROR_MAX bytes: what is wrong, one line
 * Returns  false with @error filled
 */
bool model_options_parse(struct options *o, int argc, char **argv, char *error);
void model_options_free(struct options *o);
void model_options_help(void);
