/*
 * adminq.c - the send queue: commands from the driver, answers to it
 *
 *   A1  base and length are taken when the tail is written, so a driver may
 *       enable the queue before it says where it is (Linux i40e_adminq.c does)
 *       or after (iPXE intelxl.c)
 *   A2  order of a completion: buffer, descriptor, its flags, head, interrupt
 *   A3  every command is answered, unknown ones with ESRCH; only a fault on
 *       request delays or loses an answer
 *   A4  the cookie and the bytes the answer does not define come back as sent
 */
#include "chip/control.h"

#include <string.h>

static const struct aq_group *const groups[] = {
    &aq_generic, &aq_switch, &aq_filter, &aq_sched,
    &aq_link,    &aq_nvm,    &aq_dcb,    &aq_misc,
};

static const struct aq_op *find_op(uint16_t opcode)
{
    for (size_t g = 0; g < sizeof(groups) / sizeof(groups[0]); g++)
        for (unsigned i = 0; i < groups[g]->count; i++)
            if (groups[g]->op[i].opcode == opcode)
                return &groups[g]->op[i];
    return NULL;
}

/* ---- one command ---- */

/* Do flags and buffer fit what the command is? */
static bool check_buffer(const struct aq_cmd *cmd, const struct aq_op *op,
                         uint16_t flags)
{
    const bool has = (flags & AQ_FLAG_BUF) != 0, rd = (flags & AQ_FLAG_RD) != 0;

    if (op->kind == AQ_DIRECT) {
        if (has)
            chip_complain(cmd->chip, cmd->pf, "aq-flags",
                          "command 0x%04x takes no buffer, flags 0x%04x",
                          cmd->opcode, flags);
        return true;
    }
    if (!has) {
        chip_complain(cmd->chip, cmd->pf, "aq-flags",
                      "command 0x%04x needs a buffer, flags 0x%04x",
                      cmd->opcode, flags);
        return false;
    }
    if (rd != (op->kind != AQ_TO_HOST)) {
        chip_complain(cmd->chip, cmd->pf, "aq-flags",
                      "command 0x%04x: RD is %u, flags 0x%04x", cmd->opcode, rd,
                      flags);
        if (!rd)
            return false;
    }
    if (cmd->len == 0 || cmd->len > AQ_BUF_MAX) {
        chip_complain(cmd->chip, cmd->pf, "aq-buffer",
                      "command 0x%04x with a buffer of %u bytes", cmd->opcode,
                      cmd->len);
        return false;
    }
    return true;
}

static uint16_t run_op(struct aq_cmd *cmd, const struct aq_op *op,
                       uint16_t flags, uint64_t addr)
{
    uint16_t forced;

    if (fault_aq_error(cmd->chip, cmd->pf, cmd->opcode, &forced))
        return forced;
    if (op == NULL)
        return AQ_ESRCH;
    if (!check_buffer(cmd, op, flags))
        return AQ_EINVAL;
    if (op->kind == AQ_TO_FW || op->kind == AQ_BOTH) {
        if (!chip_dma_read(cmd->chip, cmd->pf, addr, cmd->buf, cmd->len))
            return AQ_EIO;
    }
    if (op->kind != AQ_DIRECT && cmd->len < op->min_len)
        return AQ_EINVAL;

    const enum aq_ret ret = op->run(cmd);

    /* Refusals leave the buffer alone, but an element's own error is in it. */
    cmd->gives = (op->kind == AQ_TO_HOST || op->kind == AQ_BOTH) &&
                 (ret == AQ_OK || ret == AQ_ENOENT || ret == AQ_ENOSPC);
    return (uint16_t)ret;
}

/* Buffer first, then what stands behind the flags, then the flags (A2). */
static bool write_back(const struct aq_cmd *cmd, const uint8_t *desc,
                       uint64_t desc_addr, uint64_t buf_addr)
{
    struct chip *chip = cmd->chip;

    if (cmd->gives &&
        !chip_dma_write(chip, cmd->pf, buf_addr, cmd->buf, cmd->len))
        return false;
    if (!chip_dma_write(chip, cmd->pf, desc_addr + 2, desc + 2,
                        AQ_DESC_BYTES - 2))
        return false;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    return chip_dma_write(chip, cmd->pf, desc_addr, desc, 2);
}

static bool execute(struct chip *chip, struct chip_pf *pf, uint8_t *desc,
                    uint64_t desc_addr, bool answer)
{
    uint8_t buf[AQ_BUF_MAX];
    const uint16_t flags = le16(desc);
    const bool has = (flags & AQ_FLAG_BUF) != 0;
    const uint64_t addr = (uint64_t)le32(desc + 24) << 32 | le32(desc + 28);
    struct aq_cmd cmd = { .chip = chip,
                          .pf = pf,
                          .opcode = le16(desc + 2),
                          .buf = buf,
                          .len = le16(desc + 4) };
    const struct aq_op *op = find_op(cmd.opcode);
    uint16_t ret;

    memset(buf, 0, sizeof(buf));
    memcpy(cmd.params, desc + 16, sizeof(cmd.params));
    cmd.reply_len = cmd.len;
    ret = run_op(&cmd, op, flags, addr);
    if (!answer)
        return true;
    put_le16(desc, (uint16_t)((flags & ~AQ_FLAG_ERR) | AQ_FLAG_DD |
                              AQ_FLAG_CMP | (ret != 0 ? AQ_FLAG_ERR : 0)));
    put_le16(desc + 4, cmd.reply_len);
    put_le16(desc + 6, ret);
    memcpy(desc + 16, cmd.params, sizeof(cmd.params));
    if (has) { /* the buffer's address stays where it was */
        put_le32(desc + 24, (uint32_t)(addr >> 32));
        put_le32(desc + 28, (uint32_t)addr);
    }
    return write_back(&cmd, desc, desc_addr, addr);
}

/* ---- the send queue ---- */

static void critical(struct chip_pf *pf)
{
    pf->regs.PF_ATQLEN[0] |= AQ_LEN_CRIT;
    pf->aq.running = false;
}

static void advance_head(struct chip *chip, struct chip_pf *pf, uint16_t flags)
{
    uint32_t *head = &pf->regs.PF_ATQH[0];

    *head = (*head + 1) % pf->aq.entries;
    if (!(flags & AQ_FLAG_SI))
        intr_other(chip, pf, ICR0_ADMINQ);
}

/* The descriptor at head. Returns whether the queue may go on. */
static bool one(struct chip *chip, struct chip_pf *pf)
{
    struct chip_aq *aq = &pf->aq;
    const uint64_t addr =
        aq->base + (uint64_t)pf->regs.PF_ATQH[0] * AQ_DESC_BYTES;
    uint8_t desc[AQ_DESC_BYTES];
    uint64_t delay;
    uint16_t opcode, flags;

    if (!chip_dma_read(chip, pf, addr, desc, sizeof(desc))) {
        chip_complain(chip, pf, "aq-no-memory", "descriptor at 0x%llx",
                      (unsigned long long)addr);
        critical(pf);
        return false;
    }
    flags = le16(desc);
    opcode = le16(desc + 2);
    if (flags & (AQ_FLAG_DD | AQ_FLAG_CMP | AQ_FLAG_ERR))
        chip_complain(chip, pf, "aq-flags",
                      "command 0x%04x posted with flags 0x%04x", opcode, flags);
    if (!aq->late_is_over && fault_aq_late(chip, pf, opcode, &delay)) {
        aq->late = true;
        aq->late_at_ns = chip->now_ns + delay;
        return false;
    }
    aq->late = aq->late_is_over = false;
    aq->lost = fault_aq_lost(chip, pf, opcode);
    if (!execute(chip, pf, desc, addr, !aq->lost)) {
        critical(pf);
        return false;
    }
    if (aq->lost)
        return false;
    /* A command may have stopped the queue it came by (a reset). */
    if (!aq->running)
        return false;
    advance_head(chip, pf, flags);
    return true;
}

static void run(struct chip *chip, struct chip_pf *pf)
{
    struct chip_aq *aq = &pf->aq;

    for (uint32_t n = 0; aq->running && n < aq->entries; n++) {
        if (reset_is_running(chip) || aq->late || aq->lost)
            return;
        if (pf->regs.PF_ATQH[0] == pf->regs.PF_ATQT[0] || !one(chip, pf))
            return;
    }
}

static bool latch(struct chip *chip, struct chip_pf *pf)
{
    const struct chip_regs *r = &pf->regs;
    struct chip_aq *aq = &pf->aq;

    aq->base = (uint64_t)r->PF_ATQBAH[0] << 32 | r->PF_ATQBAL[0];
    aq->entries = r->PF_ATQLEN[0] & AQ_LEN_ENTRIES;
    if (aq->entries == 0) {
        chip_complain(chip, pf, "aq-len-range", "ATQLEN = 0x%08x",
                      r->PF_ATQLEN[0]);
        return false;
    }
    if (aq->base % AQ_BASE_ALIGN != 0)
        chip_complain(chip, pf, "aq-base-align", "send ring at 0x%llx",
                      (unsigned long long)aq->base);
    aq->base &= ~(uint64_t)(AQ_BASE_ALIGN - 1);
    return true;
}

void adminq_atq_tail(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    struct chip_regs *r = &pf->regs;
    struct chip_aq *aq = &pf->aq;

    r->PF_ATQT[0] = value;
    if (!(r->PF_ATQLEN[0] & AQ_LEN_ENA) || reset_is_running(chip))
        return;
    /* A driver clears head and tail of a queue it shuts down or restarts. */
    if (!aq->running && r->PF_ATQH[0] == value)
        return;
    if (!aq->running && !latch(chip, pf)) {
        critical(pf);
        return;
    }
    if (value >= aq->entries || r->PF_ATQH[0] >= aq->entries) {
        chip_complain(chip, pf, "aq-tail-range",
                      "ATQT = %u, ATQH = %u, the ring has %u entries", value,
                      r->PF_ATQH[0], aq->entries);
        critical(pf);
        return;
    }
    aq->running = true;
    if (aq->lost) { /* the firmware moves on to the next command */
        aq->lost = false;
        if (r->PF_ATQH[0] != value)
            r->PF_ATQH[0] = (r->PF_ATQH[0] + 1) % aq->entries;
    }
    run(chip, pf);
}

void adminq_atq_len(struct chip *chip, struct chip_pf *pf, uint32_t value)
{
    (void)chip;
    pf->regs.PF_ATQLEN[0] = value;
    pf->aq.running = pf->aq.late = pf->aq.late_is_over = pf->aq.lost = false;
}

bool adminq_is_running(const struct chip_pf *pf)
{
    return pf->aq.running;
}

void adminq_advance(struct chip *chip, struct chip_pf *pf)
{
    struct chip_aq *aq = &pf->aq;

    if (!aq->late || chip->now_ns < aq->late_at_ns)
        return;
    aq->late = false;
    aq->late_is_over = true;
    run(chip, pf);
}

void adminq_reset(struct chip_pf *pf)
{
    memset(&pf->aq, 0, sizeof(pf->aq));
}
