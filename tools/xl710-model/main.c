/*
 * main.c - xl710-model: an Intel XL710 for QEMU's vfio-user-pci
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "ctl/commands.h"
#include "model.h"
#include "options.h"

static void help_line(const char *usage, const char *what)
{
    printf("    %-38s %s\n", usage, what);
}

static void help(void)
{
    model_options_help();
    puts("\nControl socket (tools/model-ctl DIR/ctl.sock COMMAND...)");
    ctl_help(help_line);
    puts(
        "\nExit status: 0 well, 1 could not start, 2 bad options, 3 the driver "
        "broke rules");
}

static bool log_open(const char *path)
{
    FILE *f;

    if (path == NULL)
        return true;
    f = fopen(path, "w");
    if (f == NULL) {
        fprintf(stderr, "xl710-model: --log %s: %s\n", path, strerror(errno));
        return false;
    }
    model_log_to(f);
    return true;
}

static void complaints_report(const struct model *m)
{
    for (unsigned i = 0; i < m->complaint_kinds; i++) {
        const struct complaint *c = &m->complaints[i];

        model_log("pf %u broke %s %llu times: %s", c->pf, c->rule,
                  (unsigned long long)c->count, c->text);
    }
}

int main(int argc, char **argv)
{
    struct options options;
    char error[OPTIONS_ERROR_MAX];
    struct model *m;
    int status;

    if (!model_options_parse(&options, argc, argv, error)) {
        fprintf(stderr, "xl710-model: %s\n", error);
        model_options_free(&options);
        return MODEL_EXIT_USAGE;
    }
    if (options.help) {
        help();
        return 0;
    }
    if (!log_open(options.log_file))
        return MODEL_EXIT_FAILED;
    m = model_open(&options, &status);
    if (m == NULL) {
        fprintf(stderr, "xl710-model: cannot start, the log says why\n");
        model_options_free(&options);
        return status;
    }
    printf("xl710-model: ready, %u ports, sockets in %s\n", m->ports,
           options.socket_dir);
    fflush(stdout);
    model_run(m);
    complaints_report(m);
    status = m->complaints_total > 0 ? MODEL_EXIT_COMPLAINTS : 0;
    model_close(m);
    model_options_free(&options);
    return status;
}
