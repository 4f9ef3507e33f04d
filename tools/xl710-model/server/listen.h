/*
 * listen.h - UNIX sockets that wait for a client
 */
#pragma once

/*
 * Listen at @path. A socket left over there by a dead process is replaced, a
 * live one is not.
 * Returns  a non-blocking descriptor, or -1 with a log line
 */
int listen_open(const char *path);

/* The next client, or -1. */
int listen_accept(int listener);
