/*
 * adminq.h - the queue pair by which driver and firmware talk
 *
 * Commands go one at a time; events wait in their own ring until polled.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

#define AQ_ENTRIES      32
#define AQ_BUFFER_BYTES 4096
#define AQ_API_MAJOR    1
#define AQ_SILENT_MAX   3 /* commands without an answer: firmware is dead */

struct nic;

/*
 * Every command we send. Allowed: answers that are as good as success, because
 * of who may have used the function before (bit n = return code n).
 *
 *    command               opcode  ms   allowed                name         */
#define AQ_COMMANDS(C)                                                         \
    C(AQ_GET_VERSION, 0x0001, 1000, 0, "get version")                          \
    C(AQ_QUEUE_SHUTDOWN, 0x0003, 250, 0, "queue shutdown")                     \
    C(AQ_REQUEST_RESOURCE, 0x0008, 250, 0, "request resource")                 \
    C(AQ_RELEASE_RESOURCE, 0x0009, 250, 0, "release resource")                 \
    C(AQ_LIST_CAPS, 0x000A, 250, 0, "list capabilities")                       \
    C(AQ_MAC_READ, 0x0107, 250, 0, "MAC address read")                         \
    C(AQ_CLEAR_PXE, 0x0110, 250, AQ_ALLOW(AQ_EEXIST), "clear PXE mode")        \
    C(AQ_GET_SWITCH, 0x0200, 250, 0, "get switch configuration")               \
    C(AQ_RXCTL_READ, 0x0206, 250, 0, "read receive control register")          \
    C(AQ_RXCTL_WRITE, 0x0207, 250, 0, "write receive control register")        \
    C(AQ_UPDATE_VSI, 0x0211, 250, 0, "update VSI")                             \
    C(AQ_GET_VSI, 0x0212, 250, 0, "get VSI")                                   \
    C(AQ_ADD_MACVLAN, 0x0250, 250, AQ_ALLOW(AQ_EEXIST), "add MAC filter")      \
    C(AQ_REMOVE_MACVLAN, 0x0251, 250, AQ_ALLOW(AQ_ENOENT),                     \
      "remove MAC filter")                                                     \
    C(AQ_PROMISCUOUS, 0x0254, 250, 0, "set promiscuous mode")                  \
    C(AQ_GET_PHY, 0x0600, 250, 0, "get PHY abilities")                         \
    C(AQ_SET_MAC_CONFIG, 0x0603, 250, 0, "set MAC configuration")              \
    C(AQ_RESTART_LINK, 0x0605, 250, 0, "restart link")                         \
    C(AQ_GET_LINK, 0x0607, 250, 0, "get link status")                          \
    C(AQ_EVENT_MASK, 0x0613, 250, 0, "set PHY event mask")                     \
    C(AQ_NVM_READ, 0x0701, 250, 0, "read NVM")                                 \
    C(AQ_LLDP_GET, 0x0A00, 250, AQ_ALLOW(AQ_EPERM) | AQ_ALLOW(AQ_ENOENT),      \
      "get LLDP MIB")                                                          \
    C(AQ_REG_READ, 0xFF03, 250, 0, "read register")                            \
    C(AQ_REG_WRITE, 0xFF04, 250, 0, "write register")

#define AQ_ALLOW(code) (UINT32_C(1) << (code))

enum aq_command {
#define AQ_ENUM(name, opcode, ms, allowed, text) name,
    AQ_COMMANDS(AQ_ENUM)
#undef AQ_ENUM
        AQ_COMMAND_COUNT
};

/* Return codes in the low byte of a descriptor's retval. */
#define AQ_RETURN_CODES(C)                                                     \
    C(AQ_OK, 0, "success")                                                     \
    C(AQ_EPERM, 1, "not permitted")                                            \
    C(AQ_ENOENT, 2, "no such element")                                         \
    C(AQ_ESRCH, 3, "unknown command")                                          \
    C(AQ_EINTR, 4, "interrupted")                                              \
    C(AQ_EIO, 5, "I/O error")                                                  \
    C(AQ_ENXIO, 6, "no such resource")                                         \
    C(AQ_E2BIG, 7, "argument too long")                                        \
    C(AQ_EAGAIN, 8, "try again")                                               \
    C(AQ_ENOMEM, 9, "out of memory")                                           \
    C(AQ_EACCES, 10, "access denied")                                          \
    C(AQ_EFAULT, 11, "bad address")                                            \
    C(AQ_EBUSY, 12, "busy")                                                    \
    C(AQ_EEXIST, 13, "exists already")                                         \
    C(AQ_EINVAL, 14, "invalid argument")                                       \
    C(AQ_ENOTTY, 15, "not a terminal")                                         \
    C(AQ_ENOSPC, 16, "no space left")                                          \
    C(AQ_ENOSYS, 17, "not implemented")                                        \
    C(AQ_ERANGE, 18, "out of range")                                           \
    C(AQ_EFLUSHED, 19, "flushed by an earlier error")                          \
    C(AQ_BAD_ADDR, 20, "bad descriptor address")                               \
    C(AQ_EMODE, 21, "not allowed in this mode")                                \
    C(AQ_EFBIG, 22, "too large")

enum aq_return {
#define AQ_RETURN_ENUM(name, value, text) name = (value),
    AQ_RETURN_CODES(AQ_RETURN_ENUM)
#undef AQ_RETURN_ENUM
};

enum aq_state {
    AQ_CLOSED, /* no rings */
    AQ_READY,
    AQ_DEAD, /* firmware gave up, or stopped answering */
};

/* Descriptor of either ring. */
struct aq_desc {
    uint16_t flags;
    uint16_t opcode;
    uint16_t datalen;
    uint16_t retval;
    uint32_t cookie_high, cookie_low;
    uint8_t params[16];
};

_Static_assert(sizeof(struct aq_desc) == 32, "fixed by the chip");

struct adminq {
    enum aq_state state;
    struct aq_desc *send, *recv; /* AQ_ENTRIES each */
    uint8_t *send_buffers, *recv_buffers;
    unsigned send_next, recv_next;
    unsigned silent; /* commands without an answer, in a row */
    uint32_t timeouts, errors, events, unknown_events;
};

/* One command. Zero what is not used. */
struct aq_call {
    enum aq_command command;
    uint8_t params[16];  /* in: to firmware; out: what it answered */
    const void *to;      /* sent to firmware, @bytes */
    void *from;          /* filled by firmware, @bytes */
    uint16_t bytes;      /* of to, of from, or of both */
    uint16_t answered;   /* out: datalen of the answer */
    bool is_quiet;       /* refusal or silence is expected: no line */
    bool is_retried;     /* the caller will try again: silence is no news */
    enum aq_return code; /* out: what firmware said */
};

/* An event, valid until the handler returns. */
struct aq_event {
    uint16_t opcode;
    uint16_t bytes;
    const uint8_t *params; /* 16 */
    const uint8_t *data;
};

/* Rings and buffers, registers programmed. E_NOMEM, E_IO. */
must_use enum status adminq_open(struct nic *nic);

/* Tell firmware when it listens, silence the registers, free the rings. */
void adminq_close(struct nic *nic);

/* Registers to 0: firmware answers no more, a late answer is lost. */
void adminq_silence(struct nic *nic);

/* Empty the rings and program the registers again, keeping the memory. */
must_use enum status adminq_restart(struct nic *nic);

/*
 * Send one command and wait for the answer, at most for the command's time.
 *
 * Returns  OK, also for the command's allowed codes (see @call->code); E_STATE
 *          when the queue is not ready; E_TIMEOUT; E_BUSY and E_IO when
 *          firmware refuses; E_GONE when it gave up. Failures are in the log.
 */
must_use enum status adminq_call(struct nic *nic, struct aq_call *call);

/*
 * Hand waiting events to @handle, at most one ring of them, and give their
 * buffers back.
 *
 * Returns  how many there were
 * Cost     no register access when there are none
 */
unsigned adminq_poll(struct nic *nic,
                     void (*handle)(struct nic *nic, const struct aq_event *));

const char *aq_return_text(unsigned code);
const char *aq_command_text(enum aq_command command);
uint16_t aq_command_opcode(enum aq_command command);
