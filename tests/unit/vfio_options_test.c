/*
 * vfio_options_test.c - the model's command line
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "options.h"
#include "tests/unit/test.h"

static struct options o;
static char error[OPTIONS_ERROR_MAX];

/* @line is cut at spaces. */
static bool parse(const char *line)
{
    static char copy[512];
    char *argv[32] = { (char *)"xl710-model" };
    int argc = 1;
    char *rest = copy, *word;

    snprintf(copy, sizeof(copy), "%s", line);
    while ((word = strsep(&rest, " ")) != NULL)
        argv[argc++] = word;
    error[0] = '\0';
    return model_options_parse(&o, argc, argv, error);
}

#define BASE "--socket-dir /tmp/x --port wire=sink "

TEST(vfio_options, defaults_are_an_xl710_with_polled_doorbells)
{
    CHECK(parse("--socket-dir /tmp/x --port wire=sink"));
    CHECK_EQ(o.chip.device_id, 0x1583);
    CHECK_EQ(o.chip.ports, 1);
    CHECK_EQ(o.chip.queues_per_pf, 384);
    CHECK_EQ(o.chip.api_major, 1);
    CHECK_EQ(o.chip.mac[0][0] & 1, 0);
    CHECK(o.shared_doorbells);
    CHECK_EQ(o.strict, STRICT_LOG);
    CHECK_STR(o.socket_dir, "/tmp/x");
    model_options_free(&o);
}

TEST(vfio_options, ports_keep_their_settings_apart)
{
    CHECK(parse("--socket-dir=d --port=wire=pcap,in=a.pcap,link=down,loop=2 "
                "--port pps=5,wire=gen"));
    CHECK_EQ(o.chip.ports, 2);
    CHECK_STR(o.port[0].wire, "pcap");
    CHECK_BYTES(o.port[0].settings, "in=a.pcap\0loop=2\0", 18);
    CHECK(o.port[0].link_down);
    CHECK_STR(o.port[1].wire, "gen");
    CHECK_BYTES(o.port[1].settings, "pps=5\0", 7);
    CHECK(!o.port[1].link_down);
    model_options_free(&o);
}

TEST(vfio_options, values_are_taken)
{
    CHECK(parse(BASE "--mode sync --strict=fatal --mac 02:00:00:00:00:fc "
                     "--device-id 1572 --fw 6.1 --api 1.7 --sr-kib 64 "
                     "--queues 1536"));
    CHECK(!o.shared_doorbells);
    CHECK_EQ(o.strict, STRICT_FATAL);
    CHECK_BYTES(o.chip.mac[3], "\x02\x00\x00\x00\x00\xff", 6);
    CHECK_EQ(o.chip.device_id, 0x1572);
    CHECK_EQ(o.chip.fw_major, 6);
    CHECK_EQ(o.chip.fw_minor, 1);
    CHECK_EQ(o.chip.api_minor, 7);
    CHECK_EQ(o.chip.sr_kib, 64);
    model_options_free(&o);
    CHECK(parse(BASE "--device-id 0x1584 --strict"));
    CHECK_EQ(o.chip.device_id, 0x1584);
    CHECK_EQ(o.strict, STRICT_FATAL);
    model_options_free(&o);
    CHECK(parse("--help"));
    CHECK(o.help);
}

TEST(vfio_options, mistakes_are_named)
{
    static const struct {
        const char *line, *says;
    } bad[] = {
        { "--socket-dir d", "no --port" },
        { "--port wire=sink", "no --socket-dir" },
        { BASE "--mode fast", "polled" },
        { BASE "--mode", "--mode" },
        { BASE "--strict=maybe", "fatal" },
        { BASE "--mac 01:00:00:00:00:00", "unicast" },
        { BASE "--mac 02:00:00:00:00:ff", "plus n" },
        { BASE "--mac 02:00:00:00:00", "--mac" },
        { BASE "--mac 02:00:00:00:00:0g", "--mac" },
        { BASE "--device-id 15830", "--device-id" },
        { BASE "--device-id xyz", "--device-id" },
        { BASE "--fw 8", "MAJOR.MINOR" },
        { BASE "--api 1.", "MAJOR.MINOR" },
        { BASE "--sr-kib 12", "--sr-kib" },
        { BASE "--sr-kib 128", "--sr-kib" },
        { BASE "--queues 0", "--queues" },
        { BASE "--port wire=sink --queues 1000", "1536" },
        { BASE "--port hold=1", "wire=KIND" },
        { BASE "--port wire", "key=value" },
        { BASE "--port wire=sink,link=sideways", "up or down" },
        { BASE "--port wire=sink --port wire=sink --port wire=sink "
               "--port wire=sink",
          "more than 4" },
        { BASE "--frobnicate", "--frobnicate" },
        { BASE "stray", "stray" },
    };

    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK(!parse(bad[i].line));
        CHECK_CONTAINS(error, bad[i].says);
        model_options_free(&o);
    }
}
