/*
 * regs.c - register access through the table
 */
#include <stddef.h>

#include <millrace/bits.h>
#include <millrace/clock.h>
#include <millrace/log.h>

#include "drivers/xl710/nic.h"
#include "drivers/xl710/regs.h"

struct reg_row {
    const char *name;
    uint32_t offset;
    uint16_t step, count;
};

struct field_row {
    const char *name;
    uint16_t reg;
    uint8_t lsb, width;
};

static const struct reg_row reg_rows[REG_COUNT] = {
#define REG_ROW(name, offset, step, count, access, reset, meaning)             \
    [name] = { #name, offset, step, count },
    XL710_REGISTERS(REG_ROW)
#undef REG_ROW
};

static const struct field_row field_rows[FIELD_COUNT] = {
#define FIELD_ROW(reg, field, lsb, width, meaning)                             \
    [reg##_##field] = { #reg "." #field, reg, lsb, width },
    XL710_FIELDS(FIELD_ROW)
#undef FIELD_ROW
};

static uint64_t chip_wait_us;

uint32_t reg_offset(enum reg reg, unsigned i)
{
    const struct reg_row *row = &reg_rows[reg];

    if (i >= row->count)
        panic("xl710: %s has %u entries, %u asked", row->name, row->count, i);
    return row->offset + row->step * i;
}

volatile void *reg_address(const struct nic *nic, enum reg reg, unsigned i)
{
    return nic->bar + reg_offset(reg, i);
}

uint32_t reg_read(const struct nic *nic, enum reg reg, unsigned i)
{
    return plat_read32(reg_address(nic, reg, i));
}

void reg_write(const struct nic *nic, enum reg reg, unsigned i, uint32_t v)
{
    plat_write32(reg_address(nic, reg, i), v);
}

uint32_t field_of(enum reg_field field, uint32_t value)
{
    const struct field_row *row = &field_rows[field];

    return (uint32_t)bits_get(value, row->lsb, row->width);
}

uint32_t field_is(enum reg_field field, uint32_t v)
{
    const struct field_row *row = &field_rows[field];

    if (v >> 1 >> (row->width - 1) != 0)
        panic("xl710: %s cannot hold %#x", row->name, v);
    return v << row->lsb;
}

uint32_t reg_get(const struct nic *nic, enum reg_field field, unsigned i)
{
    return field_of(field, reg_read(nic, field_rows[field].reg, i));
}

void reg_set(const struct nic *nic, enum reg_field field, unsigned i,
             uint32_t v)
{
    const struct field_row *row = &field_rows[field];
    const uint32_t mask = (uint32_t)(BIT64(row->width) - 1) << row->lsb;
    const uint32_t old = reg_read(nic, row->reg, i);

    reg_write(nic, row->reg, i, (old & ~mask) | field_is(field, v));
}

enum status reg_poll(struct nic *nic, enum reg_field field, unsigned i,
                     uint32_t v, uint64_t timeout_us)
{
    const struct field_row *row = &field_rows[field];
    const struct deadline end = deadline_in_us(timeout_us);
    bool last_look = false;

    for (;;) {
        const uint32_t now = reg_read(nic, row->reg, i);

        if (field_of(field, now) == v && now != UINT32_MAX)
            break;
        if (last_look) {
            log_error("xl710 %s: %s[%u] is %#x, not %#x after %llu us",
                      nic->name, row->name, i, field_of(field, now), v,
                      (unsigned long long)timeout_us);
            return now == UINT32_MAX ? E_GONE : E_TIMEOUT;
        }
        nic_wait_turn();
        /* We may have been away for long: look once more after the end. */
        last_look = deadline_passed(&end);
    }
    chip_wait_us += clock_cycles_to_us(plat_cycles() - end.start);
    return OK;
}

void chip_wait(uint64_t us)
{
    const struct deadline end = deadline_in_us(us);

    while (!deadline_passed(&end))
        nic_wait_turn();
    chip_wait_us += us;
}

void chip_wait_add(uint64_t us)
{
    chip_wait_us += us;
}

uint64_t port_chip_wait_us(void)
{
    return chip_wait_us;
}

void reg_flush(const struct nic *nic)
{
    (void)reg_read(nic, GLGEN_STAT, 0);
}
