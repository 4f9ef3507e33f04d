/*
 * framebuffer_rig.h - a screen in memory, and how it is read back
 *
 * Cells are read by comparing them with the font; framebuffer_test.c holds the
 * font itself against a letter that is drawn there.
 */
#pragma once

#include <stdlib.h>

#include "kernel/font.h"
#include "kernel/framebuffer.h"
#include "tests/unit/test.h"

#define PIXELS_MAX 200000u
#define UNTOUCHED  0x55AA1234u
#define INK_BGR    0x00CCD0D8u /* bytes D8 D0 CC 00: blue first */
#define INK_RGB    0x00D8D0CCu

static struct framebuffer fb;
static uint32_t *pixels;

static inline void fill(uint32_t value)
{
    for (size_t i = 0; i < PIXELS_MAX; i++)
        pixels[i] = value;
}

/* A screen that was something else before. */
static inline void open_screen(uint32_t width, uint32_t height)
{
    if (pixels == NULL)
        pixels = malloc(PIXELS_MAX * sizeof(*pixels));
    fill(UNTOUCHED);

    const struct framebuffer_mode mode = { .pixels = pixels,
                                           .width = width,
                                           .height = height,
                                           .stride = width + 3,
                                           .is_bgr = true };

    CHECK((size_t)mode.stride * height <= PIXELS_MAX);
    CHECK_EQ(framebuffer_open(&fb, &mode), OK);
}

static inline void open_cells(unsigned columns, unsigned rows)
{
    open_screen(columns * FONT_WIDTH, rows * FONT_HEIGHT);
    CHECK_EQ(fb.columns, columns);
    CHECK_EQ(fb.rows, rows);
}

static inline void write_text(const char *text)
{
    framebuffer_write(&fb, text, strlen(text));
}

static inline void draw_all(void)
{
    CHECK(!framebuffer_draw(&fb, UINT32_MAX));
    CHECK(!framebuffer_is_behind(&fb));
}

static inline void say(const char *text)
{
    write_text(text);
    draw_all();
}

/* ---- reading the picture ---- */

static inline uint32_t pixel(unsigned x, unsigned y)
{
    return pixels[(size_t)y * fb.mode.stride + x];
}

static inline bool is_glyph(unsigned row, unsigned column, unsigned c)
{
    for (unsigned y = 0; y < FONT_HEIGHT; y++)
        for (unsigned x = 0; x < FONT_WIDTH; x++) {
            const bool dot =
                (font_glyphs[c - FONT_FIRST][y] >> (7 - x) & 1) != 0;

            if (pixel(fb.left + column * FONT_WIDTH + x,
                      fb.top + row * FONT_HEIGHT + y) != (dot ? INK_BGR : 0))
                return false;
        }
    return true;
}

/* The character that is seen there, or 0. */
static inline char seen(unsigned row, unsigned column)
{
    for (unsigned c = FONT_FIRST; c <= FONT_LAST; c++)
        if (is_glyph(row, column, c))
            return (char)c;
    return 0;
}

static inline const char *seen_row(unsigned row)
{
    static char line[FRAMEBUFFER_COLUMNS_MAX + 1];

    for (unsigned i = 0; i < fb.columns; i++)
        line[i] = seen(row, i);
    line[fb.columns] = '\0';
    return line;
}

static inline void scribble(unsigned row, unsigned column)
{
    for (unsigned y = 0; y < FONT_HEIGHT; y++)
        for (unsigned x = 0; x < FONT_WIDTH; x++)
            pixels[(size_t)(fb.top + row * FONT_HEIGHT + y) * fb.mode.stride +
                   fb.left + column * FONT_WIDTH + x] = UNTOUCHED;
}

/* Nothing right of the lines or below them was written. */
static inline void check_frame(void)
{
    for (uint32_t y = 0; y < fb.mode.height; y++)
        for (uint32_t x = fb.mode.width; x < fb.mode.stride; x++)
            CHECK_EQ(pixel(x, y), UNTOUCHED);
    for (size_t i = (size_t)fb.mode.stride * fb.mode.height;
         i < (size_t)fb.mode.stride * fb.mode.height + 4096 && i < PIXELS_MAX;
         i++)
        CHECK_EQ(pixels[i], UNTOUCHED);
}
