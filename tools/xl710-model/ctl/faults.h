/*
 * faults.h - faults by name
 */
#pragma once

#include "chip/chip.h"

/*
 * Inject the fault called @words[0] with the values in the other words.
 * Returns  NULL, or what was expected; nothing has happened then
 */
const char *fault_inject(struct chip *chip, unsigned pf, char **words,
                         unsigned n);

void fault_help(void (*line)(const char *usage, const char *what));
