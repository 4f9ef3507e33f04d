/*
 * wire_gen_test.c - numbered frames, pairs and echoes (G1, G2, F1, F2)
 */
#include <stdlib.h>

#include "tests/unit/test.h"
#include "wire/fifo.h"
#include "wire/wire.h"

enum { KEPT_MAX = 256 };

static struct wire *wires[WIRE_PORTS_MAX];
static struct {
    unsigned room, taken, missed;
    size_t len[KEPT_MAX];
    uint8_t bytes[KEPT_MAX][WIRE_FRAME_MAX];
} kept[WIRE_PORTS_MAX];

static bool deliver(void *ctx, unsigned port, const uint8_t *frame, size_t len,
                    bool may_wait)
{
    (void)ctx;
    if (kept[port].room == 0 && !may_wait) {
        kept[port].missed++;
        return true;
    }
    if (kept[port].room == 0)
        return false;
    kept[port].room--;
    if (kept[port].taken < KEPT_MAX) {
        kept[port].len[kept[port].taken] = len;
        memcpy(kept[port].bytes[kept[port].taken], frame, len);
    }
    kept[port].taken++;
    return true;
}

static struct wire *other(void *ctx, unsigned port)
{
    (void)ctx;
    return port < WIRE_PORTS_MAX ? wires[port] : NULL;
}

static const struct wire_host host = { .deliver = deliver, .other = other };

static void up(const char *a, const char *b)
{
    memset(kept, 0, sizeof(kept));
    for (unsigned i = 0; i < WIRE_PORTS_MAX; i++)
        kept[i].room = UINT32_MAX;
    wires[0] = wire_create(a, 0, &host);
    wires[1] = b != NULL ? wire_create(b, 1, &host) : NULL;
}

static void down(void)
{
    for (unsigned i = 0; i < WIRE_PORTS_MAX; i++) {
        wire_destroy(wires[i]);
        wires[i] = NULL;
    }
}

static void status_has(struct wire *w, const char *text)
{
    struct json j;

    json_open(&j);
    json_object(&j, NULL);
    wire_describe(w, &j);
    json_object_end(&j);
    CHECK_CONTAINS(json_text(&j), text);
    json_close(&j);
}

/* Two gens; the first has made @count frames that are in kept[0]. */
static void made(const char *size, const char *count)
{
    up("gen", "gen");
    CHECK(wire_set(wires[0], "size", size));
    CHECK(wire_set(wires[0], "count", count));
    CHECK(wire_open(wires[0]) && wire_open(wires[1]));
    while (wire_pump(wires[0], true, 64, 0) > 0)
        continue;
    status_has(wires[0], "\"state\":\"done\",");
}

static void hand(unsigned i)
{
    wire_transmit(wires[1], kept[0].bytes[i], kept[0].len[i]);
}

TEST(wire_gen, frames_that_come_in_order_are_well)
{
    made("60-1514", "100");
    CHECK_EQ(kept[0].taken, 100);
    CHECK_EQ(kept[0].len[0], 60);
    CHECK_EQ(kept[0].len[99], 159);
    for (unsigned i = 0; i < 100; i++)
        hand(i);
    status_has(wires[1],
               "\"checked\":[{\"from\":0,\"received\":100,\"missing\":"
               "0,\"altered\":0,\"duplicated\":0,\"reordered\":0}]");
    down();
}

TEST(wire_gen, changed_addresses_are_no_alteration)
{
    made("200", "1");
    memset(kept[0].bytes[0], 0x55, 12);
    hand(0);
    status_has(wires[1], "\"received\":1,\"missing\":0,\"altered\":0");
    down();
}

TEST(wire_gen, one_bit_anywhere_behind_the_addresses_is_noticed)
{
    made("131", "1");
    for (unsigned bit = 12 * 8; bit < 131 * 8; bit++) {
        kept[0].bytes[0][bit / 8] ^= (uint8_t)(1u << bit % 8);
        hand(0);
        kept[0].bytes[0][bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    /* Type and magic make a frame ours (48 bits), as does a maker below 4 (6
     * of its 8 bits); the other two turn it into a bad frame of ports 1, 2. */
    status_has(wires[1], "\"foreign\":54");
    status_has(wires[1], "\"from\":0,\"received\":0,\"missing\":0,"
                         "\"altered\":896");
    status_has(wires[1], "\"from\":1,\"received\":0,\"missing\":0,"
                         "\"altered\":1");
    status_has(wires[1], "\"from\":2,\"received\":0,\"missing\":0,"
                         "\"altered\":1");
    down();
}

TEST(wire_gen, wrong_length_is_an_alteration)
{
    made("100", "1");
    wire_transmit(wires[1], kept[0].bytes[0], 99);
    kept[0].len[0] = 104;
    hand(0);
    status_has(wires[1], "\"altered\":2");
    down();
}

TEST(wire_gen, missing_duplicate_and_late_frames_are_told_apart)
{
    made("60", "10");
    hand(0);
    hand(3); /* 1 and 2 are missing */
    status_has(wires[1], "\"received\":2,\"missing\":2");
    hand(3);
    hand(0);
    status_has(wires[1], "\"duplicated\":2,\"reordered\":0");
    hand(1);
    status_has(wires[1], "\"received\":3,\"missing\":1,\"altered\":0,"
                         "\"duplicated\":2,\"reordered\":1");
    hand(1);
    status_has(wires[1], "\"duplicated\":3");
    down();
}

TEST(wire_gen, frames_of_others_are_foreign)
{
    uint8_t frame[60] = { 0 };

    made("60", "1");
    wire_transmit(wires[1], frame, sizeof(frame));
    status_has(wires[1], "\"foreign\":1,\"checked\":[]");
    down();
}

TEST(wire_gen, starting_again_opens_new_books)
{
    made("60", "5");
    for (unsigned i = 0; i < 5; i++)
        hand(i);
    CHECK(wire_start(wires[0]));
    CHECK_EQ(wire_pump(wires[0], true, 64, 0), 5);
    hand(5);
    status_has(wires[1], "\"received\":1,\"missing\":0");
    down();
}

TEST(wire_gen, frame_without_room_is_offered_again)
{
    up("gen", "gen");
    CHECK(wire_set(wires[0], "count", "3"));
    CHECK(wire_open(wires[0]) && wire_open(wires[1]));
    kept[0].room = 1;
    CHECK_EQ(wire_pump(wires[0], true, 64, 0), 1);
    CHECK_EQ(wire_pump(wires[0], true, 64, 0), 0);
    kept[0].room = 9;
    CHECK_EQ(wire_pump(wires[0], true, 64, 0), 2);
    for (unsigned i = 0; i < 3; i++)
        hand(i);
    status_has(wires[1], "\"received\":3,\"missing\":0");
    down();
}

TEST(wire_gen, without_pause_a_full_port_misses_frames)
{
    up("gen", NULL);
    CHECK(!wire_set(wires[0], "pause", "maybe"));
    CHECK_CONTAINS(wires[0]->error, "pause=maybe");
    CHECK(wire_set(wires[0], "pause", "0"));
    CHECK(wire_set(wires[0], "count", "10"));
    CHECK(wire_open(wires[0]));
    kept[0].room = 4;
    CHECK_EQ(wire_pump(wires[0], true, 64, 0), 10);
    CHECK_EQ(kept[0].taken, 4);
    CHECK_EQ(kept[0].missed, 6);
    CHECK_EQ(wires[0]->waits, 0);
    down();
}

TEST(wire_gen, settings_out_of_range_are_refused)
{
    static const char *const bad[][2] = {
        { "size", "59" },       { "size", "9729" }, { "size", "100-60" },
        { "size", "60-9729" },  { "size", "60-" },  { "size", "-60" },
        { "size", "" },         { "burst", "0" },   { "burst", "65537" },
        { "count", "many" },    { "pps", "-5" },    { "colour", "red" },
        { "size", "60-61-62" },
    };

    up("gen", NULL);
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!wire_set(wires[0], bad[i][0], bad[i][1]));
        CHECK_CONTAINS(wires[0]->error, bad[i][0]);
    }
    CHECK(wire_set(wires[0], "size", "60-9728"));
    down();
}

/* ---- pair and echo ---- */

static void fill(uint8_t *frame, unsigned n)
{
    for (unsigned i = 0; i < WIRE_FRAME_MAX; i++)
        frame[i] = (uint8_t)(n + i);
}

TEST(wire_pair, what_one_port_sends_the_other_gets)
{
    uint8_t frame[WIRE_FRAME_MAX];

    up("pair", "pair");
    CHECK(wire_open(wires[0]) && wire_open(wires[1]));
    fill(frame, 1);
    wire_transmit(wires[0], frame, 60);
    fill(frame, 2);
    wire_transmit(wires[0], frame, 9728);
    CHECK_EQ(wire_pump(wires[0], true, 8, 0), 0);
    CHECK_EQ(wire_pump(wires[1], false, 8, 0), 0);
    status_has(wires[1], "\"remaining\":2");
    CHECK_EQ(wire_pump(wires[1], true, 8, 0), 2);
    CHECK_EQ(kept[1].len[0], 60);
    CHECK_EQ(kept[1].bytes[0][0], 1);
    CHECK_EQ(kept[1].len[1], 9728);
    CHECK_BYTES(kept[1].bytes[1], frame, 9728);
    CHECK_EQ(kept[0].taken, 0);
    down();
}

TEST(wire_pair, full_receiver_holds_the_sender_back)
{
    uint8_t frame[WIRE_FRAME_MAX];
    unsigned sent = 0;

    up("pair", "pair");
    CHECK(wire_open(wires[0]) && wire_open(wires[1]));
    kept[1].room = 0;
    fill(frame, 0);
    while (wire_ready(wires[0])) {
        CHECK(sent < 100000);
        wire_transmit(wires[0], frame, 1514);
        sent++;
        CHECK_EQ(wire_pump(wires[1], true, 8, 0), 0);
    }
    CHECK(wire_ready(wires[1])); /* the other direction is free */
    /* what became of the last packet still fits; more is refused and named */
    for (unsigned segments = 0; segments < 600; segments++)
        wire_transmit(wires[0], frame, 1514);
    sent += 600;
    CHECK_EQ(wires[0]->refused[WIRE_NO_ROOM], 0);
    for (unsigned segments = 0; segments < 200; segments++)
        wire_transmit(wires[0], frame, 1514);
    CHECK(wires[0]->refused[WIRE_NO_ROOM] > 0);
    sent += 200 - (unsigned)wires[0]->refused[WIRE_NO_ROOM];
    kept[1].room = UINT32_MAX;
    while (wire_pump(wires[1], true, 32, 0) > 0)
        continue;
    CHECK_EQ(kept[1].taken, sent);
    CHECK(wire_ready(wires[0]));
    down();
}

TEST(wire_pair, peers_must_lead_to_each_other)
{
    up("pair", "sink");
    CHECK(!wire_open(wires[0]));
    CHECK_CONTAINS(wires[0]->error, "port 1");
    down();
    up("pair", NULL);
    CHECK(!wire_open(wires[0]));
    CHECK(!wire_set(wires[0], "peer", "4"));
    CHECK(wire_set(wires[0], "peer", "0"));
    CHECK(!wire_open(wires[0]));
    down();
    up("pair", "pair");
    CHECK(wire_set(wires[1], "peer", "2"));
    CHECK(!wire_open(wires[0]));
    CHECK(!wire_open(wires[1]));
    down();
}

TEST(wire_echo, what_the_port_sends_comes_back)
{
    uint8_t frame[WIRE_FRAME_MAX];

    up("echo", NULL);
    CHECK(wire_open(wires[0]));
    fill(frame, 9);
    wire_transmit(wires[0], frame, 777);
    CHECK_EQ(wire_pump(wires[0], true, 8, 0), 1);
    CHECK_EQ(kept[0].len[0], 777);
    CHECK_BYTES(kept[0].bytes[0], frame, 777);
    down();
}

TEST(wire_null, counts_and_never_answers)
{
    uint8_t frame[60] = { 0 };

    up("null", "sink");
    CHECK(wire_open(wires[0]) && wire_open(wires[1]));
    for (unsigned i = 0; i < 2; i++) {
        wire_transmit(wires[i], frame, sizeof(frame));
        CHECK(wire_ready(wires[i]));
        CHECK_EQ(wire_pump(wires[i], true, 8, 0), 0);
        status_has(wires[i], "\"received\":1,\"received_bytes\":60");
        status_has(wires[i], "\"remaining\":0");
    }
    down();
}

/* Lengths that bring the end of the ring to every place in a record. */
TEST(wire_fifo, keeps_order_and_bytes_around_the_end)
{
    static uint8_t frame[WIRE_FRAME_MAX];
    struct fifo f;
    unsigned pushed = 0, popped = 0;
    uint32_t seed = 3;
    static size_t lens[1 << 17];

    CHECK(fifo_open(&f));
    while (popped < 60000) {
        size_t len;

        while (pushed < 60000 && fifo_has_room(&f)) {
            seed = seed * 1664525 + 1013904223;
            len = lens[pushed] = seed >> 20 & 1 ? 60 + (seed >> 22)
                                                : WIRE_FRAME_MAX - (seed >> 28);
            memset(frame, (int)(pushed % 251), len);
            CHECK(fifo_push(&f, frame, len));
            pushed++;
        }
        for (unsigned n = 1 + (seed >> 25); n > 0 && popped < pushed; n--) {
            const uint8_t *got = fifo_front(&f, &len);

            CHECK(got != NULL);
            CHECK_EQ(len, lens[popped]);
            CHECK_EQ(got[0], popped % 251);
            CHECK_EQ(got[len - 1], popped % 251);
            fifo_pop(&f);
            popped++;
        }
        if (pushed == 60000)
            seed = UINT32_MAX;
    }
    CHECK(fifo_front(&f, &(size_t) { 0 }) == NULL);
    CHECK(!fifo_push(&f, frame, WIRE_FRAME_MAX + 1));
    fifo_close(&f);
}
