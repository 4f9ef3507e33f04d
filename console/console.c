/*
 * console.c - the command line on the serial console
 */
#include "console/console.h"

#include <millrace/plat.h>

#include "console/command.h"
#include "console/line.h"
#include "console/out.h"
#include "net/fwd.h"

#define PROMPT "millrace> "

static const struct console_hooks *hooks;
static struct line line;
static bool is_open;
static size_t prompt_end; /* out_position() behind prompt and echo */

const struct console_hooks *console_hooks(void)
{
    return hooks;
}

void console_init(const struct console_hooks *h)
{
    hooks = h;
    is_open = false;
    line_init(&line);
    out_init();
    out("\nMillrace %s - a network appliance with nothing under it\n"
        "Type `help` for the commands.\n",
        h->version);
    out_flush();
}

static void prompt(void)
{
    out(PROMPT);
    out_bytes(line.text, line.used);
    prompt_end = out_position();
}

void console_open(void)
{
    is_open = true;
    prompt();
}

void console_reprompt(void)
{
    const bool still_waits = !out_is_empty() && out_position() == prompt_end;

    if (is_open && !still_waits)
        prompt();
}

/* Mark the column under the line as it was typed behind the prompt. */
static void show_error(const struct command_error *e)
{
    out("%*s^\n", (int)(sizeof(PROMPT) - 1 + e->column - 1), "");
    out("column %u: %s\n", e->column, e->text);
}

static void run(const char *text)
{
    static struct command_call call;
    struct command_error error;

    if (command_parse(text, &call, &error) != OK) {
        show_error(&error);
        return;
    }
    (void)!command_run(&call); /* the command has said what went wrong */
}

/* What waits, up to the end of one line. */
static void take_input(void)
{
    for (unsigned i = 0; i < CONSOLE_BYTES_PER_POLL; i++) {
        const int c = plat_console_read();

        if (c < 0)
            return;
        switch (line_put(&line, (unsigned char)c)) {
        case LINE_MORE:
            prompt_end = out_position();
            break;
        case LINE_READY:
            run(line.text);
            prompt();
            return;
        case LINE_CANCELED:
            prompt();
            break;
        }
    }
}

void console_poll(void)
{
    if (is_open)
        take_input();
    if (fwd_is_running())
        out_poll();
    else
        out_flush();
}
