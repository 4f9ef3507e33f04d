/*
 * line.c - a BENCH line of numbers that another program took
 *
 *   line NAME UNIT [KEY=VALUE...]
 *
 * reads one block a line from its input, "OURS" or "OURS PEER", and prints the
 * line that bench/ makes of them. Exit status 2: that is no input.
 */
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <millrace/log.h>

#include "bench/line.h"
#include "bench/stats.h"

#define SEED UINT64_C(1)

static double ours[STATS_BLOCKS_MAX], peer[STATS_BLOCKS_MAX];

/* What the statistics do when their own rules are broken. */
noreturn void panic(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    abort();
}

static void print(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vprintf(format, args);
    va_end(args);
}

/* Returns how many blocks there are; 0 when they cannot be read. */
static unsigned blocks_read(bool *has_peer)
{
    char text[256];
    unsigned n = 0;

    while (fgets(text, sizeof(text), stdin) != NULL) {
        const int got = sscanf(text, "%lf %lf", &ours[n], &peer[n]);

        if (got < 1 || ours[n] <= 0 || (got == 2 && peer[n] <= 0) ||
            (n > 0 && *has_peer != (got == 2)) || n + 1 == STATS_BLOCKS_MAX)
            return 0;
        *has_peer = got == 2;
        n++;
    }
    return n;
}

int main(int argc, char **argv)
{
    struct line_figure figure = { 0 };
    char more[LINE_BYTES_MAX] = "";
    bool has_peer = false;
    const unsigned n = argc < 3 ? 0 : blocks_read(&has_peer);

    if (n == 0)
        return 2;
    for (int i = 3; i < argc; i++) {
        const size_t len = strlen(more);

        snprintf(more + len, sizeof(more) - len, "%s%s", len > 0 ? " " : "",
                 argv[i]);
    }
    if (has_peer) {
        struct stats_comparison c;

        stats_compare(ours, peer, n, SEED, &c);
        figure = line_figure_of(argv[1], argv[2], &c, LINE_MEDIANS);
    } else {
        figure.name = argv[1];
        figure.unit = argv[2];
        figure.ours = stats_median(ours, n);
        figure.blocks = n;
    }
    figure.more = more[0] != '\0' ? more : NULL;
    line_write(print, &figure);
    return 0;
}
