/*
 * fuzz.h - a fuzz target: one function that takes any bytes and survives
 *
 * Each tests/fuzz/<name>_fuzz.c is a program, linked with libFuzzer or with
 * replay.c, which only runs the files of tests/fuzz/corpus/<name>/.
 *
 *   F1  the same bytes do the same: a target starts from a fresh state
 *   F2  an input does a bounded amount of work
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The invariant a target watches; a fuzzer reports the abort. */
#define FUZZ_CHECK(cond)                                                       \
    do {                                                                       \
        if (!(cond))                                                           \
            fuzz_failed(#cond, __FILE__, __LINE__);                            \
    } while (0)
_Noreturn void fuzz_failed(const char *what, const char *file, int line);

/* The input, taken from the front; numbers are little-endian. */
struct fuzz_in {
    const uint8_t *at;
    size_t left;
};

/* What is missing reads as 0. */
static inline uint64_t fuzz_take(struct fuzz_in *in, unsigned bytes)
{
    uint64_t v = 0;
    unsigned i;

    for (i = 0; i < bytes && i < in->left; i++)
        v |= (uint64_t)in->at[i] << (8 * i);
    in->at += i;
    in->left -= i;
    return v;
}

/* @n bytes to @out; what is missing stays as it is. Returns how many came. */
static inline size_t fuzz_take_bytes(struct fuzz_in *in, void *out, size_t n)
{
    n = n < in->left ? n : in->left;
    if (n != 0)
        memcpy(out, in->at, n);
    in->at += n;
    in->left -= n;
    return n;
}

/* Exactly @n bytes of heap, so that a read beyond them is seen. */
static inline uint8_t *fuzz_heap_copy(const uint8_t *data, size_t n)
{
    uint8_t *copy = malloc(n == 0 ? 1 : n);

    if (copy == NULL)
        abort();
    if (n != 0)
        memcpy(copy, data, n);
    return copy;
}
