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
