/*
 * main.c - runs the tests that a file registered
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/test.h"

#define TESTS_MAX 512

struct entry {
    const char *name;
    void (*body)(void);
};

static struct entry entries[TESTS_MAX];
static struct CMUnitTest tests[TESTS_MAX];
static unsigned count;

void test_register(const char *name, void (*body)(void))
{
    if (count == TESTS_MAX)
        abort();
    entries[count++] = (struct entry) { name, body };
}

void test_check_contains(const char *text, const char *part, const char *file,
                         int line)
{
    if (strstr(text, part) != NULL)
        return;
    print_error("\"%s\"\n  does not contain \"%s\"\n", text, part);
    _fail(file, line);
}

static void run(void **state)
{
    const struct entry *e = *state;

    host_reset();
    e->body();
}

int main(int argc, char **argv)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++) {
        if (argc > 1 && strstr(entries[i].name, argv[1]) == NULL)
            continue;
        tests[n++] = (struct CMUnitTest) { .name = entries[i].name,
                                           .test_func = run,
                                           .initial_state = &entries[i] };
    }
    return _cmocka_run_group_tests(argv[0], tests, n, NULL, NULL);
}
