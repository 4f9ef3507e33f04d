/*
 * check.c - millrace-check: is this text a configuration?
 *
 * It is the appliance's own checker, without the appliance: which ports are
 * there is the one thing that it cannot know. Files are read and never written.
 *
 * Usage: millrace-check FILE...      - is standard input
 * Exit status: 0 all are well, 1 one has errors, 2 one cannot be read
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console/config.h"

/* All of @file in @text, which grows. False on an error of reading. */
static bool read_all(FILE *file, char **text, size_t *bytes)
{
    size_t room = 0;

    *text = NULL;
    *bytes = 0;
    for (;;) {
        if (*bytes == room) {
            room = room == 0 ? 4096 : 2 * room;
            char *more = realloc(*text, room);

            if (more == NULL)
                return false;
            *text = more;
        }
        const size_t n = fread(*text + *bytes, 1, room - *bytes, file);

        *bytes += n;
        if (n == 0)
            return !ferror(file);
    }
}

static int check_file(const char *name)
{
    const bool is_stdin = strcmp(name, "-") == 0;
    FILE *file = is_stdin ? stdin : fopen(name, "rb");
    char *text = NULL;
    size_t bytes = 0;
    bool is_read;
    int result;

    is_read = file != NULL && read_all(file, &text, &bytes);
    if (!is_read)
        fprintf(stderr, "millrace-check: %s: %s\n", name, strerror(errno));
    if (file != NULL && !is_stdin)
        fclose(file);
    if (!is_read)
        result = 2;
    else
        result = config_check_offline(text, bytes, name) == OK ? 0 : 1;
    if (result == 0)
        printf("%s: ok\n", name);
    free(text);
    return result;
}

int main(int argc, char **argv)
{
    int worst = 0;

    if (argc < 2) {
        fprintf(stderr, "usage: millrace-check FILE...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        const int result = check_file(argv[i]);

        worst = result > worst ? result : worst;
    }
    return worst;
}
