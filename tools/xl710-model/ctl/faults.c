/*
 * faults.c - faults by name
 */
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "ctl/faults.h"

/* Where the words of a fault go, one letter each, in order:
 *   o opcode   v value   c count   k kind of reset (a word)   s on|off
 *   t the word tx
 * A capital letter may be left out. */
static const struct {
    const char *name;
    const char *usage;
    const char *what;
    const char *words;
    enum chip_fault fault;
    uint32_t count; /* where none is given */
} faults[] = {
    { "fail", "OPCODE ERRNO [COUNT]", "admin replies carry an error", "ovC",
      CHIP_FAULT_AQ_ERROR, 1 },
    { "late", "OPCODE MICROSECONDS [COUNT]", "admin replies come late", "ovC",
      CHIP_FAULT_AQ_LATE, 1 },
    { "lost", "OPCODE [COUNT]", "admin replies never come", "oC",
      CHIP_FAULT_AQ_LOST, 1 },
    { "recovery", "", "firmware is in recovery mode", "", CHIP_FAULT_RECOVERY,
      UINT32_MAX },
    { "mdd", "tx QUEUE", "malicious driver event", "tv", CHIP_FAULT_MDD_TX, 1 },
    { "stall-rx", "QUEUE [on|off]", "the queue stops", "vS",
      CHIP_FAULT_STALL_RX, UINT32_MAX },
    { "stall-tx", "QUEUE [on|off]", "the queue stops", "vS",
      CHIP_FAULT_STALL_TX, UINT32_MAX },
    { "bad-len", "LENGTH [COUNT]", "write-backs carry this length", "vC",
      CHIP_FAULT_RX_BAD_LEN, 1 },
    { "rx-error", "[COUNT]", "frames are written back as damaged", "C",
      CHIP_FAULT_RX_ERROR, 1 },
    { "reset", "core|global|emp", "the chip resets itself", "k",
      CHIP_FAULT_GLOBAL_RESET, 1 },
    { "force-reg", "OFFSET VALUE", "the register reads so", "ov",
      CHIP_FAULT_REG_FORCE, UINT32_MAX },
    { "clear", "", "forget all faults", "", CHIP_FAULT_CLEAR, 0 },
};
enum { FAULTS = sizeof(faults) / sizeof(faults[0]) };

void fault_help(void (*line)(const char *usage, const char *what))
{
    char usage[80];

    for (unsigned i = 0; i < FAULTS; i++) {
        snprintf(usage, sizeof(usage), "fault %s %s", faults[i].name,
                 faults[i].usage);
        line(usage, faults[i].what);
    }
}

static bool take_reset(const char *word, uint32_t *value)
{
    static const char *const kinds[] = { "core", "global", "emp" };

    for (uint32_t i = 0; i < 3; i++) {
        if (strcmp(word, kinds[i]) == 0) {
            *value = i + 1;
            return true;
        }
    }
    return false;
}

static bool take_number(const char *word, uint32_t *to)
{
    uint64_t v;

    if (!number_parse(word, UINT32_MAX, &v))
        return false;
    *to = (uint32_t)v;
    return true;
}

static bool take(char kind, const char *word, struct chip_fault_args *args)
{
    switch (kind | 0x20) {
    case 'o':
        return take_number(word, &args->opcode);
    case 'v':
        return take_number(word, &args->value);
    case 'c':
        return take_number(word, &args->count);
    case 'k':
        return take_reset(word, &args->value);
    case 't':
        return strcmp(word, "tx") == 0;
    default:
        if (strcmp(word, "off") == 0)
            args->count = 0;
        return args->count == 0 || strcmp(word, "on") == 0;
    }
}

static const char *expected(const char *usage)
{
    static char text[96];

    snprintf(text, sizeof(text), "expected %s",
             usage[0] != '\0' ? usage : "nothing more");
    return text;
}

const char *fault_inject(struct chip *chip, unsigned pf, char **words,
                         unsigned n)
{
    struct chip_fault_args args = { .pf = pf };
    const char *kinds;
    unsigned i = 0;

    while (i < FAULTS && strcmp(words[0], faults[i].name) != 0)
        i++;
    if (i == FAULTS)
        return "no such fault; xl710-model --help lists all";
    args.count = faults[i].count;
    kinds = faults[i].words;
    for (unsigned w = 1; w < n; w++, kinds++)
        if (*kinds == '\0' || !take(*kinds, words[w], &args))
            return expected(faults[i].usage);
    if (*kinds != '\0' && (*kinds & 0x20) != 0)
        return expected(faults[i].usage);
    chip_fault(chip, faults[i].fault, &args);
    return NULL;
}
