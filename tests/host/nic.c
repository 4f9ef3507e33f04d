/*
 * nic.c - an XL710 in the fake machine: the chip model as a device on its bus
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/host.h"
#include "tests/host/nic.h"

#define BAR0_BASE      UINT64_C(0x8000000000)
#define BAR0_STRIDE    UINT64_C(0x1000000)
#define KEPT_MAX       4096
#define COMPLAINT_MAX  8192
#define OPCODES        65536
#define DOORBELL_WORDS 2048 /* two pages */
#define POLL_BUDGET    256

#define REG_ATQBAL   0x80000
#define REG_ATQBAH   0x80100
#define REG_ATQLEN   0x80200
#define REG_ATQT     0x80400
#define REG_QTX_TAIL 0x108000
#define REG_QRX_TAIL 0x128000
#define TAIL_BYTES   (1536 * 4)
#define CFG_DEVCAP   0xA4
#define DEVCAP_FLR   (1u << 28)
#define DESC_BYTES   32
#define FLAG_BUF     0x1000

struct kept {
    uint8_t *bytes;
    size_t len;
};

struct function {
    struct pci_device device;
    unsigned index;
    unsigned admin_tail; /* as written last */
    uint32_t *qtx_tail, *qrx_tail;
    struct kept kept[KEPT_MAX];
    unsigned kept_count;
};

static struct {
    struct chip *chip;
    struct host_nic_config config;
    struct function pf[CHIP_PF_MAX];
    void (*wire)(void *, unsigned, const uint8_t *, size_t);
    void *wire_ctx;
    char complaints[COMPLAINT_MAX];
    unsigned complaint_count, interrupts, bad_dma;
    unsigned tx_doorbells, rx_doorbells;
    unsigned commands[OPCODES];
    uint32_t watch_offset;
    void (*watch)(uint64_t);
    uint16_t tamper_opcode;
    void (*tamper)(uint8_t *, uint8_t *);
} nic;

/* ---- what the chip asks of the world ---- */

static void *on_dma(void *ctx, unsigned pf, uint64_t addr, size_t len,
                    bool write, size_t *got)
{
    void *p = host_bus_to_ptr(addr, len);

    (void)ctx;
    (void)pf;
    (void)write;
    *got = p == NULL ? 0 : len;
    nic.bad_dma += p == NULL;
    return p;
}

static void on_msix(void *ctx, unsigned pf, unsigned vector)
{
    (void)ctx;
    (void)pf;
    (void)vector;
    nic.interrupts++;
}

static void on_intx(void *ctx, unsigned pf, bool asserted)
{
    (void)ctx;
    (void)pf;
    nic.interrupts += asserted;
}

static void on_wire_tx(void *ctx, unsigned port, const uint8_t *frame,
                       size_t len)
{
    struct function *f = &nic.pf[port];
    struct kept *k;

    (void)ctx;
    if (nic.wire != NULL) {
        nic.wire(nic.wire_ctx, port, frame, len);
        return;
    }
    if (f->kept_count == KEPT_MAX)
        abort();
    k = &f->kept[f->kept_count++];
    k->bytes = malloc(len);
    k->len = len;
    memcpy(k->bytes, frame, len);
}

static void on_complain(void *ctx, unsigned pf, const char *rule,
                        const char *text)
{
    const size_t at = strlen(nic.complaints);

    (void)ctx;
    nic.complaint_count++;
    snprintf(nic.complaints + at, sizeof(nic.complaints) - at, "%u %s: %s\n",
             pf, rule, text);
}

/* ---- what the machine asks of the chip ---- */

/* Descriptor @i of the send queue of @f, or NULL. */
static uint8_t *command_at(const struct function *f, unsigned i)
{
    const uint64_t base = host_nic_register(f->index, REG_ATQBAL) |
                          (uint64_t)host_nic_register(f->index, REG_ATQBAH)
                              << 32;

    return host_bus_to_ptr(base + DESC_BYTES * i, DESC_BYTES);
}

static void tamper_with(uint8_t *desc)
{
    uint32_t high, low;
    uint16_t flags;

    memcpy(&flags, desc, sizeof(flags));
    memcpy(&high, desc + 24, sizeof(high));
    memcpy(&low, desc + 28, sizeof(low));
    nic.tamper(desc, (flags & FLAG_BUF) == 0
                         ? NULL
                         : host_bus_to_ptr((uint64_t)high << 32 | low, 4096));
}

/* The driver hands commands to firmware, which answers at once. */
static void on_admin_tail(struct function *f, unsigned bytes, unsigned tail)
{
    const uint32_t entries = host_nic_register(f->index, REG_ATQLEN) & 0x3FF;
    const unsigned first = f->admin_tail;
    uint16_t opcode[1024];
    unsigned n = 0;

    for (unsigned i = first; entries > 0 && i != tail && n < entries; n++) {
        const uint8_t *d = command_at(f, i);

        if (d == NULL)
            abort();
        memcpy(&opcode[n], d + 2, sizeof(opcode[n]));
        nic.commands[opcode[n]]++;
        i = (i + 1) % entries;
    }
    f->admin_tail = tail;
    chip_reg_write(nic.chip, f->index, REG_ATQT, bytes, tail);
    for (unsigned k = 0; k < n && nic.tamper != NULL; k++)
        if (opcode[k] == nic.tamper_opcode)
            tamper_with(command_at(f, (first + k) % entries));
}

static uint64_t on_read(void *ctx, uint64_t offset, unsigned bytes)
{
    struct function *f = ctx;

    return chip_reg_read(nic.chip, f->index, (uint32_t)offset, bytes);
}

static void on_write(void *ctx, uint64_t offset, unsigned bytes, uint64_t value)
{
    struct function *f = ctx;
    const uint32_t at = (uint32_t)offset;

    if (nic.watch != NULL && at == nic.watch_offset)
        nic.watch(value);
    if (at == REG_ATQT) {
        on_admin_tail(f, bytes, (unsigned)value);
        return;
    }
    if (at - REG_QTX_TAIL < TAIL_BYTES) {
        nic.tx_doorbells++;
        if (f->qtx_tail != NULL) {
            f->qtx_tail[(at - REG_QTX_TAIL) / 4] = (uint32_t)value;
            return;
        }
    }
    if (at - REG_QRX_TAIL < TAIL_BYTES) {
        nic.rx_doorbells++;
        if (f->qrx_tail != NULL) {
            f->qrx_tail[(at - REG_QRX_TAIL) / 4] = (uint32_t)value;
            return;
        }
    }
    chip_reg_write(nic.chip, f->index, at, bytes, value);
}

static struct function *function_at(struct pci_addr at)
{
    const unsigned n = nic.config.is_virtual ? at.device : at.function;
    const unsigned other = nic.config.is_virtual ? at.function : at.device;

    if (at.segment != 0 || at.bus != HOST_NIC_BUS || other != 0 ||
        n >= nic.config.ports)
        return NULL;
    return &nic.pf[n];
}

static uint32_t on_pci_read(void *ctx, struct pci_addr at, unsigned offset,
                            unsigned bytes)
{
    const struct function *f = function_at(at);
    uint32_t v;

    (void)ctx;
    if (f == NULL)
        return UINT32_MAX >> (32 - 8 * bytes);
    v = chip_cfg_read(nic.chip, f->index, offset, bytes);
    if (nic.config.has_no_flr && offset == CFG_DEVCAP && bytes == 4)
        v &= ~DEVCAP_FLR;
    return v;
}

static void on_pci_write(void *ctx, struct pci_addr at, unsigned offset,
                         unsigned bytes, uint32_t value)
{
    const struct function *f = function_at(at);

    (void)ctx;
    if (f != NULL)
        chip_cfg_write(nic.chip, f->index, offset, bytes, value);
}

static void on_time(void *ctx, uint64_t now_ns)
{
    (void)ctx;
    chip_advance(nic.chip, now_ns);
    if (nic.config.has_doorbell_ram)
        chip_poll(nic.chip, POLL_BUDGET);
}

/* ---- open, close ---- */

static void set_defaults(struct host_nic_config *c)
{
    if (c->ports == 0)
        c->ports = 1;
    if (c->device_id == 0)
        c->device_id = 0x1583;
    if (c->api_major == 0) {
        c->fw_major = 6;
        c->fw_minor = 1;
        c->api_major = 1;
        c->api_minor = 7;
    }
}

static void function_open(unsigned index)
{
    struct function *f = &nic.pf[index];
    const uint64_t base = BAR0_BASE + index * BAR0_STRIDE;
    const struct host_device device = { .phys = base,
                                        .bytes = CHIP_BAR0_BYTES,
                                        .read = on_read,
                                        .write = on_write,
                                        .ctx = f };

    f->index = index;
    f->device = (struct pci_device) {
        .at = { .bus = HOST_NIC_BUS },
        .vendor = 0x8086,
        .device = nic.config.device_id,
        .subvendor = 0x8086,
        .subdevice = 1,
        .revision = 2,
        .class_code = 0x020000,
    };
    if (nic.config.is_virtual)
        f->device.at.device = (uint8_t)index;
    else
        f->device.at.function = (uint8_t)index;
    f->device.bar[0] = (struct pci_bar) { .base = base, .is_64bit = true };
    chip_cfg_write(nic.chip, index, 0x10, 4, (uint32_t)base);
    chip_cfg_write(nic.chip, index, 0x14, 4, (uint32_t)(base >> 32));
    host_device_add(&device);
    if (!nic.config.has_doorbell_ram)
        return;
    f->qtx_tail = calloc(DOORBELL_WORDS, sizeof(*f->qtx_tail));
    f->qrx_tail = calloc(DOORBELL_WORDS, sizeof(*f->qrx_tail));
    chip_doorbells_set(nic.chip, index, f->qtx_tail, f->qrx_tail);
}

void host_nic_open(const struct host_nic_config *config)
{
    static const struct chip_host world = {
        .dma = on_dma,
        .msix = on_msix,
        .intx = on_intx,
        .wire_tx = on_wire_tx,
        .complain = on_complain,
    };
    struct chip_config c = { .queues_per_pf = 128, .sr_kib = 4 };

    host_nic_close();
    nic.config = *config;
    set_defaults(&nic.config);
    c.device_id = nic.config.device_id;
    c.ports = nic.config.ports;
    c.fw_major = nic.config.fw_major;
    c.fw_minor = nic.config.fw_minor;
    c.api_major = nic.config.api_major;
    c.api_minor = nic.config.api_minor;
    c.link_up_at_reset = !nic.config.link_is_down;
    for (unsigned i = 0; i < c.ports; i++) {
        const uint8_t mac[6] = { 0x02, 0x4D, 0x52, 0, 0, (uint8_t)(1 + i) };

        memcpy(c.mac[i], mac, sizeof(mac));
    }
    if (nic.config.mac != NULL)
        memcpy(c.mac[0], nic.config.mac, 6);
    nic.chip = chip_create(&c, &world);
    if (nic.chip == NULL)
        abort();
    for (unsigned i = 0; i < c.ports; i++)
        function_open(i);
    host_pci_hooks(on_pci_read, on_pci_write, NULL);
    host_on_time(on_time, NULL);
    /* 10 us a pause: the waits of a bring-up then take few rounds. */
    host_pause_ns_set(10000);
}

void host_nic_close(void)
{
    if (nic.chip == NULL)
        return;
    host_nic_sent_clear();
    host_on_time(NULL, NULL);
    host_pci_hooks(NULL, NULL, NULL);
    chip_destroy(nic.chip);
    for (unsigned i = 0; i < CHIP_PF_MAX; i++) {
        free(nic.pf[i].qtx_tail);
        free(nic.pf[i].qrx_tail);
    }
    memset(&nic, 0, sizeof(nic));
}

struct chip *host_nic_chip(void)
{
    return nic.chip;
}

struct pci_device *host_nic_device(unsigned pf)
{
    return &nic.pf[pf].device;
}

void host_nic_poll(void)
{
    chip_poll(nic.chip, POLL_BUDGET);
}

/* ---- wires ---- */

bool host_nic_arrive(unsigned port, const void *frame, size_t bytes)
{
    return chip_wire_rx(nic.chip, port, frame, bytes, true);
}

unsigned host_nic_sent(unsigned port)
{
    return nic.pf[port].kept_count;
}

const uint8_t *host_nic_sent_frame(unsigned port, unsigned i, size_t *bytes)
{
    if (i >= nic.pf[port].kept_count)
        abort();
    *bytes = nic.pf[port].kept[i].len;
    return nic.pf[port].kept[i].bytes;
}

void host_nic_sent_clear(void)
{
    for (unsigned p = 0; p < CHIP_PF_MAX; p++) {
        for (unsigned i = 0; i < nic.pf[p].kept_count; i++)
            free(nic.pf[p].kept[i].bytes);
        nic.pf[p].kept_count = 0;
    }
}

void host_nic_on_wire(void (*hook)(void *, unsigned, const uint8_t *, size_t),
                      void *ctx)
{
    nic.wire = hook;
    nic.wire_ctx = ctx;
}

void host_nic_tamper(uint16_t opcode, void (*lie)(uint8_t *, uint8_t *))
{
    nic.tamper_opcode = opcode;
    nic.tamper = lie;
}

void host_nic_watch(uint32_t offset, void (*look)(uint64_t value))
{
    nic.watch_offset = offset;
    nic.watch = look;
}

/* ---- what happened ---- */

unsigned host_nic_complaints(void)
{
    return nic.complaint_count;
}

const char *host_nic_complaint_text(void)
{
    return nic.complaints;
}

unsigned host_nic_interrupts(void)
{
    return nic.interrupts;
}

unsigned host_nic_commands(uint16_t opcode)
{
    return nic.commands[opcode];
}

unsigned host_nic_tx_doorbells(void)
{
    return nic.tx_doorbells;
}

unsigned host_nic_rx_doorbells(void)
{
    return nic.rx_doorbells;
}

unsigned host_nic_bad_dma(void)
{
    return nic.bad_dma;
}

uint32_t host_nic_register(unsigned pf, uint32_t offset)
{
    return (uint32_t)chip_reg_read(nic.chip, pf, offset, 4);
}

void host_nic_fault(enum chip_fault fault, unsigned pf, uint32_t opcode,
                    uint32_t value, uint32_t count)
{
    const struct chip_fault_args args = {
        .pf = pf, .opcode = opcode, .value = value, .count = count
    };

    chip_fault(nic.chip, fault, &args);
}
