/*
 * vfio_ctl_test.c - the words of the control socket, faults, complaints (C1)
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/log.h"
#include "ctl/commands.h"
#include "model.h"
#include "tests/fake/chip_standin.h"
#include "tests/unit/test.h"

static struct options options;
static struct model *model;
static struct json answer;
static char dir[] = "/tmp/vfio_ctl_XXXXXX";

static void up(const char *a, const char *b)
{
    char error[OPTIONS_ERROR_MAX];
    char *argv[] = {
        (char *)"model", (char *)"--socket-dir", dir,      (char *)"--port",
        (char *)a,       (char *)"--port",       (char *)b
    };
    int status = 0;

    strcpy(dir, "/tmp/vfio_ctl_XXXXXX");
    CHECK(mkdtemp(dir) != NULL);
    CHECK(model_options_parse(&options, 7, argv, error));
    model = model_open(&options, &status);
    CHECK(model != NULL);
}

static void down(void)
{
    json_close(&answer);
    model_close(model);
    model_options_free(&options);
    CHECK_EQ(rmdir(dir), 0); /* the sockets are gone */
}

static const char *ask(const char *words)
{
    static char line[256];

    json_close(&answer);
    json_open(&answer);
    snprintf(line, sizeof(line), "%s", words);
    ctl_run(model, line, &answer);
    return json_text(&answer);
}

TEST(vfio_ctl, status_shows_ports_queues_and_wires)
{
    up("wire=sink", "wire=gen,count=3");
    model->chip->regs[1][0x120000 + 4 * 5] = 5;
    model->chip->regs[1][0x100000] = 5;
    ask("status");
    CHECK_CONTAINS(json_text(&answer), "\"ok\":true");
    CHECK_CONTAINS(json_text(&answer), "\"port\":0,\"client\":false");
    CHECK_CONTAINS(json_text(&answer), "\"tx_queues\":[],\"rx_queues\":[]");
    CHECK_CONTAINS(json_text(&answer), "\"tx_queues\":[0],\"rx_queues\":[5]");
    CHECK_CONTAINS(json_text(&answer), "\"type\":\"gen\"");
    CHECK_CONTAINS(json_text(&answer), "\"remaining\":3");
    down();
}

TEST(vfio_ctl, link_is_pulled_and_plugged)
{
    up("wire=sink", "wire=sink,link=down");
    CHECK(!model->chip->link[1]);
    CHECK_CONTAINS(ask("link 0 down"), "\"ok\":true");
    CHECK(!model->chip->link[0]);
    CHECK_CONTAINS(ask("link 1 up"), "\"ok\":true");
    CHECK(model->chip->link[1]);
    CHECK(!model->port[1].device.config.cable_down);
    down();
}

TEST(vfio_ctl, faults_reach_the_chip_with_their_values)
{
    static const struct {
        const char *line;
        enum chip_fault fault;
        struct chip_fault_args args;
    } good[] = {
        { "fail 0x0607 5 3", CHIP_FAULT_AQ_ERROR, { 0, 0x607, 5, 3 } },
        { "pf=1 fail 0x0607 5", CHIP_FAULT_AQ_ERROR, { 1, 0x607, 5, 1 } },
        { "late 0x0001 2000", CHIP_FAULT_AQ_LATE, { 0, 1, 2000, 1 } },
        { "lost 0x0210 2", CHIP_FAULT_AQ_LOST, { 0, 0x210, 0, 2 } },
        { "recovery", CHIP_FAULT_RECOVERY, { 0, 0, 0, UINT32_MAX } },
        { "mdd tx 4", CHIP_FAULT_MDD_TX, { 0, 0, 4, 1 } },
        { "stall-rx 2", CHIP_FAULT_STALL_RX, { 0, 0, 2, UINT32_MAX } },
        { "stall-rx 2 on", CHIP_FAULT_STALL_RX, { 0, 0, 2, UINT32_MAX } },
        { "stall-tx 2 off", CHIP_FAULT_STALL_TX, { 0, 0, 2, 0 } },
        { "bad-len 0x3fff", CHIP_FAULT_RX_BAD_LEN, { 0, 0, 0x3fff, 1 } },
        { "rx-error", CHIP_FAULT_RX_ERROR, { 0, 0, 0, 1 } },
        { "rx-error 7", CHIP_FAULT_RX_ERROR, { 0, 0, 0, 7 } },
        { "reset core", CHIP_FAULT_GLOBAL_RESET, { 0, 0, 1, 1 } },
        { "reset global", CHIP_FAULT_GLOBAL_RESET, { 0, 0, 2, 1 } },
        { "reset emp", CHIP_FAULT_GLOBAL_RESET, { 0, 0, 3, 1 } },
        { "force-reg 0x83048 0x200000",
          CHIP_FAULT_REG_FORCE,
          { 0, 0x83048, 0x200000, UINT32_MAX } },
        { "clear", CHIP_FAULT_CLEAR, { 0, 0, 0, 0 } },
    };

    up("wire=sink", "wire=sink");
    for (unsigned i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
        char line[128];

        snprintf(line, sizeof(line), "fault %s", good[i].line);
        CHECK_CONTAINS(ask(line), "\"ok\":true");
        CHECK_EQ(model->chip->faults, i + 1);
        CHECK_EQ(model->chip->fault, good[i].fault);
        CHECK_EQ(model->chip->fault_args.pf, good[i].args.pf);
        CHECK_EQ(model->chip->fault_args.opcode, good[i].args.opcode);
        CHECK_EQ(model->chip->fault_args.value, good[i].args.value);
        CHECK_EQ(model->chip->fault_args.count, good[i].args.count);
    }
    down();
}

/* C1 */
TEST(vfio_ctl, what_is_not_understood_changes_nothing)
{
    static const char *const bad[] = {
        "",
        "   ",
        "frobnicate",
        "status now",
        "link 0",
        "link 2 up",
        "link x up",
        "link 0 sideways",
        "link 0 up now",
        "fault",
        "fault pf=0",
        "fault pf=2 clear",
        "fault explode",
        "fault fail 0x0607",
        "fault fail 0x0607 x",
        "fault fail 0x0607 5 1 1",
        "fault fail 0x100000000 5",
        "fault mdd 4",
        "fault mdd rx 4",
        "fault reset",
        "fault reset hard",
        "fault stall-rx 1 maybe",
        "fault clear all",
        "wire 0",
        "wire 0 dance",
        "wire 0 set",
        "wire 0 set pps",
        "wire 0 set pps=many",
        "wire 0 start now",
        "wire 7 start",
        "strict",
        "strict maybe",
        "complaints all",
        "quit now",
        "flush all",
        "link 0 up a b c d e f g h i j k l m n o p q r s",
    };

    up("wire=sink", "wire=sink");
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        CHECK_CONTAINS(ask(bad[i]), "\"ok\":false");
        CHECK_CONTAINS(json_text(&answer), "\"error\":\"");
    }
    CHECK_EQ(model->chip->faults, 0);
    CHECK(model->chip->link[0] && !model->quit && model->chip->strict);
    down();
}

TEST(vfio_ctl, wire_is_set_stopped_and_started)
{
    up("wire=gen,hold=1", "wire=sink");
    CHECK_CONTAINS(ask("wire 0 set size=100-200 count=5"), "\"ok\":true");
    CHECK_CONTAINS(json_text(&answer), "\"remaining\":5");
    CHECK_CONTAINS(json_text(&answer), "\"state\":\"held\"");
    CHECK_CONTAINS(ask("wire 0 start"), "\"state\":\"waiting\"");
    CHECK_CONTAINS(ask("wire 0 stop"), "\"state\":\"held\"");
    CHECK_CONTAINS(ask("wire 0 set size=1"), "size=1: expected");
    down();
}

TEST(vfio_ctl, complaints_are_counted_by_rule)
{
    up("wire=sink", "wire=sink");
    const struct chip_host *h = &model->chip->host;

    for (unsigned i = 0; i < 5; i++)
        h->complain(h->ctx, 0, "tx-tail-range", "queue 0: \"99\"");
    h->complain(h->ctx, 1, "tx-tail-range", "queue 1");
    ask("complaints");
    CHECK_CONTAINS(json_text(&answer), "\"total\":6");
    CHECK_CONTAINS(json_text(&answer),
                   "{\"pf\":0,\"rule\":\"tx-tail-range\",\"count\":5,"
                   "\"text\":\"queue 0: \\\"99\\\"\"}");
    CHECK_CONTAINS(json_text(&answer), "{\"pf\":1,");
    ask("complaints clear");
    CHECK_CONTAINS(ask("complaints"), "\"total\":0,\"complaints\":[]");
    CHECK(!model->quit);
    down();
}

TEST(vfio_ctl, more_kinds_of_complaints_than_room_are_still_counted)
{
    up("wire=sink", "wire=sink");
    const struct chip_host *h = &model->chip->host;

    for (unsigned i = 0; i < COMPLAINTS_MAX + 10; i++) {
        char rule[16];

        snprintf(rule, sizeof(rule), "rule-%u", i);
        h->complain(h->ctx, 0, rule, "x");
    }
    CHECK_EQ(model->complaints_total, COMPLAINTS_MAX + 10);
    CHECK_EQ(model->complaint_kinds, COMPLAINTS_MAX);
    down();
}

TEST(vfio_ctl, first_complaint_ends_a_fatal_model)
{
    up("wire=sink", "wire=sink");
    options.strict = STRICT_FATAL;
    model->chip->host.complain(model, 0, "some-rule", "x");
    CHECK(model->quit);
    down();
}

TEST(vfio_ctl, strict_and_quit_are_obeyed)
{
    up("wire=sink", "wire=sink");
    CHECK_CONTAINS(ask("strict off"), "\"ok\":true");
    CHECK(!model->chip->strict);
    CHECK_CONTAINS(ask("  quit\r"), "\"ok\":true");
    CHECK(model->quit);
    down();
}

TEST(vfio_ctl, frames_go_through_the_wires_of_the_chip)
{
    uint8_t frame[60] = { 0 };

    up("wire=pair", "wire=pair");
    model->chip->host.wire_tx(model, 0, frame, sizeof(frame));
    CHECK(model->chip->host.wire_ready(model, 0));
    CHECK_EQ(wire_pump(model->port[1].wire, true, 8, 0), 1);
    CHECK_EQ(model->chip->rx_frames, 1);
    down();
}

TEST(vfio_ctl, model_that_cannot_start_says_why)
{
    static const struct {
        const char *port;
        int status;
    } bad[] = {
        { "wire=carrier-pigeon", MODEL_EXIT_USAGE },
        { "wire=gen,size=7", MODEL_EXIT_USAGE },
        { "wire=pair", MODEL_EXIT_USAGE }, /* its peer is no pair */
        { "wire=pcap,in=/nonexistent", MODEL_EXIT_USAGE },
    };

    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char error[OPTIONS_ERROR_MAX];
        char *argv[] = { (char *)"model", (char *)"--socket-dir",
                         (char *)"/nonexistent/a", (char *)"--port",
                         (char *)bad[i].port };
        int status = 0;

        CHECK(model_options_parse(&options, 5, argv, error));
        CHECK(model_open(&options, &status) == NULL);
        CHECK_EQ(status, bad[i].status);
        model_options_free(&options);
    }
}

TEST(vfio_ctl, sockets_that_are_in_use_are_left_alone)
{
    struct options second;
    char error[OPTIONS_ERROR_MAX];
    int status = 0;
    char path[64];

    up("wire=sink", "wire=sink");
    char *argv[] = { (char *)"model", (char *)"--socket-dir", dir,
                     (char *)"--port", (char *)"wire=sink" };

    CHECK(model_options_parse(&second, 5, argv, error));
    CHECK(model_open(&second, &status) == NULL);
    CHECK_EQ(status, MODEL_EXIT_FAILED);
    model_options_free(&second);
    snprintf(path, sizeof(path), "%s/pf0.sock", dir);
    CHECK_EQ(access(path, F_OK), 0);
    down();
}
