/*
 * lost.c - outlives files that are shortened while they are mapped
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <sys/mman.h>

#include "server/lost.h"

static struct lost_watch *watched;
static struct sigaction before;

/* The access that failed is repeated when this returns. */
static void on_sigbus(int number, siginfo_t *info, void *context)
{
    const uintptr_t at = (uintptr_t)info->si_addr;

    (void)number, (void)context;
    for (struct lost_watch *w = watched; w != NULL; w = w->next) {
        if (at - (uintptr_t)w->base >= w->size)
            continue;
        if (mmap(w->base, w->size, PROT_READ | PROT_WRITE,
                 MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
                 0) == MAP_FAILED)
            break;
        w->is_lost = 1;
        return;
    }
    /* None of ours: whoever was here first gets it. */
    sigaction(SIGBUS, &before, NULL);
}

void lost_watch(struct lost_watch *w)
{
    const struct sigaction action = { .sa_sigaction = on_sigbus,
                                      .sa_flags = SA_SIGINFO };
    struct sigaction now;

    sigaction(SIGBUS, NULL, &now);
    if (!(now.sa_flags & SA_SIGINFO) || now.sa_sigaction != on_sigbus)
        sigaction(SIGBUS, &action, &before);
    w->is_lost = 0;
    w->next = watched;
    watched = w;
}

void lost_unwatch(struct lost_watch *w)
{
    struct lost_watch **link = &watched;

    while (*link != w)
        link = &(*link)->next;
    *link = w->next;
}
