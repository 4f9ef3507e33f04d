/*
 * line_fuzz.c - any keys: a dumb terminal shows what is kept, and what is given
 * is understood or refused at one of its columns
 */
#include "console/command.h"
#include "console/complete.h"
#include "console/console.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/fuzz/fuzz.h"
#include "tests/unit/terminal_rig.h"

#define BYTES_MAX 2048

static const struct console_hooks hooks = { .version = "fuzz" };
static struct line_history history;
static struct line line;
static struct terminal terminal;

static void parse(void)
{
    static struct command_call call;
    static struct command_error error;

    FUZZ_CHECK(strlen(line.text) <= LINE_MAX_BYTES);
    if (command_parse(line.text, &call, &error) == OK)
        return;
    FUZZ_CHECK(error.text[0] != '\0' && error.column >= 1);
    FUZZ_CHECK(error.column <= strlen(line.text) + 1);
}

static void key(uint8_t byte)
{
    switch (line_put(&line, byte)) {
    case LINE_MORE:
        break;
    case LINE_TAB:
        complete_line(&line);
        break;
    case LINE_READY:
        parse();
        line_show(&line);
        break;
    case LINE_CANCELED:
        line_show(&line);
        break;
    }
    terminal_update(&terminal);
    FUZZ_CHECK(line.cursor <= line.used && line.used <= LINE_MAX_BYTES);
    FUZZ_CHECK(terminal_shows(&terminal, &line));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    host_reset();
    port_fake_reset(2, NULL);
    fwd_init();
    console_init(&hooks);
    host_console_clear();
    memset(&history, 0, sizeof(history));
    memset(&terminal, 0, sizeof(terminal));
    line_init(&line, "> ", &history);
    line_show(&line);
    terminal_update(&terminal);
    for (size_t i = 0; i < size && i < BYTES_MAX; i++)
        key(data[i]);
    return 0;
}
