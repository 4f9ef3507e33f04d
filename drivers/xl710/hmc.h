/*
 * hmc.h - queue contexts in host memory
 *
 * The chip keeps the state of each queue in memory we lend it: one object per
 * queue, found through a segment table. Field positions as in i40e_lan_hmc.c of
 * Intel's drivers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

struct nic;

#define HMC_TX_BYTES 128
#define HMC_RX_BYTES 32

/* clang-format off */

/*    field             lsb  width                                            */
#define HMC_TX_FIELDS(F)                                                       \
    F(TXCTX_HEAD,       0,   13) /* first descriptor                        */ \
    F(TXCTX_NEW,        30,  1)  /* start from this context                 */ \
    F(TXCTX_BASE,       32,  57) /* ring address in 128 bytes               */ \
    F(TXCTX_HEAD_WB,    160, 1)  /* report by head, not by descriptor       */ \
    F(TXCTX_QLEN,       161, 13) /* descriptors                             */ \
    F(TXCTX_RDYLIST,    980, 10) /* queue set of the VSI                    */

#define HMC_RX_FIELDS(F)                                                       \
    F(RXCTX_HEAD,       0,   13) /* first descriptor                        */ \
    F(RXCTX_BASE,       32,  57) /* ring address in 128 bytes               */ \
    F(RXCTX_QLEN,       89,  13) /* descriptors                             */ \
    F(RXCTX_DBUFF,      102, 7)  /* buffer in 128 bytes, 8 .. 127           */ \
    F(RXCTX_DSIZE,      116, 1)  /* descriptors of 32 bytes, not 16         */ \
    F(RXCTX_CRCSTRIP,   117, 1)  /* no FCS in memory                        */ \
    F(RXCTX_L2TSEL,     119, 1)  /* report the inner tag first              */ \
    F(RXCTX_RXMAX,      174, 14) /* longest frame                           */ \
    F(RXCTX_PREFENA,    201, 1)  /* fetch descriptors ahead; required       */

/* clang-format on */

enum hmc_field {
#define HMC_ENUM(name, lsb, width) name,
    HMC_TX_FIELDS(HMC_ENUM) HMC_RX_FIELDS(HMC_ENUM)
#undef HMC_ENUM
        HMC_FIELD_COUNT
};

struct hmc {
    uint8_t *memory;  /* all contexts, transmit first */
    size_t bytes;     /* of it */
    uint32_t rx_base; /* bytes from memory */
    unsigned pairs;
};

/* Write @v into its bits of @context; what does not fit panics. */
void hmc_put(uint8_t *context, enum hmc_field field, uint64_t v);
uint64_t hmc_get(const uint8_t *context, enum hmc_field field);

/* Zeroed context of @queue, ready for hmc_put; the queue is off. */
uint8_t *hmc_tx_context(struct nic *nic, unsigned queue);
uint8_t *hmc_rx_context(struct nic *nic, unsigned queue);

/* Lend the memory. E_NOMEM; E_UNSUPPORTED when the chip's objects differ. */
must_use enum status hmc_open(struct nic *nic);

/* If the chip had trouble with a context, say so. */
void hmc_error_log(struct nic *nic);

/* Take it back; no queue runs. */
void hmc_close(struct nic *nic);
