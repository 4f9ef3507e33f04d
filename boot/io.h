/*
 * io.h - processor instructions that C has no words for
 */
#pragma once

#include <stdint.h>

static inline uint8_t io_in8(uint16_t port)
{
    uint8_t v;

    __asm__ volatile("inb %1, %0" : "=a"(v) : "Nd"(port));
    return v;
}

static inline void io_out8(uint16_t port, uint8_t v)
{
    __asm__ volatile("outb %0, %1" ::"a"(v), "Nd"(port));
}

static inline void io_out16(uint16_t port, uint16_t v)
{
    __asm__ volatile("outw %0, %1" ::"a"(v), "Nd"(port));
}

static inline uint64_t cpu_tsc(void)
{
    uint32_t low, high;

    __asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
    return (uint64_t)high << 32 | low;
}

static inline void cpu_pause(void)
{
    __asm__ volatile("pause" ::: "memory");
}

struct cpuid_words {
    uint32_t eax, ebx, ecx, edx;
};

static inline struct cpuid_words cpu_id(uint32_t leaf)
{
    struct cpuid_words w;

    __asm__ volatile("cpuid"
                     : "=a"(w.eax), "=b"(w.ebx), "=c"(w.ecx), "=d"(w.edx)
                     : "a"(leaf), "c"(0));
    return w;
}

static inline uint64_t cpu_cr3(void)
{
    uint64_t v;

    __asm__ volatile("mov %%cr3, %0" : "=r"(v));
    return v;
}

static inline uint64_t cpu_cr4(void)
{
    uint64_t v;

    __asm__ volatile("mov %%cr4, %0" : "=r"(v));
    return v;
}

static inline uint64_t cpu_msr_read(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

static inline void cpu_msr_write(uint32_t msr, uint64_t v)
{
    __asm__ volatile("wrmsr" ::"c"(msr), "a"((uint32_t)v),
                     "d"((uint32_t)(v >> 32))
                     : "memory");
}
