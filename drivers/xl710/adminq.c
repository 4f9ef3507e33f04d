/*
 * adminq.c - the queue pair by which driver and firmware talk
 *
 * A1  outside AQ_READY no register of the queue is written by a call
 * A2  one command is outstanding; its answer is seen in its own descriptor
 * A3  a late answer lands in its own descriptor and buffer, which are not used
 *     again before it came; a whole ring of lost answers ends the queue
 * A4  each event descriptor has a buffer of its own
 */
#include <string.h>

#include <millrace/bits.h>
#include <millrace/clock.h>
#include <millrace/endian.h>
#include <millrace/log.h>

#include "drivers/xl710/adminq.h"
#include "drivers/xl710/nic.h"
#include "mm/dma.h"

#define FLAG_DD  0x0001 /* answered */
#define FLAG_ERR 0x0004
#define FLAG_LB  0x0200 /* buffer above 512 bytes */
#define FLAG_RD  0x0400 /* firmware reads the buffer */
#define FLAG_BUF 0x1000
#define FLAG_SI  0x2000 /* no interrupt on completion */

#define LARGE_BUFFER 512

struct command_row {
    uint16_t opcode;
    uint16_t timeout_ms;
    uint32_t allowed;
    const char *text;
};

static const struct command_row commands[AQ_COMMAND_COUNT] = {
#define AQ_ROW(name, opcode, ms, allowed, text)                                \
    [name] = { opcode, ms, allowed, text },
    AQ_COMMANDS(AQ_ROW)
#undef AQ_ROW
};

const char *aq_return_text(unsigned code)
{
    switch (code) {
#define AQ_RETURN_TEXT(name, value, text)                                      \
    case value:                                                                \
        return #name " (" text ")";
        AQ_RETURN_CODES(AQ_RETURN_TEXT)
#undef AQ_RETURN_TEXT
    }
    return "an unknown code";
}

const char *aq_command_text(enum aq_command command)
{
    return commands[command].text;
}

uint16_t aq_command_opcode(enum aq_command command)
{
    return commands[command].opcode;
}

/* ---- open and close ---- */

static void set_address(struct aq_desc *d, const void *buffer)
{
    const uint64_t bus = plat_bus_addr(buffer);

    put_le32(d->params + 8, (uint32_t)(bus >> 32));
    put_le32(d->params + 12, (uint32_t)bus);
}

static void post_event_buffer(struct adminq *aq, unsigned i)
{
    struct aq_desc *d = &aq->recv[i];

    memset(d, 0, sizeof(*d));
    d->datalen = AQ_BUFFER_BYTES;
    set_address(d, aq->recv_buffers + (size_t)i * AQ_BUFFER_BYTES);
    /* Flags last: without DD the slot is firmware's. */
    __atomic_store_n(&d->flags, FLAG_BUF | FLAG_LB, __ATOMIC_RELEASE);
}

void adminq_silence(struct nic *nic)
{
    static const enum reg regs[] = {
        PF_ATQLEN, PF_ARQLEN, PF_ATQH,   PF_ATQT,   PF_ARQH,
        PF_ARQT,   PF_ATQBAL, PF_ATQBAH, PF_ARQBAL, PF_ARQBAH,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++)
        reg_write(nic, regs[i], 0, 0);
}

/*
 * Bases before lengths, so the queues never run on an address that is not ours.
 */
static void program(struct nic *nic)
{
    const uint64_t send = plat_bus_addr(nic->aq.send);
    const uint64_t recv = plat_bus_addr(nic->aq.recv);

    reg_write(nic, PF_ATQBAL, 0, (uint32_t)send);
    reg_write(nic, PF_ATQBAH, 0, (uint32_t)(send >> 32));
    reg_write(nic, PF_ARQBAL, 0, (uint32_t)recv);
    reg_write(nic, PF_ARQBAH, 0, (uint32_t)(recv >> 32));
    reg_write(nic, PF_ATQLEN, 0, AQ_ENTRIES | field_is(PF_ATQLEN_ENABLE, 1));
    reg_write(nic, PF_ARQLEN, 0, AQ_ENTRIES | field_is(PF_ARQLEN_ENABLE, 1));
    plat_dma_wmb();
    reg_write(nic, PF_ARQT, 0, AQ_ENTRIES - 1);
}

enum status adminq_restart(struct nic *nic)
{
    struct adminq *aq = &nic->aq;
    const uint32_t want = (uint32_t)plat_bus_addr(aq->send);
    uint32_t got;

    adminq_silence(nic);
    memset(aq->send, 0, sizeof(*aq->send) * AQ_ENTRIES);
    for (unsigned i = 0; i < AQ_ENTRIES; i++) {
        aq->send[i].flags = FLAG_DD; /* nobody waits for it */
        post_event_buffer(aq, i);
    }
    aq->send_next = aq->recv_next = 0;
    aq->silent = 0;
    program(nic);
    got = reg_read(nic, PF_ATQBAL, 0);
    if (got != want) {
        log_error("xl710 %s: admin queue base reads %#x, %#x was written",
                  nic->name, got, want);
        aq->state = AQ_DEAD;
        return got == UINT32_MAX ? E_GONE : E_IO;
    }
    aq->state = AQ_READY;
    return OK;
}

static void free_rings(struct adminq *aq)
{
    dma_free(aq->send);
    dma_free(aq->recv);
    dma_free(aq->send_buffers);
    dma_free(aq->recv_buffers);
    memset(aq, 0, sizeof(*aq));
}

enum status adminq_open(struct nic *nic)
{
    struct adminq *aq = &nic->aq;
    const size_t ring = sizeof(struct aq_desc) * AQ_ENTRIES;
    const size_t buffers = (size_t)AQ_BUFFER_BYTES * AQ_ENTRIES;
    enum status s;

    if (aq->send != NULL) /* brought up before */
        return adminq_restart(nic);
    memset(aq, 0, sizeof(*aq));
    aq->send = dma_alloc(ring, AQ_BUFFER_BYTES, "xl710 admin queue");
    aq->recv = dma_alloc(ring, AQ_BUFFER_BYTES, "xl710 admin queue");
    aq->send_buffers = dma_alloc(buffers, AQ_BUFFER_BYTES, "xl710 admin queue");
    aq->recv_buffers = dma_alloc(buffers, AQ_BUFFER_BYTES, "xl710 admin queue");
    if (aq->send == NULL || aq->recv == NULL || aq->send_buffers == NULL ||
        aq->recv_buffers == NULL) {
        free_rings(aq);
        return E_NOMEM;
    }
    s = adminq_restart(nic);
    if (s != OK) {
        adminq_silence(nic);
        free_rings(aq);
    }
    return s;
}

void adminq_close(struct nic *nic)
{
    struct aq_call bye = {
        .command = AQ_QUEUE_SHUTDOWN,
        .params = { 1 }, /* the driver is leaving */
        .is_quiet = true,
    };

    if (nic->aq.state == AQ_CLOSED)
        return;
    if (nic->aq.state == AQ_READY && adminq_call(nic, &bye) != OK)
        log_debug("xl710 %s: firmware did not take the shutdown", nic->name);
    adminq_silence(nic);
    reg_flush(nic);
    free_rings(&nic->aq);
}

/* ---- commands ---- */

static void post(struct nic *nic, const struct aq_call *call, unsigned slot)
{
    struct adminq *aq = &nic->aq;
    struct aq_desc *d = &aq->send[slot];
    uint8_t *buffer = aq->send_buffers + (size_t)slot * AQ_BUFFER_BYTES;

    if (call->bytes > AQ_BUFFER_BYTES)
        panic("xl710: a command with %u bytes of data", call->bytes);
    memset(d, 0, sizeof(*d));
    d->opcode = commands[call->command].opcode;
    d->flags = FLAG_SI;
    memcpy(d->params, call->params, sizeof(d->params));
    if (call->bytes > 0) {
        d->datalen = call->bytes;
        d->flags |= FLAG_BUF;
        d->flags |= call->to != NULL ? FLAG_RD : 0;
        d->flags |= call->bytes > LARGE_BUFFER ? FLAG_LB : 0;
        memset(buffer, 0, call->bytes);
        if (call->to != NULL)
            memcpy(buffer, call->to, call->bytes);
        set_address(d, buffer);
    }
    aq->send_next = (slot + 1) % AQ_ENTRIES;
    plat_dma_wmb();
    reg_write(nic, PF_ATQT, 0, aq->send_next);
}

static bool is_answered(const struct adminq *aq, unsigned slot)
{
    return (__atomic_load_n(&aq->send[slot].flags, __ATOMIC_ACQUIRE) &
            FLAG_DD) != 0;
}

static enum status no_answer(struct nic *nic, const struct aq_call *call)
{
    const struct command_row *row = &commands[call->command];
    const uint32_t length = reg_read(nic, PF_ATQLEN, 0);

    nic->aq.timeouts++;
    nic->aq.silent++;
    if (length == UINT32_MAX || field_of(PF_ATQLEN_CRIT, length) != 0) {
        log_error("xl710 %s: %s (%#06x): %s", nic->name, row->text, row->opcode,
                  length == UINT32_MAX
                      ? "the device does not answer any more"
                      : "firmware reports a critical error and gave up");
        nic->aq.state = AQ_DEAD;
        return E_GONE;
    }
    if (nic->aq.silent >= AQ_SILENT_MAX && !call->is_retried)
        nic->aq.state = AQ_DEAD;
    if (!call->is_quiet && !call->is_retried)
        log_error("xl710 %s: %s (%#06x): no answer from firmware within %u ms",
                  nic->name, row->text, row->opcode, row->timeout_ms);
    return E_TIMEOUT;
}

static enum status take_answer(struct nic *nic, struct aq_call *call,
                               unsigned slot)
{
    struct adminq *aq = &nic->aq;
    const struct aq_desc *d = &aq->send[slot];
    const struct command_row *row = &commands[call->command];

    plat_dma_rmb();
    aq->silent = 0;
    call->code = d->retval & 0xFF;
    call->answered = d->datalen;
    memcpy(call->params, d->params, sizeof(call->params));
    if (d->opcode != row->opcode) {
        aq->errors++;
        log_error("xl710 %s: %s (%#06x) was answered as %#06x", nic->name,
                  row->text, row->opcode, d->opcode);
        return E_CORRUPT;
    }
    if (call->from != NULL)
        memcpy(call->from, aq->send_buffers + (size_t)slot * AQ_BUFFER_BYTES,
               call->bytes);
    if (call->code == AQ_OK && (d->flags & FLAG_ERR) == 0)
        return OK;
    if (call->code < 32 && (row->allowed & AQ_ALLOW(call->code)) != 0)
        return OK;
    aq->errors++;
    if (!call->is_quiet)
        log_error("xl710 %s: %s (%#06x): firmware answers %u, %s", nic->name,
                  row->text, row->opcode, call->code,
                  aq_return_text(call->code));
    return call->code == AQ_EBUSY || call->code == AQ_EAGAIN ? E_BUSY : E_IO;
}

enum status adminq_call(struct nic *nic, struct aq_call *call)
{
    struct adminq *aq = &nic->aq;
    const unsigned slot = aq->send_next;
    struct deadline end;

    if (aq->state != AQ_READY)
        return E_STATE;
    if (!is_answered(aq, slot)) { /* A3: of a lap ago */
        log_error("xl710 %s: firmware lost %u commands; giving it up",
                  nic->name, AQ_ENTRIES);
        aq->state = AQ_DEAD;
        return E_GONE;
    }
    post(nic, call, slot);
    end = deadline_in_us(UINT64_C(1000) * commands[call->command].timeout_ms);
    while (!is_answered(aq, slot)) {
        if (deadline_passed(&end) && !is_answered(aq, slot))
            return no_answer(nic, call);
        nic_wait_turn();
    }
    return take_answer(nic, call, slot);
}

/* ---- events ---- */

unsigned adminq_poll(struct nic *nic,
                     void (*handle)(struct nic *nic, const struct aq_event *))
{
    struct adminq *aq = &nic->aq;
    unsigned n = 0;

    if (aq->state != AQ_READY)
        return 0;
    while (n < AQ_ENTRIES) {
        const unsigned i = aq->recv_next;
        const struct aq_desc *d = &aq->recv[i];
        const uint16_t flags = __atomic_load_n(&d->flags, __ATOMIC_ACQUIRE);
        struct aq_event event;

        if ((flags & FLAG_DD) == 0)
            break;
        event.opcode = d->opcode;
        event.bytes =
            d->datalen < AQ_BUFFER_BYTES ? d->datalen : AQ_BUFFER_BYTES;
        event.params = d->params;
        event.data = aq->recv_buffers + (size_t)i * AQ_BUFFER_BYTES;
        handle(nic, &event);
        post_event_buffer(aq, i);
        aq->recv_next = (i + 1) % AQ_ENTRIES;
        aq->events++;
        n++;
    }
    if (n > 0) {
        /* One slot stays ours: tail is the one just before the next to come. */
        plat_dma_wmb();
        reg_write(nic, PF_ARQT, 0,
                  (aq->recv_next + AQ_ENTRIES - 1) % AQ_ENTRIES);
    }
    return n;
}
