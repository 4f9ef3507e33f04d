/*
 * plat.c - what net/ asks of the bench's machine
 */
#include <millrace/plat.h>

/* The hypervisor, if there is one, would not tell. */
bool plat_smi_count(uint32_t *count)
{
    (void)count;
    return false;
}
