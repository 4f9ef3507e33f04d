/*
 * config.c - a configuration text: commands, one a line
 */
#include "console/config.h"

#include <string.h>

#include <millrace/log.h>

#include "console/command.h"
#include "console/out.h"
#include "console/port_name.h"
#include "console/text.h"

#define VERSION_WORD "version"
#define VERSION      "1"
#define MISSING      "no port has this address; expected one that is there"

/* Walks over the lines; does not copy the text. */
struct reader {
    const char *next, *end;
    const char *source;
    unsigned line; /* from 1 */
    unsigned errors;
    bool has_version;
    struct port_scope scope;
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

/* ---- what the text says about itself ---- */

static enum status declare(const struct command_call *call)
{
    (void)call; /* the reader of the text has taken note */
    return OK;
}

enum { ROW_VERSION, ROW_PORT };
#define CHOICE_OPTIONAL 1 /* in "required|optional" */

const struct command commands_text[] = {
    [ROW_VERSION] = { "version 1", SECTION_CONFIG, COMMAND_CONFIG_ONLY, declare,
                      "the first line: which language the text is in" },
    [ROW_PORT] = { "port required|optional <address>", SECTION_CONFIG,
                   COMMAND_CONFIG_ONLY, declare,
                   "refuse all of the text without this port, or leave out "
                   "the lines behind this one that name it" },
    { 0 },
};

static void declare_port(struct reader *r, const struct command_call *call)
{
    struct port_address address;
    unsigned port;

    (void)!port_address_read(call->word[2].text, &address);
    if (call->word[1].choice == CHOICE_OPTIONAL) {
        if (!port_scope_add_optional(&r->scope, &address))
            complain(r, call->word[2].column,
                     "too many optional ports; expected at most 32");
    } else if (!r->scope.is_offline && !port_address_find(&address, &port)) {
        complain(r, call->word[2].column, MISSING);
    }
}

static void check_command(struct reader *r, struct command_call *call)
{
    struct command_error error;

    if (command_parse_config(r->text, &r->scope, call, &error) != OK)
        complain(r, error.column, error.text);
    else if (call->command == &commands_text[ROW_VERSION])
        complain(r, call->word[0].column,
                 "the version was said before; expected a setting");
    else if (call->command == &commands_text[ROW_PORT])
        declare_port(r, call);
}

static enum status check(struct reader *r)
{
    static struct command_call call;

    while (read_line(r)) {
        if (is_empty(r->text))
            continue;
        if (!r->has_version)
            check_version(r);
        else
            check_command(r, &call);
    }
    if (!r->has_version) {
        r->line++;
        complain(r, 1, "nothing in it; expected \"version 1\"");
    }
    if (r->errors == 0)
        return OK;
    log_notice("%s: %u error%s, nothing of it is applied", r->source, r->errors,
               r->errors == 1 ? "" : "s");
    return E_INVALID;
}

enum status config_check(const char *text, size_t bytes, const char *source)
{
    struct reader r = reader_open(text, bytes, source);

    return check(&r);
}

enum status config_check_offline(const char *text, size_t bytes,
                                 const char *source)
{
    struct reader r = reader_open(text, bytes, source);

    r.scope.is_offline = true;
    return check(&r);
}

/* ---- applying ---- */

/* Does the line need a port that is not there? A list goes on without it. */
static bool is_left_out(const struct reader *r, const struct command_call *call)
{
    for (unsigned i = 0; i < call->count; i++)
        if (call->word[i].absent != 0 && call->word[i].list_count == 0) {
            log_notice("%s:%u:%u: port %s is optional and not there; the line "
                       "is left out",
                       r->source, r->line, call->word[i].column,
                       call->word[i].text);
            return true;
        }
    return false;
}

/* Run the line in r->text, which was checked. */
static enum status run_line(const struct reader *r, struct command_call *call)
{
    struct command_error error;
    const unsigned errors = log_errors();
    enum status s = command_parse_config(r->text, &r->scope, call, &error);

    if (s == OK && is_left_out(r, call))
        return OK;
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
    struct reader checked = reader_open(text, bytes, source);
    struct reader r = reader_open(text, bytes, source);
    enum status s = check(&checked);

    r.scope = checked.scope;
    while (s == OK && read_line(&r)) {
        if (is_empty(r.text))
            continue;
        if (r.has_version)
            s = run_line(&r, &call);
        r.has_version = true;
    }
    return s;
}
