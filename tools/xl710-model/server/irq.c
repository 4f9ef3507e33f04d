/*
 * irq.c - interrupts as eventfds
 *
 *   Q1  an event without a listener stays pending and is delivered, once, when
 *       one is attached: QEMU attaches vectors as the guest unmasks them
 *   Q2  INTx is signalled only while asserted, unmasked and used by the guest
 */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "server/irq.h"

static bool kind_open(struct irq_kind *k, unsigned count)
{
    k->count = count;
    if (count == 0)
        return true;
    k->fds = malloc(count * sizeof(k->fds[0]));
    k->pending = calloc(count, sizeof(k->pending[0]));
    if (k->fds == NULL || k->pending == NULL)
        return false;
    for (unsigned i = 0; i < count; i++)
        k->fds[i] = -1;
    return true;
}

bool irqs_open(struct irqs *irqs, unsigned msi_vectors, unsigned msix_vectors)
{
    *irqs = (struct irqs) { .intx_masked = false };
    return kind_open(&irqs->kind[VFU_IRQ_INTX], 1) &&
           kind_open(&irqs->kind[VFU_IRQ_MSI], msi_vectors) &&
           kind_open(&irqs->kind[VFU_IRQ_MSIX], msix_vectors) &&
           kind_open(&irqs->kind[VFU_IRQ_ERR], 0) &&
           kind_open(&irqs->kind[VFU_IRQ_REQ], 1);
}

void irqs_reset(struct irqs *irqs)
{
    for (unsigned n = 0; n < VFU_IRQS; n++)
        for (unsigned i = 0; i < irqs->kind[n].count; i++)
            irqs->kind[n].pending[i] = false;
    irqs->intx_asserted = false;
    irqs->intx_masked = false;
}

void irqs_detach(struct irqs *irqs)
{
    irqs_reset(irqs);
    for (unsigned n = 0; n < VFU_IRQS; n++)
        for (unsigned i = 0; i < irqs->kind[n].count; i++)
            irq_attach(irqs, (enum vfu_irq)n, i, -1);
}

void irqs_close(struct irqs *irqs)
{
    for (unsigned n = 0; n < VFU_IRQS; n++)
        if (irqs->kind[n].fds == NULL || irqs->kind[n].pending == NULL)
            irqs->kind[n].count = 0;
    irqs_detach(irqs);
    for (unsigned n = 0; n < VFU_IRQS; n++) {
        free(irqs->kind[n].fds);
        free(irqs->kind[n].pending);
    }
    *irqs = (struct irqs) { .intx_masked = false };
}

static void eventfd_write(int fd)
{
    const uint64_t one = 1;
    /* A full counter means the client has yet to see the last one. */
    const ssize_t sent = write(fd, &one, sizeof(one));

    (void)sent;
}

void irq_attach(struct irqs *irqs, enum vfu_irq kind, unsigned vector, int fd)
{
    struct irq_kind *k = &irqs->kind[kind];

    if (k->fds[vector] >= 0)
        close(k->fds[vector]);
    k->fds[vector] = fd;
    if (fd < 0)
        return;
    /* Whatever it is, a write to it must not stop us. */
    (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
    if (k->pending[vector]) {
        k->pending[vector] = false;
        eventfd_write(fd);
    }
}

void irq_signal(struct irqs *irqs, enum vfu_irq kind, unsigned vector)
{
    struct irq_kind *k = &irqs->kind[kind];

    if (vector >= k->count)
        return;
    if (k->fds[vector] < 0)
        k->pending[vector] = true;
    else
        eventfd_write(k->fds[vector]);
}

bool irq_is_pending(const struct irqs *irqs, enum vfu_irq kind, unsigned vector)
{
    return vector < irqs->kind[kind].count && irqs->kind[kind].pending[vector];
}

void irq_intx_update(struct irqs *irqs, bool usable)
{
    const int fd = irqs->kind[VFU_IRQ_INTX].fds[0];

    if (!usable || !irqs->intx_asserted || irqs->intx_masked || fd < 0)
        return;
    irqs->intx_masked = true;
    eventfd_write(fd);
}
