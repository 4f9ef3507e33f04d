/*
 * work.c - what a core does all its life: work, or sleep until there is some
 *
 *   W1  a core that sleeps in hlt has interrupts on only for that instruction;
 *       one that sleeps in mwait has them off and sees the store that gives it
 *       work
 */
#include "kernel/work.h"

#include <millrace/core.h>
#include <millrace/plat.h>

#include "kernel/apic.h"
#include "kernel/io.h"

static bool in_mwait;

void work_init(bool sleep_in_mwait)
{
    in_mwait = sleep_in_mwait;
}

/* W1. A store between monitor and mwait is seen: the latter does not sleep. */
static void sleep_until_stored(unsigned lcore)
{
    __asm__ volatile("monitor"
                     :
                     : "a"(core_work_line(lcore)), "c"(0), "d"(0)
                     : "memory");
    if (!core_has_work(lcore))
        __asm__ volatile("mwait" : : "a"(0), "c"(0) : "memory"); /* C1 */
}

/* W1. What is sent after the look wakes the core all the same: it is pending. */
static void sleep_until_woken(unsigned lcore)
{
    if (core_has_work(lcore))
        return;
    __asm__ volatile("sti; hlt; cli" ::: "memory");
    apic_done();
}

void work_for_ever(unsigned lcore)
{
    for (;;)
        if (!core_turn(lcore))
            (in_mwait ? sleep_until_stored : sleep_until_woken)(lcore);
}

void plat_core_wake(unsigned lcore)
{
    if (!in_mwait)
        apic_send_wake(core_info_get(lcore)->apic_id);
}

/* ---- another control core ---- */

#define PIC_MASK_1 0x21
#define PIC_MASK_2 0xA1

static void (*control_goes_on)(void);

static bool take_control(void *unused)
{
    (void)unused;
    core_control_set(plat_lcore_id());
    control_goes_on();
    return true;
}

enum status work_move_control(unsigned lcore, noreturn void (*go_on)(void))
{
    const unsigned self = plat_lcore_id();
    enum status s;

    /* The boot core never slept before: what the firmware left in the older
     * interrupt controller must not find it with interrupts on. */
    io_out8(PIC_MASK_1, 0xFF);
    io_out8(PIC_MASK_2, 0xFF);
    control_goes_on = go_on;
    s = core_run(lcore, take_control, NULL);
    if (s == OK)
        work_for_ever(self);
    return s;
}
