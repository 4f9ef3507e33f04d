/*
 * wire.c - what all kinds of wire have in common
 *
 *   W1  a frame offered to the port is counted as injected only once taken
 *   W2  nothing is offered before the port can receive
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>

#include "wire/wire.h"

static const struct wire_type *const types[] = {
    &wire_null, &wire_sink,   &wire_pair,  &wire_echo, &wire_pcap,
    &wire_gen,  &wire_stream, &wire_dgram, &wire_tap,
};
enum { TYPES = sizeof(types) / sizeof(types[0]) };

static const char *const refusal_names[] = {
#define WIRE_REFUSAL_NAME(id, name) name,
    WIRE_REFUSALS(WIRE_REFUSAL_NAME)
#undef WIRE_REFUSAL_NAME
};

static const char *const state_names[] = {
    [WIRE_WAITING] = "waiting",
    [WIRE_HELD] = "held",
    [WIRE_RUNNING] = "running",
    [WIRE_DONE] = "done",
};

void wire_help(void (*line)(const char *name, const char *help))
{
    for (unsigned i = 0; i < TYPES; i++)
        line(types[i]->name, types[i]->help);
}

bool wire_fail(struct wire *w, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(w->error, sizeof(w->error), format, args);
    va_end(args);
    return false;
}

struct wire *wire_create(const char *type, unsigned port,
                         const struct wire_host *host)
{
    struct wire *w;
    unsigned i = 0;

    while (i < TYPES && strcmp(types[i]->name, type) != 0)
        i++;
    if (i == TYPES)
        return NULL;
    w = calloc(1, sizeof(*w));
    if (w == NULL)
        return NULL;
    w->type = types[i];
    w->port = port;
    w->host = host;
    w->self = calloc(1, w->type->bytes + 1);
    if (w->self == NULL) {
        free(w);
        return NULL;
    }
    if (w->type->defaults != NULL)
        w->type->defaults(w);
    return w;
}

void wire_destroy(struct wire *w)
{
    if (w == NULL)
        return;
    if (w->type->close != NULL)
        w->type->close(w);
    free(w->self);
    free(w);
}

static bool take_bool(struct wire *w, const char *key, const char *value,
                      bool *out)
{
    if (strcmp(value, "1") != 0 && strcmp(value, "0") != 0)
        return wire_fail(w, "%s=%s: expected 0 or 1", key, value);
    *out = value[0] == '1';
    return true;
}

bool wire_set(struct wire *w, const char *key, const char *value)
{
    bool on = false;

    w->error[0] = '\0';
    if (strcmp(key, "hold") == 0 && !w->is_open) {
        if (!take_bool(w, key, value, &on))
            return false;
        w->state = on ? WIRE_HELD : WIRE_WAITING;
        return true;
    }
    if (strcmp(key, "pause") == 0) {
        if (!take_bool(w, key, value, &on))
            return false;
        w->no_pause = !on;
        return true;
    }
    if (w->type->set != NULL && w->type->set(w, key, value))
        return true;
    if (w->error[0] == '\0')
        wire_fail(w, "wire %s has no setting \"%s\"%s", w->type->name, key,
                  w->is_open ? " that can change while it runs" : "");
    return false;
}

bool wire_open(struct wire *w)
{
    w->is_open = w->type->open == NULL || w->type->open(w);
    return w->is_open;
}

bool wire_start(struct wire *w)
{
    if (w->state == WIRE_DONE && w->type->rewind != NULL && !w->type->rewind(w))
        return false;
    w->state = WIRE_WAITING;
    return true;
}

void wire_stop(struct wire *w)
{
    if (w->state != WIRE_DONE)
        w->state = WIRE_HELD;
}

void wire_transmit(struct wire *w, const uint8_t *frame, size_t len)
{
    w->received++;
    w->received_bytes += len;
    w->dirty = true;
    if (w->type->transmit != NULL)
        w->type->transmit(w, frame, len);
}

bool wire_ready(struct wire *w)
{
    return w->type->ready == NULL || w->type->ready(w);
}

unsigned wire_pump(struct wire *w, bool port_ready, unsigned budget,
                   uint64_t now_ns)
{
    if (w->type->pump == NULL || !port_ready)
        return 0;
    if (w->state == WIRE_WAITING)
        w->state = WIRE_RUNNING;
    if (w->state != WIRE_RUNNING)
        return 0;
    return w->type->pump(w, budget, now_ns);
}

int wire_watch(const struct wire *w)
{
    return w->type->watch != NULL ? w->type->watch(w) : -1;
}

bool wire_serve(struct wire *w, bool news, uint64_t now_ns)
{
    return w->type->serve != NULL && w->type->serve(w, news, now_ns);
}

bool wire_deliver(struct wire *w, const uint8_t *frame, size_t len)
{
    if (!w->host->deliver(w->host->ctx, w->port, frame, len, !w->no_pause)) {
        w->waits++;
        return false;
    }
    w->injected++;
    w->injected_bytes += len;
    return true;
}

bool wire_path_fits(struct wire *w, const char *key, const char *value)
{
    const size_t most = sizeof(((struct sockaddr_un *)0)->sun_path) - 1;

    return (value[0] != '\0' && strlen(value) <= most) ||
           wire_fail(w, "%s=%s: expected a path of 1 to %zu bytes", key, value,
                     most);
}

void wire_flush(struct wire *w)
{
    if (w->dirty && w->type->flush != NULL)
        w->type->flush(w);
    w->dirty = false;
}

void wire_describe(struct wire *w, struct json *j)
{
    wire_flush(w);
    json_string(j, "type", w->type->name);
    json_string(j, "state", state_names[w->state]);
    json_u64(j, "injected", w->injected);
    json_u64(j, "injected_bytes", w->injected_bytes);
    json_u64(j, "received", w->received);
    json_u64(j, "received_bytes", w->received_bytes);
    if (w->type->remaining == NULL)
        json_u64(j, "remaining", 0);
    else if (w->type->remaining(w) != WIRE_ENDLESS)
        json_u64(j, "remaining", w->type->remaining(w));
    else
        json_null(j, "remaining");
    json_u64(j, "waits", w->waits);
    json_object(j, "refused");
    for (unsigned i = 0; i < WIRE_REFUSALS_COUNT; i++)
        if (w->refused[i] > 0)
            json_u64(j, refusal_names[i], w->refused[i]);
    json_object_end(j);
    if (w->type->describe != NULL)
        w->type->describe(w, j);
}
