/*
 * leave.c - the order of calls that ends boot services
 *
 * The memory map changes whenever the firmware allocates, also inside the call
 * that leaves; its key tells, and the call is refused. From then on only
 * memory-map calls are allowed (UEFI 2.10, 7.4.6).
 */
#include "boot/leave.h"

enum status boot_leave(struct boot_leave *l)
{
    l->attempts = 0;
    l->has_begun = false;
    while (l->attempts < BOOT_LEAVE_ATTEMPTS) {
        l->firmware_status = l->get_map(l->ctx);
        if (l->firmware_status != 0)
            return E_IO;
        l->has_begun = true;
        l->attempts++;
        l->firmware_status = l->exit(l->ctx);
        if (l->firmware_status == 0)
            return OK;
    }
    return E_BUSY;
}
