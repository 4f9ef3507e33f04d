/*
 * latency_test.c - how long a frame stays: from cable to cable, driver and
 * engine on the chip model, in steps of a microsecond
 *
 * The chip model gets its time from here and stores part-filled lines of
 * receive descriptors when its interrupt timer runs out, as the chip does. What
 * is measured is what that timer adds; the engine polls once a step.
 */
#include <stdlib.h>

#include <millrace/endian.h>
#include <millrace/port.h>

#include "drivers/xl710/path.h"
#include "net/engine.h"
#include "net/fwd.h"
#include "tests/fake/xl710_bench.h"
#include "tests/host/host.h"
#include "tests/unit/test.h"

#define PROMISED_US  100
#define TIMER_US     32 /* drivers/xl710/intr.c */
#define FRAME_BYTES  60
#define AT_NUMBER    14
#define FRAMES_MAX   65536
#define RQCTL(queue) (0x03A000 + 4 * (queue)) /* QINT_RQCTL */
#define LINE_FRAMES  4 /* descriptors of 16 bytes in a line of 64 */
#define EACH_CASE    200

static struct bench b;
static uint64_t now_us, came_us[FRAMES_MAX];
static unsigned came, left;
static uint64_t longest_us;
static uint32_t seed;

static unsigned below(unsigned n)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % n;
}

static void on_wire(void *ctx, unsigned port, const uint8_t *frame,
                    size_t bytes)
{
    const uint32_t number = get_le32(frame + AT_NUMBER);

    (void)ctx;
    CHECK_EQ(port, 1);
    CHECK_EQ(bytes, FRAME_BYTES);
    CHECK_EQ(number, left); /* in order, none missing */
    left++;
    if (now_us - came_us[number] > longest_us)
        longest_us = now_us - came_us[number];
}

static void arrive(unsigned n)
{
    uint8_t frame[FRAME_BYTES];

    while (n-- > 0) {
        CHECK(came < FRAMES_MAX);
        bench_frame(frame, sizeof(frame), came);
        put_le32(frame + AT_NUMBER, came);
        came_us[came++] = now_us;
        CHECK(host_nic_arrive(0, frame, sizeof(frame)));
    }
}

static void pass_us(uint64_t us)
{
    while (us-- > 0) {
        now_us++;
        bench_run_us(1);
        fwd_run(1);
    }
}

static void begin(unsigned simd_bits, const char *engine, bool fused)
{
    host_reset();
    bench_open(&b, &(struct host_nic_config) { .ports = 2 });
    b.config.max_simd_bits = (uint16_t)simd_bits;
    b.config.tx_fast_free = true;
    bench_start(&b);
    host_nic_on_wire(on_wire, NULL);
    fwd_init();
    fwd_pool_set(b.pool);
    fwd_engine_set(engine_find(engine));
    engine_fused_set(fused);
    CHECK_EQ(fwd_start(), OK);
    came = left = 0;
    longest_us = 0;
    seed = 1;
    pass_us(1);
}

static void end(void)
{
    engine_fused_set(true);
    CHECK_EQ(fwd_stop(), OK);
    host_nic_on_wire(NULL, NULL);
    bench_close(&b);
}

/* Bursts of 1 .. @most frames, 0 .. 2 * @gap_us apart. */
static void load(unsigned most, unsigned gap_us)
{
    for (unsigned i = 0; i < EACH_CASE; i++) {
        arrive(1 + below(most));
        pass_us(gap_us == 0 ? 1 : below(2 * gap_us + 1));
    }
    pass_us(PROMISED_US);
    CHECK_EQ(left, came);
}

/* Every load on one way through the machine. */
static void check(unsigned simd_bits, const char *engine, bool fused)
{
    static const struct {
        unsigned most, gap_us;
    } loads[] = {
        { 1, 1000 },                                /* alone */
        { 1, 40 },                                  /* a timer apart */
        { 7, 20 },   { 7, 3 }, { 3, 1 }, { 14, 0 }, /* half of 10 Gbit/s */
    };

    begin(simd_bits, engine, fused);
    for (unsigned i = 0; i < ARRAY_SIZE(loads); i++)
        load(loads[i].most, loads[i].gap_us);
    if (longest_us > PROMISED_US)
        print_error("%s, %u bits, fused %d: %u us\n", engine, simd_bits, fused,
                    (unsigned)longest_us);
    CHECK(longest_us <= PROMISED_US);
    end();
}

TEST(latency, no_frame_stays_100_us_at_any_load_on_any_path)
{
    for (unsigned i = 0; path_at(i) != NULL; i++)
        for (unsigned fused = 0; fused < 2; fused++) {
            if (!path_is_possible(path_at(i)))
                continue;
            check(path_at(i)->bits, "io", fused);
            check(path_at(i)->bits, "mac", fused);
        }
}

/* Whenever in the timer's lap it comes. */
TEST(latency, a_lone_frame_waits_for_one_lap_of_the_timer_at_most)
{
    begin(0, "io", true);
    for (unsigned phase = 0; phase < 2 * TIMER_US; phase++) {
        arrive(1);
        pass_us(TIMER_US + 1);
        CHECK_EQ(left, came);
        pass_us(1000 + phase);
    }
    CHECK(longest_us <= TIMER_US + 1);
    end();
}

/* A line that is full is stored at once: the timer takes no part. */
TEST(latency, full_lines_do_not_wait_for_the_timer)
{
    begin(0, "io", true);
    for (unsigned i = 0; i < 32; i++) {
        arrive(LINE_FRAMES);
        pass_us(1);
        CHECK_EQ(left, came);
        pass_us(i);
    }
    CHECK(longest_us <= 1);
    end();
}

/* After a pause of the core all of a ring goes out, in order, at once. */
TEST(latency, what_came_during_a_pause_leaves_in_the_next_rounds)
{
    begin(0, "io", true);
    arrive(200); /* ring of 256; nobody looks for 40 us */
    for (unsigned i = 0; i < 40; i++) {
        now_us++;
        bench_run_us(1);
    }
    CHECK_EQ(left, 0);
    pass_us(200 / FWD_BURST_DEFAULT + 1);
    CHECK_EQ(left, came);
    end();
}

/* What all of the above rests on: without its timer the chip holds it back. */
TEST(latency, without_the_timer_a_lone_frame_stays_for_ever)
{
    begin(0, "io", true);
    chip_reg_write(host_nic_chip(), 0, RQCTL(0), 4, 0);
    pass_us(2 * TIMER_US);
    arrive(1);
    pass_us(100 * PROMISED_US);
    CHECK_EQ(left, 0);
    arrive(LINE_FRAMES - 1);
    pass_us(1);
    CHECK_EQ(left, came);
    end();
}
