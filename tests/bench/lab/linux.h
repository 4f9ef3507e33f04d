/*
 * linux.h - Linux as the machine under the experiments
 */
#pragma once

/* Stay on one core, learn the clock's rate, count the other cores. */
void linux_start(void);
