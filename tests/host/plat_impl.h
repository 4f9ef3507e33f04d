/*
 * plat_impl.h - the inline half of plat.h on a Linux host
 *
 * Registers belong to fake devices (host.h), bus addresses differ from pointers,
 * and the cycle counter moves only through plat_pause() and host_advance_us().
 */
#pragma once

#include <stdint.h>

uint64_t host_mmio_read(const volatile void *reg, unsigned bytes);
void host_mmio_write(volatile void *reg, unsigned bytes, uint64_t value);
uint64_t host_bus_addr(const void *p);
uint64_t host_cycles(void);
void host_pause(void);

extern _Thread_local unsigned host_lcore;

static inline uint8_t plat_read8(const volatile void *reg)
{
    return (uint8_t)host_mmio_read(reg, 1);
}

static inline uint16_t plat_read16(const volatile void *reg)
{
    return (uint16_t)host_mmio_read(reg, 2);
}

static inline uint32_t plat_read32(const volatile void *reg)
{
    return (uint32_t)host_mmio_read(reg, 4);
}

static inline uint64_t plat_read64(const volatile void *reg)
{
    return host_mmio_read(reg, 8);
}

static inline void plat_write8(volatile void *reg, uint8_t v)
{
    host_mmio_write(reg, 1, v);
}

static inline void plat_write16(volatile void *reg, uint16_t v)
{
    host_mmio_write(reg, 2, v);
}

static inline void plat_write32(volatile void *reg, uint32_t v)
{
    host_mmio_write(reg, 4, v);
}

static inline void plat_write64(volatile void *reg, uint64_t v)
{
    host_mmio_write(reg, 8, v);
}

static inline void plat_dma_wmb(void)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static inline void plat_dma_rmb(void)
{
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
}

static inline uint64_t plat_bus_addr(const void *p)
{
    return host_bus_addr(p);
}

static inline uint64_t plat_cycles(void)
{
    return host_cycles();
}

static inline void plat_pause(void)
{
    host_pause();
}

static inline unsigned plat_lcore_id(void)
{
    return host_lcore;
}
