/*
 * wire.h - what a port's cable goes to
 *
 * A wire takes frames that leave the port and offers frames to it. It never
 * blocks and never drops in silence: what cannot travel is counted by reason,
 * what finds no room waits. A new kind of wire is one file with a wire_type.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"

enum {
    WIRE_PORTS_MAX = 4,
    WIRE_FRAME_MIN = 14,   /* an Ethernet header */
    WIRE_FRAME_PAD = 60,   /* shorter ones are padded on the wire */
    WIRE_FRAME_MAX = 9728, /* largest frame without FCS */
};

/*          reason         name           */
#define WIRE_REFUSALS(R)                                                       \
    R(TOO_SHORT, "too-short")     /* less than an Ethernet header */           \
    R(TOO_LONG, "too-long")       /* more than the largest frame */            \
    R(TRUNCATED, "truncated")     /* the capture kept only its beginning */    \
    R(UNREADABLE, "unreadable")   /* the file is damaged from here on */       \
    R(NO_ROOM, "no-room")         /* sent although the wire was not ready */   \
    R(UNCONNECTED, "unconnected") /* sent while nobody was at the other end */

enum wire_refusal {
#define WIRE_REFUSAL_ENUM(id, name) WIRE_##id,
    WIRE_REFUSALS(WIRE_REFUSAL_ENUM)
#undef WIRE_REFUSAL_ENUM
        WIRE_REFUSALS_COUNT
};

#define WIRE_ENDLESS UINT64_MAX

struct wire;

/* What a wire asks of the model. */
struct wire_host {
    void *ctx;
    /*
     * Offer a frame to the port. Returns false only when @may_wait and there
     * is no room; without it the port drops the frame and counts it missed.
     */
    bool (*deliver)(void *ctx, unsigned port, const uint8_t *frame, size_t len,
                    bool may_wait);
    /* The wire of another port, or NULL. */
    struct wire *(*other)(void *ctx, unsigned port);
};

struct wire_type {
    const char *name;
    const char *help;
    size_t bytes; /* of the wire's own state, zeroed, then defaults() */

    void (*defaults)(struct wire *w);
    /* Understand one key=value; before open and, where it says so, after. */
    bool (*set)(struct wire *w, const char *key, const char *value);
    /* All keys are set and all wires exist. */
    bool (*open)(struct wire *w);
    /* A frame leaves the port. */
    void (*transmit)(struct wire *w, const uint8_t *frame, size_t len);
    /* May the port send now? NULL: always. */
    bool (*ready)(struct wire *w);
    /* Offer up to @budget frames. Returns how many the port took. */
    unsigned (*pump)(struct wire *w, unsigned budget, uint64_t now_ns);
    /* The descriptor whose news serve() waits for; negative: none now. */
    int (*watch)(const struct wire *w);
    /*
     * Connect, read, write: what can be done now without waiting; @news: the
     * descriptor is ready. Returns whether anything moved.
     */
    bool (*serve)(struct wire *w, bool news, uint64_t now_ns);
    /* Begin again from the first frame. */
    bool (*rewind)(struct wire *w);
    /* Nothing happened for a while: write out what is buffered. */
    void (*flush)(struct wire *w);
    /* Frames still to be offered; WIRE_ENDLESS; NULL: none of its own. */
    uint64_t (*remaining)(const struct wire *w);
    void (*describe)(struct wire *w, struct json *j);
    void (*close)(struct wire *w);
};

enum wire_state {
    WIRE_WAITING, /* for the port to be ready */
    WIRE_HELD,    /* for the word "start" */
    WIRE_RUNNING,
    WIRE_DONE, /* everything was sent */
};

struct wire {
    const struct wire_type *type;
    const struct wire_host *host;
    void *self;
    unsigned port;
    enum wire_state state;
    bool is_open;
    bool no_pause; /* a port without room loses the frame */
    bool dirty;    /* flush has something to do */
    char error[256];

    /* Seen from the cable: injected goes into the port, received comes out. */
    uint64_t injected, injected_bytes;
    uint64_t received, received_bytes;
    uint64_t waits; /* times a frame found no room in the port */
    uint64_t refused[WIRE_REFUSALS_COUNT];
};

/* Returns  NULL for an unknown name or without memory */
struct wire *wire_create(const char *type, unsigned port,
                         const struct wire_host *host);
void wire_destroy(struct wire *w);

/* These say in w->error what is wrong when they return false. */
bool wire_set(struct wire *w, const char *key, const char *value);
bool wire_open(struct wire *w);
bool wire_start(struct wire *w); /* resume, or begin again when done */
void wire_stop(struct wire *w);

void wire_transmit(struct wire *w, const uint8_t *frame, size_t len);
bool wire_ready(struct wire *w);
/* @port_ready: the link is up and a receive queue is enabled */
unsigned wire_pump(struct wire *w, bool port_ready, unsigned budget,
                   uint64_t now_ns);
/* Each round, whether the port is ready or not. */
int wire_watch(const struct wire *w);
bool wire_serve(struct wire *w, bool news, uint64_t now_ns);
void wire_flush(struct wire *w);
void wire_describe(struct wire *w, struct json *j);

/* All kinds, one line each, for --help. */
void wire_help(void (*line)(const char *name, const char *help));

/* ---- for the kinds ---- */

/* Put a text into w->error. Returns false, for the caller to return. */
bool wire_fail(struct wire *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
bool wire_deliver(struct wire *w, const uint8_t *frame, size_t len);
/* Can @value be the path of a UNIX socket? */
bool wire_path_fits(struct wire *w, const char *key, const char *value);

extern const struct wire_type wire_null, wire_sink, wire_pair, wire_echo,
    wire_pcap, wire_gen, wire_stream, wire_dgram, wire_tap;
