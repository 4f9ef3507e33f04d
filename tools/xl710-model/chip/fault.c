/*
 * fault.c - faults on request: armed here, asked for where they strike
 *
 *   F1  a fault counts down once per strike and is gone at 0; a count of
 *       0xFFFFFFFF stays until CHIP_FAULT_CLEAR
 *   F2  arming more than CHIP_FAULTS_MAX forgets the oldest slot
 */
#include "chip/control.h"

#include <string.h>

#define FOR_EVER     0xFFFFFFFFu
#define ANY_OPCODE   0u
#define RECOVERY_NVM 0x33u

static void arm(struct chip *chip, enum chip_fault fault,
                const struct chip_fault_args *args)
{
    struct chip_armed_fault *slot = NULL;

    for (unsigned i = 0; i < CHIP_FAULTS_MAX && slot == NULL; i++)
        if (!chip->fault[i].used)
            slot = &chip->fault[i];
    if (slot == NULL) {
        memmove(&chip->fault[0], &chip->fault[1],
                sizeof(chip->fault) - sizeof(chip->fault[0]));
        slot = &chip->fault[CHIP_FAULTS_MAX - 1];
    }
    *slot = (struct chip_armed_fault) {
        .used = args->count != 0,
        .fault = fault,
        .pf = args->pf,
        .opcode = args->opcode,
        .value = args->value,
        .count = args->count,
    };
}

static void disarm(struct chip *chip, enum chip_fault fault, unsigned pf,
                   uint32_t value)
{
    for (unsigned i = 0; i < CHIP_FAULTS_MAX; i++) {
        struct chip_armed_fault *f = &chip->fault[i];

        if (f->used && f->fault == fault && f->pf == pf && f->value == value)
            f->used = false;
    }
}

static void stall(struct chip *chip, bool is_tx,
                  const struct chip_fault_args *args)
{
    const enum chip_fault fault =
        is_tx ? CHIP_FAULT_STALL_TX : CHIP_FAULT_STALL_RX;

    disarm(chip, fault, args->pf, args->value);
    if (args->count != 0)
        arm(chip, fault, args);
}

void chip_fault(struct chip *chip, enum chip_fault fault,
                const struct chip_fault_args *args)
{
    static const struct chip_fault_args nothing;

    if (args == NULL)
        args = &nothing;
    if (args->pf >= chip->ports)
        return;
    switch (fault) {
    case CHIP_FAULT_CLEAR:
        memset(chip->fault, 0, sizeof(chip->fault));
        break;
    case CHIP_FAULT_MDD_TX:
        mdd_raise(chip, &chip->pf[args->pf], true, args->value, 1);
        break;
    case CHIP_FAULT_GLOBAL_RESET:
        if (args->value >= 1 && args->value <= 3)
            reset_request(chip, (enum chip_reset)(CHIP_RESET_CORER +
                                                  (int)args->value - 1));
        break;
    case CHIP_FAULT_STALL_RX:
    case CHIP_FAULT_STALL_TX:
        stall(chip, fault == CHIP_FAULT_STALL_TX, args);
        break;
    case CHIP_FAULT_AQ_ERROR:
    case CHIP_FAULT_AQ_LATE:
    case CHIP_FAULT_AQ_LOST:
    case CHIP_FAULT_RECOVERY:
    case CHIP_FAULT_RX_BAD_LEN:
    case CHIP_FAULT_RX_ERROR:
    case CHIP_FAULT_REG_FORCE:
        arm(chip, fault, args);
        break;
    }
}

/* ---- strikes ---- */

static bool strike(struct chip *chip, enum chip_fault fault, unsigned pf,
                   uint32_t opcode, uint32_t *value)
{
    for (unsigned i = 0; i < CHIP_FAULTS_MAX; i++) {
        struct chip_armed_fault *f = &chip->fault[i];

        if (!f->used || f->fault != fault || f->pf != pf)
            continue;
        if (f->opcode != ANY_OPCODE && f->opcode != opcode)
            continue;
        *value = f->value;
        if (f->count != FOR_EVER && --f->count == 0)
            f->used = false;
        return true;
    }
    return false;
}

bool fault_aq_error(struct chip *chip, struct chip_pf *pf, uint16_t opcode,
                    uint16_t *retval)
{
    uint32_t value;

    if (!strike(chip, CHIP_FAULT_AQ_ERROR, pf->index, opcode, &value))
        return false;
    *retval = (uint16_t)value;
    return true;
}

bool fault_aq_late(struct chip *chip, struct chip_pf *pf, uint16_t opcode,
                   uint64_t *delay_ns)
{
    uint32_t value;

    if (!strike(chip, CHIP_FAULT_AQ_LATE, pf->index, opcode, &value))
        return false;
    *delay_ns = value * CHIP_US_NS;
    return true;
}

bool fault_aq_lost(struct chip *chip, struct chip_pf *pf, uint16_t opcode)
{
    uint32_t value;

    return strike(chip, CHIP_FAULT_AQ_LOST, pf->index, opcode, &value);
}

bool fault_rx_length(struct chip *chip, struct chip_pf *pf, uint16_t *len)
{
    uint32_t value;

    if (!strike(chip, CHIP_FAULT_RX_BAD_LEN, pf->index, 0, &value))
        return false;
    *len = (uint16_t)value;
    return true;
}

bool fault_rx_error(struct chip *chip, struct chip_pf *pf)
{
    uint32_t value;

    return strike(chip, CHIP_FAULT_RX_ERROR, pf->index, 0, &value);
}

/* ---- states ---- */

bool fault_queue_stalled(const struct chip *chip, const struct chip_pf *pf,
                         bool is_tx, unsigned q)
{
    const enum chip_fault fault =
        is_tx ? CHIP_FAULT_STALL_TX : CHIP_FAULT_STALL_RX;

    if (q >= pf->queues)
        return true;
    if (is_tx ? pf->txq[q].stopped : pf->rxq[q].stopped)
        return true;
    for (unsigned i = 0; i < CHIP_FAULTS_MAX; i++) {
        const struct chip_armed_fault *f = &chip->fault[i];

        if (f->used && f->fault == fault && f->pf == pf->index && f->value == q)
            return true;
    }
    return false;
}

/* A forced register counts no strikes: it lies until it is cleared. */
bool fault_reg_forced(const struct chip *chip, const struct chip_pf *pf,
                      uint32_t offset, uint32_t *value)
{
    for (unsigned i = 0; i < CHIP_FAULTS_MAX; i++) {
        const struct chip_armed_fault *f = &chip->fault[i];

        if (f->used && f->fault == CHIP_FAULT_REG_FORCE && f->pf == pf->index &&
            f->opcode == offset) {
            *value = f->value;
            return true;
        }
    }
    return false;
}

uint8_t fault_recovery_mode(const struct chip *chip)
{
    for (unsigned i = 0; i < CHIP_FAULTS_MAX; i++) {
        const struct chip_armed_fault *f = &chip->fault[i];

        if (f->used && f->fault == CHIP_FAULT_RECOVERY)
            return f->value != 0 ? (uint8_t)f->value : RECOVERY_NVM;
    }
    return 0;
}
