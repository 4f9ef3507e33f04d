/*
 * console_fuzz.c - any bytes typed at the serial console
 *
 * The machine may leave by `quit` and `reboot`; nothing else ends a session.
 */
#include "console/command.h"
#include "console/console.h"
#include "console/line.h"
#include "console/out.h"
#include "net/fwd.h"
#include "tests/fake/port_fake.h"
#include "tests/fuzz/fuzz.h"
#include "tests/host/host.h"

#define BYTES_MAX 2048

static const struct console_hooks hooks = { .version = "fuzz" };

/* The prompt's own parts first: the line editor and the grammar. */
static void parse_lines(const uint8_t *data, size_t size)
{
    static struct command_call call;
    static struct command_error error;
    static struct line_history history;
    static struct line line;

    line_init(&line, "> ", &history);
    for (size_t i = 0; i < size; i++) {
        if (line_put(&line, data[i]) != LINE_READY)
            continue;
        FUZZ_CHECK(strlen(line.text) <= LINE_MAX_BYTES);
        if (command_parse(line.text, &call, &error) == OK)
            continue;
        FUZZ_CHECK(error.text[0] != '\0' && error.column >= 1);
        FUZZ_CHECK(error.column <= strlen(line.text) + 1);
    }
}

static void type(const char *text)
{
    const size_t polls = strlen(text) + 8;

    console_init(&hooks);
    console_open();
    host_console_type(text);
    for (size_t i = 0; i < polls; i++) {
        console_poll();
        host_console_clear();
    }
    out_flush();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char text[BYTES_MAX + 1];
    const size_t n = size < BYTES_MAX ? size : BYTES_MAX;

    memcpy(text, data, n);
    text[n] = '\0';
    host_reset();
    port_fake_reset(2, NULL);
    fwd_init();
    console_init(&hooks);
    parse_lines(data, n);
    host_console_clear();
    if (setjmp(host_exit_to) == 0) {
        host_exit_armed = true;
        type(text);
    } else {
        FUZZ_CHECK(host_panic_text[0] == '\0');
    }
    host_exit_armed = false;
    if (fwd_is_running())
        (void)!fwd_stop();
    return 0;
}
