/*
 * set_irqs.c - the message by which a client listens to interrupts
 *
 * Payload: argsz 0, flags 4, index 8, start 12, count 16, then one byte for
 * each interrupt in the bool form; eventfds come beside it.
 */
#include <errno.h>

#include "base/bytes.h"
#include "server/call.h"

struct irq_request {
    uint32_t flags, index, start, count;
};

static bool is_one_bit(uint32_t v)
{
    return v != 0 && (v & (v - 1)) == 0;
}

static int irq_request_check(const struct call *c, const struct irq_request *r)
{
    unsigned have;

    if ((r->flags & ~(VFU_IRQ_DATA_MASK | VFU_IRQ_ACTION_MASK)) != 0 ||
        !is_one_bit(r->flags & VFU_IRQ_DATA_MASK) ||
        !is_one_bit(r->flags & VFU_IRQ_ACTION_MASK) || r->index >= VFU_IRQS)
        return EINVAL;
    have = c->dev->irqs.kind[r->index].count;
    if (r->start > have || r->count > have - r->start)
        return EINVAL;
    if ((r->flags & VFU_IRQ_DATA_BOOL) && c->len - 20 < r->count)
        return EINVAL;
    if ((r->flags & VFU_IRQ_DATA_EVENTFD) && c->nfds != 0 &&
        c->nfds != r->count)
        return EINVAL;
    return 0;
}

/* Eventfds replace the listeners; none at all take them away. */
static void irq_set_listeners(struct call *c, const struct irq_request *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        irq_attach(&c->dev->irqs, (enum vfu_irq)r->index, r->start + i,
                   c->nfds > 0 ? c->fds[i] : -1);
        if (c->nfds > 0)
            c->fds[i] = -1;
    }
    if (r->index == VFU_IRQ_INTX)
        c->dev->irqs.intx_masked = false;
}

static void irq_disable(struct call *c, uint32_t index)
{
    struct irq_kind *k = &c->dev->irqs.kind[index];

    for (unsigned i = 0; i < k->count; i++) {
        irq_attach(&c->dev->irqs, (enum vfu_irq)index, i, -1);
        k->pending[i] = false;
    }
}

static int irq_trigger(struct call *c, const struct irq_request *r)
{
    if (r->flags & VFU_IRQ_DATA_EVENTFD) {
        irq_set_listeners(c, r);
        return 0;
    }
    if ((r->flags & VFU_IRQ_DATA_NONE) && r->count == 0) {
        irq_disable(c, r->index);
        return 0;
    }
    for (uint32_t i = 0; i < r->count; i++)
        if ((r->flags & VFU_IRQ_DATA_NONE) || c->in[20 + i] != 0)
            irq_signal(&c->dev->irqs, (enum vfu_irq)r->index, r->start + i);
    return 0;
}

int call_set_irqs(struct call *c)
{
    const struct irq_request r = {
        .flags = get32(c->in + 4),
        .index = get32(c->in + 8),
        .start = get32(c->in + 12),
        .count = get32(c->in + 16),
    };
    struct irqs *irqs = &c->dev->irqs;
    int err = irq_request_check(c, &r);

    if (err != 0)
        return err;
    if (r.flags & VFU_IRQ_TRIGGER) {
        err = irq_trigger(c, &r);
    } else if (r.index != VFU_IRQ_INTX || (r.flags & VFU_IRQ_DATA_EVENTFD)) {
        return EINVAL; /* only INTx can be masked, and by message only */
    } else if (r.count > 0 &&
               ((r.flags & VFU_IRQ_DATA_NONE) || c->in[20] != 0)) {
        irqs->intx_masked = (r.flags & VFU_IRQ_MASK) != 0;
    }
    irq_intx_update(irqs, c->dev->intx_is_used);
    return err;
}
