/*
 * command.c - finding the command that a line means, or what is wrong with it
 */
#include "console/command.h"

#include <string.h>

#include "console/text.h"

#define EXPECTED_MAX 48
#define NAME_BYTES   48

/* Longest match so far, and what could have followed it. */
struct search {
    const struct port_scope *scope;
    struct word words[COMMAND_WORDS_MAX];
    unsigned word_count;
    unsigned matched; /* words that the best commands share with the line */

    struct text expected;
    char expected_room[360];
    char names[EXPECTED_MAX][NAME_BYTES];
    unsigned name_count;
    const char *near; /* closest of the words, or NULL */
    unsigned near_distance;
};

static bool named_before(const struct search *s, const char *name)
{
    for (unsigned i = 0; i < s->name_count; i++)
        if (strcmp(s->names[i], name) == 0)
            return true;
    return false;
}

static void consider(struct search *s, const char *name)
{
    const char *typed = s->words[s->matched].text;
    const unsigned distance = text_distance(typed, name);

    if (!text_is_near(typed, name))
        return;
    if (s->near == NULL || distance < s->near_distance) {
        s->near = name;
        s->near_distance = distance;
    }
}

static void add_expected(void *ctx, const char *name, unsigned bytes,
                         bool is_word)
{
    struct search *s = ctx;
    char *copy = s->names[s->name_count];

    if (s->name_count == EXPECTED_MAX)
        return;
    if (bytes >= NAME_BYTES)
        bytes = NAME_BYTES - 1;
    memcpy(copy, name, bytes);
    copy[bytes] = '\0';
    if (named_before(s, copy))
        return;
    s->name_count++;
    text_add(&s->expected, "%s%s", s->expected.used > 0 ? ", " : "", copy);
    if (is_word && s->matched < s->word_count)
        consider(s, copy);
}

/* How many leading words of the line fit @c; fills @call as far as they do. */
static unsigned match(const struct search *s, const struct command *c,
                      struct command_call *call)
{
    struct token token;
    unsigned n = 0;

    while (n < s->word_count && token_at(c->pattern, n, &token)) {
        struct token_value *v = &call->word[n];

        if (!token_match(&token, s->words[n].text, s->scope, v))
            break;
        v->column = s->words[n].column;
        n++;
    }
    return n;
}

/* May @c end before its token @n? */
static bool may_end(const struct command *c, unsigned n)
{
    struct token token;

    return !token_at(c->pattern, n, &token) || token.is_optional;
}

static void find(struct search *s, struct command_call *call)
{
    for (COMMAND_EACH(c)) {
        const unsigned n = match(s, c, call);

        if (n > s->matched)
            s->matched = n;
        if (n < s->word_count || !may_end(c, n))
            continue;
        call->command = c;
        call->count = n;
        return;
    }
}

/* Collect what the commands that matched longest would take next. */
static void explain(struct search *s, struct command_call *call)
{
    struct token token;
    bool ends = false;

    for (COMMAND_EACH(c)) {
        if (match(s, c, call) < s->matched)
            continue;
        if (token_at(c->pattern, s->matched, &token))
            token_expected(&token, s->scope, add_expected, s);
        ends |= may_end(c, s->matched);
    }
    if (ends)
        text_add(&s->expected, "%send of line",
                 s->expected.used > 0 ? ", " : "");
}

static enum status refuse(struct search *s, size_t line_bytes,
                          struct command_call *call,
                          struct command_error *error)
{
    struct text t;

    text_init(&s->expected, s->expected_room, sizeof(s->expected_room));
    explain(s, call);
    text_init(&t, error->text, sizeof(error->text));
    if (s->matched == s->word_count) {
        error->column = (unsigned)line_bytes + 1;
        text_add(&t, "the command ends too early");
    } else {
        error->column = s->words[s->matched].column;
        text_add(&t, "\"%.40s\" does not fit here", s->words[s->matched].text);
        if (s->near != NULL)
            text_add(&t, ", did you mean \"%s\"?", s->near);
    }
    text_add(&t, "%s expected %s", s->near != NULL ? "" : ";", s->expected.at);
    return E_INVALID;
}

static enum status fail(struct command_error *error, unsigned column,
                        const char *why)
{
    struct text t;

    error->column = column;
    text_init(&t, error->text, sizeof(error->text));
    text_add(&t, "%s", why);
    return E_INVALID;
}

/* Copy @line, without its comment, into @to. */
static enum status copy_line(const char *line, char to[LINE_MAX_BYTES + 1],
                             struct command_error *error)
{
    unsigned n = 0;

    for (; line[n] != '\0'; n++) {
        if (line[n] == '#' &&
            (n == 0 || line[n - 1] == ' ' || line[n - 1] == '\t'))
            break;
        if (n == LINE_MAX_BYTES)
            return fail(error, n + 1,
                        "the line is too long; expected at most "
                        "255 characters");
        if (line[n] != '\t' && !text_is_printable((unsigned char)line[n]))
            return fail(error, n + 1,
                        "a byte that is no character; expected ASCII text");
        to[n] = line[n];
    }
    while (n > 0 && (to[n - 1] == ' ' || to[n - 1] == '\t'))
        n--;
    to[n] = '\0';
    return OK;
}

static enum status parse(const char *line, struct search *s,
                         struct command_call *call, struct command_error *error)
{
    size_t bytes;
    unsigned at;

    call->command = NULL;
    call->count = 0;
    if (copy_line(line, call->line, error) != OK)
        return E_INVALID;
    bytes = strlen(call->line);
    if (words_split(call->line, s->words, COMMAND_WORDS_MAX, false,
                    &s->word_count, &at) != OK)
        return fail(error, at, "too many words; expected end of line");
    if (s->word_count == 0)
        return OK;
    find(s, call);
    if (call->command == NULL)
        return refuse(s, bytes, call, error);
    if (call->command->place ==
        (s->scope == NULL ? COMMAND_CONFIG_ONLY : COMMAND_PROMPT_ONLY))
        return fail(error, s->words[0].column,
                    s->scope == NULL ? "this command is for a configuration "
                                       "only; expected one for the prompt"
                                     : "this command is for the prompt only; "
                                       "expected a setting");
    return OK;
}

enum status command_parse(const char *line, struct command_call *call,
                          struct command_error *error)
{
    struct search s = { .scope = NULL };

    return parse(line, &s, call, error);
}

enum status command_parse_config(const char *line,
                                 const struct port_scope *scope,
                                 struct command_call *call,
                                 struct command_error *error)
{
    struct search s = { .scope = scope };

    return parse(line, &s, call, error);
}

enum status command_run(const struct command_call *call)
{
    return call->command == NULL ? OK : call->command->run(call);
}

bool command_begins_with(const struct command *command,
                         const struct command_call *call, unsigned first)
{
    struct token token;
    struct token_value value;

    for (unsigned i = first; i < call->count; i++)
        if (!token_at(command->pattern, i - first, &token) ||
            !token_match(&token, call->word[i].text, NULL, &value))
            return false;
    return true;
}

bool command_ends_in(const struct command_call *call, const char *word)
{
    return call->count > 0 &&
           strcmp(call->word[call->count - 1].text, word) == 0;
}
