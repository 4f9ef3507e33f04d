/*
 * acpi.h - what the firmware's tables say about this machine
 *
 * Tables are foreign bytes: each is read with its bounds and its checksum
 * checked, and one that is truncated or lies is named in the log and ignored.
 *
 * Source: ACPI specification 6.5; PCI Firmware specification 3.3 (MCFG);
 * Microsoft's SPCR; Intel's HPET specification 1.0a.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <millrace/status.h>

#define ACPI_CPU_MAX         1024
#define ACPI_ECAM_MAX        64
#define ACPI_NODE_MEMORY_MAX 64
#define ACPI_NODE_PCI_MAX    64

/*
 * How the parser reaches physical memory.
 *
 * @at      the @bytes at physical address @phys, or NULL when any of them is
 *          not readable memory
 */
struct acpi_memory {
    const void *(*at)(void *ctx, uint64_t phys, size_t bytes);
    void *ctx;
    unsigned madt_instance; /* of several MADTs take this one; 0 and 1: first */
};

enum acpi_space {
    ACPI_SPACE_MEMORY = 0,
    ACPI_SPACE_IO = 1,
    ACPI_SPACE_PCI = 2, /* device, function, offset on bus 0 of segment 0 */
};

/* A "generic address structure"; address 0 = none. */
struct acpi_address {
    uint8_t space; /* enum acpi_space, or a kind we cannot use */
    uint8_t bits;
    uint8_t bit_offset;
    uint8_t access; /* 0 undefined, else access of 1 << (access - 1) bytes */
    uint64_t address;
};

/* Configuration space of buses first_bus .. last_bus, both included. */
struct acpi_ecam {
    uint64_t base; /* where bus 0 would be, also when first_bus is not 0 */
    uint16_t segment;
    uint8_t first_bus, last_bus;
};

/* Memory that is near the processors of @node. */
struct acpi_node_memory {
    uint64_t base, bytes;
    uint32_t node; /* the firmware's "proximity domain" */
};

struct acpi_affinity {
    uint32_t apic_id;
    uint32_t node;
};

/* A PCI function that is near the processors and memory of @node. */
struct acpi_pci_affinity {
    uint16_t segment;
    uint8_t bus, device, function;
    uint32_t node;
};

struct acpi_spcr {
    struct acpi_address base; /* address 0: the firmware names no console */
    uint8_t interface; /* 0 16550, 1 16450, 0x12 16550 described by base */
    uint32_t baud;     /* 0 = leave it as the firmware set it */
    uint32_t clock_hz; /* 0 = not given */
};

struct acpi_power {
    bool present; /* a usable FADT was found */
    struct acpi_address pm_timer;
    bool pm_timer_is_32bit; /* else 24 */
    struct acpi_address reset;
    uint8_t reset_value;
    bool hw_reduced; /* sleep_control instead of PM1 */
    struct acpi_address sleep_control;
    struct acpi_address pm1a_control, pm1b_control;
    uint16_t smi_command; /* I/O port; 0 = always in ACPI mode */
    uint8_t acpi_enable;
    bool has_s5;
    uint8_t s5_type_a, s5_type_b; /* SLP_TYP values of soft-off, 0 .. 7 */
};

struct acpi {
    unsigned cpu_count;
    uint32_t apic_id[ACPI_CPU_MAX]; /* enabled ones, each once, table's order */
    unsigned cpu_ignored;           /* enabled, but beyond ACPI_CPU_MAX */
    uint64_t lapic_base;            /* 0 = no MADT */
    bool x2apic_opt_out;            /* firmware needs the older mode */

    unsigned affinity_count, node_memory_count; /* 0 without SRAT */
    struct acpi_affinity affinity[ACPI_CPU_MAX];
    struct acpi_node_memory node_memory[ACPI_NODE_MEMORY_MAX];
    unsigned node_pci_count;
    struct acpi_pci_affinity node_pci[ACPI_NODE_PCI_MAX];
    unsigned srat_ignored;

    unsigned ecam_count;
    struct acpi_ecam ecam[ACPI_ECAM_MAX];

    bool has_spcr;
    struct acpi_spcr spcr;

    struct acpi_address hpet; /* address 0 = none */

    struct acpi_power power;
};

/*
 * Read all tables below the RSDP at physical address @rsdp (0 = none).
 *
 * @out     cleared first; holds what could be trusted, also on failure
 * Returns  OK; E_NOENT without a usable root table
 * Cost     one pass over each table; bounded for any bytes
 */
must_use enum status acpi_read(const struct acpi_memory *memory, uint64_t rsdp,
                               struct acpi *out);

/* The node that processor @apic_id belongs to; 0 where nobody says. */
uint32_t acpi_node_of(const struct acpi *acpi, uint32_t apic_id);

struct pci_addr;

/* The node of the PCI function at @at, if the firmware says so in SRAT. */
bool acpi_pci_node(const struct acpi *acpi, const struct pci_addr *at,
                   uint32_t *node);
