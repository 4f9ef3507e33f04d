/*
 * framebuffer_mode_test.c - screens of all sizes and colour orders
 */
#include "tests/unit/framebuffer_rig.h"

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
        { 32769, 16, 32769 }, { 32768, 32769, 32768 },
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
