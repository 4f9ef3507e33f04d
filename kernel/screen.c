/*
 * screen.c - the firmware's screen as a second console
 *
 * Drawing is slow next to a packet: a line that scrolls a full screen changes
 * some thousand cells. So the loop draws in slices, and lines that came and
 * went between two slices are never drawn at all.
 *
 *   N1  a fault in here, which ends in a dump, does not come back in here more
 *       than once
 */
#include "kernel/screen.h"

#include <stdint.h>

#include <millrace/clock.h>
#include <millrace/log.h>

#include "kernel/framebuffer.h"
#include "kernel/panic.h"
#include "kernel/serial.h"
#include "kernel/vm.h"

#define CELLS_A_LOOK 4    /* drawn between two looks at the clock */
#define SLICE_US     50   /* with packets waiting ... */
#define PERIOD_US    1000 /* ... in each of these */
#define IDLE_US      1000 /* without: the console's input waits so long */

static struct framebuffer framebuffer;
static bool is_open, is_lazy;
static volatile unsigned depth; /* N1; a fault in between must see it */
static struct deadline next;

/* Else the last stores may stay in the core until something pushes them. */
static void let_out(void)
{
    __asm__ volatile("sfence" ::: "memory");
}

static void draw_all(void)
{
    while (framebuffer_draw(&framebuffer, UINT32_MAX))
        ;
    let_out();
}

static void draw_for(uint64_t us)
{
    const struct deadline d = deadline_in_us(us);

    while (framebuffer_draw(&framebuffer, CELLS_A_LOOK) && !deadline_passed(&d))
        ;
    let_out();
}

static enum status map(const struct boot_framebuffer *f,
                       struct framebuffer_mode *mode)
{
    size_t bytes;

    *mode = (struct framebuffer_mode) { .width = f->width,
                                        .height = f->height,
                                        .stride = f->pixels_per_line,
                                        .is_bgr = f->is_bgr != 0 };
    if (framebuffer_bytes(mode, &bytes) != OK) {
        log_warning("screen: %u by %u pixels, %u a line: not a mode that can "
                    "be used; no text there",
                    f->width, f->height, f->pixels_per_line);
        return E_RANGE;
    }
    /* It takes plain stores: it is memory, but for who reads it. */
    mode->pixels = (uint32_t *)(uintptr_t)vm_map_combined(f->base, bytes);
    if (mode->pixels == NULL) {
        log_warning("screen: 0x%llx + 0x%zx cannot be mapped; no text there",
                    (unsigned long long)f->base, bytes);
        return E_NOMEM;
    }
    return OK;
}

enum status screen_open(const struct boot_framebuffer *f)
{
    struct framebuffer_mode mode;
    enum status status;
    size_t bytes;

    if (f->base == 0)
        return OK;
    status = map(f, &mode);
    if (status == OK)
        status = framebuffer_open(&framebuffer, &mode);
    if (status != OK)
        return status;
    const char *early = serial_backlog(&bytes);

    framebuffer_write(&framebuffer, early, bytes);
    is_open = true;
    log_info("screen: %ux%u at 0x%llx, text of %u columns and %u rows",
             f->width, f->height, (unsigned long long)f->base,
             framebuffer.columns, framebuffer.rows);
    return OK;
}

void screen_write(const char *text, size_t bytes)
{
    if (!is_open || depth > 1)
        return;
    depth++;
    framebuffer_write(&framebuffer, text, bytes);
    if (!is_lazy || panic_is_on())
        draw_all();
    depth--;
}

void screen_poll(bool is_busy)
{
    is_lazy = true;
    if (!is_open || !framebuffer_is_behind(&framebuffer) ||
        (is_busy && !deadline_passed(&next)))
        return;
    depth++;
    draw_for(is_busy ? SLICE_US : IDLE_US);
    depth--;
    next = deadline_in_us(PERIOD_US);
}

void screen_flush(void)
{
    is_lazy = false;
    screen_write("", 0);
}
