/*
 * options.c - walking the words the image was started with
 *
 * Context  control core: the working copies are static
 */
#include "console/options.h"

#include <string.h>

#include "console/options_impl.h"
#include "console/text.h"
#include "mm/node.h"
#include "net/engine.h"
#include "net/txonly.h"

/*
 * After a pause (an SMI, a neighbour that took the core, a line to the console)
 * a full receive ring is sent at the speed of memory, faster than the wire is.
 * What then finds no room is dropped as tx_full, so the transmit ring holds a
 * full receive ring beside what was sent before the pause and is not reported
 * yet. 2048 descriptors are 138 us of 64-byte frames at 10 Gbit/s.
 */
#define RX_DESC_DEFAULT   2048
#define TX_DESC_DEFAULT   (2 * RX_DESC_DEFAULT)
#define THRESHOLD_DEFAULT 32
#define MBCACHE_DEFAULT   256

void options_default(struct options *o)
{
    *o = (struct options) {
        .log_level = LOG_INFO,
        .main_lcore = LCORE_MAX,
        .socket_num = NODE_ANY,
        .max_simd_bits = 512,
        .engine = engines[0],
        .rxq = 1,
        .txq = 1,
        .rxd = RX_DESC_DEFAULT,
        .txd = TX_DESC_DEFAULT,
        .txrst = THRESHOLD_DEFAULT,
        .txfreet = THRESHOLD_DEFAULT,
        .burst = FWD_BURST_DEFAULT,
        .txpkts = TXONLY_LEN_DEFAULT,
        .mbcache = MBCACHE_DEFAULT,
    };
}

/* The walk: words, where it is, and on which side of the -- . */
struct walk {
    struct options *o;
    struct word words[OPTIONS_WORDS_MAX];
    unsigned count, at;
    enum option_part part;
};

static enum status refuse(struct options *o, unsigned column, const char *word,
                          const char *what)
{
    struct text t;

    o->error_column = column;
    text_init(&t, o->error, sizeof(o->error));
    if (word != NULL)
        text_add(&t, "\"%.60s\": ", word);
    text_add(&t, "%s", what);
    return E_INVALID;
}

static enum status refuse_unknown(const struct walk *w)
{
    const struct word *word = &w->words[w->at];
    const char *name = word->text;
    const size_t n = strcspn(name, "=");
    char typed[TEXT_WORD_MAX + 1] = "";
    char what[160];
    struct text t;

    if (n <= TEXT_WORD_MAX)
        memcpy(typed, name, n);
    text_init(&t, what, sizeof(what));
    text_add(&t, "not known here; expected %s option",
             w->part == PART_EAL ? "an EAL" : "a testpmd");
    for (const struct option *r = option_table; r->name != NULL; r++) {
        if (r->part != w->part && strcmp(r->name, typed) == 0) {
            text_add(&t, ", and %s belongs %s a lone --", r->name,
                     r->part == PART_EAL ? "before" : "behind");
            break;
        }
        if (r->part == w->part && strlen(r->name) > 2 &&
            text_distance(r->name, typed) <= 2) {
            text_add(&t, ", did you mean %s?", r->name);
            break;
        }
    }
    return refuse(w->o, word->column, name, what);
}

static enum status refuse_value(const struct walk *w, const struct word *word,
                                const struct option *row)
{
    char what[200];
    struct text t;

    text_init(&t, what, sizeof(what));
    if (row->expects != NULL)
        text_add(&t, "expected %s", row->expects);
    else if (row->high == 0)
        text_add(&t, "expected a value");
    else
        text_add(&t, "expected a number %u..%u", (unsigned)row->low,
                 (unsigned)row->high);
    if (row->expects == NULL && row->multiple > 1)
        text_add(&t, ", a multiple of %u", (unsigned)row->multiple);
    return refuse(w->o, word->column, word->text, what);
}

static bool set_number(struct options *o, const struct option *row,
                       const char *value)
{
    uint32_t narrow;
    uint64_t n;

    if (!text_to_number(value, &n) || n < row->low || n > row->high ||
        n % row->multiple != 0)
        return false;
    narrow = (uint32_t)n;
    memcpy((char *)o + row->field, &narrow, sizeof(narrow));
    return true;
}

static void note_ignored(struct options *o, const char *word)
{
    const size_t used = strlen(o->ignored);
    struct text t = { .at = o->ignored,
                      .bytes = sizeof(o->ignored),
                      .used = used };

    text_add(&t, "%s%s", used > 0 ? " " : "", word);
}

/*
 * The row for @word, and its value when that is attached ("--name=value",
 * "-lvalue", "name=value").
 */
static const struct option *row_for(const struct walk *w, const char *word,
                                    const char **value)
{
    const size_t n = strcspn(word, "=");

    for (const struct option *r = option_table; r->name != NULL; r++) {
        const size_t len = strlen(r->name);
        const bool is_short = r->name[0] == '-' && r->name[1] != '-';

        if (r->part != w->part && r->part != PART_KERNEL)
            continue;
        if (is_short && r->value == VALUE_NEEDED && word[1] != '-' &&
            strncmp(word, r->name, 2) == 0) {
            *value = word[2] != '\0' ? word + 2 : NULL;
            return r;
        }
        if (n != len || memcmp(word, r->name, n) != 0)
            continue;
        *value = word[n] == '=' ? word + n + 1 : NULL;
        return r;
    }
    return NULL;
}

/* One option, and the word behind it when that is its value. */
static enum status take_option(struct walk *w)
{
    const struct word *word = &w->words[w->at];
    const struct option *row;
    const char *value;

    row = row_for(w, word->text, &value);
    if (row == NULL)
        return refuse_unknown(w);
    if (row->value == VALUE_NONE && value != NULL)
        return refuse(w->o, word->column, word->text, "expected no value");
    if (row->value == VALUE_NEEDED && value == NULL) {
        if (row->part == PART_KERNEL || w->at + 1 == w->count ||
            w->words[w->at + 1].text[0] == '-')
            return refuse_value(w, word, row);
        word = &w->words[++w->at];
        value = word->text;
    }
    if (row->set != NULL)
        return row->set(w->o, value) ? OK : refuse_value(w, word, row);
    if (row->high > 0)
        return set_number(w->o, row, value) ? OK : refuse_value(w, word, row);
    note_ignored(w->o, row->name);
    return OK;
}

bool options_lcore_given(const struct options *o, unsigned lcore)
{
    return o->lcores[lcore / 64] >> lcore % 64 & 1;
}

bool options_lcores_given(const struct options *o)
{
    uint64_t any = 0;

    for (unsigned i = 0; i < ARRAY_SIZE(o->lcores); i++)
        any |= o->lcores[i];
    return any != 0;
}

unsigned options_main_lcore(const struct options *o)
{
    unsigned lcore = 0;

    if (o->main_lcore < LCORE_MAX)
        return o->main_lcore;
    while (options_lcores_given(o) && !options_lcore_given(o, lcore))
        lcore++;
    return lcore;
}

/* Does no place before @i of --config name its queue? */
static bool is_first_place(const struct options *o, unsigned i)
{
    for (unsigned k = 0; k < i; k++)
        if (o->place[k].port == o->place[i].port &&
            o->place[k].queue == o->place[i].queue)
            return false;
    return true;
}

/* What --config and other words say together, or NULL. */
static const char *places_fault(const struct options *o)
{
    const bool given = options_lcores_given(o);

    if (o->place_count > 0 && o->nb_cores != 0)
        return "--config and --nb-cores; expected only one of them";
    for (unsigned i = 0; i < o->place_count; i++) {
        if (given && !options_lcore_given(o, o->place[i].lcore))
            return "--config names a core that is not among those of -l; "
                   "expected one of them";
        if (!is_first_place(o, i))
            return "--config names a queue of a port twice; expected each "
                   "once";
    }
    return NULL;
}

static const char *queues_fault(const struct options *o)
{
    if (o->rxq != o->txq)
        return "--rxq and --txq differ; expected the same number, or one of "
               "both: queues go in pairs";
    for (unsigned i = 0; i < o->place_count; i++)
        if (o->place[i].queue >= o->rxq)
            return "--config names a queue that a port does not have; expected "
                   "less than --rxq";
    return NULL;
}

/* Rules between words. */
static enum status check_together(struct options *o, unsigned end)
{
    const char *fault = places_fault(o);

    if (fault == NULL)
        fault = queues_fault(o);
    if (options_lcores_given(o) &&
        !options_lcore_given(o, options_main_lcore(o)))
        fault = "--main-lcore is not among the cores of -l; expected one of "
                "them";
    return fault == NULL ? OK : refuse(o, end, NULL, fault);
}

/* One of both is enough: receive and transmit queues go in pairs. */
static void pair_queues(struct options *o)
{
    if (o->rxq == 0)
        o->rxq = o->txq == 0 ? 1 : o->txq;
    if (o->txq == 0)
        o->txq = o->rxq;
}

static enum status walk_words(struct walk *w, unsigned end)
{
    for (w->at = 0; w->at < w->count; w->at++) {
        enum status s;

        if (strcmp(w->words[w->at].text, "--") == 0 && w->part == PART_EAL) {
            w->part = PART_TESTPMD;
            continue;
        }
        s = take_option(w);
        if (s != OK)
            return s;
    }
    pair_queues(w->o);
    return check_together(w->o, end);
}

/* Back to the defaults, but for what the console and the log need (P2). */
static void forget_all_but_error(struct options *o)
{
    struct options d;

    options_default(&d);
    memcpy(d.console, o->console, sizeof(d.console));
    d.log_level = o->log_level;
    d.debug_exit = o->debug_exit;
    d.panic_s = o->panic_s;
    d.error_column = o->error_column;
    memcpy(d.error, o->error, sizeof(d.error));
    *o = d;
}

enum status options_parse(const char *text, struct options *o)
{
    static char copy[OPTIONS_BYTES_MAX]; /* large for a stack */
    static struct walk w;
    unsigned column = 0;
    size_t bytes;
    enum status s;

    w = (struct walk) { .o = o, .part = PART_EAL };
    options_default(o);
    if (text == NULL)
        return OK;
    bytes = strnlen(text, sizeof(copy));
    if (bytes == sizeof(copy))
        return refuse(o, OPTIONS_BYTES_MAX, NULL,
                      "too long; expected at most 4095 bytes");
    memcpy(copy, text, bytes + 1);
    for (size_t i = 0; i < bytes; i++)
        if (copy[i] != '\t' && !text_is_printable((unsigned char)copy[i]))
            return refuse(o, (unsigned)i + 1, NULL,
                          "a byte that is no character; expected ASCII text");
    s = words_split(copy, w.words, OPTIONS_WORDS_MAX, true, &w.count, &column);
    if (s != OK)
        return refuse(o, column, NULL,
                      s == E_CORRUPT ? "a quote that is not closed"
                                     : "too many words; expected at most 128");
    o->rxq = o->txq = 0; /* not given */
    s = walk_words(&w, (unsigned)bytes + 1);
    if (s != OK)
        forget_all_but_error(o);
    return s;
}

static bool listed(const struct pci_addr list[], unsigned n, struct pci_addr at)
{
    for (unsigned i = 0; i < n; i++)
        if (list[i].segment == at.segment && list[i].bus == at.bus &&
            list[i].device == at.device && list[i].function == at.function)
            return true;
    return false;
}

bool options_allow(const struct options *o, struct pci_addr at)
{
    if (o->allow_count > 0)
        return listed(o->allow, o->allow_count, at);
    return !listed(o->block, o->block_count, at);
}
