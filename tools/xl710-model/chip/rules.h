/*
 * rules.h - everything the examiner can complain about, one row each
 *
 *   E1  names are stable: tests and users match on them
 *   E2  a rule is something the hardware forbids, leaves undefined, or that
 *       makes it lose data; never a matter of taste
 */
#pragma once

/*    name                  what the driver did                            */
#define CHIP_RULES_CONTROL(R)                                                  \
    R("reg-unknown", "access to no known register")                            \
    R("reg-read-only", "write to a read-only register")                        \
    R("reg-reserved", "set reserved bits")                                     \
    R("reg-size", "unaligned or odd-sized access")                             \
    R("reg-range", "index beyond the function")                                \
    R("aq-tail-range", "admin tail outside the ring")                          \
    R("aq-base-align", "admin ring not aligned")                               \
    R("aq-len-range", "admin ring length impossible")                          \
    R("aq-no-memory", "admin ring or buffer not in memory")                    \
    R("aq-flags", "admin descriptor flags disagree")                           \
    R("aq-buffer", "admin buffer missing or too large")                        \
    R("aq-moved", "admin ring moved while enabled")                            \
    R("hmc-sd-invalid", "segment descriptor not valid")                        \
    R("hmc-pd-invalid", "page descriptor not valid")                           \
    R("hmc-range", "context beyond the object count")                          \
    R("hmc-no-memory", "HMC page not in memory")                               \
    R("hmc-sd-range", "segment index out of range")                            \
    R("pfcm-range", "on-chip context out of range")                            \
    R("queue-no-context", "queue enabled without context")                     \
    R("queue-owner", "transmit queue not owned (QTX_CTL)")                     \
    R("queue-predisable", "enabled while pre-disable is set")                  \
    R("queue-disable", "disabled without pre-disable")                         \
    R("dma-bus-master", "DMA with bus mastering off")                          \
    R("dma-unmapped", "DMA outside mapped memory")                             \
    R("nvm-unlocked", "shadow RAM read while another holds it")

/* The data half's rows. */
#define CHIP_RULES_DATA(R)                                                     \
    R("tx-ctx-base", "transmit context without a ring")                        \
    R("tx-ctx-qlen", "transmit ring length impossible")                        \
    R("tx-ctx-qlen-step", "transmit ring length no multiple of 32")            \
    R("tx-ctx-head", "transmit context's head beyond the ring")                \
    R("tx-ctx-new", "transmit context not marked new")                         \
    R("tx-ctx-head-wb", "head write-back address impossible")                  \
    R("tx-ctx-qs-handle", "transmit context with a foreign queue set")         \
    R("rx-ctx-base", "receive context without a ring")                         \
    R("rx-ctx-qlen", "receive ring length impossible")                         \
    R("rx-ctx-qlen-step", "receive ring length no multiple of 32")             \
    R("rx-ctx-head", "receive context's head beyond the ring")                 \
    R("rx-ctx-buffer", "receive buffers below 1024 bytes")                     \
    R("rx-ctx-rxmax", "RXMAX 0 or above five buffers")                         \
    R("rx-ctx-split", "header split asked for")                                \
    R("tx-tail-range", "transmit tail outside the ring")                       \
    R("tx-tail-backward", "transmit tail moved back or lapped head")           \
    R("tx-tail-off", "transmit tail moved while the queue is off")             \
    R("tx-tail-mid-packet", "transmit tail inside a packet")                   \
    R("tx-ring-memory", "transmit ring not in memory")                         \
    R("tx-dtype", "transmit descriptor of no usable type")                     \
    R("tx-desc-reserved", "reserved bits of a data descriptor")                \
    R("tx-desc-differs", "descriptors of a packet disagree")                   \
    R("tx-ctx-desc-reserved", "reserved bits of a context descriptor")         \
    R("tx-ctx-desc-place", "context descriptor not first in its packet")       \
    R("tx-fd-off", "filter programming without fd_ena")                        \
    R("tx-size-zero", "transmit buffer of 0 bytes")                            \
    R("tx-size", "frame below 17 or above 9728 bytes")                         \
    R("tx-buffers", "more than 8 buffers a packet or segment")                 \
    R("tx-rs-not-last", "RS on a descriptor without EOP")                      \
    R("tx-no-rs", "a whole ring without RS")                                   \
    R("tx-icrc", "ICRC not set")                                               \
    R("tx-offload-headers", "offload without usable header lengths")           \
    R("tx-ip-sum-seed", "IPv4 checksum field not 0")                           \
    R("tx-tso-mss", "MSS outside the limits")                                  \
    R("tx-tso-len", "TSO length wrong or 0")                                   \
    R("rx-tail-range", "receive tail outside the ring")                        \
    R("rx-tail-backward", "receive tail moved back or lapped head")            \
    R("rx-desc-dd", "receive descriptor posted with DD set")                   \
    R("rx-desc-zero", "receive descriptor without a buffer")                   \
    R("rx-lut-range", "hash table names a queue the VSI lacks")

#define CHIP_RULES(R) CHIP_RULES_CONTROL(R) CHIP_RULES_DATA(R)

/* What @rule forbids, or NULL when there is no such rule. */
const char *chip_rule_text(const char *rule);
