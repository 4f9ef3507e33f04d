/*
 * forward.c - port_forward(), and how the scalar path does it
 */
#include "drivers/xl710/forward.h"

unsigned forward_scalar(struct port_rxq *rxq, struct port_txq *txq,
                        unsigned max, port_edit *edit, const void *context)
{
    return forward_by(rxq, txq, max, edit, context, forward_run_scalar,
                      rx_post_scalar);
}

unsigned port_forward(struct port_rxq *rxq, struct port_txq *txq, unsigned max,
                      port_edit *edit, const void *context)
{
    if (rxq_is_off(rxq) || txq_is_off(txq))
        return 0;
    return rxq->forward(rxq, txq, max, edit, context);
}
