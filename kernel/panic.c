/*
 * panic.c - the dump
 *
 *   D1  one core dumps; all others halt
 *   D2  a fault within the dump gets one more line, a fault within that halts
 *   D3  addresses are plain numbers: tools/symbolize gives them names, so the
 *       dump needs no tables and little stack
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <millrace/clock.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/build_id.h"
#include "kernel/cpu.h"
#include "kernel/image.h"
#include "kernel/io.h"
#include "kernel/panic.h"
#include "kernel/traps.h"

#define LINE_MAX      256
#define REASON_MAX    200
#define INNERMOST_MAX 20 /* callers printed */
#define OUTERMOST_MAX 10
#define SCAN_MAX      32
#define HZ_GUESS      UINT64_C(3000000000) /* before calibration */
#define MSR_EFER      0xC0000080

noreturn printf_like(1, 2) void panic_report(const char *fmt, ...);
noreturn void panic_again(void);

/* Set by whoever comes first, in traps.S or in panic_trap(). */
uint32_t panic_latch;
struct trap_frame panic_frame;

static unsigned owner = LCORE_MAX; /* nobody */
static unsigned nested;
static int reboot_seconds = PANIC_REBOOT_SECONDS;
static uint16_t exit_port; /* 0 = none */

void panic_reboot_after(int seconds)
{
    reboot_seconds = seconds;
}

void panic_exit_to(uint16_t port)
{
    exit_port = port;
}

bool panic_is_on(void)
{
    return __atomic_load_n(&panic_latch, __ATOMIC_ACQUIRE) != 0;
}

static void printf_like(1, 2) print(const char *fmt, ...)
{
    char line[LINE_MAX];
    va_list args;

    va_start(args, fmt);
    const int n = vsnprintf(line, sizeof(line), fmt, args);
    va_end(args);
    if (n > 0)
        plat_console_write(line, (size_t)n < sizeof(line) ? (size_t)n
                                                          : sizeof(line) - 1);
}

static void print_registers(const struct trap_frame *f)
{
    const struct {
        const char *name;
        uint64_t value;
    } rows[] = {
        { "rip", f->rip },
        { "rsp", f->rsp },
        { "rfl", f->rflags },
        { "rax", f->rax },
        { "rbx", f->rbx },
        { "rcx", f->rcx },
        { "rdx", f->rdx },
        { "rsi", f->rsi },
        { "rdi", f->rdi },
        { "rbp", f->rbp },
        { "r8 ", f->r8 },
        { "r9 ", f->r9 },
        { "r10", f->r10 },
        { "r11", f->r11 },
        { "r12", f->r12 },
        { "r13", f->r13 },
        { "r14", f->r14 },
        { "r15", f->r15 },
        { "cr0", CPU_CONTROL_READ(cr0) },
        { "cr2", CPU_CONTROL_READ(cr2) },
        { "cr3", CPU_CONTROL_READ(cr3) },
        { "cr4", CPU_CONTROL_READ(cr4) },
        { "efr", cpu_msr_read(MSR_EFER) },
        { "err", f->error },
    };

    for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
        print("%s %016llx%s", rows[i].name, (unsigned long long)rows[i].value,
              i % 3 == 2 ? "\n" : "  ");
    print("cs  %04llx  ss %04llx\n", (unsigned long long)f->cs,
          (unsigned long long)f->ss);
}

static bool in_text(uint64_t address)
{
    return address >= (uint64_t)(uintptr_t)text_start &&
           address < (uint64_t)(uintptr_t)text_end;
}

/* Does a call instruction end right before @address? */
static bool follows_call(uint64_t address)
{
    if (!in_text(address) || !in_text(address - 7))
        return false;
    const uint8_t *p = (const uint8_t *)(uintptr_t)address;
    int32_t relative;

    if (p[-5] == 0xE8) { /* call rel32 */
        memcpy(&relative, p - 4, sizeof(relative));
        return in_text(address + (uint64_t)(int64_t)relative);
    }
    /* call r/m64: opcode, ModRM with /2, then up to five bytes of address. */
    for (unsigned back = 2; back <= 7; back++)
        if (p[-(int)back] == 0xFF && (p[1 - (int)back] & 0x38) == 0x10)
            return true;
    return false;
}

static void print_address(uint64_t address)
{
    print("  %016llx\n", (unsigned long long)address);
}

/* The caller's frame above the one at *@rbp, both within one stack. */
static bool step_out(uint64_t *rbp, uint64_t *caller, uintptr_t bottom,
                     uintptr_t top)
{
    const uint64_t *frame = (const uint64_t *)(uintptr_t)*rbp;

    if (*rbp < bottom || *rbp > top - 16 || *rbp % 8 != 0 ||
        !follows_call(frame[1]))
        return false;
    *caller = frame[1];
    /* Outwards only, so that the walk ends. */
    *rbp = frame[0] > *rbp ? frame[0] : frame[0] == 0 ? 0 : UINT64_MAX;
    return true;
}

/*
 * Follow the frame pointers from @rbp: the innermost callers, and the outermost
 * when there are too many. Returns whether the chain ends well, at the frame
 * pointer of 0 that entry.S and traps.S set.
 */
static bool print_chain(uint64_t rbp, uintptr_t bottom, uintptr_t top)
{
    unsigned n = 0;
    uint64_t at = rbp, caller;

    while (step_out(&at, &caller, bottom, top))
        n++;
    const bool ends_well = at == 0;

    at = rbp;
    for (unsigned i = 0; i < n && step_out(&at, &caller, bottom, top); i++) {
        if (i < INNERMOST_MAX || n - i <= OUTERMOST_MAX)
            print_address(caller);
        else if (i == INNERMOST_MAX)
            print("  (%u more)\n", n - INNERMOST_MAX - OUTERMOST_MAX);
    }
    return ends_well;
}

/*
 * Every word on the stack that looks like a return address. Functions that
 * returned already may leave a name behind; none that is active is missing.
 */
static void print_scan(uintptr_t sp, uintptr_t top)
{
    unsigned n = 0;

    print("  and by looking through the stack (may list ended calls):\n");
    for (uintptr_t at = (sp + 7) & ~(uintptr_t)7; at < top && n < SCAN_MAX;
         at += 8) {
        const uint64_t word = *(const uint64_t *)at;

        if (!follows_call(word))
            continue;
        print_address(word);
        n++;
    }
}

static void print_backtrace(const struct trap_frame *f)
{
    uintptr_t bottom, top;

    print("backtrace, innermost first:\n");
    print_address(f->rip);
    if (!cpu_stack_find((uintptr_t)f->rsp, &bottom, &top)) {
        print("  rsp is on no known stack\n");
        return;
    }
    const uintptr_t sp =
        (uintptr_t)f->rsp < bottom ? bottom : (uintptr_t)f->rsp;

    /* A function without a frame of its own has its caller on top of the stack;
     * so has a jump into nowhere, where there is no doubt about it. */
    if (sp <= top - 8 && sp % 8 == 0 && sp != f->rbp + 8 &&
        follows_call(*(const uint64_t *)sp))
        print("  %016llx%s\n", (unsigned long long)*(const uint64_t *)sp,
              in_text(f->rip) ? " ?" : "");
    if (!print_chain(f->rbp, bottom, top))
        print_scan(sp, top);
}

static void wait_seconds(unsigned seconds)
{
    const uint64_t hz = plat_cycles_hz() != 0 ? plat_cycles_hz() : HZ_GUESS;
    const uint64_t start = plat_cycles();

    while (plat_cycles() - start < seconds * hz)
        plat_pause();
}

static noreturn void finish(void)
{
    if (exit_port != 0) {
        io_out32(exit_port, PANIC_EXIT_CODE);
    } else if (reboot_seconds != 0) {
        const unsigned wait = reboot_seconds > 0 ? (unsigned)reboot_seconds : 0;

        print("rebooting in %u seconds\n", wait);
        wait_seconds(wait);
        plat_reboot();
    }
    print("halted\n");
    cpu_halt();
}

static void own(void)
{
    __atomic_store_n(&owner, plat_lcore_id(), __ATOMIC_RELEASE);
}

static noreturn void dump(const char *reason, const struct trap_frame *f)
{
    const unsigned others = cpu_stop_others();
    char build[BUILD_ID_CHARS + 1];

    build_id_get(build);
    print("\n*** panic on core %u: %s\n", plat_lcore_id(), reason);
    print("build %s\n", build);
    if (others > 0)
        print("stopped %u of %u other cores\n", trap_stopped_count(), others);
    print_registers(f);
    print_backtrace(f);
    print("*** end of dump\n");
    finish();
}

static bool is_owner(void)
{
    return plat_lcore_id() == __atomic_load_n(&owner, __ATOMIC_ACQUIRE);
}

void panic_again(void)
{
    if (!is_owner() || ++nested > 1) /* D1, D2 */
        cpu_halt();
    print("\n*** panic within the dump\n");
    finish();
}

void panic_report(const char *fmt, ...)
{
    static char reason[REASON_MAX];
    va_list args;

    own();
    va_start(args, fmt);
    vsnprintf(reason, sizeof(reason), fmt, args);
    va_end(args);
    panic_frame.rip--; /* within the call: it may be a function's last */
    dump(reason, &panic_frame);
}

static const char *access_text(uint64_t error)
{
    if (error & 0x10)
        return "executing";
    return error & 2 ? "writing" : "reading";
}

/* The page below the stack is a guard: what pushes there faults twice. */
static bool stack_is_full(uint64_t rsp)
{
    uintptr_t bottom, top;

    return cpu_stack_find((uintptr_t)rsp, &bottom, &top) && rsp < bottom + 64;
}

void panic_trap(const struct trap_frame *f)
{
    static char reason[REASON_MAX];
    const char *name = trap_name((unsigned)f->vector % TRAP_EXCEPTIONS);

    if (__atomic_fetch_or(&panic_latch, 1, __ATOMIC_ACQ_REL) & 1) {
        if (is_owner() && nested == 0)
            print("\n*** %s within the dump, rip %016llx cr2 %016llx\n", name,
                  (unsigned long long)f->rip,
                  (unsigned long long)CPU_CONTROL_READ(cr2));
        panic_again();
    }
    own();
    if (f->vector == TRAP_DOUBLE_FAULT && stack_is_full(f->rsp))
        snprintf(reason, sizeof(reason), "%s: the stack is full", name);
    else if (f->vector == TRAP_PAGE_FAULT)
        snprintf(reason, sizeof(reason), "%s: %s 0x%llx, %s", name,
                 access_text(f->error),
                 (unsigned long long)CPU_CONTROL_READ(cr2),
                 f->error & 1 ? "mapped but not for that" : "not mapped");
    else
        snprintf(reason, sizeof(reason), "%s (vector %u, error code 0x%llx)",
                 name, (unsigned)f->vector, (unsigned long long)f->error);
    dump(reason, f);
}
