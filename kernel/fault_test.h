/*
 * fault_test.h - faults on purpose, so that tests see the dump
 */
#pragma once

#include <millrace/status.h>

struct fault_test {
    const char *kind;
    const char *meaning;
    void (*run)(void);
};

/* Row @index, NULL behind the last. */
const struct fault_test *fault_test_get(unsigned index);

/*
 * Do what must not be done.
 *
 * Returns  E_NOENT for an unknown @kind; E_STATE, with a log line, when the
 *          fault did not happen: memory is not protected as it should be
 */
must_use enum status fault_test_run(const char *kind);
