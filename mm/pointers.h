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

/* The @n pointers below @top to @out, from the top down; less than two blocks. */
static always_inline void pointers_pop_few(void **out, void *const *top,
                                           unsigned n)
{
    enum { B = POINTER_BLOCK };

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

static always_inline void pointers_pop_two_blocks(void **out, void *const *top)
{
    enum { B = POINTER_BLOCK };
    const pointer_block a = block_load(top - B);
    const pointer_block b = block_load(top - 2 * B);

    block_store(out, block_turn(a));
    block_store(out + B, block_turn(b));
}

/*
 * The @n pointers below @from_top to @to, from the top down.
 *
 * What is left over when @n is no multiple of two blocks is moved as two blocks
 * again, that end where it ends: a branch on each bit of a number that nobody
 * can foresee would cost more than moving some of them twice.
 */
static always_inline void pointers_pop(void *to, const void *from_top,
                                       unsigned n)
{
    enum { B = POINTER_BLOCK };
    void *const *top = (void *const *)from_top;
    void **out = (void **)to;
    void **last;
    void *const *bottom;

    if (n < 2 * B) {
        pointers_pop_few(out, top, n);
        return;
    }
    last = out + n - 2 * B;
    bottom = top - n + 2 * B;
    for (unsigned left = n; left >= 2 * B; left -= 2 * B) {
        pointers_pop_two_blocks(out, top);
        out += 2 * B;
        top -= 2 * B;
    }
    if (!__builtin_constant_p(n % (2 * B) == 0) || n % (2 * B) != 0)
        pointers_pop_two_blocks(last, bottom);
}

static always_inline void pointers_copy_few(void **to, void *const *from,
                                            unsigned n)
{
    enum { B = POINTER_BLOCK };

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

static always_inline void pointers_copy_two_blocks(void **to, void *const *from)
{
    enum { B = POINTER_BLOCK };
    const pointer_block a = block_load(from), b = block_load(from + B);

    block_store(to, a);
    block_store(to + B, b);
}

/* The @n pointers at @in to @out, in their order; likewise. */
static always_inline void pointers_copy(void *out, const void *in, unsigned n)
{
    enum { B = POINTER_BLOCK };
    void *const *from = (void *const *)in;
    void **to = (void **)out;
    void **last;
    void *const *from_last;

    if (n < 2 * B) {
        pointers_copy_few(to, from, n);
        return;
    }
    last = to + n - 2 * B;
    from_last = from + n - 2 * B;
    for (unsigned left = n; left >= 2 * B; left -= 2 * B) {
        pointers_copy_two_blocks(to, from);
        to += 2 * B;
        from += 2 * B;
    }
    if (!__builtin_constant_p(n % (2 * B) == 0) || n % (2 * B) != 0)
        pointers_copy_two_blocks(last, from_last);
}
