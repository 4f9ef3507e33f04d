/*
 * order.h - memory that changes hands between cores, but is not atomic itself
 *
 * An index or a lock orders these accesses: whoever looks at the one first may
 * touch the other. Said at the access, it can be proved: the tests replace these
 * two, and the __atomic builtins, by calls that try every order the declared
 * ones allow. Here they are what they seem.
 */
#pragma once

#ifndef plain_load
#define plain_load(p)     (*(p))
#define plain_store(p, v) ((void)(*(p) = (v)))
#endif

/*
 * One writer, and readers that may look at any time and want to see a value that
 * was stored, whole, but nothing about its order. Unlike an atomic store it does
 * not make the compiler forget what it knows of other memory.
 */
#ifdef __SANITIZE_THREAD__
#define whole_store(p, v) __atomic_store_n(p, v, __ATOMIC_RELAXED)
#else
#define whole_store(p, v) ((void)(*(volatile __typeof__(*(p)) *)(p) = (v)))
#endif
