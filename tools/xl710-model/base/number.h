/*
 * number.h - numbers that people type
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Decimal, or hexadecimal after 0x; nothing before, between or behind.
 * Returns  false, and @out untouched, unless @text is a number up to @max
 */
bool number_parse(const char *text, uint64_t max, uint64_t *out);
