/*
 * regs.h - the registers this driver uses, each fact once
 *
 * A row exists because code uses it. A field names its register, so a mask
 * cannot meet the wrong one. Offsets, steps and reset domains as in Intel's
 * i40e_register.h (Linux drivers/net/ethernet/intel/i40e, DPDK
 * drivers/net/intel/i40e/base).
 *
 * Reset domain = the weakest reset that clears the register:
 * PFR (function) < CORER (data path of the chip) < EMPR (firmware) < POR; PCIR
 * is a PCI Express reset. What outlives a PFR must be written, never assumed.
 *
 * Queue numbers in QTX_*, QRX_* and QINT_* count from the function's first
 * queue; GLLAN_TXPRE_QDIS wants the number within the chip.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <millrace/compiler.h>
#include <millrace/status.h>

#define XL710_BAR_BYTES  0x400000 /* of BAR 0, as far as our registers reach */
#define XL710_QUEUES_MAX 1536     /* of the chip */
#define XL710_PF_MAX     16

/* clang-format off */

/*    register              offset    step  count access reset  meaning       */
#define XL710_REGISTERS(R)                                                     \
    R(GLGEN_RSTAT,          0x0B8188, 0,    1,    RO, POR,   "reset state")    \
    R(GLGEN_RSTCTL,         0x0B8180, 0,    1,    RO, POR,   "reset delay")    \
    R(GLGEN_STAT,           0x0B612C, 0,    1,    RO, POR,   "read to flush")  \
    R(PFGEN_CTRL,           0x092400, 0,    1,    RW, PFR,   "reset")          \
    R(PFGEN_PORTNUM,        0x1C0480, 0,    1,    RO, CORER, "physical port")  \
    R(PF_FUNC_RID,          0x09C000, 0,    1,    RO, PCIR,  "requester id")   \
    R(GLPCI_CAPSUP,         0x0BE4A8, 0,    1,    RO, PCIR,  "PCI features")   \
    R(GLPCI_CNF2,           0x0BE494, 0,    1,    RO, PCIR,  "vector counts")  \
    R(PFLAN_QALLOC,         0x1C0400, 0,    1,    RO, CORER, "queues we own")  \
    R(PF_VT_PFALLOC,        0x1C0500, 0,    1,    RO, CORER, "VFs we own")     \
    R(GL_FWSTS,             0x083048, 0,    1,    RO, POR,   "firmware")       \
    R(GLNVM_FLA,            0x0B6108, 0,    1,    RO, POR,   "flash access")   \
    R(GLNVM_ULD,            0x0B6008, 0,    1,    RO, POR,   "NVM load done")  \
    R(GLLAN_RCTL_0,         0x12A500, 0,    1,    RW, CORER, "PXE mode")       \
    R(PRT_L2TAGSEN,         0x1C0B20, 0,    1,    RW, CORER, "outer tags")     \
    R(PRTMAC_LINKSTA,       0x1E2420, 0,    1,    RO, GLOBR, "MAC link state") \
    R(PF_ATQBAL,            0x080000, 0,    1,    RW, EMPR,  "send base")      \
    R(PF_ATQBAH,            0x080100, 0,    1,    RW, EMPR,  "... high")       \
    R(PF_ATQLEN,            0x080200, 0,    1,    RW, EMPR,  "... length")     \
    R(PF_ATQH,              0x080300, 0,    1,    RW, EMPR,  "... head")       \
    R(PF_ATQT,              0x080400, 0,    1,    RW, EMPR,  "... tail")       \
    R(PF_ARQBAL,            0x080080, 0,    1,    RW, EMPR,  "event base")     \
    R(PF_ARQBAH,            0x080180, 0,    1,    RW, EMPR,  "... high")       \
    R(PF_ARQLEN,            0x080280, 0,    1,    RW, EMPR,  "... length")     \
    R(PF_ARQH,              0x080380, 0,    1,    RW, EMPR,  "... head")       \
    R(PF_ARQT,              0x080480, 0,    1,    RW, EMPR,  "... tail")       \
    R(PFHMC_SDCMD,          0x0C0000, 0,    1,    RW, PFR,   "segment")        \
    R(PFHMC_SDDATALOW,      0x0C0100, 0,    1,    RW, PFR,   "segment, low")   \
    R(PFHMC_SDDATAHIGH,     0x0C0200, 0,    1,    RW, PFR,   "segment, high")  \
    R(PFHMC_ERRORINFO,      0x0C0400, 0,    1,    RW, PFR,   "context error")  \
    R(PFHMC_ERRORDATA,      0x0C0500, 0,    1,    RO, PFR,   "... its data")   \
    R(GLHMC_LANTXOBJSZ,     0x0C2004, 0,    1,    RO, CORER, "log2 of size")   \
    R(GLHMC_LANQMAX,        0x0C2008, 0,    1,    RO, CORER, "queues at most") \
    R(GLHMC_LANRXOBJSZ,     0x0C200C, 0,    1,    RO, CORER, "log2 of size")   \
    R(GLHMC_LANTXBASE,      0x0C6200, 4,    16,   RW, CORER, "in 512 bytes")   \
    R(GLHMC_LANTXCNT,       0x0C6300, 4,    16,   RW, CORER, "contexts")       \
    R(GLHMC_LANRXBASE,      0x0C6400, 4,    16,   RW, CORER, "in 512 bytes")   \
    R(GLHMC_LANRXCNT,       0x0C6500, 4,    16,   RW, CORER, "contexts")       \
    R(GLHMC_FCOEDDPBASE,    0x0C6600, 4,    16,   RW, CORER, "in 512 bytes")   \
    R(GLHMC_FCOEDDPCNT,     0x0C6700, 4,    16,   RW, CORER, "unused: 0")      \
    R(GLHMC_FCOEFBASE,      0x0C6800, 4,    16,   RW, CORER, "in 512 bytes")   \
    R(GLHMC_FCOEFCNT,       0x0C6900, 4,    16,   RW, CORER, "unused: 0")      \
    R(QTX_ENA,              0x100000, 4,    1536, RW, PFR,   "send enable")    \
    R(QTX_CTL,              0x104000, 4,    1536, RW, CORER, "send owner")     \
    R(QTX_TAIL,             0x108000, 4,    1536, RW, PFR,   "doorbell")       \
    R(QTX_HEAD,             0x0E4000, 4,    1536, RW, CORER, "send head")      \
    R(QRX_ENA,              0x120000, 4,    1536, RW, PFR,   "recv enable")    \
    R(QRX_TAIL,             0x128000, 4,    1536, RW, CORER, "doorbell")       \
    R(GLLAN_TXPRE_QDIS,     0x0E6500, 4,    12,   RW, CORER, "disable notice") \
    R(QINT_RQCTL,           0x03A000, 4,    1536, RW, CORER, "receive cause")  \
    R(QINT_TQCTL,           0x03C000, 4,    1536, RW, CORER, "transmit cause") \
    R(PFINT_ICR0_ENA,       0x038800, 0,    1,    RW, CORER, "other causes")   \
    R(PFINT_DYN_CTL0,       0x038480, 0,    1,    RW, PFR,   "vector 0")       \
    R(PFINT_DYN_CTLN,       0x034800, 4,    512,  RW, PFR,   "vector n+1")     \
    R(PFINT_LNKLST0,        0x038500, 0,    1,    RW, PFR,   "its queues")     \
    R(PFINT_LNKLSTN,        0x035000, 4,    512,  RW, PFR,   "its queues")     \
    R(PFINT_ITRN_0,         0x030000, 4,    512,  RW, PFR,   "its timer")      \
    R(VPINT_LNKLST0,        0x02A800, 4,    128,  RW, VFR,   "VF vector 0")    \
    R(VPINT_LNKLSTN,        0x025000, 4,    512,  RW, VFR,   "VF vector n+1")  \
    R(GLINT_CTL,            0x03F800, 0,    1,    RW, CORER, "auto-mask")      \
    R(PFQF_CTL_0,           0x1C0AC0, 0,    1,    RW, CORER, "filter control") \
    R(PFQF_HENA,            0x245900, 0x80, 2,    RW, CORER, "hashed types")   \
    R(PFQF_HKEY,            0x244800, 0x80, 13,   RW, CORER, "hash key")       \
    R(PFQF_HLUT,            0x240000, 0x80, 128,  RW, CORER, "hash to queue")  \
    R(PRTQF_CTL_0,          0x256E60, 0,    1,    RW, CORER, "hash of a port") \
    R(GLQF_CTL,             0x269BA4, 0,    1,    RW, CORER, "hash function")  \
    R(GLQF_HSYM,            0x269D00, 4,    64,   RW, CORER, "sorted ends")    \
    R(GLQF_HASH_INSET,      0x267600, 4,    128,  RW, CORER, "hashed words")   \
    R(GLQF_HASH_MSK,        0x267A00, 4,    128,  RW, CORER, "... less these") \
    R(GL_SWR_PRI_JOIN_MAP_0, 0x26CE00, 0,   1,    RW, CORER, "switch arbiter") \
    R(GL_SWR_PRI_JOIN_MAP_2, 0x26CE08, 0,   1,    RW, CORER, "switch arbiter") \
    R(GL_SWR_PM_UP_THR,     0x269FBC, 0,    1,    RW, CORER, "switch arbiter") \
    R(GL_MDET_TX,           0x0E6480, 0,    1,    RC, CORER, "bad transmit")   \
    R(GL_MDET_RX,           0x12A510, 0,    1,    RC, CORER, "bad receive")    \
    R(PF_MDET_TX,           0x0E6400, 0,    1,    RC, CORER, "... was ours")   \
    R(PF_MDET_RX,           0x12A400, 0,    1,    RC, CORER, "... was ours")

/*    register              field       lsb width  meaning                    */
#define XL710_FIELDS(F)                                                        \
    F(GLGEN_RSTAT,          DEVSTATE,   0,  2,  "0: no reset under way")       \
    F(GLGEN_RSTAT,          RESET_COUNTS, 4, 6, "three of 2 bits")             \
    F(GLGEN_RSTCTL,         GRSTDEL,    0,  6,  "longest delay, 100 ms units") \
    F(PFGEN_CTRL,           PFSWR,      0,  1,  "1 resets; reads 0 when done") \
    F(PFGEN_PORTNUM,        PORT_NUM,   0,  2,  "")                            \
    F(PF_FUNC_RID,          FUNCTION,   0,  3,  "without ARI")                 \
    F(PF_FUNC_RID,          ARI,        0,  8,  "with ARI")                    \
    F(GLPCI_CAPSUP,         ARI_EN,     4,  1,  "")                            \
    F(GLPCI_CNF2,           MSI_X_PF_N, 2,  11, "vectors of a PF")             \
    F(GLPCI_CNF2,           MSI_X_VF_N, 13, 11, "vectors of a VF")             \
    F(PFLAN_QALLOC,         FIRSTQ,     0,  11, "")                            \
    F(PFLAN_QALLOC,         LASTQ,      16, 11, "")                            \
    F(PFLAN_QALLOC,         VALID,      31, 1,  "")                            \
    F(PF_VT_PFALLOC,        FIRSTVF,    0,  8,  "")                            \
    F(PF_VT_PFALLOC,        LASTVF,     8,  8,  "")                            \
    F(PF_VT_PFALLOC,        VALID,      31, 1,  "")                            \
    F(GL_FWSTS,             FWS1B,      16, 8,  "not 0: firmware is not well") \
    F(GLNVM_FLA,            LOCKED,     6,  1,  "0: the NVM is blank")         \
    F(GLNVM_ULD,            DONE,       3,  2,  "core and global part loaded") \
    F(GLLAN_RCTL_0,         PXE_MODE,   0,  1,  "write 1 to leave PXE mode")   \
    F(PRT_L2TAGSEN,         STAG,       1,  1,  "0x88A8 is taken for a tag")   \
    F(PF_ATQLEN,            CRIT,       30, 1,  "firmware gave up")            \
    F(PF_ATQLEN,            ENABLE,     31, 1,  "")                            \
    F(PF_ARQLEN,            VFE,        28, 1,  "a VF's message was bad")      \
    F(PF_ARQLEN,            OVFL,       29, 1,  "an event found no buffer")    \
    F(PF_ARQLEN,            CRIT,       30, 1,  "firmware gave up")            \
    F(PF_ARQLEN,            ENABLE,     31, 1,  "")                            \
    F(PFHMC_SDCMD,          PMSDIDX,    0,  12, "which segment")               \
    F(PFHMC_SDCMD,          PMSDWR,     31, 1,  "1 writes it")                 \
    F(PFHMC_SDDATALOW,      VALID,      0,  1,  "")                            \
    F(PFHMC_SDDATALOW,      DIRECT,     1,  1,  "memory itself, no page list") \
    F(PFHMC_SDDATALOW,      BPCOUNT,    2,  10, "pages of 4 KiB")              \
    F(PFHMC_ERRORINFO,      ERROR_TYPE, 8,  4,  "")                            \
    F(PFHMC_ERRORINFO,      OBJECT_TYPE, 16, 5, "")                            \
    F(PFHMC_ERRORINFO,      DETECTED,   31, 1,  "")                            \
    F(GLHMC_LANTXOBJSZ,     LOG2,       0,  4,  "")                            \
    F(GLHMC_LANRXOBJSZ,     LOG2,       0,  4,  "")                            \
    F(GLHMC_LANQMAX,        COUNT,      0,  11, "")                            \
    F(QTX_ENA,              QENA_REQ,   0,  1,  "software asks: 1 on, 0 off")  \
    F(QTX_ENA,              QENA_STAT,  2,  1,  "hardware answers")            \
    F(QTX_CTL,              PFVF_Q,     0,  2,  "kind of owner; 2 is a PF")    \
    F(QTX_CTL,              PF_INDX,    2,  4,  "which PF")                    \
    F(QRX_ENA,              QENA_REQ,   0,  1,  "software asks: 1 on, 0 off")  \
    F(QRX_ENA,              QENA_STAT,  2,  1,  "hardware answers")            \
    F(GLLAN_TXPRE_QDIS,     QINDX,      0,  11, "queue of the chip, mod 128")  \
    F(GLLAN_TXPRE_QDIS,     SET_QDIS,   30, 1,  "write 1: about to disable")   \
    F(GLLAN_TXPRE_QDIS,     CLEAR_QDIS, 31, 1,  "write 1: about to enable")    \
    F(QINT_RQCTL,           MSIX_INDX,  0,  8,  "vector")                      \
    F(QINT_RQCTL,           ITR_INDX,   11, 2,  "which of its timers")         \
    F(QINT_RQCTL,           NEXTQ_INDX, 16, 11, "0x7FF ends the list")         \
    F(QINT_RQCTL,           CAUSE_ENA,  30, 1,  "")                            \
    F(PFINT_DYN_CTLN,       INTENA,     0,  1,  "armed")                       \
    F(PFINT_DYN_CTLN,       CLEARPBA,   1,  1,  "forget what was pending")     \
    F(PFINT_DYN_CTLN,       ITR_INDX,   3,  2,  "3: leave the timers alone")   \
    F(PFINT_LNKLST0,        FIRSTQ,     0,  11, "0x7FF: no queue")             \
    F(PFINT_LNKLSTN,        FIRSTQ,     0,  11, "0x7FF: no queue")             \
    F(GLINT_CTL,            KEEP_ARMED, 0,  3,  "no auto-mask: PF0, VF0, n")   \
    F(PFQF_CTL_0,           HASHLUTSIZE, 16, 1, "0: 128 entries, 1: 512")      \
    F(PFQF_CTL_0,           FD_ENA,     17, 1,  "flow director")               \
    F(PFQF_CTL_0,           ETYPE_ENA,  18, 1,  "ethertype filters")           \
    F(PFQF_CTL_0,           MACVLAN_ENA, 19, 1, "MAC and VLAN filters")        \
    F(GLQF_CTL,             HTOEP,      1,  1,  "1: Toeplitz, 0: xor")         \
    F(GL_MDET_TX,           QUEUE,      0,  12, "of the chip")                 \
    F(GL_MDET_TX,           VF_NUM,     12, 9,  "")                            \
    F(GL_MDET_TX,           PF_NUM,     21, 4,  "")                            \
    F(GL_MDET_TX,           EVENT,      25, 5,  "what was wrong")              \
    F(GL_MDET_TX,           VALID,      31, 1,  "")                            \
    F(GL_MDET_RX,           FUNCTION,   0,  8,  "")                            \
    F(GL_MDET_RX,           EVENT,      8,  9,  "what was wrong")              \
    F(GL_MDET_RX,           QUEUE,      17, 14, "of the chip")                 \
    F(GL_MDET_RX,           VALID,      31, 1,  "")                            \
    F(PF_MDET_TX,           VALID,      0,  1,  "")                            \
    F(PF_MDET_RX,           VALID,      0,  1,  "")

/*
 * Counters run freely and outlive a PFR, so software keeps a baseline. Those of
 * 48 bits are a low word and, 4 bytes on, a high word. Set: PORT counters are
 * indexed by port, VSI counters by the VSI's statistics block, ERR by 128 + PF.
 *
 *    counter       offset    bits set   name in the extended statistics      */
#define XL710_COUNTERS(C)                                                      \
    C(GLPRT_GORC,    0x300000, 48, PORT, NULL)                                 \
    C(GLPRT_UPRC,    0x3005A0, 48, PORT, "millrace_rx_port_unicast_packets")   \
    C(GLPRT_MPRC,    0x3005C0, 48, PORT, "millrace_rx_port_multicast_packets") \
    C(GLPRT_BPRC,    0x3005E0, 48, PORT, "millrace_rx_port_broadcast_packets") \
    C(GLPRT_RDPC,    0x300600, 32, PORT, "millrace_rx_port_dropped_packets")   \
    C(GLPRT_GOTC,    0x300680, 48, PORT, NULL)                                 \
    C(GLPRT_UPTC,    0x3009C0, 48, PORT, "tx_unicast_packets")                 \
    C(GLPRT_MPTC,    0x3009E0, 48, PORT, "tx_multicast_packets")               \
    C(GLPRT_BPTC,    0x300A00, 48, PORT, "tx_broadcast_packets")               \
    C(GLPRT_TDOLD,   0x300A20, 32, PORT, "tx_link_down_dropped")               \
    C(GLPRT_CRCERRS, 0x300080, 32, PORT, "rx_crc_errors")                      \
    C(GLPRT_ILLERRC, 0x3000E0, 32, PORT, "rx_illegal_byte_errors")             \
    C(GLPRT_MLFC,    0x300020, 32, PORT, "mac_local_errors")                   \
    C(GLPRT_MRFC,    0x300040, 32, PORT, "mac_remote_errors")                  \
    C(GLPRT_RLEC,    0x3000A0, 32, PORT, "rx_length_errors")                   \
    C(GLPRT_LXONRXC, 0x300140, 32, PORT, "rx_xon_packets")                     \
    C(GLPRT_LXOFFRXC, 0x300160, 32, PORT, "rx_xoff_packets")                   \
    C(GLPRT_LXONTXC, 0x300980, 32, PORT, "tx_xon_packets")                     \
    C(GLPRT_LXOFFTXC, 0x3009A0, 32, PORT, "tx_xoff_packets")                   \
    C(GLPRT_PRC64,   0x300480, 48, PORT, "rx_size_64_packets")                 \
    C(GLPRT_PRC127,  0x3004A0, 48, PORT, "rx_size_65_to_127_packets")          \
    C(GLPRT_PRC255,  0x3004C0, 48, PORT, "rx_size_128_to_255_packets")         \
    C(GLPRT_PRC511,  0x3004E0, 48, PORT, "rx_size_256_to_511_packets")         \
    C(GLPRT_PRC1023, 0x300500, 48, PORT, "rx_size_512_to_1023_packets")        \
    C(GLPRT_PRC1522, 0x300520, 48, PORT, "rx_size_1024_to_1522_packets")       \
    C(GLPRT_PRC9522, 0x300540, 48, PORT, "rx_size_1523_to_max_packets")        \
    C(GLPRT_RUC,     0x300100, 32, PORT, "rx_undersized_errors")               \
    C(GLPRT_ROC,     0x300120, 32, PORT, "rx_oversize_errors")                 \
    C(GLPRT_RFC,     0x300560, 32, PORT, "rx_fragmented_errors")               \
    C(GLPRT_RJC,     0x300580, 32, PORT, "rx_jabber_errors")                   \
    C(GLPRT_PTC64,   0x3006A0, 48, PORT, "tx_size_64_packets")                 \
    C(GLPRT_PTC127,  0x3006C0, 48, PORT, "tx_size_65_to_127_packets")          \
    C(GLPRT_PTC255,  0x3006E0, 48, PORT, "tx_size_128_to_255_packets")         \
    C(GLPRT_PTC511,  0x300700, 48, PORT, "tx_size_256_to_511_packets")         \
    C(GLPRT_PTC1023, 0x300720, 48, PORT, "tx_size_512_to_1023_packets")        \
    C(GLPRT_PTC1522, 0x300740, 48, PORT, "tx_size_1024_to_1522_packets")       \
    C(GLPRT_PTC9522, 0x300760, 48, PORT, "tx_size_1523_to_max_packets")        \
    C(GLV_UPRC,      0x36C000, 48, VSI,  "rx_unicast_packets")                 \
    C(GLV_MPRC,      0x36CC00, 48, VSI,  "rx_multicast_packets")               \
    C(GLV_BPRC,      0x36D800, 48, VSI,  "rx_broadcast_packets")               \
    C(GLV_RDPC,      0x310000, 32, VSI,  "rx_dropped_packets")                 \
    C(GLV_RUPP,      0x36E400, 32, VSI,  "rx_unknown_protocol_packets")        \
    C(GLV_TEPC,      0x344000, 32, VSI,  "millrace_tx_error_packets")          \
    C(GL_RXERR1L,    0x318000, 48, ERR,  "millrace_rx_err1_errors")

/* clang-format on */

enum reg {
#define REG_ENUM(name, offset, step, count, access, reset, meaning) name,
    XL710_REGISTERS(REG_ENUM)
#undef REG_ENUM
        REG_COUNT
};

enum reg_field {
#define FIELD_ENUM(reg, field, lsb, width, meaning) reg##_##field,
    XL710_FIELDS(FIELD_ENUM)
#undef FIELD_ENUM
        FIELD_COUNT
};

enum counter {
#define COUNTER_ENUM(name, offset, bits, set, text) name,
    XL710_COUNTERS(COUNTER_ENUM)
#undef COUNTER_ENUM
        COUNTER_COUNT
};

struct nic;

/* @i counts from 0; out of the register's range is our bug and panics. */
uint32_t reg_read(const struct nic *nic, enum reg reg, unsigned i);
void reg_write(const struct nic *nic, enum reg reg, unsigned i, uint32_t v);

/* Offset in BAR 0, as the admin queue's register commands want it. */
uint32_t reg_offset(enum reg reg, unsigned i);
volatile void *reg_address(const struct nic *nic, enum reg reg, unsigned i);

/* One field of a register, or of a value read from it. */
uint32_t reg_get(const struct nic *nic, enum reg_field field, unsigned i);
uint32_t field_of(enum reg_field field, uint32_t value);

/* @v in its place; a value that does not fit is our bug and panics. */
uint32_t field_is(enum reg_field field, uint32_t v);

/* Read, change one field, write. */
void reg_set(const struct nic *nic, enum reg_field field, unsigned i,
             uint32_t v);

/*
 * Wait until @field reads @v.
 *
 * Returns  OK; E_TIMEOUT after @timeout_us, logged with the register's name;
 *          E_GONE when the device reads as all ones
 */
must_use enum status reg_poll(struct nic *nic, enum reg_field field, unsigned i,
                              uint32_t v, uint64_t timeout_us);

/* Let @us pass because the chip wants it, and account for it. */
void chip_wait(uint64_t us);

/* Account for @us that passed outside, in a reset for example. */
void chip_wait_add(uint64_t us);

/* Posted writes have reached the chip when it returns. */
void reg_flush(const struct nic *nic);
