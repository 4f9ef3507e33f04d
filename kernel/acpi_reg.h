/*
 * acpi_reg.h - registers that ACPI describes, wherever they are
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/acpi.h"

struct acpi_reg {
    struct acpi_address where;
    volatile void *memory; /* when where.space is memory */
};

/*
 * Returns  false when @where names no register or one that cannot be reached
 * Context  control core; maps the register when it is memory
 */
bool acpi_reg_open(const struct acpi_address *where, struct acpi_reg *out);

/* @bytes is 1, 2 or 4. */
uint32_t acpi_reg_read(const struct acpi_reg *reg, unsigned bytes);
void acpi_reg_write(const struct acpi_reg *reg, unsigned bytes, uint32_t value);
