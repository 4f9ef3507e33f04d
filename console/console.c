/*
 * console.c - the command line on the serial console
 *
 *   C1  the log, which writes to the same device, stands in lines of its own:
 *       an answer is not cut inside a line, and the prompt with what was typed
 *       moves below; a program that waits for its echo sees one whole line
 */
#include "console/console.h"

#include <millrace/log.h>
#include <millrace/plat.h>

#include "console/command.h"
#include "console/line.h"
#include "console/out.h"
#include "net/fwd.h"

#define PROMPT "millrace> "

static const struct console_hooks *hooks;
static struct line line;
static bool is_open;
static bool is_cut;       /* the log stands where the prompt stood */
static size_t prompt_end; /* out_position() behind prompt and echo */

const struct console_hooks *console_hooks(void)
{
    return hooks;
}

static void prompt(void)
{
    out(PROMPT);
    out_bytes(line.text, line.used);
    prompt_end = out_position();
}

/* ---- the log's lines between ours (C1) ---- */

static void before_log(void)
{
    const bool at_prompt = is_open && out_position() == prompt_end;

    if (!fwd_is_ours())
        out_flush_lines(); /* what was said before stands before */
    if (at_prompt) {
        is_cut = out_wipe_line(sizeof(PROMPT) - 1 + line.used);
        return;
    }
    out_break_line();
    is_cut = false;
}

static void after_log(void)
{
    if (is_cut)
        prompt();
}

/* ---- opening ---- */

void console_init(const struct console_hooks *h)
{
    static const struct log_watch watch = { before_log, after_log };

    hooks = h;
    is_open = false;
    line_init(&line);
    out_init();
    out("\nMillrace %s - a network appliance with nothing under it\n"
        "Type `help` for the commands.\n",
        h->version);
    out_flush();
    log_watch_set(&watch);
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

/* ---- running ---- */

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
    if (fwd_is_ours())
        out_poll();
    else
        out_flush();
}
