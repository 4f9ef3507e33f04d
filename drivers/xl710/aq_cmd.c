/*
 * aq_cmd.c - admin commands about firmware, NVM, capabilities and registers
 */
#include <string.h>

#include <millrace/clock.h>
#include <millrace/endian.h>
#include <millrace/log.h>

#include "drivers/xl710/aq_cmd.h"
#include "drivers/xl710/nic.h"

#define VERSION_TRIES  10
#define RXCTL_TRIES    5
#define RXCTL_RETRY_US 1000

#define RESOURCE_NVM  1
#define RESOURCE_READ 1
#define NVM_READ_MS   3000
#define NVM_READ_LAST 1
#define NVM_WORD_LO   0x18 /* first word we want, and how many */
#define NVM_WORDS     (0x2F - NVM_WORD_LO)

/*
 * The first command meets whatever firmware was doing for the driver before us:
 * lost answers are tried again on fresh rings.
 */
enum status aq_get_version(struct nic *nic)
{
    struct aq_call call;
    enum status s = E_TIMEOUT;

    for (unsigned try = 0; s == E_TIMEOUT && try < VERSION_TRIES; try++) {
        if (try > 0) {
            s = adminq_restart(nic);
            if (s != OK)
                return s;
        }
        call = (struct aq_call) { .command = AQ_GET_VERSION,
                                  .is_retried = try + 1 < VERSION_TRIES };
        s = adminq_call(nic, &call);
    }
    if (s != OK)
        return s;
    nic->firmware.build = get_le32(call.params + 4);
    nic->firmware.major = get_le16(call.params + 8);
    nic->firmware.minor = get_le16(call.params + 10);
    nic->firmware.api_major = get_le16(call.params + 12);
    nic->firmware.api_minor = get_le16(call.params + 14);
    if (nic->firmware.api_major != AQ_API_MAJOR) {
        log_error("xl710 %s: firmware API %u.%u, this driver speaks %u.x",
                  nic->name, nic->firmware.api_major, nic->firmware.api_minor,
                  AQ_API_MAJOR);
        return E_UNSUPPORTED;
    }
    return OK;
}

/* ---- NVM ---- */

static enum status release_nvm(struct nic *nic)
{
    struct aq_call call = { .command = AQ_RELEASE_RESOURCE, .is_quiet = true };

    put_le16(call.params, RESOURCE_NVM);
    return adminq_call(nic, &call);
}

enum status aq_release_nvm(struct nic *nic)
{
    const enum status s = release_nvm(nic);

    return s == E_IO || s == E_BUSY ? OK : s;
}

static enum status read_nvm_words(struct nic *nic, uint8_t *words)
{
    struct aq_call call = {
        .command = AQ_NVM_READ,
        .params = { NVM_READ_LAST },
        .from = words,
        .bytes = 2 * NVM_WORDS,
        .is_quiet = true,
    };

    put_le16(call.params + 2, 2 * NVM_WORDS);
    put_le32(call.params + 4, 2 * NVM_WORD_LO);
    return adminq_call(nic, &call);
}

/*
 * Only reads, and only as owner: another agent may be writing the NVM now. The
 * version is for people, so firmware's refusal costs nothing but the text.
 */
enum status aq_read_nvm_version(struct nic *nic)
{
    uint8_t words[2 * NVM_WORDS];
    struct aq_call own = { .command = AQ_REQUEST_RESOURCE, .is_quiet = true };
    enum status s;

    put_le16(own.params, RESOURCE_NVM);
    put_le16(own.params + 2, RESOURCE_READ);
    put_le32(own.params + 4, NVM_READ_MS);
    s = adminq_call(nic, &own);
    if (s == OK) {
        const enum status read = read_nvm_words(nic, words);

        s = release_nvm(nic);
        s = read != OK ? read : s;
    }
    if (s == OK) {
        nic->firmware.nvm = get_le16(words);
        nic->firmware.eetrack =
            (uint32_t)get_le16(words + 2 * (0x2E - NVM_WORD_LO)) << 16 |
            get_le16(words + 2 * (0x2D - NVM_WORD_LO));
        return OK;
    }
    if (s != E_IO && s != E_BUSY)
        return s;
    log_notice("xl710 %s: NVM version unknown: firmware does not let us read",
               nic->name);
    return OK;
}

enum status aq_clear_pxe(struct nic *nic)
{
    struct aq_call call = { .command = AQ_CLEAR_PXE, .params = { 2 } };
    const enum status s = adminq_call(nic, &call);

    if (s == OK)
        reg_write(nic, GLLAN_RCTL_0, 0, field_is(GLLAN_RCTL_0_PXE_MODE, 1));
    return s;
}

/* ---- capabilities ---- */

#define CAP_BYTES 32

static void take_capability(struct nic_caps *caps, const uint8_t *cap)
{
    const uint32_t number = get_le32(cap + 4);

    switch (get_le16(cap)) {
    case 0x0017:
        caps->vsis = number;
        break;
    case 0x0018:
        caps->traffic_classes = get_le32(cap + 8);
        break;
    case 0x0040:
        caps->rss_entries = number;
        break;
    case 0x0041:
        caps->rx_queues = number;
        break;
    case 0x0042:
        caps->tx_queues = number;
        break;
    case 0x0043:
        caps->vectors = number;
        break;
    }
}

enum status aq_get_capabilities(struct nic *nic)
{
    static uint8_t list[AQ_BUFFER_BYTES];
    struct aq_call call = {
        .command = AQ_LIST_CAPS,
        .from = list,
        .bytes = sizeof(list),
    };
    const enum status s = adminq_call(nic, &call);
    uint32_t count;

    if (s != OK)
        return s;
    count = get_le32(call.params + 4);
    if (count > sizeof(list) / CAP_BYTES) {
        log_error("xl710 %s: firmware lists %u capabilities, room is for %u",
                  nic->name, count, (unsigned)(sizeof(list) / CAP_BYTES));
        return E_CORRUPT;
    }
    memset(&nic->caps, 0, sizeof(nic->caps));
    for (uint32_t i = 0; i < count; i++)
        take_capability(&nic->caps, list + (size_t)i * CAP_BYTES);
    if (nic->caps.rx_queues == 0 || nic->caps.tx_queues == 0 ||
        nic->caps.vectors < 2) {
        log_error("xl710 %s: firmware grants %u receive and %u transmit queues "
                  "and %u vectors; 1, 1 and 2 are needed",
                  nic->name, nic->caps.rx_queues, nic->caps.tx_queues,
                  nic->caps.vectors);
        return E_UNSUPPORTED;
    }
    return OK;
}

/* ---- registers ---- */

static enum status rxctl(struct nic *nic, enum aq_command command,
                         uint32_t offset, uint32_t *value)
{
    enum status s = E_BUSY;

    for (unsigned try = 0; s == E_BUSY && try < RXCTL_TRIES; try++) {
        struct aq_call call = { .command = command,
                                .is_quiet = try + 1 < RXCTL_TRIES };

        if (try > 0)
            clock_delay_us(RXCTL_RETRY_US);
        put_le32(call.params + 4, offset);
        put_le32(call.params + 12, *value);
        s = adminq_call(nic, &call);
        if (s == OK)
            *value = get_le32(call.params + 12);
    }
    return s;
}

enum status aq_rxctl_read(struct nic *nic, uint32_t offset, uint32_t *value)
{
    *value = 0;
    if (api_at_least(nic, 5)) {
        const enum status s = rxctl(nic, AQ_RXCTL_READ, offset, value);

        if (s != E_BUSY && s != E_IO)
            return s;
    }
    *value = plat_read32(nic->bar + offset);
    return OK;
}

enum status aq_rxctl_write(struct nic *nic, uint32_t offset, uint32_t value)
{
    if (api_at_least(nic, 5)) {
        uint32_t v = value;
        const enum status s = rxctl(nic, AQ_RXCTL_WRITE, offset, &v);

        if (s != E_BUSY && s != E_IO)
            return s;
    }
    plat_write32(nic->bar + offset, value);
    return OK;
}

enum status aq_reg_read(struct nic *nic, uint32_t offset, uint32_t *value)
{
    struct aq_call call = { .command = AQ_REG_READ };
    enum status s;

    put_le32(call.params + 4, offset);
    s = adminq_call(nic, &call);
    *value = s == OK ? get_le32(call.params + 12) : 0;
    return s;
}

enum status aq_reg_write(struct nic *nic, uint32_t offset, uint32_t value)
{
    struct aq_call call = { .command = AQ_REG_WRITE };

    put_le32(call.params + 4, offset);
    put_le32(call.params + 12, value);
    return adminq_call(nic, &call);
}

enum status aq_lldp_agent_runs(struct nic *nic, bool *runs)
{
    uint8_t mib[1500];
    struct aq_call call = {
        .command = AQ_LLDP_GET,
        .from = mib,
        .bytes = sizeof(mib),
        .is_quiet = true,
    };
    const enum status s = adminq_call(nic, &call);

    /* Its refusal is how firmware says that the agent is off. */
    *runs = s == OK && call.code != AQ_EPERM;
    return s == E_IO || s == E_BUSY ? OK : s;
}
