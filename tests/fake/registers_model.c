/*
 * registers_model.c - the model's register table as plain rows
 */
#include <stddef.h>

#include "chip/regs.h"
#include "chip/stats.h"
#include "tests/fake/registers.h"

/* clang-format off */
const struct register_row registers_of_model[] = {
#define ROW(name, offset, step, count, scope, access, domain, reset, mask)     \
    { #name, offset, step, count, #access, #domain, mask },
    CHIP_REGISTERS(ROW)
#undef ROW
    { .name = NULL }
};

const struct register_counter register_counters_of_model[] = {
#define PORT(name, offset, width, n) { "GLPRT_" #name, offset, width, "port" },
#define VSI(name, offset, width)     { "GLV_" #name, offset, width, "VSI" },
    CHIP_PORT_STATS_ALL(PORT)
    CHIP_VSI_STATS(VSI)
#undef PORT
#undef VSI
    { "GL_RXERR1L", CHIP_RXERR_OFFSET, 48, "error" },
    { .name = NULL }
};
