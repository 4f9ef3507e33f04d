/*
 * console.h - the command line on the serial console
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

/* A fault that `debug fault` provokes; a name of NULL ends the table. */
struct console_fault {
    const char *name;
    const char *help;
    void (*trigger)(void);
};

/* Prints like printf(); handed to those who know what there is to say. */
typedef void console_print(const char *fmt, ...) printf_like(1, 2);

struct bench_tx_rig; /* bench/bench.h */

struct console_selftest_result {
    unsigned tests;
    unsigned failed;
};

/* Tests that an image carries, in groups. */
struct console_selftest {
    uint64_t bytes;                       /* of memory that they run in */
    const char *(*group)(unsigned index); /* a name; NULL behind the last */
    /* What fails is printed; nothing of ours is touched but @memory. */
    struct console_selftest_result (*run)(unsigned group, void *memory,
                                          console_print *print);
};

/* What the console shows and cannot know itself. Stays with the caller. */
struct console_hooks {
    const char *version;
    const struct console_fault *faults;      /* NULL: no `debug fault` */
    const struct bench_tx_rig *tx_rig;       /* NULL: no `bench txfree` */
    const struct console_selftest *selftest; /* NULL: no `selftest` */
    void (*show_boot)(void);                 /* with report.h; NULL: nothing */
};

/* Print the banner; output of earlier commands is forgotten. */
void console_init(const struct console_hooks *hooks);
const struct console_hooks *console_hooks(void);

/* Print the first prompt: from now on commands are taken. */
void console_open(void);

/*
 * Take what was typed, run at most one command, let some output go.
 *
 * Context  control core, between bursts; call it every 10 ms or more often
 * Cost     at most CONSOLE_BYTES_PER_POLL bytes of input and one command;
 *          output that cannot leave yet waits (out.h)
 */
void console_poll(void);
#define CONSOLE_BYTES_PER_POLL 64

/*
 * Has Ctrl-C been typed since a command began? Who takes long asks now and then
 * and ends when it was. Other bytes wait for the prompt.
 */
bool console_interrupted(void);

/* How the command before this one went; E_INVALID for one that was none. */
enum status console_last_status(void);

/*
 * The next lines go to @to, behind the prompt @text, until it returns false.
 * NULL instead of a line: Ctrl-C has ended it.
 */
typedef bool console_lines(const char *line_or_null);
void console_take_lines(const char *text, console_lines *to);

/*
 * Print the prompt and what was typed so far again, after other output. Nothing
 * when the prompt itself has not left yet: it will come after that output.
 */
void console_reprompt(void);
