/*
 * string.h - for the loader only, which is linked with no C library
 *
 * On the host the same sources see the system's header; boot/string.c defines
 * these for the loader.
 */
#pragma once

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes);
void *memmove(void *to, const void *from, size_t bytes);
void *memset(void *to, int value, size_t bytes);
int memcmp(const void *a, const void *b, size_t bytes);
void *memchr(const void *s, int byte, size_t bytes);
size_t strlen(const char *s);
