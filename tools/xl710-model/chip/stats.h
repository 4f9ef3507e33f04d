/*
 * stats.h - the counters at 0x300000 .. 0x37FFFF
 *
 * Free-running; bytes include the FCS. Kept as 64 bits, shown as 32 or 48.
 * Source: Linux drivers/net/ethernet/intel/i40e/i40e_register.h.
 */
#pragma once

#include <stdint.h>

#define CHIP_RXERR_MAX    144 /* GL_RXERR1: functions, VFs first */
#define CHIP_RXERR_OFFSET 0x318000u

/*    counter   offset    width n   per port: + 8 * port + 32 * i           */
#define CHIP_PORT_STATS(S)                                                     \
    S(MLFC, 0x300020, 32, 1) /* MAC local faults */                            \
    S(MRFC, 0x300040, 32, 1) /* MAC remote faults */                           \
    S(CRCERRS, 0x300080, 32, 1)                                                \
    S(RLEC, 0x3000A0, 32, 1)    /* length errors */                            \
    S(ILLERRC, 0x3000E0, 32, 1) /* illegal bytes */                            \
    S(RUC, 0x300100, 32, 1)     /* undersize */                                \
    S(ROC, 0x300120, 32, 1)     /* oversize */                                 \
    S(LXONRXC, 0x300140, 32, 1)                                                \
    S(LXOFFRXC, 0x300160, 32, 1)                                               \
    S(PXONRXC, 0x300180, 32, 8)                                                \
    S(PXOFFRXC, 0x300280, 32, 8)                                               \
    S(RXON2OFF, 0x300380, 32, 8)                                               \
    S(PRC64, 0x300480, 48, 1)                                                  \
    S(PRC127, 0x3004A0, 48, 1)                                                 \
    S(PRC255, 0x3004C0, 48, 1)                                                 \
    S(PRC511, 0x3004E0, 48, 1)                                                 \
    S(PRC1023, 0x300500, 48, 1)                                                \
    S(PRC1522, 0x300520, 48, 1)                                                \
    S(PRC9522, 0x300540, 48, 1)                                                \
    S(RFC, 0x300560, 32, 1) /* fragments */                                    \
    S(RJC, 0x300580, 32, 1) /* jabber */                                       \
    S(UPRC, 0x3005A0, 48, 1)                                                   \
    S(MPRC, 0x3005C0, 48, 1)                                                   \
    S(BPRC, 0x3005E0, 48, 1)                                                   \
    S(RDPC, 0x300600, 32, 1) /* receive drops: no packet buffer */             \
    S(LDPC, 0x300620, 32, 1) /* loopback drops */                              \
    S(RUPP, 0x300660, 32, 1) /* unsupported protocol */                        \
    S(GOTC, 0x300680, 48, 1)                                                   \
    S(PTC64, 0x3006A0, 48, 1)                                                  \
    S(PTC127, 0x3006C0, 48, 1)                                                 \
    S(PTC255, 0x3006E0, 48, 1)                                                 \
    S(PTC511, 0x300700, 48, 1)                                                 \
    S(PTC1023, 0x300720, 48, 1)                                                \
    S(PTC1522, 0x300740, 48, 1)                                                \
    S(PTC9522, 0x300760, 48, 1)                                                \
    S(PXONTXC, 0x300780, 32, 8)                                                \
    S(PXOFFTXC, 0x300880, 32, 8)                                               \
    S(LXONTXC, 0x300980, 32, 1)                                                \
    S(LXOFFTXC, 0x3009A0, 32, 1)                                               \
    S(UPTC, 0x3009C0, 48, 1)                                                   \
    S(MPTC, 0x3009E0, 48, 1)                                                   \
    S(BPTC, 0x300A00, 48, 1)                                                   \
    S(TDOLD, 0x300A20, 32, 1) /* transmit drops: link down */

/* GLPRT_GORC sits at the very start of the block. */
#define CHIP_PORT_STATS_ALL(S) S(GORC, 0x300000, 48, 1) CHIP_PORT_STATS(S)

/*    counter offset    width  per VSI: + 8 * stat_counter_idx              */
#define CHIP_VSI_STATS(S)                                                      \
    S(RDPC, 0x310000, 32) /* receive drops: no descriptors */                  \
    S(GOTC, 0x328000, 48)                                                      \
    S(UPTC, 0x33C000, 48)                                                      \
    S(MPTC, 0x33CC00, 48)                                                      \
    S(BPTC, 0x33D800, 48)                                                      \
    S(TEPC, 0x344000, 32) /* transmit errors */                                \
    S(GORC, 0x358000, 48)                                                      \
    S(UPRC, 0x36C000, 48)                                                      \
    S(MPRC, 0x36CC00, 48)                                                      \
    S(BPRC, 0x36D800, 48)                                                      \
    S(RUPP, 0x36E400, 32) /* unknown protocol */

/*    counter offset    width  per VEB: + 8 * statistic_index              */
#define CHIP_VEB_STATS(S)                                                      \
    S(GOTC, 0x32C000, 48)                                                      \
    S(UPTC, 0x340000, 48)                                                      \
    S(MPTC, 0x340080, 48)                                                      \
    S(BPTC, 0x340100, 48)                                                      \
    S(TDPC, 0x348000, 32)                                                      \
    S(GORC, 0x35C000, 48)                                                      \
    S(UPRC, 0x370000, 48)                                                      \
    S(MPRC, 0x370080, 48)                                                      \
    S(BPRC, 0x370100, 48)                                                      \
    S(RUPP, 0x370180, 32)

struct chip_port_stats {
#define S(name, offset, width, n) uint64_t name[n];
    CHIP_PORT_STATS_ALL(S)
#undef S
};

struct chip_vsi_stats {
#define S(name, offset, width) uint64_t name;
    CHIP_VSI_STATS(S)
#undef S
};

struct chip_veb_stats {
#define S(name, offset, width) uint64_t name;
    CHIP_VEB_STATS(S)
#undef S
};
