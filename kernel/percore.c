/*
 * percore.c - the boot core's own area; entry.S points %gs at it
 */
#include "kernel/plat/percore.h"

struct percore percore_boot;
