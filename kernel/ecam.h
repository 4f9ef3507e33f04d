/*
 * ecam.h - the way to PCI configuration space on metal
 */
#pragma once

#include "kernel/acpi.h"

/*
 * Map the ranges that MCFG lists and tell pci.c to search them. A range that
 * cannot be mapped is named in the log and left out. Without any, segment 0 is
 * reached through ports 0xCF8 and 0xCFC, as it is before this call.
 */
void ecam_init(const struct acpi *acpi);
