/*
 * replay.c - a fuzz target as a regression test, without a fuzzer
 *
 * Usage: <name>_fuzz DIRECTORY. Runs every file in it, the empty input, and
 * each file cut short at a few places: what was found once is not found again.
 */
#include <dirent.h>
#include <stdio.h>

#include "tests/fuzz/fuzz.h"

#define FILE_MAX 65536
#define CUTS     8

static uint8_t bytes[FILE_MAX];

static void run(size_t n)
{
    uint8_t *copy = fuzz_heap_copy(bytes, n);

    LLVMFuzzerTestOneInput(copy, n);
    free(copy);
}

static bool run_file(const char *directory, const char *name)
{
    char path[4096];
    FILE *f;
    size_t n;

    snprintf(path, sizeof(path), "%s/%s", directory, name);
    f = fopen(path, "rb");
    if (f == NULL)
        return false;
    n = fread(bytes, 1, sizeof(bytes), f);
    fclose(f);
    /* Before it runs, so that a crash has a name. */
    printf("%s\n", path);
    fflush(stdout);
    for (unsigned i = 1; i <= CUTS; i++)
        run(n * i / CUTS);
    return true;
}

int main(int argc, char **argv)
{
    const struct dirent *entry;
    unsigned files = 0;
    DIR *d;

    if (argc != 2) {
        fprintf(stderr, "usage: %s DIRECTORY\n", argv[0]);
        return 2;
    }
    d = opendir(argv[1]);
    if (d == NULL) {
        perror(argv[1]);
        return 2;
    }
    run(0);
    while ((entry = readdir(d)) != NULL)
        if (entry->d_name[0] != '.' && run_file(argv[1], entry->d_name))
            files++;
    closedir(d);
    if (files == 0) {
        fprintf(stderr, "%s: no input there\n", argv[1]);
        return 1;
    }
    printf("%u inputs\n", files);
    return 0;
}
