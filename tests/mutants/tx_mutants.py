"""Mistakes in transmit rings: those of public code first, then our own."""
from mutant import Mutant

TX, FIX = "drivers/xl710/tx.c", "drivers/xl710/tx_fix.c"
FREE, BURST = "drivers/xl710/tx_free.h", "drivers/xl710/tx_burst.h"

PUBLIC = [
    Mutant("tx: both thresholds may exceed the ring: a stale mark is believed",
           TX,
           "    if (rs + free_thresh > n)\n", "    if (rs > n)\n",
           "xl710_tx_test", "TX_01"),
    Mutant("tx: the tail register is written with the ring's size", BURST,
           "    plat_write32(q->tail_reg, q->tail);\n",
           "    plat_write32(q->tail_reg, q->tail == 0 ? q->n : q->tail);\n",
           "xl710_tx_test", "TX_07"),
    Mutant("tx: one bucket is freed per call, however many are done", FREE,
           "        done += q->rs;\n", "        return done;\n",
           "xl710_tx_test", "TX_10"),
    Mutant("tx: the loop over chunks stops one chunk early", FREE,
           "        for (; n > TX_CHUNK; n -= TX_CHUNK, m += TX_CHUNK)\n"
           "            mempool_put_bulk(pool, m, TX_CHUNK);\n",
           "        for (; n > TX_CHUNK; n -= TX_CHUNK, m += TX_CHUNK)\n"
           "            mempool_put_bulk(pool, m, TX_CHUNK);\n"
           "        n %= TX_CHUNK;\n",
           "xl710_tx_free_test", "TX_12"),
    Mutant("tx: 64 slots are staged, buckets may have more", FREE,
           "    struct tx_going_home h = { 0, 0 };\n",
           "    struct tx_going_home h = { 0, 0 };\n"
           "    struct mbuf *staged[64];\n\n"
           "    memcpy(staged, slot, n * sizeof(*slot));\n"
           "    memcpy(slot, staged, n * sizeof(*slot));\n",
           "xl710_tx_free_test", "TX_16"),
    Mutant("tx: on demand, a bucket that lacks one descriptor counts", FREE,
           "    if (flying < done ||", "    if (flying + 1 < done ||",
           "xl710_tx_test", "TX_18"),
    Mutant("tx: reclaims only when it sends: an idle ring keeps its buffers",
           TX,
           "    if (flying == 0)\n        return;\n",
           "    if (flying < q->n)\n        return;\n",
           "xl710_tx_test", "TX_20"),
    Mutant("tx: the pool is remembered over stop and start", TX,
           "    q->pool = NULL;\n", "",
           "xl710_tx_free_test", "TX_22"),
    Mutant("tx: an empty segment takes a descriptor nobody counted", TX,
           "        if (m->data_len > 0) {\n", "        if (m != NULL) {\n",
           "xl710_tx_test", "TX_26"),
    Mutant("tx: frames longer than a descriptor can say are sent", FIX,
           "    if (m->pkt_len > PORT_FRAME_MAX)\n        return refuse",
           "    if (m->pkt_len > 4 * PORT_FRAME_MAX)\n        return refuse",
           "xl710_tx_limits_test", "TX_25"),
    Mutant("rx: slots of two widths for one ring: other buffers are posted",
           "drivers/xl710/rx_burst.h",
           "(uintptr_t)sw[i] + q->to_bus, 0 }; /* R4 */",
           "(uintptr_t)sw[i / 2] + q->to_bus, 0 }; /* R4 */",
           "xl710_tx_limits_test", "TX_29"),
]

RINGS = [
    Mutant("tx: every descriptor may be used: full looks like empty", TX,
           "    q->free = q->n - 1;\n", "    q->free = q->n;\n",
           "xl710_tx_test", "TX_02"),
    Mutant("tx: a fresh ring is not marked done", TX,
           "{ .qw1 = TXD_TYPE_DONE };", "{ .qw1 = 0 };",
           "xl710_tx_test", "TX_02"),
    Mutant("tx: the burst's last descriptor asks for no report", BURST,
           "    if (likely(q->report_bursts))\n", "    if (q->n == 0)\n",
           "xl710_tx_test", "TX_20"),
    Mutant("tx: descriptors may become visible after the doorbell", BURST,
           "    plat_dma_wmb();\n", "",
           "xl710_tx_order_test", "TX_28"),
    Mutant("tx: a promise is believed of buffers of another pool", TX,
           "return m->pool == q->pool && mbuf_is_held_alone(m) && "
           "mbuf_is_direct(m);",
           "return mbuf_is_held_alone(m) && mbuf_is_direct(m);",
           "xl710_tx_free_test", "TX_23"),
    Mutant("tx: a promise is believed of buffers that others hold", TX,
           "return m->pool == q->pool && mbuf_is_held_alone(m) && "
           "mbuf_is_direct(m);",
           "return m->pool == q->pool && mbuf_is_direct(m);",
           "xl710_tx_free_test", "TX_23"),
    Mutant("tx: links of a chain go home when it is freed unseen", TX,
           "            m->next = NULL;\n", "            m->nb_segs = 1;\n",
           "xl710_tx_free_test", "a_chain_may_go"),
    Mutant("tx: a run of one pool goes on into the next", FREE,
           "        if (h.end > h.first && slot[h.first]->pool != m->pool)\n",
           "        if (h.end > h.first && slot[h.first]->pool == NULL)\n",
           "xl710_tx_free_test", "TX_15"),
    Mutant("tx: a shared buffer counts as ours", FREE,
           "const uint64_t mask = UINT64_C(0xFFFF) << 32 | "
           "UINT64_C(0xFFFF) << 16;",
           "const uint64_t mask = UINT64_C(0xFFFF) << 32;",
           "xl710_tx_free_test", "TX_14"),
    Mutant("tx: what was padded may be shared", FIX,
           "    return m->nb_segs == 1 && mbuf_is_held_alone(m) &&",
           "    return m->nb_segs == 1 &&",
           "xl710_tx_test", "a_shared_short_frame"),
    Mutant("tx: a copy of a pinned packet forgets that it is pinned", FIX,
           "    first->port = m->port;\n",
           "    first->port = m->port;\n    first->ol_flags = 0;\n",
           "xl710_tx_pinned_test", "a_copy_goes_home"),
    Mutant("tx: nine pieces are handed to a chip that takes eight", FIX,
           "pieces > TX_SEGMENTS_MAX)", "pieces > TX_SEGMENTS_MAX + 1)",
           "xl710_tx_test", "nine_pieces"),
]

MUTANTS = PUBLIC + RINGS
