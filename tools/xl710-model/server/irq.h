/*
 * irq.h - interrupts as eventfds
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "server/proto.h"

#define IRQ_VECTORS_MAX 2048

struct irq_kind {
    unsigned count;
    int *fds;      /* -1: nobody listens yet */
    bool *pending; /* fired while nobody listened */
};

struct irqs {
    struct irq_kind kind[VFU_IRQS];
    bool intx_asserted;
    bool intx_masked;
};

/* Returns  whether memory sufficed */
bool irqs_open(struct irqs *irqs, unsigned msi_vectors, unsigned msix_vectors);

/* Drop all listeners, pending events and masks; the counts stay. */
void irqs_detach(struct irqs *irqs);
void irqs_close(struct irqs *irqs);

/* Forget what is pending, keep the listeners. */
void irqs_reset(struct irqs *irqs);

/* Replace the listener of one vector (-1: none); takes @fd over. */
void irq_attach(struct irqs *irqs, enum vfu_irq kind, unsigned vector, int fd);

/* Send a message; it stays pending when nobody listens. */
void irq_signal(struct irqs *irqs, enum vfu_irq kind, unsigned vector);

bool irq_is_pending(const struct irqs *irqs, enum vfu_irq kind,
                    unsigned vector);

/*
 * Tell the level of the INTx pin to the client: once, which masks it, then
 * again after each unmask while it stays asserted. @usable: does the guest use
 * INTx? When it does not, nothing may be signalled: QEMU would answer a stray
 * one by switching off all shared doorbell pages.
 */
void irq_intx_update(struct irqs *irqs, bool usable);
