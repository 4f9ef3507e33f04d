/*
 * json.h - one line of JSON, built front to back
 *
 * Names and strings are escaped; what does not fit any more is left out and
 * json_text() then says so instead of giving half a value.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    char *text;
    size_t len, room;
    bool comma;  /* the next member needs one before it */
    bool failed; /* memory ran out */
};

void json_open(struct json *j);
void json_close(struct json *j);
const char *json_text(const struct json *j);

/* @name NULL: an element of an array, or the outermost value. */
void json_object(struct json *j, const char *name);
void json_object_end(struct json *j);
void json_array(struct json *j, const char *name);
void json_array_end(struct json *j);
void json_string(struct json *j, const char *name, const char *value);
void json_u64(struct json *j, const char *name, uint64_t value);
void json_null(struct json *j, const char *name);
void json_bool(struct json *j, const char *name, bool value);
