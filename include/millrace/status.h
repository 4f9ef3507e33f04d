/*
 * status.h - how a call ended
 *
 * Only for faults of the world (device, firmware, file, memory map). A packet's
 * fault is a counter; our own broken invariant is a panic().
 */
#pragma once

#include <millrace/compiler.h>

#define STATUS_LIST(S)                                                         \
    S(OK, "success")                                                           \
    S(E_INVALID, "invalid argument")                                           \
    S(E_RANGE, "value out of range")                                           \
    S(E_NOMEM, "out of memory")                                                \
    S(E_NOBUF, "no free buffer")                                               \
    S(E_NOENT, "not found")                                                    \
    S(E_EXIST, "already exists")                                               \
    S(E_BUSY, "busy")                                                          \
    S(E_STATE, "not possible in this state")                                   \
    S(E_TIMEOUT, "timed out")                                                  \
    S(E_IO, "device error")                                                    \
    S(E_GONE, "device does not answer")                                        \
    S(E_UNSUPPORTED, "not supported")                                          \
    S(E_CORRUPT, "malformed data")                                             \
    S(E_OVERFLOW, "too large")

enum status {
#define STATUS_ENUM(name, text) name,
    STATUS_LIST(STATUS_ENUM)
#undef STATUS_ENUM
};

/* The text of @s, for a person. */
static inline const char *status_text(enum status s)
{
    switch (s) {
#define STATUS_TEXT(name, text)                                                \
    case name:                                                                 \
        return text;
        STATUS_LIST(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}
