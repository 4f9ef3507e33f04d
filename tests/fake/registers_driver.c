/*
 * registers_driver.c - the driver's register table as plain rows
 */
#include <stddef.h>

#include "drivers/xl710/regs.h"
#include "tests/fake/registers.h"

/* clang-format off */
const struct register_row registers_of_driver[] = {
#define ROW(name, offset, step, count, access, reset, meaning)                 \
    { #name, offset, step, count, #access, #reset, 0 },
    XL710_REGISTERS(ROW)
#undef ROW
    { .name = NULL }
};

const struct register_field register_fields_of_driver[] = {
#define ROW(reg, field, lsb, width, meaning) { #reg, #field, lsb, width },
    XL710_FIELDS(ROW)
#undef ROW
    { .reg = NULL }
};

#define KIND_PORT "port"
#define KIND_VSI  "VSI"
#define KIND_ERR  "error"

const struct register_counter register_counters_of_driver[] = {
#define ROW(name, offset, bits, set, text) { #name, offset, bits, KIND_##set },
    XL710_COUNTERS(ROW)
#undef ROW
    { .name = NULL }
};
