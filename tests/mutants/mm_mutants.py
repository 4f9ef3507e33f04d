"""Mistakes in pools and buffers: those of public code first, then our own.

Each of the first ones was shipped by somebody; what it did is said with it.
"""
from mutant import Mutant

CACHE, HISTORY = "mm/mempool_cache.c", "mm/mempool_history.c"
HIT, DEPOT = "mm/mempool_hit.h", "mm/mempool_depot.c"
FIFO, STEAL = "mm/mempool_fifo.c", "mm/mempool_steal.c"
MBUF, SHARE, CHAIN = "mm/mbuf.c", "mm/mbuf_share.c", "mm/mbuf_chain.c"

PUBLIC = [
    Mutant("overlapping move-down in odd caches: one twice, one lost", HISTORY,
           "    memmove(array, array + half, (len - half) * sizeof(*array));\n",
           "    for (unsigned i = len - half; i-- > 0;)\n"
           "        array[i] = array[half + i];\n",
           "mempool_policy_test", "MP_18"),
    Mutant("nb_segs restored only together with next", MBUF,
           """    if (m->next != NULL)
        m->next = NULL;
    if (m->nb_segs != 1)
        m->nb_segs = 1;
""", """    if (m->next != NULL) {
        m->next = NULL;
        m->nb_segs = 1;
    }
""", "mbuf_chain_test", "MB_11"),
    Mutant("rearm word with a count of 0: frees wrap to 65535, buffers leak",
           "mm/mbuf.h",
           "UINT64_C(1) << 32 | UINT64_C(1) << 16 |",
           "UINT64_C(1) << 32 |",
           "mbuf_rx_test", "MB_35"),
    Mutant("offset + length in 32 bits: reads past the end", CHAIN,
           "    if ((uint64_t)offset + len > m->pkt_len)\n",
           "    if (offset + len > m->pkt_len)\n",
           "mbuf_chain_test", "MB_28"),
    Mutant("a burst as large as the cache never meets it", HISTORY,
           "    if (rest > MEMPOOL_CACHE_MAX ||\n",
           "    if (n >= p->cache_size || rest > MEMPOOL_CACHE_MAX ||\n",
           "mempool_history_test", "MP_03"),
    Mutant("false shortage: loose buffers of the store are not found", DEPOT,
           """    if (d->objects < n) {
        spin_unlock(&d->lock);
        return NULL;
""", """    if (d->objects < n + d->partial->len) {
        spin_unlock(&d->lock);
        return NULL;
""", "mempool_put_test", "MP_18"),
    Mutant("count is one, read without acquire: a racing rewrite", "mm/mbuf.h",
           "__atomic_load_n(&m->refcnt, __ATOMIC_ACQUIRE) != 1",
           "__atomic_load_n(&m->refcnt, __ATOMIC_RELAXED) != 1",
           "mbuf_mt_test", "MB_36", "tsan"),
]

POOLS = [
    Mutant("the oldest comes out first", HIT,
           "    pointers_pop(out, cache_slot(c, level), n);\n",
           "    pointers_copy(out, cache_slot(c, level) - n, n);\n",
           "mempool_put_test", "MP_38"),
    Mutant("a single buffer goes to the pool of the one before it", "mm/mbuf.h",
           "likely(m->pool == guess) &&", "likely(guess != NULL) &&",
           "mbuf_free_test", "singles_go_home"),
    Mutant("a cache that others may empty is one for hits", "mm/mempool_create.c",
           "    if (p->kind != KIND_GROUPS)\n        p->caches =",
           "    if (p->kind == KIND_P0)\n        p->caches =",
           "mempool_mt_test", "MP_30", "tsan"),
    Mutant("a get that is no hit counts as a put, too", "mm/mempool_impl.h",
           "    count_add(&c->put_less, -(uint64_t)n);\n", "",
           "mempool_cores_test", "MP_32"),
    Mutant("buffers from the store count as put", "mm/mempool_impl.h",
           "    count_add(&c->put_less, -more);\n", "    (void)more;\n",
           "mempool_cores_test", "MP_32"),
    Mutant("what is left over of a move ends elsewhere", "mm/pointers.h",
           "    last = to + n - 2 * B;\n", "    last = to + n - B;\n",
           "pointers_test", "any_number"),
    Mutant("a cache holds one more than its size", CACHE,
           "return p->cache_size - spare_len;",
           "return p->cache_size + 1 - spare_len;",
           "mempool_put_test", "MP_18"),
    Mutant("half of a cache is out of reach for hits", CACHE,
           "return p->cache_size - spare_len;",
           "return p->depot.group_size - spare_len;",
           "mempool_put_test", "a_burst_equal"),
    Mutant("a cache that divides hands in what it keeps", CACHE,
           "&loaded->object[size], s->len - size);",
           "&loaded->object[0], s->len - size);",
           "mempool_put_test", "one_stack"),
    Mutant("a put beyond the cache sends the newer group away", CACHE,
           "        s->spare = loaded;\n        if (s->spare_len != 0) {\n"
           "            hand_in(p, c, s, spare);\n",
           "        s->spare = s->spare_len != 0 ? spare : loaded;\n"
           "        if (s->spare_len != 0) {\n"
           "            hand_in(p, c, s, loaded);\n",
           "mempool_put_test", "newest_first"),
    Mutant("a failed get loses what the cache had", CACHE,
           """    if (g == NULL)
        return E_NOBUF;
""", """    if (g == NULL) {
        cache_len_set(c, 0);
        return E_NOBUF;
    }
""", "mempool_get_test", "MP_09"),
    Mutant("P1: a failed get loses what the cache had", HISTORY,
           """    if (!fetch(p, c, out, n))
        return E_NOBUF;
    cache_len_set(c, 0);
""", """    cache_len_set(c, 0);
    if (!fetch(p, c, out, n))
        return E_NOBUF;
""", "mempool_history_test", "MP_09"),
    Mutant("P1: flushes when the threshold is reached", HISTORY,
           """    if (likely(len + n <= cache_limit(c))) {
        append(c, len, in, n);
        return;
    }
    if (n > cache_limit(c)) {
""", """    if (likely(len + n < cache_limit(c))) {
        append(c, len, in, n);
        return;
    }
    if (n > cache_limit(c)) {
""", "mempool_history_test", "MP_11"),
    Mutant("P2: refills when just half is missing no more", HISTORY,
           "if (rest > half ||", "if (rest >= half ||",
           "mempool_history_test", "MP_02"),
    Mutant("P0: flushes only beyond the threshold", HISTORY,
           "    if (cache_len(c) < cache_limit(c))\n",
           "    if (cache_len(c) <= cache_limit(c))\n",
           "mempool_history_test", "MP_15"),
    Mutant("a store that refuses writes to the caller's table", FIFO,
           "    if (f->objects < n) {\n",
           "    if (f->objects < n) {\n"
           "        memcpy(out, f->slot, f->objects * sizeof(*out));\n",
           "mempool_policy_test", "MP_31"),
    Mutant("the store forgets to wrap", FIFO,
           "    const unsigned to_end = f->mask + 1 - (cursor & f->mask);\n",
           "    const unsigned to_end = f->mask + 1 + 0 * cursor;\n",
           "mempool_policy_test", "random_calls"),
    Mutant("pools too small for caches of 1.5 times their size",
           "mm/mempool_account.c",
           "cache + cache / 2", "cache + 0 * cache",
           "mempool_test", "MP_25"),
    Mutant("a put buffer is not marked", "mm/mempool_check.c",
           "        check_one(p, in[i], true);\n",
           "        (void)p, (void)in[i];\n",
           "mempool_test", "MP_34"),
    Mutant("stealing without the victim's lock", STEAL,
           "    spin_lock(&victim->lock);\n", "",
           "mempool_mt_test", "MP_30", "tsan"),
    Mutant("a get steals although all are not enough", STEAL,
           "    if (mempool_available(p) < n)", "    if (n == 0)",
           "mempool_cores_test", "hopeless"),
    Mutant("groups come back to the store without its lock", DEPOT,
           """    full->len = d->group_size;
    spin_lock(&d->lock);
""", """    full->len = d->group_size;
""", "mempool_mt_test", "MP_35", "tsan"),
]

BUFFERS = [
    Mutant("the last of two holders leaves the count at 0", MBUF,
           "    __atomic_store_n(&m->refcnt, 1, __ATOMIC_RELAXED);\n", "",
           "mbuf_order_test", "MB_27"),
    Mutant("every holder that finds others thinks it was the last", MBUF,
           "__ATOMIC_ACQ_REL) != 0)\n        return NULL;",
           "__ATOMIC_ACQ_REL) > 1)\n        return NULL;",
           "mbuf_order_test", "MB_27"),
    Mutant("the count is read, then written, not subtracted from", MBUF,
           "    if (__atomic_sub_fetch(&m->refcnt, 1, __ATOMIC_ACQ_REL) != 0)\n",
           "    const uint16_t left =\n"
           "        (uint16_t)(__atomic_load_n(&m->refcnt, __ATOMIC_ACQUIRE) - 1);\n"
           "    __atomic_store_n(&m->refcnt, left, __ATOMIC_RELEASE);\n"
           "    if (left != 0)\n",
           "mbuf_order_test", "MB_27"),
    Mutant("bulk free puts all into the first pool", MBUF,
           "(run->len != 0 && run->m[0]->pool != m->pool)", "false",
           "mbuf_free_test", "MB_21"),
    Mutant("bulk free of plain packets puts all into the first pool", MBUF,
           "!mbuf_is_plain(pkts[i]) || pkts[i]->pool != pool)",
           "(!mbuf_is_plain(pkts[i]) && pool != NULL))",
           "mbuf_free_test", "MB_21"),
    Mutant("bulk free collects one more than it has room for", MBUF,
           "    if (run->len == FREE_RUN ||", "    if (run->len > FREE_RUN ||",
           "mbuf_free_test", "bulk_free_of_chains"),
    Mutant("a packet with a next segment counts as plain", "mm/mbuf.h",
           "    return likely(m->next == NULL) && likely(mbuf_is_direct(m));\n",
           "    return likely(mbuf_is_direct(m));\n",
           "mbuf_free_test", "MB_11"),
    Mutant("a segment that was a head counts as plain", "mm/mbuf.h",
           "(uint32_t)(rearm >> 16) != MBUF_ONE_OF_EACH",
           "(uint16_t)(rearm >> 16) != 1",
           "mbuf_free_test", "MB_11"),
    Mutant("a clone counts as plain", "mm/mbuf.h",
           "    return likely(m->next == NULL) && likely(mbuf_is_direct(m));\n",
           "    return likely(m->next == NULL);\n",
           "mbuf_free_test", "MB_15"),
    Mutant("a clone of a clone holds the clone", SHARE,
           "mbuf_hold((m->ol_flags & MBUF_F_INDIRECT) != 0 ? root_of(m) : m);",
           "mbuf_hold(m);",
           "mbuf_share_test", "MB_14"),
    Mutant("outside memory is released by the first to drop it", SHARE,
           "    if (was_last_use(shared))\n        shared->release",
           "    if (was_last_use(shared) || true)\n        shared->release",
           "mbuf_share_test", "MB_17"),
    Mutant("a pinned buffer goes home while others see its bytes", SHARE,
           "    if (!was_last_use(m->shinfo))\n        return false;\n", "",
           "mbuf_pinned_test", "MB_19"),
    Mutant("one segment more than 16 bits can count", CHAIN,
           "(unsigned)head->nb_segs + tail->nb_segs > MBUF_SEGMENTS_MAX",
           "(unsigned)head->nb_segs + tail->nb_segs > MBUF_SEGMENTS_MAX + 1",
           "mbuf_chain_test", "MB_12"),
    Mutant("linearize writes into bytes that others see", CHAIN,
           " || !bytes_are_ours(m))", " || (!bytes_are_ours(m) && more == 0))",
           "mbuf_chain_test", "linearize_never"),
]

MUTANTS = PUBLIC + POOLS + BUFFERS
