/*
 * traps.c - the vector table
 *
 * Source: Intel SDM volume 3A, 6.14 (64-bit gates) and 6.15 (exceptions).
 */
#include <millrace/plat.h>

#include "kernel/cpu.h"
#include "kernel/panic.h"
#include "kernel/traps.h"

#define STUB_BYTES     16
#define GATE_INTERRUPT 0x8E /* present, ring 0, interrupts off */

struct gate {
    uint16_t offset_low;
    uint16_t selector;
    uint8_t ist;
    uint8_t type;
    uint16_t offset_middle;
    uint32_t offset_high;
    uint32_t zero;
};

_Static_assert(sizeof(struct gate) == 16, "the architecture's size");

extern const char trap_stubs[];
noreturn void trap_fatal(const struct trap_frame *frame);

static struct gate gates[TRAP_VECTORS] __attribute__((aligned(16)));

static unsigned stopped; /* cores, by a panic elsewhere */

static const char *const names[TRAP_EXCEPTIONS] = {
    "divide error",
    "debug exception",
    "non-maskable interrupt",
    "breakpoint",
    "overflow",
    "bound range exceeded",
    "invalid opcode",
    "device not available",
    "double fault",
    "coprocessor segment overrun",
    "invalid TSS",
    "segment not present",
    "stack fault",
    "general protection fault",
    "page fault",
    "reserved exception 15",
    "x87 floating-point error",
    "alignment check",
    "machine check",
    "SIMD floating-point error",
    "virtualization exception",
    "control protection exception",
    "reserved exception 22",
    "reserved exception 23",
    "reserved exception 24",
    "reserved exception 25",
    "reserved exception 26",
    "reserved exception 27",
    "hypervisor injection exception",
    "VMM communication exception",
    "security exception",
    "reserved exception 31",
};

const char *trap_name(unsigned vector)
{
    return names[vector];
}

static uint8_t ist_of(unsigned vector)
{
    switch (vector) {
    case TRAP_NMI:
        return CPU_IST_NMI;
    case TRAP_DOUBLE_FAULT:
        return CPU_IST_DOUBLE_FAULT;
    case TRAP_MACHINE_CHECK:
        return CPU_IST_MACHINE_CHECK;
    default:
        return CPU_IST_NONE;
    }
}

static void set_gate(unsigned vector)
{
    const uint64_t stub = (uint64_t)(uintptr_t)trap_stubs + vector * STUB_BYTES;

    gates[vector] = (struct gate) {
        .offset_low = (uint16_t)stub,
        .selector = CPU_SELECTOR_CODE,
        .ist = ist_of(vector),
        .type = GATE_INTERRUPT,
        .offset_middle = (uint16_t)(stub >> 16),
        .offset_high = (uint32_t)(stub >> 32),
    };
}

void traps_init(void)
{
    const struct {
        uint16_t limit;
        uint64_t base;
    } packed idtr = { sizeof(gates) - 1, (uint64_t)(uintptr_t)gates };

    if (gates[0].type == 0)
        for (unsigned v = 0; v < TRAP_VECTORS; v++)
            set_gate(v);
    __asm__ volatile("lidt %0" : : "m"(idtr) : "memory");
}

uint64_t trap_unexpected_count(void)
{
    uint64_t n = 0;

    for (unsigned lcore = 0; lcore < LCORE_MAX; lcore++)
        n += plat_interrupts(lcore);
    return n;
}

unsigned trap_stopped_count(void)
{
    return __atomic_load_n(&stopped, __ATOMIC_ACQUIRE);
}

void trap_fatal(const struct trap_frame *frame)
{
    if (frame->vector == TRAP_NMI && panic_is_on()) {
        /* Another core asks us to stop. */
        __atomic_add_fetch(&stopped, 1, __ATOMIC_RELEASE);
        cpu_halt();
    }
    panic_trap(frame);
}
