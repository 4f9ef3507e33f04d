/*
 * font.h - the glyphs of the screen
 */
#pragma once

#include <stdint.h>

#define FONT_WIDTH  8
#define FONT_HEIGHT 16
#define FONT_FIRST  0x20 /* the blank */
#define FONT_LAST   0x7E
#define FONT_GLYPHS (FONT_LAST - FONT_FIRST + 1)

/* Rows from the top; the highest bit is the leftmost pixel. */
extern const uint8_t font_glyphs[FONT_GLYPHS][FONT_HEIGHT];
