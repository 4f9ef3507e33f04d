/*
 * boot_leave_test.c - leaving boot services, from firmware that resists
 */
#include "tests/unit/test.h"

#include "boot/leave.h"

#define EFI_INVALID_PARAMETER (UINT64_C(1) << 63 | 2)
#define EFI_BUFFER_TOO_SMALL  (UINT64_C(1) << 63 | 5)

/* What the firmware does; calls are written down as M and X. */
static struct {
    unsigned refusals;   /* of ExitBootServices before it agrees */
    unsigned maps_given; /* before GetMemoryMap fails */
    char calls[64];
    unsigned count;
} firmware;

static uint64_t get_map(void *ctx)
{
    CHECK(ctx == &firmware);
    firmware.calls[firmware.count++] = 'M';
    return firmware.maps_given-- == 0 ? EFI_BUFFER_TOO_SMALL : 0;
}

static uint64_t leave(void *ctx)
{
    CHECK(ctx == &firmware);
    firmware.calls[firmware.count++] = 'X';
    return firmware.refusals-- == 0 ? 0 : EFI_INVALID_PARAMETER;
}

static struct boot_leave with(unsigned refusals, unsigned maps_given)
{
    memset(&firmware, 0, sizeof(firmware));
    firmware.refusals = refusals;
    firmware.maps_given = maps_given;
    return (struct boot_leave) { .get_map = get_map,
                                 .exit = leave,
                                 .ctx = &firmware };
}

TEST(boot_leave, a_willing_firmware_is_left_at_once)
{
    struct boot_leave l = with(0, 99);

    CHECK_EQ(boot_leave(&l), OK);
    CHECK_STR(firmware.calls, "MX");
    CHECK_EQ(l.attempts, 1);
    CHECK(l.has_begun);
}

TEST(boot_leave, each_refusal_is_answered_with_a_fresh_map_and_nothing_else)
{
    struct boot_leave l = with(3, 99);

    CHECK_EQ(boot_leave(&l), OK);
    CHECK_STR(firmware.calls, "MXMXMXMX");
    CHECK_EQ(l.attempts, 4);
}

TEST(boot_leave, a_firmware_that_always_refuses_is_given_up)
{
    struct boot_leave l = with(UINT32_MAX, 99);

    CHECK_EQ(boot_leave(&l), E_BUSY);
    CHECK_EQ(firmware.count, 2 * BOOT_LEAVE_ATTEMPTS);
    CHECK_EQ(l.firmware_status, EFI_INVALID_PARAMETER);
    CHECK(l.has_begun);
}

TEST(boot_leave, without_any_map_boot_services_are_still_whole)
{
    struct boot_leave l = with(0, 0);

    CHECK_EQ(boot_leave(&l), E_IO);
    CHECK_STR(firmware.calls, "M");
    CHECK(!l.has_begun);
}

TEST(boot_leave, without_a_second_map_they_are_not)
{
    struct boot_leave l = with(9, 1);

    CHECK_EQ(boot_leave(&l), E_IO);
    CHECK_STR(firmware.calls, "MXM");
    CHECK_EQ(l.firmware_status, EFI_BUFFER_TOO_SMALL);
    CHECK(l.has_begun);
}
