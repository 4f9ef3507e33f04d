/*
 * ucontext.h - stands in for the system's: functions that take turns on one core
 */
#pragma once

#include <stddef.h>

typedef struct ucontext {
    void *sp; /* while another runs; first, ucontext.c relies on it */
    struct ucontext *uc_link;
    struct {
        void *ss_sp;
        size_t ss_size;
    } uc_stack;
    void (*body)(void);
    int argument;
} ucontext_t;

int getcontext(ucontext_t *context);

/* @body takes @count arguments of type int: one. */
void makecontext(ucontext_t *context, void (*body)(void), int count, ...);

int swapcontext(ucontext_t *from, ucontext_t *to);
