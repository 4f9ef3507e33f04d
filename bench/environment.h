/*
 * environment.h - the machine under the figures, said with them
 */
#pragma once

#include "bench/line.h"

/*
 * Print what CPU, clock and image these are, what counters it has, whether time
 * has gaps, and in plain words when its figures mean little.
 *
 * @seed    of the series
 * Cost     some milliseconds of looking for gaps
 */
void environment_print(line_print *print, uint64_t seed);

/* Once more what makes the figures worth little; nothing when nothing does. */
void environment_warn(line_print *print);
