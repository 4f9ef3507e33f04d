/*
 * linux.h - Linux as the machine under the experiments
 */
#pragma once

/* Stay on one core, learn the clock's rate, count the other cores. */
void linux_start(void);

/* Threads from now on are taken off their core by nothing of lower rank. */
void linux_go_first(void);
/* But here. */
void linux_let_others(void);
