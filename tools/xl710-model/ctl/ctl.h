/*
 * ctl.h - the control socket: a line in, a line of JSON out
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

struct model;

#define CTL_CLIENTS_MAX 8
#define CTL_LINE_MAX    1024
#define CTL_PATH_MAX    256

struct ctl_client {
    int fd; /* -1: free */
    char line[CTL_LINE_MAX];
    size_t have;
    bool too_long; /* skip to the end of the line */
};

struct ctl {
    int listener;
    char path[CTL_PATH_MAX];
    struct ctl_client client[CTL_CLIENTS_MAX];
};

void ctl_init(struct ctl *ctl);
bool ctl_open(struct ctl *ctl, const char *path); /* false: logged */
void ctl_close(struct ctl *ctl);

/* Add what to wait for to @fds, which has room for 1 + CTL_CLIENTS_MAX. */
unsigned ctl_pollfds(const struct ctl *ctl, struct pollfd *fds);

/* Accept, read, answer: whatever can be done now. */
void ctl_serve(struct ctl *ctl, struct model *m);
