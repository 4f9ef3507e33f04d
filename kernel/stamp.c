/*
 * stamp.c - when each part of the start was done
 */
#include <stdio.h>
#include <string.h>

#include <millrace/clock.h>
#include <millrace/log.h>

#include "kernel/stamp.h"

#define LINE_MAX 400

static struct mark {
    const char *name;
    uint64_t cycles; /* since entry */
} marks[STAMP_MAX];
static unsigned count;
static uint64_t entry;

void stamp_start(uint64_t cycles)
{
    entry = cycles;
    count = 0;
}

static const struct mark *find(const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(marks[i].name, name) == 0)
            return &marks[i];
    return NULL;
}

void stamp_mark(const char *name)
{
    if (count == STAMP_MAX || find(name) != NULL)
        return;
    marks[count++] = (struct mark) { name, plat_cycles() - entry };
}

uint64_t stamp_elapsed_us(void)
{
    return clock_cycles_to_us(plat_cycles() - entry);
}

uint64_t stamp_get_us(const char *name)
{
    const struct mark *m = find(name);

    return m != NULL ? clock_cycles_to_us(m->cycles) : UINT64_MAX;
}

void stamp_print(uint64_t chip_wait_us)
{
    char line[LINE_MAX] = "";
    size_t len = 0;
    uint64_t last = 0;

    for (unsigned i = 0; i < count && len < sizeof(line); i++) {
        last = clock_cycles_to_us(marks[i].cycles);
        len += (size_t)snprintf(line + len, sizeof(line) - len, " %s %llu",
                                marks[i].name, (unsigned long long)last);
    }
    const uint64_t chip = chip_wait_us < last ? chip_wait_us : last;

    log_info("stamps: us since entry:%s; the chip asked for %llu of %llu, "
             "%llu are ours",
             line, (unsigned long long)chip, (unsigned long long)last,
             (unsigned long long)(last - chip));
}
