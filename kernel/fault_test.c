/*
 * fault_test.c - faults on purpose, so that tests see the dump
 */
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/log.h>

#include "kernel/cpu.h"
#include "kernel/fault_test.h"
#include "kernel/image.h"
#include "kernel/traps.h"

#define OPCODE_RET 0xC3

/* Keeps the compiler from knowing what it is asked to do. */
static uintptr_t hidden(uintptr_t v)
{
    __asm__ volatile("" : "+r"(v));
    return v;
}

static void write_text(void)
{
    *(volatile char *)hidden((uintptr_t)text_start) = 0;
}

static void write_rodata(void)
{
    *(volatile char *)hidden((uintptr_t)rodata_start) = 0;
}

static void exec_data(void)
{
    static uint8_t code[16] = { OPCODE_RET };

    ((void (*)(void))hidden((uintptr_t)code))();
}

static void exec_stack(void)
{
    volatile uint8_t code[16] = { OPCODE_RET };

    ((void (*)(void))hidden((uintptr_t)code))();
}

static void null_call(void)
{
    ((void (*)(void))hidden(0))();
}

static void null_read(void)
{
    (void)*(volatile char *)hidden(8);
}

static unsigned __attribute__((noinline)) sink(unsigned depth)
{
    volatile char room[1024];

    room[0] = (char)depth;
    room[1023] = (char)hidden(depth);
    return depth == UINT32_MAX ? 0 : sink(depth + 1) + (unsigned)room[0];
}

static void stack_overflow(void)
{
    (void)hidden(sink(0));
}

/* The same on a stack that is kept for faults: its guard page must stop it. */
static void overflow(enum cpu_ist stack)
{
    __asm__ volatile("mov %0, %%rsp\n\t"
                     "xor %%ebp, %%ebp\n\t"
                     "call *%1"
                     :
                     : "r"(cpu_ist_top(stack)), "r"(hidden((uintptr_t)sink)),
                       "D"(0)
                     : "memory");
    __builtin_unreachable();
}

static void nmi_overflow(void)
{
    overflow(CPU_IST_NMI);
}

static void fault_overflow(void)
{
    overflow(CPU_IST_DOUBLE_FAULT);
}

static void check_overflow(void)
{
    overflow(CPU_IST_MACHINE_CHECK);
}

static void divide(void)
{
    const unsigned zero = (unsigned)hidden(0);

    (void)hidden(1000 / zero);
}

static void invalid_opcode(void)
{
    __asm__ volatile("ud2");
}

/* Not a fault: it is counted, and life goes on. */
static void stray_interrupt(void)
{
    __asm__ volatile("int $0xEE" ::: "memory");
    log_notice("traps: %llu interrupts that nobody should have sent",
               (unsigned long long)trap_unexpected_count());
}

static void do_panic(void)
{
    panic("asked to, by a test");
}

static const struct fault_test tests[] = {
    { "write-text", "write to the kernel's code", write_text },
    { "write-rodata", "write to the kernel's constants", write_rodata },
    { "exec-data", "run bytes in the data segment", exec_data },
    { "exec-stack", "run bytes on the stack", exec_stack },
    { "null-call", "call address 0", null_call },
    { "null-read", "read from page 0", null_read },
    { "stack-overflow", "recurse until the guard page", stack_overflow },
    { "nmi-overflow", "outgrow the stack of NMIs", nmi_overflow },
    { "fault-overflow", "outgrow the stack of double faults", fault_overflow },
    { "check-overflow", "outgrow the stack of machine checks", check_overflow },
    { "divide", "divide by zero", divide },
    { "invalid-opcode", "run an undefined instruction", invalid_opcode },
    { "stray-interrupt", "an interrupt that nobody expects", stray_interrupt },
    { "panic", "break an invariant", do_panic },
};

const struct fault_test *fault_test_get(unsigned index)
{
    return index < ARRAY_SIZE(tests) ? &tests[index] : NULL;
}
