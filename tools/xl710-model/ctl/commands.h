/*
 * commands.h - the words of the control socket
 */
#pragma once

#include "base/json.h"

struct model;

/* Do what @line says, which is cut into words, and put the answer into @j. */
void ctl_run(struct model *m, char *line, struct json *j);

/* All commands, as text for people. */
void ctl_help(void (*line)(const char *usage, const char *what));
