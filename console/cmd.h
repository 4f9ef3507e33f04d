/*
 * cmd.h - what the files of commands share
 */
#pragma once

#include <millrace/status.h>

#include "console/token.h"

/* Call @each for the port of a "<port>|all" word, or for every port. */
void cmd_for_ports(const struct token_value *word, void (*each)(unsigned port));

/*
 * Report on the port of a "<port>|all" word; one is the object of the report, all
 * are the list "ports" in it.
 */
void cmd_report_ports(const struct token_value *word,
                      void (*each)(unsigned port));

/* Call a function that can fail, going on after a failure. Returns the first that was not OK. */
must_use enum status cmd_try_ports(const struct token_value *word,
                                   enum status (*each)(unsigned port));

/* Print "<what>: <status>" when @s is not OK. Returns @s. */
enum status cmd_report(const char *what, enum status s);
