/*
 * console_rig.h - typing at the console of the host's machine
 */
#pragma once

#include "tests/host/host.h"

#include "console/console.h"
#include "console/out.h"

/* Type @text; returns all that was printed. */
static inline const char *type(const char *text)
{
    host_console_clear();
    host_console_type(text);
    for (unsigned i = 0; i < 20; i++)
        console_poll();
    out_flush();
    return host_console_text();
}
