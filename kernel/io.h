/*
 * io.h - x86 instructions that C has no words for
 */
#pragma once

#include <stdint.h>

static inline uint8_t io_in8(uint16_t port)
{
    uint8_t v;

    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline uint16_t io_in16(uint16_t port)
{
    uint16_t v;

    __asm__ volatile("inw %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline uint32_t io_in32(uint16_t port)
{
    uint32_t v;

    __asm__ volatile("inl %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline void io_out8(uint16_t port, uint8_t v)
{
    __asm__ volatile("outb %0, %1" : : "a"(v), "Nd"(port));
}

static inline void io_out16(uint16_t port, uint16_t v)
{
    __asm__ volatile("outw %0, %1" : : "a"(v), "Nd"(port));
}

static inline void io_out32(uint16_t port, uint32_t v)
{
    __asm__ volatile("outl %0, %1" : : "a"(v), "Nd"(port));
}

static inline uint64_t cpu_msr_read(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

static inline void cpu_msr_write(uint32_t msr, uint64_t v)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)v), "d"((uint32_t)(v >> 32))
                     : "memory");
}

struct cpuid {
    uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid cpu_id(uint32_t leaf, uint32_t subleaf)
{
    struct cpuid r;

    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}

#define CPU_CONTROL_READ(reg)                                                  \
    ({                                                                         \
        uint64_t cpu_control_v;                                                \
        __asm__ volatile("mov %%" #reg ", %0" : "=r"(cpu_control_v));          \
        cpu_control_v;                                                         \
    })
