/*
 * framebuffer.c - text on a screen that is an array of pixels
 *
 *   F1  pixels are never read: reads from a display device take microseconds
 *   F2  shown[][] is what the screen shows; a cell is drawn only when it
 *       differs from what it should show
 *   F3  column <= columns and row < rows at any moment: a dump may interrupt a
 *       write anywhere and write itself
 *   F4  no pixel outside of width and height is written
 */
#include "kernel/framebuffer.h"

#include <string.h>

#include <millrace/bits.h>

#include "kernel/font.h"

#define SIDE_MAX      32768u
#define LINES_A_SCALE 1500 /* beyond so many, dots get larger */
#define TAB           8
#define BLANK         ' '

/* Grey of a little blue; on black. */
#define RED   0xCCu
#define GREEN 0xD0u
#define BLUE  0xD8u

_Static_assert(LINES_A_SCALE / FONT_HEIGHT < FRAMEBUFFER_ROWS_MAX,
               "rows of the tallest screen of each scale");

/* ---- geometry ---- */

static unsigned scale_of(const struct framebuffer_mode *mode)
{
    return 1 + mode->height / LINES_A_SCALE;
}

enum status framebuffer_bytes(const struct framebuffer_mode *mode,
                              size_t *bytes)
{
    const unsigned scale = scale_of(mode);

    if (mode->width < FONT_WIDTH * scale || mode->height < FONT_HEIGHT ||
        mode->height > SIDE_MAX || mode->stride < mode->width ||
        mode->stride > SIDE_MAX)
        return E_RANGE;
    *bytes = (size_t)mode->stride * mode->height * sizeof(uint32_t);
    return OK;
}

static void lay_out(struct framebuffer *fb)
{
    const struct framebuffer_mode *mode = &fb->mode;

    fb->scale = scale_of(mode);
    fb->columns = mode->width / (FONT_WIDTH * fb->scale);
    if (fb->columns > FRAMEBUFFER_COLUMNS_MAX)
        fb->columns = FRAMEBUFFER_COLUMNS_MAX;
    fb->rows = mode->height / (FONT_HEIGHT * fb->scale);
    fb->left = (mode->width - fb->columns * FONT_WIDTH * fb->scale) / 2;
    fb->top = (mode->height - fb->rows * FONT_HEIGHT * fb->scale) / 2;
}

enum status framebuffer_open(struct framebuffer *fb,
                             const struct framebuffer_mode *mode)
{
    size_t bytes;
    const enum status status = framebuffer_bytes(mode, &bytes);

    if (status != OK)
        return status;
    memset(fb, 0, sizeof(*fb));
    fb->mode = *mode;
    lay_out(fb);
    memset(fb->text, BLANK, sizeof(fb->text));
    memset(fb->shown, BLANK, sizeof(fb->shown));
    fb->clean = fb->rows;
    for (uint32_t y = 0; y < mode->height; y++)
        memset(mode->pixels + (size_t)y * mode->stride, 0,
               mode->width * sizeof(uint32_t));
    return OK;
}

/* ---- text ---- */

/* The cells of @row of the screen. */
static uint8_t *cells_of(struct framebuffer *fb, unsigned row)
{
    return fb->text[(fb->first + row) % fb->rows];
}

static void next_line(struct framebuffer *fb)
{
    fb->column = 0;
    if (fb->row + 1 < fb->rows) {
        fb->row++;
        return;
    }
    memset(cells_of(fb, 0), BLANK, fb->columns);
    fb->first = (fb->first + 1) % fb->rows;
}

static void next_tab(struct framebuffer *fb)
{
    const unsigned stop = align_down(fb->column, TAB) + TAB;

    if (stop < fb->columns)
        fb->column = stop;
    else if (fb->column < fb->columns)
        fb->column = fb->columns - 1;
}

static void put_glyph(struct framebuffer *fb, unsigned char c)
{
    if (fb->column == fb->columns)
        next_line(fb);
    cells_of(fb, fb->row)[fb->column] =
        c >= FONT_FIRST && c <= FONT_LAST ? c : '?';
    fb->column++;
}

static void put(struct framebuffer *fb, unsigned char c)
{
    switch (c) {
    case '\n':
        next_line(fb);
        break;
    case '\r':
        fb->column = 0;
        break;
    case '\b':
        if (fb->column > 0)
            fb->column--;
        break;
    case '\t':
        next_tab(fb);
        break;
    case '\a':
    case '\0':
        break;
    default:
        put_glyph(fb, c);
    }
}

void framebuffer_write(struct framebuffer *fb, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        put(fb, (unsigned char)text[i]);
    fb->clean = 0;
}

/* ---- pixels ---- */

static uint32_t ink(const struct framebuffer *fb)
{
    return fb->mode.is_bgr ? RED << 16 | GREEN << 8 | BLUE
                           : BLUE << 16 | GREEN << 8 | RED;
}

static void draw_dots(uint32_t *to, uint8_t dots, unsigned scale,
                      uint32_t colour)
{
    for (unsigned bit = 0x80; bit != 0; bit >>= 1)
        for (unsigned i = 0; i < scale; i++)
            *to++ = (dots & bit) != 0 ? colour : 0;
}

static void draw_cell(const struct framebuffer *fb, unsigned row,
                      unsigned column, uint8_t c)
{
    const unsigned high = FONT_HEIGHT * fb->scale;
    const size_t y = fb->top + row * high;
    const size_t x = fb->left + column * FONT_WIDTH * fb->scale;
    uint32_t *to = fb->mode.pixels + y * fb->mode.stride + x;

    for (unsigned i = 0; i < high; i++, to += fb->mode.stride)
        draw_dots(to, font_glyphs[c - FONT_FIRST][i / fb->scale], fb->scale,
                  ink(fb));
}

/* False when @left, the cells that may still be drawn, ran out first. */
static bool draw_row(struct framebuffer *fb, unsigned row, unsigned *left)
{
    const uint8_t *text = cells_of(fb, row);
    uint8_t *shown = fb->shown[row];

    if (memcmp(text, shown, fb->columns) == 0)
        return true;
    for (unsigned i = 0; i < fb->columns; i++) {
        if (text[i] == shown[i]) /* F2 */
            continue;
        if (*left == 0)
            return false;
        draw_cell(fb, row, i, text[i]);
        shown[i] = text[i];
        (*left)--;
    }
    return true;
}

bool framebuffer_draw(struct framebuffer *fb, unsigned cells)
{
    while (framebuffer_is_behind(fb)) {
        if (!draw_row(fb, fb->scan, &cells))
            return true;
        fb->scan = (fb->scan + 1) % fb->rows;
        fb->clean++;
    }
    return false;
}
