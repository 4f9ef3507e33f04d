/*
 * mman.h - stands in for the system's: one mapping, the memory of the tests
 */
#pragma once

#include <stddef.h>

#define PROT_READ     1
#define PROT_WRITE    2
#define MAP_PRIVATE   2
#define MAP_ANONYMOUS 32
#define MAP_FAILED    ((void *)-1)

void *mmap(void *where, size_t bytes, int access, int flags, int file,
           long offset);
