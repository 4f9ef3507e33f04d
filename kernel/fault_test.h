/*
 * fault_test.h - faults on purpose, so that tests see the dump
 */
#pragma once

struct fault_test {
    const char *kind;
    const char *meaning;
    void (*run)(void);
};

/* Row @index, NULL behind the last. */
const struct fault_test *fault_test_get(unsigned index);
