/*
 * cmd.c - what the files of commands share
 */
#include "console/cmd.h"

#include "console/out.h"
#include "console/report.h"

#define CHOICE_PORT 0 /* in "<port>|all" */

void cmd_for_ports(const struct token_value *word, void (*each)(unsigned port))
{
    if (word->choice == CHOICE_PORT) {
        each((unsigned)word->number);
        return;
    }
    for (unsigned p = 0; p < port_count(); p++)
        each(p);
}

static void (*in_list)(unsigned port);

static void report_in_list(unsigned port)
{
    report_object(NULL);
    in_list(port);
    report_close();
}

void cmd_report_ports(const struct token_value *word,
                      void (*each)(unsigned port))
{
    if (word->choice == CHOICE_PORT) {
        each((unsigned)word->number);
        return;
    }
    in_list = each;
    report_list("ports");
    cmd_for_ports(word, report_in_list);
    report_close();
}

enum status cmd_try_ports(const struct token_value *word,
                          enum status (*each)(unsigned port))
{
    enum status first = OK;

    if (word->choice == CHOICE_PORT)
        return each((unsigned)word->number);
    for (unsigned p = 0; p < port_count(); p++) {
        const enum status s = each(p);

        if (first == OK)
            first = s;
    }
    return first;
}

enum status cmd_report(const char *what, enum status s)
{
    if (s != OK)
        out("%s: %s\n", what, status_text(s));
    return s;
}
