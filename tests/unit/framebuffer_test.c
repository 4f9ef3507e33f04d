/*
 * framebuffer_test.c - text as pixels, read back from a picture in memory
 *
 * Cells are read by comparing them with the font; the font itself is held
 * against a letter that is drawn here.
 */
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

static void fill(uint32_t value)
{
    for (size_t i = 0; i < PIXELS_MAX; i++)
        pixels[i] = value;
}

/* A screen that was something else before. */
static void open_screen(uint32_t width, uint32_t height)
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

static void open_cells(unsigned columns, unsigned rows)
{
    open_screen(columns * FONT_WIDTH, rows * FONT_HEIGHT);
    CHECK_EQ(fb.columns, columns);
    CHECK_EQ(fb.rows, rows);
}

static void write_text(const char *text)
{
    framebuffer_write(&fb, text, strlen(text));
}

static void draw_all(void)
{
    CHECK(!framebuffer_draw(&fb, UINT32_MAX));
    CHECK(!framebuffer_is_behind(&fb));
}

static void say(const char *text)
{
    write_text(text);
    draw_all();
}

/* ---- reading the picture ---- */

static uint32_t pixel(unsigned x, unsigned y)
{
    return pixels[(size_t)y * fb.mode.stride + x];
}

static bool is_glyph(unsigned row, unsigned column, unsigned c)
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
static char seen(unsigned row, unsigned column)
{
    for (unsigned c = FONT_FIRST; c <= FONT_LAST; c++)
        if (is_glyph(row, column, c))
            return (char)c;
    return 0;
}

static const char *seen_row(unsigned row)
{
    static char line[FRAMEBUFFER_COLUMNS_MAX + 1];

    for (unsigned i = 0; i < fb.columns; i++)
        line[i] = seen(row, i);
    line[fb.columns] = '\0';
    return line;
}

static void scribble(unsigned row, unsigned column)
{
    for (unsigned y = 0; y < FONT_HEIGHT; y++)
        for (unsigned x = 0; x < FONT_WIDTH; x++)
            pixels[(size_t)(fb.top + row * FONT_HEIGHT + y) * fb.mode.stride +
                   fb.left + column * FONT_WIDTH + x] = UNTOUCHED;
}

/* Nothing right of the lines or below them was written. */
static void check_frame(void)
{
    for (uint32_t y = 0; y < fb.mode.height; y++)
        for (uint32_t x = fb.mode.width; x < fb.mode.stride; x++)
            CHECK_EQ(pixel(x, y), UNTOUCHED);
    for (size_t i = (size_t)fb.mode.stride * fb.mode.height;
         i < (size_t)fb.mode.stride * fb.mode.height + 4096 && i < PIXELS_MAX;
         i++)
        CHECK_EQ(pixels[i], UNTOUCHED);
}

/* ---- the font ---- */

TEST(font, a_letter_looks_as_drawn_here)
{
    static const char *const f[FONT_HEIGHT] = {
        "........", "........", "#######.", "#.......", "#.......", "#.......",
        "#####...", "#.......", "#.......", "#.......", "#.......", "#.......",
        "........", "........", "........", "........",
    };

    open_cells(4, 3);
    say("\n  F");
    for (unsigned y = 0; y < FONT_HEIGHT; y++)
        for (unsigned x = 0; x < FONT_WIDTH; x++)
            CHECK_EQ(pixel(16 + x, 16 + y), f[y][x] == '#' ? INK_BGR : 0);
}

TEST(font, glyphs_differ_and_do_not_touch_their_neighbours)
{
    for (unsigned i = 1; i < FONT_GLYPHS; i++) {
        for (unsigned other = 0; other < i; other++)
            CHECK(memcmp(font_glyphs[i], font_glyphs[other], FONT_HEIGHT) != 0);
        for (unsigned y = 0; y < FONT_HEIGHT; y++)
            CHECK_EQ(font_glyphs[i][y] & 1, 0);
        CHECK_EQ(font_glyphs[i][FONT_HEIGHT - 1], 0);
    }
}

/* ---- text ---- */

TEST(framebuffer, text_stands_where_it_was_written)
{
    open_cells(10, 3);
    say("Millrace\n ok");
    CHECK_STR(seen_row(0), "Millrace  ");
    CHECK_STR(seen_row(1), " ok       ");
    CHECK_STR(seen_row(2), "          ");
    check_frame();
}

TEST(framebuffer, a_long_line_goes_on_below)
{
    open_cells(4, 3);
    say("abcdefg");
    CHECK_STR(seen_row(0), "abcd");
    CHECK_STR(seen_row(1), "efg ");
}

TEST(framebuffer, a_line_that_just_fits_leaves_no_empty_one)
{
    open_cells(4, 3);
    say("abcd\nef");
    CHECK_STR(seen_row(0), "abcd");
    CHECK_STR(seen_row(1), "ef  ");
}

TEST(framebuffer, the_oldest_line_leaves_at_the_top)
{
    open_cells(4, 3);
    say("one\ntwo\nsix");
    CHECK_STR(seen_row(0), "one ");
    say("\nten");
    CHECK_STR(seen_row(0), "two ");
    CHECK_STR(seen_row(1), "six ");
    CHECK_STR(seen_row(2), "ten ");
    for (unsigned i = 0; i < 100; i++)
        write_text("\nfar");
    say("\n");
    CHECK_STR(seen_row(0), "far ");
    CHECK_STR(seen_row(1), "far ");
    CHECK_STR(seen_row(2), "    ");
}

TEST(framebuffer, backspace_takes_back_one)
{
    open_cells(4, 2);
    say("\b\babc\b \bd");
    CHECK_STR(seen_row(0), "abd ");
    say("e\b \b\bg"); /* from behind the last column */
    CHECK_STR(seen_row(0), "abg ");
    CHECK_STR(seen_row(1), "    ");
}

TEST(framebuffer, return_and_tab_move_without_writing)
{
    open_cells(12, 2);
    say("abcdefghij\rA\tI");
    CHECK_STR(seen_row(0), "AbcdefghIj  ");
    say("\t!"); /* there is no next stop: the last column */
    CHECK_STR(seen_row(0), "AbcdefghIj !");
    say("\t?"); /* and nothing of a full line is lost */
    CHECK_STR(seen_row(0), "AbcdefghIj !");
    CHECK_STR(seen_row(1), "?           ");
}

TEST(framebuffer, bytes_without_a_glyph_show_as_question_marks)
{
    static const char bytes[] = "a\0b\a\x1b[2Jc\x7f\x80\xff\v\f";

    open_cells(16, 2);
    framebuffer_write(&fb, bytes, sizeof(bytes) - 1);
    draw_all();
    CHECK_STR(seen_row(0), "ab?[2Jc?????    ");
}

/* ---- what is drawn, and when ---- */

TEST(framebuffer, what_does_not_change_is_not_drawn)
{
    open_cells(3, 2);
    say("ab\ncb");
    scribble(0, 1);
    scribble(0, 2);
    say("\nxy");
    CHECK_EQ(seen(0, 0), 'c');
    CHECK_EQ(seen(0, 1), 0); /* b, as before the scroll */
    CHECK_EQ(seen(0, 2), 0); /* a blank, as before */
    CHECK_STR(seen_row(1), "xy ");
}

TEST(framebuffer, pixels_are_never_read)
{
    open_cells(3, 3);
    say("abc\ndef\nghi");
    fill(UNTOUCHED);
    say("\njkl");
    CHECK_STR(seen_row(0), "def");
    CHECK_STR(seen_row(1), "ghi");
    CHECK_STR(seen_row(2), "jkl");
}

TEST(framebuffer, drawing_stops_when_its_cells_are_used_up)
{
    open_cells(4, 2);
    write_text("abcd\nef");
    CHECK(framebuffer_is_behind(&fb));
    CHECK(framebuffer_draw(&fb, 3));
    CHECK_STR(seen_row(0), "abc ");
    CHECK(framebuffer_draw(&fb, 0));
    CHECK(framebuffer_draw(&fb, 2));
    CHECK_STR(seen_row(0), "abcd");
    CHECK_STR(seen_row(1), "e   ");
    CHECK(!framebuffer_draw(&fb, 1));
    CHECK_STR(seen_row(1), "ef  ");
}

TEST(framebuffer, a_write_between_two_draws_is_not_forgotten)
{
    open_cells(2, 3);
    write_text("ab\ncd\nef");
    CHECK(framebuffer_draw(&fb, 3));
    write_text("\rEF\n\rgh"); /* scrolls what was half drawn */
    while (framebuffer_draw(&fb, 1))
        ;
    CHECK_STR(seen_row(0), "cd");
    CHECK_STR(seen_row(1), "EF");
    CHECK_STR(seen_row(2), "gh");
}

TEST(framebuffer, what_came_and_went_costs_no_pixel)
{
    open_cells(3, 2);
    say("ab\ncd");
    fill(UNTOUCHED);
    say("\b \by\bd");
    CHECK_EQ(seen(1, 1), 0);
}

/* ---- screens of all kinds ---- */

TEST(framebuffer, red_comes_first_or_last)
{
    struct framebuffer_mode mode;

    open_cells(1, 1);
    say("_");
    CHECK_EQ(pixel(0, 13), INK_BGR);
    mode = fb.mode;
    mode.is_bgr = false;
    CHECK_EQ(framebuffer_open(&fb, &mode), OK);
    say("_");
    CHECK_EQ(pixel(0, 13), INK_RGB);
}

TEST(framebuffer, modes_that_make_no_sense_are_refused)
{
    static const struct {
        uint32_t width, height, stride;
    } bad[] = {
        { 0, 0, 0 },          { 1, 1, 1 },
        { 7, 16, 7 },         { 8, 15, 8 },
        { 640, 480, 639 },    { 15, 1500, 15 },
        { 32769, 16, 32769 }, { 8, 32769, 8 },
        { 8, 16, 32769 },     { UINT32_MAX, UINT32_MAX, UINT32_MAX },
    };
    uint32_t none = UNTOUCHED;

    for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
        const struct framebuffer_mode mode = { .pixels = &none,
                                               .width = bad[i].width,
                                               .height = bad[i].height,
                                               .stride = bad[i].stride };
        size_t bytes;

        CHECK_EQ(framebuffer_bytes(&mode, &bytes), E_RANGE);
        CHECK_EQ(framebuffer_open(&fb, &mode), E_RANGE);
        CHECK_EQ(none, UNTOUCHED);
    }
}

TEST(framebuffer, a_mode_takes_its_lines_with_their_padding)
{
    struct framebuffer_mode mode = { .width = 800,
                                     .height = 600,
                                     .stride = 832 };
    size_t bytes;

    CHECK_EQ(framebuffer_bytes(&mode, &bytes), OK);
    CHECK_EQ(bytes, 1996800);
    mode = (struct framebuffer_mode) { .width = 32768,
                                       .height = 32768,
                                       .stride = 32768 };
    CHECK_EQ(framebuffer_bytes(&mode, &bytes), OK);
    CHECK_EQ(bytes, UINT64_C(4) << 30);
}

TEST(framebuffer, one_cell_is_a_screen)
{
    open_cells(1, 1);
    say("ab");
    CHECK_STR(seen_row(0), "b");
    say("\b\b\t\r\nc");
    CHECK_STR(seen_row(0), "c");
    check_frame();
}

TEST(framebuffer, what_is_left_over_is_a_black_margin)
{
    open_screen(8 * 3 + 7, 16 * 2 + 15);
    CHECK_EQ(fb.columns, 3);
    CHECK_EQ(fb.rows, 2);
    CHECK_EQ(fb.left, 3);
    CHECK_EQ(fb.top, 7);
    say("___\n___");
    CHECK_STR(seen_row(0), "___");
    for (unsigned y = 0; y < fb.mode.height; y++)
        for (unsigned x = 0; x < fb.mode.width; x++)
            if (x < 3 || x >= 3 + 24 || y < 7 || y >= 7 + 32)
                CHECK_EQ(pixel(x, y), 0);
    check_frame();
}

TEST(framebuffer, dots_grow_with_the_screen)
{
    open_screen(16 * 3, 1600);
    CHECK_EQ(fb.columns, 3);
    CHECK_EQ(fb.rows, 50);
    say("\n_");
    for (unsigned y = 0; y < 32; y++)
        for (unsigned x = 0; x < 16; x++)
            CHECK_EQ(pixel(x, 32 + y), y / 2 == 13 && x / 2 < 7 ? INK_BGR : 0);
    check_frame();
}

TEST(framebuffer, a_very_wide_screen_is_used_in_its_middle)
{
    open_screen(4000, 40);
    CHECK_EQ(fb.columns, 320);
    CHECK_EQ(fb.left, (4000 - 320 * 8) / 2);
    say("abc");
    CHECK_EQ(seen(0, 2), 'c');
    check_frame();
}

/* ---- against a plain terminal ---- */

static struct {
    char cell[8][24];
    unsigned columns, rows, column, row;
} plain;

static void plain_feed(void)
{
    plain.column = 0;
    if (++plain.row < plain.rows)
        return;
    plain.row--;
    memmove(plain.cell[0], plain.cell[1], 7 * sizeof(plain.cell[0]));
    memset(plain.cell[plain.row], ' ', sizeof(plain.cell[0]));
}

static void plain_put(unsigned char c)
{
    if (c == '\n')
        plain_feed();
    else if (c == '\r')
        plain.column = 0;
    else if (c == '\b')
        plain.column -= plain.column > 0;
    else if (c == '\t')
        while (plain.column + 1 < plain.columns && ++plain.column % 8 != 0)
            ;
    else if (c != '\0' && c != '\a') {
        if (plain.column == plain.columns)
            plain_feed();
        plain.cell[plain.row][plain.column++] =
            c >= ' ' && c < 0x7F ? (char)c : '?';
    }
}

static void run_random(unsigned columns, unsigned rows, unsigned seed)
{
    uint32_t random = seed;

    open_cells(columns, rows);
    memset(&plain, 0, sizeof(plain));
    memset(plain.cell, ' ', sizeof(plain.cell));
    plain.columns = columns;
    plain.rows = rows;
    for (unsigned i = 0; i < 2000; i++) {
        random = random * 1664525 + 1013904223;
        const unsigned pick = random >> 16;
        const char c =
            pick % 3 == 0 ? "\n\r\b\t"[pick / 3 % 4] : (char)(pick >> 3);

        framebuffer_write(&fb, &c, 1);
        plain_put((unsigned char)c);
        if (pick % 7 == 0)
            (void)framebuffer_draw(&fb, pick % 5);
    }
    draw_all();
    for (unsigned r = 0; r < rows; r++)
        for (unsigned i = 0; i < columns; i++)
            CHECK_EQ(seen(r, i), plain.cell[r][i]);
    check_frame();
}

TEST(framebuffer, any_bytes_end_as_on_a_plain_terminal)
{
    for (unsigned seed = 1; seed <= 3; seed++) {
        run_random(1, 1, seed);
        run_random(1, 5, seed);
        run_random(9, 1, seed);
        run_random(8, 3, seed);
        run_random(23, 8, seed);
    }
}
