/*
 * config.c - a configuration text: commands, one a line
 */
#include "console/config.h"

#include <string.h>

#include <millrace/log.h>

#include "console/command.h"
#include "console/out.h"
#include "console/text.h"

#define VERSION_WORD "version"
#define VERSION      "1"

/* Walks over the lines; does not copy the text. */
struct reader {
    const char *next, *end;
    const char *source;
    unsigned line; /* from 1 */
    unsigned errors;
    bool has_version;
    char text[LINE_MAX_BYTES + 2]; /* one more, so that too long shows */
};

static struct reader reader_open(const char *text, size_t bytes,
                                 const char *source)
{
    return (
        struct reader) { .next = text, .end = text + bytes, .source = source };
}

/* The next line into r->text, without its end; false after the last one. */
static bool read_line(struct reader *r)
{
    const char *nl;
    size_t n;

    if (r->next == r->end)
        return false;
    nl = memchr(r->next, '\n', (size_t)(r->end - r->next));
    n = (size_t)((nl == NULL ? r->end : nl) - r->next);
    r->line++;
    if (n > 0 && r->next[n - 1] == '\r')
        n--;
    if (n > LINE_MAX_BYTES + 1)
        n = LINE_MAX_BYTES + 1;
    for (size_t i = 0; i < n; i++) /* a NUL must not hide what follows it */
        r->text[i] = r->next[i] == '\0' ? '\1' : r->next[i];
    r->text[n] = '\0';
    r->next = nl == NULL ? r->end : nl + 1;
    return true;
}

static void complain(struct reader *r, unsigned column, const char *what)
{
    if (r->errors++ < CONFIG_ERRORS_MAX)
        log_error("%s:%u:%u: %s", r->source, r->line, column, what);
}

/* Blank, or nothing but a comment. */
static bool is_empty(const char *line)
{
    line += strspn(line, " \t");
    return *line == '\0' || *line == '#';
}

static void check_version(struct reader *r)
{
    char copy[sizeof(r->text)];
    struct word words[3];
    unsigned n = 0, column = 1;

    r->has_version = true; /* one complaint is enough */
    memcpy(copy, r->text, sizeof(copy));
    copy[strcspn(copy, "#")] = '\0';
    if (words_split(copy, words, 3, false, &n, &column) == OK && n == 2 &&
        strcmp(words[0].text, VERSION_WORD) == 0) {
        if (strcmp(words[1].text, VERSION) != 0)
            complain(r, words[1].column,
                     "this version of the configuration "
                     "is not known; expected 1");
        return;
    }
    complain(r, n > 0 ? words[0].column : 1,
             "the first line does not say which version this is; expected "
             "\"version 1\"");
}

static void check_command(struct reader *r, struct command_call *call)
{
    struct command_error error;

    if (command_parse(r->text, call, &error) != OK)
        complain(r, error.column, error.text);
    else if (call->command != NULL && call->command->prompt_only)
        complain(r, call->word[0].column,
                 "this command is for the prompt only; expected a setting");
}

enum status config_check(const char *text, size_t bytes, const char *source)
{
    static struct command_call call;
    struct reader r = reader_open(text, bytes, source);

    while (read_line(&r)) {
        if (is_empty(r.text))
            continue;
        if (!r.has_version)
            check_version(&r);
        else
            check_command(&r, &call);
    }
    if (!r.has_version) {
        r.line++;
        complain(&r, 1, "nothing in it; expected \"version 1\"");
    }
    if (r.errors == 0)
        return OK;
    log_notice("%s: %u error%s, nothing of it is applied", source, r.errors,
               r.errors == 1 ? "" : "s");
    return E_INVALID;
}

/* Run the line in r->text, which was checked. */
static enum status run_line(const struct reader *r, struct command_call *call)
{
    struct command_error error;
    const unsigned errors = log_errors();
    enum status s = command_parse(r->text, call, &error);

    if (s == OK)
        s = command_run(call);
    if (s != OK) /* where it stood is worth telling, though not as an error */
        log_write(log_errors() == errors ? LOG_ERR : LOG_NOTICE,
                  "%s:%u:1: \"%.40s\" failed: %s; the lines after it are not "
                  "applied",
                  r->source, r->line, r->text, status_text(s));
    return s;
}

enum status config_apply(const char *text, size_t bytes, const char *source)
{
    static struct command_call call;
    struct reader r = reader_open(text, bytes, source);
    enum status s = config_check(text, bytes, source);

    while (s == OK && read_line(&r)) {
        if (is_empty(r.text))
            continue;
        if (r.has_version)
            s = run_line(&r, &call);
        r.has_version = true;
    }
    return s;
}
