/*
 * json.c - one line of JSON, built front to back
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"

void json_open(struct json *j)
{
    *j = (struct json) { .text = NULL };
}

void json_close(struct json *j)
{
    free(j->text);
    *j = (struct json) { .text = NULL };
}

const char *json_text(const struct json *j)
{
    if (j->failed || j->text == NULL)
        return "{\"ok\":false,\"error\":\"no memory for the answer\"}";
    return j->text;
}

static void add(struct json *j, const char *bytes, size_t n)
{
    if (j->len + n + 1 > j->room) {
        const size_t room = 2 * (j->len + n + 1) + 256;
        char *text = j->failed ? NULL : realloc(j->text, room);

        if (text == NULL) {
            j->failed = true;
            return;
        }
        j->text = text;
        j->room = room;
    }
    memcpy(j->text + j->len, bytes, n);
    j->len += n;
    j->text[j->len] = '\0';
}

static void add_text(struct json *j, const char *text)
{
    add(j, text, strlen(text));
}

static void add_quoted(struct json *j, const char *text)
{
    char hex[8];

    add(j, "\"", 1);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;

        if (c == '"' || c == '\\') {
            add(j, "\\", 1);
            add(j, text, 1);
        } else if (c < 0x20) {
            snprintf(hex, sizeof(hex), "\\u%04x", c);
            add_text(j, hex);
        } else {
            add(j, text, 1);
        }
    }
    add(j, "\"", 1);
}

static void begin(struct json *j, const char *name)
{
    if (j->comma)
        add(j, ",", 1);
    j->comma = true;
    if (name == NULL)
        return;
    add_quoted(j, name);
    add(j, ":", 1);
}

static void enter(struct json *j, const char *name, const char *bracket)
{
    begin(j, name);
    add_text(j, bracket);
    j->comma = false;
}

static void leave(struct json *j, const char *bracket)
{
    add_text(j, bracket);
    j->comma = true;
}

void json_object(struct json *j, const char *name)
{
    enter(j, name, "{");
}

void json_object_end(struct json *j)
{
    leave(j, "}");
}

void json_array(struct json *j, const char *name)
{
    enter(j, name, "[");
}

void json_array_end(struct json *j)
{
    leave(j, "]");
}

void json_string(struct json *j, const char *name, const char *value)
{
    begin(j, name);
    add_quoted(j, value);
}

void json_u64(struct json *j, const char *name, uint64_t value)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    begin(j, name);
    add_text(j, text);
}

void json_null(struct json *j, const char *name)
{
    begin(j, name);
    add_text(j, "null");
}

void json_bool(struct json *j, const char *name, bool value)
{
    begin(j, name);
    add_text(j, value ? "true" : "false");
}
