/*
 * log.h - one line per event, seconds since start in brackets
 */
#pragma once

#include <stdio.h>

/* Where lines go; stderr until told otherwise. */
void model_log_to(FILE *out);

void model_log(const char *format, ...) __attribute__((format(printf, 1, 2)));
