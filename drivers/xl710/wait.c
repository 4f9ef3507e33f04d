/*
 * wait.c - waiting for the chip without standing in the way of packets
 *
 * Every wait of this driver takes its turns here. Whoever forwards on the
 * control core hangs his rounds in: the other ports' packets pass while this
 * port's chip takes its time.
 */
#include "drivers/xl710/nic.h"

static void (*meanwhile)(void);
static const struct port_quiet *quiet;

void port_meanwhile_set(void (*turn)(void))
{
    meanwhile = turn;
}

void nic_wait_turn(void)
{
    if (meanwhile != NULL)
        meanwhile();
    plat_pause();
}

void port_quiet_set(const struct port_quiet *q)
{
    quiet = q;
}

uint64_t nic_quiet_ask(void)
{
    return quiet == NULL ? 0 : quiet->ask();
}

bool nic_quiet_reached(uint64_t ticket)
{
    return quiet == NULL || quiet->reached(ticket);
}
