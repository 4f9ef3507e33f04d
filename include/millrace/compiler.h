/*
 * compiler.h - the few words we add to C
 */
#pragma once

#include <stddef.h>

#define CACHE_LINE 64

#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

#define must_use          __attribute__((warn_unused_result))
#define noreturn          __attribute__((noreturn))
#define always_inline     inline __attribute__((always_inline))
#define cache_aligned     __attribute__((aligned(CACHE_LINE)))
#define packed            __attribute__((packed))
#define maybe_unused      __attribute__((unused))
#define printf_like(f, a) __attribute__((format(printf, f, a)))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define container_of(ptr, type, member)                                        \
    ((type *)((char *)(ptr)-offsetof(type, member)))

/* The compiler may not move memory accesses across this line. */
#define compiler_barrier() __asm__ volatile("" ::: "memory")
