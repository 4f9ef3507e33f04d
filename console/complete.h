/*
 * complete.h - the tab key
 */
#pragma once

#include "console/line.h"

/*
 * Go on with the word before the cursor as far as the grammar leaves no choice;
 * with a choice and nothing to go on with, list what may stand there.
 */
void complete_line(struct line *l);
