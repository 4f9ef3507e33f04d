/*
 * power.c - how this machine is switched off and reset
 *
 * Each is a list of ways, from the most polite to the one that always works;
 * a way that succeeds does not return.
 *
 * Source: ACPI 6.5, 4.8.3 (PM1 control, sleep control, reset register), 16.1.
 */
#include <millrace/clock.h>
#include <millrace/log.h>
#include <millrace/plat.h>

#include "kernel/acpi_reg.h"
#include "kernel/cpu.h"
#include "kernel/io.h"
#include "kernel/power.h"
#include "kernel/screen.h"

#define PM1_SCI_ENABLED   0x0001
#define PM1_SLEEP_TYPE    10
#define PM1_SLEEP_MASK    0x1C00
#define PM1_SLEEP_ENABLE  0x2000
#define SLEEP_TYPE        2 /* of the sleep control register */
#define SLEEP_ENABLE      0x20
#define ACPI_MODE_US      (3 * 1000 * 1000) /* SMM may think for a while */
#define TAKES_EFFECT_US   (500 * 1000)
#define RESET_CONTROL     0xCF9
#define RESET_CONTROL_SYS 0x02
#define RESET_CONTROL_GO  0x06
#define KEYBOARD_COMMAND  0x64
#define KEYBOARD_INPUT    0x02
#define KEYBOARD_RESET    0xFE
#define KEYBOARD_POLLS    100000

static struct acpi_power power;
static struct acpi_reg pm1a, pm1b, sleep_control, reset_register;
static bool has_pm1a, has_pm1b, has_sleep_control, has_reset;

static uint16_t debug_exit; /* port; 0 = none */

void power_init(const struct acpi *acpi)
{
    power = acpi->power;
    has_pm1a = acpi_reg_open(&power.pm1a_control, &pm1a);
    has_pm1b = acpi_reg_open(&power.pm1b_control, &pm1b);
    has_sleep_control = acpi_reg_open(&power.sleep_control, &sleep_control);
    has_reset = acpi_reg_open(&power.reset, &reset_register);
    if (!power.has_s5)
        log_warning("power: the firmware names no soft-off state; power-off "
                    "will only halt");
}

void power_debug_exit_set(uint16_t port)
{
    debug_exit = port;
}

/* Before calibration this does not wait: the next way is tried at once. */
static void let_it_happen(void)
{
    clock_delay_us(TAKES_EFFECT_US);
}

/* ---- off ---- */

/* In legacy mode the PM1 registers may belong to SMM: take them first. */
static void enter_acpi_mode(void)
{
    const struct deadline d = deadline_in_us(ACPI_MODE_US);

    if (power.smi_command == 0 || power.acpi_enable == 0 ||
        (acpi_reg_read(&pm1a, 2) & PM1_SCI_ENABLED))
        return;
    io_out8(power.smi_command, power.acpi_enable);
    while (!(acpi_reg_read(&pm1a, 2) & PM1_SCI_ENABLED)) {
        if (deadline_passed(&d)) {
            log_warning("power: the firmware does not hand over ACPI mode");
            return;
        }
        plat_pause();
    }
}

static void pm1_sleep(const struct acpi_reg *reg, unsigned type)
{
    const uint32_t kept =
        acpi_reg_read(reg, 2) & ~(uint32_t)(PM1_SLEEP_MASK | PM1_SLEEP_ENABLE);

    acpi_reg_write(reg, 2, kept | type << PM1_SLEEP_TYPE | PM1_SLEEP_ENABLE);
}

static void soft_off(void)
{
    if (!power.has_s5)
        return;
    if (power.hw_reduced) {
        if (has_sleep_control)
            acpi_reg_write(&sleep_control, 1,
                           (uint32_t)power.s5_type_a << SLEEP_TYPE |
                               SLEEP_ENABLE);
        return;
    }
    if (!has_pm1a)
        return;
    enter_acpi_mode();
    pm1_sleep(&pm1a, power.s5_type_a);
    if (has_pm1b)
        pm1_sleep(&pm1b, power.s5_type_b);
}

void plat_power_off(unsigned exit_code)
{
    screen_flush();
    if (debug_exit != 0)
        io_out32(debug_exit, exit_code);
    soft_off();
    let_it_happen();
    log_error("power: still on; halted. The machine may be switched off");
    cpu_halt();
}

/* ---- reset ---- */

static void reset_by_acpi(void)
{
    if (has_reset)
        acpi_reg_write(&reset_register, 1, power.reset_value);
}

static void reset_by_chipset(void)
{
    io_out8(RESET_CONTROL, RESET_CONTROL_SYS);
    io_out8(RESET_CONTROL, RESET_CONTROL_GO);
}

static void reset_by_keyboard_controller(void)
{
    for (unsigned i = 0; i < KEYBOARD_POLLS; i++)
        if (!(io_in8(KEYBOARD_COMMAND) & KEYBOARD_INPUT))
            break;
    io_out8(KEYBOARD_COMMAND, KEYBOARD_RESET);
}

/* With no vector table the next exception ends in a triple fault. */
static void reset_by_triple_fault(void)
{
    const struct {
        uint16_t limit;
        uint64_t base;
    } packed none = { 0, 0 };

    __asm__ volatile("lidt %0; int3" : : "m"(none) : "memory");
}

void plat_reboot(void)
{
    static void (*const ways[])(void) = {
        reset_by_acpi,
        reset_by_chipset,
        reset_by_keyboard_controller,
        reset_by_triple_fault,
    };

    screen_flush();
    for (unsigned i = 0; i < ARRAY_SIZE(ways); i++) {
        ways[i]();
        let_it_happen();
    }
    cpu_halt();
}
