/*
 * registers.h - the two register tables as plain rows, so that one test sees
 * both: the driver's and the model's headers cannot meet in one file
 */
#pragma once

#include <stdint.h>

struct register_row {
    const char *name;
    uint32_t offset, step, count;
    const char *access, *domain; /* as its own table writes them */
    uint32_t mask;               /* model only: bits that exist */
};

struct register_field {
    const char *reg, *field;
    unsigned lsb, width;
};

/* Counters: @kind "port", "VSI" or "error"; 32 or 48 bits. */
struct register_counter {
    const char *name;
    uint32_t offset;
    unsigned bits;
    const char *kind;
};

/* Each list ends with a row without a name. */
extern const struct register_row registers_of_driver[];
extern const struct register_field register_fields_of_driver[];
extern const struct register_counter register_counters_of_driver[];

extern const struct register_row registers_of_model[];
extern const struct register_counter register_counters_of_model[];
