/*
 * framebuffer.h - text on a screen that is an array of pixels
 *
 * Text goes into cells in memory at once; pixels follow when asked for, as many
 * as the caller has time for. What was overwritten or scrolled away between two
 * draws costs no pixel.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/status.h>

#define FRAMEBUFFER_COLUMNS_MAX 320
#define FRAMEBUFFER_ROWS_MAX    94

struct framebuffer_mode {
    uint32_t *pixels;       /* 32 bits each */
    uint32_t width, height; /* pixels that are seen */
    uint32_t stride;        /* pixels from one line to the next */
    bool is_bgr;            /* bytes are blue, green, red, x; else red first */
};

struct framebuffer {
    struct framebuffer_mode mode;
    unsigned scale; /* a dot of a glyph is so many pixels wide and high */
    unsigned columns, rows;
    unsigned left, top;   /* pixels: the text stands in the middle */
    unsigned column, row; /* where the next character goes */
    unsigned first;       /* of the ring of rows: the one at the top */
    unsigned scan;        /* the row of the screen that is drawn next */
    unsigned clean;       /* rows before it that are as they should be */
    uint8_t text[FRAMEBUFFER_ROWS_MAX][FRAMEBUFFER_COLUMNS_MAX];
    uint8_t shown[FRAMEBUFFER_ROWS_MAX][FRAMEBUFFER_COLUMNS_MAX];
};

/*
 * Bytes that a mode takes, as far as its sizes make sense.
 *
 * Returns  OK; E_RANGE when not even one character fits, the picture is larger
 *          than any screen, or its lines overlap
 */
must_use enum status framebuffer_bytes(const struct framebuffer_mode *mode,
                                       size_t *bytes);

/*
 * Make a black screen of @mode, the cursor at its top left.
 *
 * Returns  as framebuffer_bytes, with no pixel touched on failure
 * Cost     every pixel is written once
 */
must_use enum status framebuffer_open(struct framebuffer *fb,
                                      const struct framebuffer_mode *mode);

/*
 * Put text into the cells. "\n" begins a line, "\r" goes to its start, "\b" one
 * back, "\t" to the next multiple of eight; a character beyond the last column
 * begins a line of its own. NUL and BEL do nothing; any other byte that has no
 * glyph is shown as '?'.
 *
 * Cost     no pixel; a row of cells for each line
 */
void framebuffer_write(struct framebuffer *fb, const char *text, size_t bytes);

/*
 * Draw what changed, at most @cells cells of FONT_WIDTH * FONT_HEIGHT dots.
 *
 * Returns  true when there is more to draw
 */
bool framebuffer_draw(struct framebuffer *fb, unsigned cells);

/* Is anything left to draw? */
static inline bool framebuffer_is_behind(const struct framebuffer *fb)
{
    return fb->clean < fb->rows;
}
