/*
 * console.c - the command line on the serial console
 *
 *   C1  the log, which writes to the same device, stands in lines of its own:
 *       an answer is not cut inside a line, and the prompt with what was typed
 *       moves below; a program that waits for its echo sees one whole line
 */
#include "console/console.h"

#include <string.h>

#include <millrace/log.h>
#include <millrace/plat.h>

#include "console/command.h"
#include "console/complete.h"
#include "console/line.h"
#include "console/out.h"
#include "net/fwd.h"

#define PROMPT    "millrace> "
#define CTRL_C    0x03
#define AHEAD_MAX 256

static const struct console_hooks *hooks;
static struct line_history history;
static struct line line;
static bool is_open;
static bool is_cut;       /* the log stands where the prompt stood */
static size_t prompt_end; /* out_position() behind prompt and echo */
static enum status last;  /* how the latest command went */

/* Who takes the next lines instead of the grammar; NULL = nobody. */
static console_lines *lines_to;

/* Typed while a command ran; the rest of a flood is lost. */
static struct {
    unsigned char bytes[AHEAD_MAX];
    unsigned head, tail;
} ahead;

const struct console_hooks *console_hooks(void)
{
    return hooks;
}

enum status console_last_status(void)
{
    return last;
}

static void prompt(void)
{
    line_show(&line);
    prompt_end = out_position();
}

/* ---- the log's lines between ours (C1) ---- */

static void before_log(void)
{
    const bool at_prompt = is_open && out_position() == prompt_end;

    is_cut = false;
    if (out_page_waits()) {
        out_page_hide();
        return;
    }
    if (!fwd_is_ours())
        out_flush_lines(); /* what was said before stands before */
    if (at_prompt)
        is_cut = out_wipe_line(line_columns(&line));
    else
        out_break_line();
}

static void after_log(void)
{
    if (out_page_waits())
        out_page_show();
    else if (is_cut)
        prompt();
}

/* ---- what is typed ---- */

static int read_byte(void)
{
    if (ahead.head != ahead.tail)
        return ahead.bytes[ahead.head++ % AHEAD_MAX];
    return plat_console_read();
}

bool console_interrupted(void)
{
    int c;

    while ((c = plat_console_read()) >= 0) {
        if (c == CTRL_C) {
            ahead.head = ahead.tail; /* it was typed for what is ended */
            return true;
        }
        if (ahead.tail - ahead.head < AHEAD_MAX)
            ahead.bytes[ahead.tail++ % AHEAD_MAX] = (unsigned char)c;
    }
    return false;
}

/* ---- opening ---- */

void console_init(const struct console_hooks *h)
{
    static const struct log_watch watch = { before_log, after_log };

    hooks = h;
    is_open = false;
    lines_to = NULL;
    ahead.head = ahead.tail = 0;
    last = OK;
    memset(&history, 0, sizeof(history));
    line_init(&line, PROMPT, &history);
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
        last = E_INVALID;
        return;
    }
    if (call.command == NULL)
        return;
    out_page_begin();
    out_interrupt_set(console_interrupted);
    last = command_run(&call); /* it has said what went wrong */
    out_interrupt_set(NULL);   /* a prompt and its echo are nobody's answer */
    if (out_unmute())
        out("^C\n");
}

void console_take_lines(const char *text, console_lines *to)
{
    lines_to = to;
    line_init(&line, to == NULL ? PROMPT : text, to == NULL ? &history : NULL);
}

static void take_line(void)
{
    if (lines_to == NULL)
        run(line.text);
    else if (!lines_to(line.text))
        console_take_lines(NULL, NULL);
    prompt();
}

static void cancel(void)
{
    if (lines_to != NULL) {
        (void)!lines_to(NULL);
        console_take_lines(NULL, NULL);
    }
    prompt();
}

/* False when it has ended a line. */
static bool take_byte(unsigned char c)
{
    if (c == CTRL_C)
        out_drop_lines(); /* of an answer that still leaves */
    switch (line_put(&line, c)) {
    case LINE_MORE:
        prompt_end = out_position();
        break;
    case LINE_READY:
        take_line();
        return false;
    case LINE_CANCELED:
        cancel();
        break;
    case LINE_TAB:
        if (lines_to == NULL)
            complete_line(&line);
        else
            line_insert(&line, " ", 1);
        prompt_end = out_position();
        break;
    }
    return true;
}

/* What waits, up to the end of one line. */
static void take_input(void)
{
    for (unsigned i = 0; i < CONSOLE_BYTES_PER_POLL; i++) {
        const int c = read_byte();

        if (c < 0)
            return;
        if (out_page_waits())
            out_page_key(c);
        else if (!take_byte((unsigned char)c))
            return;
    }
}

void console_poll(void)
{
    if (is_open)
        take_input();
    if (fwd_is_ours())
        out_poll();
    else
        out_drain();
}
