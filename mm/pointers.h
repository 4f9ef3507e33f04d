/*
 * pointers.h - arrays of pointers, moved as many at a time as one register holds
 *
 * A core finishes one store a cycle or so, whatever its width. Read back at the
 * same width or a smaller one: a load that spans two stores waits for both.
 */
#pragma once

#include <stdint.h>

#include <millrace/compiler.h>

typedef uint64_t pointer_pair
    __attribute__((vector_size(16), aligned(8), may_alias));

#ifdef __AVX2__
typedef uint64_t pointer_block
    __attribute__((vector_size(32), aligned(8), may_alias));
#define POINTER_BLOCK 4
#define block_turn(b) __builtin_shufflevector(b, b, 3, 2, 1, 0)
#else
typedef pointer_pair pointer_block;
#define POINTER_BLOCK 2
#define block_turn(b) __builtin_shufflevector(b, b, 1, 0)
#endif

static always_inline pointer_pair pair_load(void *const *from)
{
    return *(const pointer_pair *)(const void *)from;
}

static always_inline void pair_store(void **to, pointer_pair pair)
{
    *(pointer_pair *)(void *)to = pair;
}

static always_inline pointer_block block_load(void *const *from)
{
    return *(const pointer_block *)(const void *)from;
}

static always_inline void block_store(void **to, pointer_block block)
{
    *(pointer_block *)(void *)to = block;
}

/* The @n pointers below @from_top to @to, from the top down. */
static always_inline void pointers_pop(void *to, const void *from_top,
                                       unsigned n)
{
    enum { B = POINTER_BLOCK };
    void *const *top = (void *const *)from_top;
    void **out = (void **)to;

    for (; n >= 2 * B; n -= 2 * B, out += 2 * B, top -= 2 * B) {
        const pointer_block a = block_load(top - B);
        const pointer_block b = block_load(top - 2 * B);

        block_store(out, block_turn(a));
        block_store(out + B, block_turn(b));
    }
    if (B > 2 && (n & B) != 0) {
        block_store(out, block_turn(block_load(top - B)));
        out += B;
        top -= B;
    }
    if ((n & 2) != 0) {
        const pointer_pair a = pair_load(top - 2);

        pair_store(out, __builtin_shufflevector(a, a, 1, 0));
        out += 2;
        top -= 2;
    }
    if ((n & 1) != 0)
        *out = top[-1];
}

static always_inline void pointers_copy(void *out, const void *in, unsigned n)
{
    enum { B = POINTER_BLOCK };
    void *const *from = (void *const *)in;
    void **to = (void **)out;

    for (; n >= 2 * B; n -= 2 * B, to += 2 * B, from += 2 * B) {
        const pointer_block a = block_load(from), b = block_load(from + B);

        block_store(to, a);
        block_store(to + B, b);
    }
    if (B > 2 && (n & B) != 0) {
        block_store(to, block_load(from));
        to += B;
        from += B;
    }
    if ((n & 2) != 0) {
        pair_store(to, pair_load(from));
        to += 2;
        from += 2;
    }
    if ((n & 1) != 0)
        *to = *from;
}
