/*
 * count.c - a plugin of QEMU that counts how often each instruction ran
 *
 *   -plugin count.so,out=FILE,from=ADDRESS
 *
 * At the end FILE has a line "ADDRESS COUNT" for each instruction at or above
 * ADDRESS that ran. A block of instructions is entered at its beginning and
 * counted there; one that a fault ends early counts as whole.
 *
 * The declarations are those of QEMU's documentation, "QEMU TCG Plugins", API
 * version 7: Debian packages no header.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_info_t;

void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id,
                                           void (*cb)(struct qemu_plugin_tb *tb,
                                                      void *data),
                                           void *data);
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *tb,
                                          void (*cb)(unsigned vcpu, void *data),
                                          int flags, void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, void (*cb)(void *data),
                                    void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(
    const struct qemu_plugin_tb *tb, size_t index);
uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *tb);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);

EXPORT int qemu_plugin_install(plugin_id id, const struct qemu_info_t *info,
                               int argc, char **argv);
EXPORT int qemu_plugin_version = 7;

/* One translation of a block; the same code may have several. */
struct block {
    struct block *next;
    uint64_t count;
    size_t n;
    uint64_t at[];
};

static struct block *blocks;
static const char *out;
static uint64_t from;

static void on_run(unsigned vcpu, void *data)
{
    struct block *b = data;

    (void)vcpu;
    b->count++;
}

static void on_translation(struct qemu_plugin_tb *tb, void *data)
{
    const size_t n = qemu_plugin_tb_n_insns(tb);
    struct block *b;

    (void)data;
    if (qemu_plugin_tb_vaddr(tb) < from)
        return;
    b = calloc(1, sizeof(*b) + n * sizeof(b->at[0]));
    if (b == NULL)
        abort();
    b->n = n;
    for (size_t i = 0; i < n; i++)
        b->at[i] = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(tb, i));
    b->next = blocks;
    blocks = b;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, on_run, 0, b);
}

static void on_end(void *data)
{
    FILE *f = fopen(out, "w");

    (void)data;
    if (f == NULL)
        return;
    for (const struct block *b = blocks; b != NULL; b = b->next)
        for (size_t i = 0; b->count > 0 && i < b->n; i++)
            fprintf(f, "%" PRIx64 " %" PRIu64 "\n", b->at[i], b->count);
    fclose(f);
}

int qemu_plugin_install(plugin_id id, const struct qemu_info_t *info, int argc,
                        char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "out=", 4) == 0)
            out = strdup(argv[i] + 4);
        else if (strncmp(argv[i], "from=", 5) == 0)
            from = strtoull(argv[i] + 5, NULL, 0);
        else
            return -1;
    }
    if (out == NULL)
        return -1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation, NULL);
    qemu_plugin_register_atexit_cb(id, on_end, NULL);
    return 0;
}
