/*
 * framebuffer_test.c - text as pixels, read back from a picture in memory
 */
#include "tests/unit/framebuffer_rig.h"

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
