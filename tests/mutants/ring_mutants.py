"""Mistakes in rings and locks: those of public code first, then our own.

Those in memory orders show on no x86 machine; the interleaving tests see them.
"""
from mutant import Mutant

SLOT, SLOT_C = "mm/slot_ring.h", "mm/slot_ring.c"
INDEX, INDEX_C = "mm/index_ring.h", "mm/index_ring.c"
LOCK = "include/millrace/lock.h"
ALL_SLOT, ALL_INDEX = "interleave_slot_ring_test", "interleave_index_ring_test"
ALL_LOCK = "interleave_lock_test"

PUBLIC = [
    Mutant("slot: published before the payload (ptr_ring, 2016)", SLOT,
           "__atomic_store_n(&r->slots[next], elements[done], "
           "__ATOMIC_RELEASE);",
           "__atomic_store_n(&r->slots[next], elements[done], "
           "__ATOMIC_RELAXED);",
           ALL_SLOT, "RQ_17_one_and_one"),
    Mutant("slot: index published before it is wrapped (ptr_ring)", SLOT,
           "    __atomic_store_n(&r->head, wrapped, __ATOMIC_RELEASE);\n",
           "    __atomic_store_n(&r->head, head, __ATOMIC_RELEASE);\n"
           "    __atomic_store_n(&r->head, wrapped, __ATOMIC_RELEASE);\n",
           ALL_SLOT, "RQ_20_asking_never"),
    Mutant("slot: clears backwards and looks ahead (B-Queue): fresh ones lost",
           SLOT,
           "    for (unsigned i = tail; i < head; i++)\n",
           "    for (unsigned i = head; i-- > tail;)\n",
           ALL_SLOT, "RQ_19"),
    Mutant("slot: tells what was consumed, not what was freed", SLOT,
           "            *freed += slot_ring_clear(r, head);\n",
           "            *freed += slot_ring_clear(r, head) != 0 ? 1 : 0;\n",
           "slot_ring_test", "RQ_07"),
    Mutant("slot: tells each consumed one as freed: a wake-up for nothing",
           SLOT,
           "        out[n++] = element;\n",
           "        out[n++] = element;\n        *freed += r->batch > 1;\n",
           "slot_ring_test", "RQ_13"),
    Mutant("slot: takes NULL: the consumer stops for good", SLOT,
           "    for (; done < n && elements[done] != NULL; done++) {\n",
           "    for (; done < n; done++) {\n",
           "slot_ring_test", "RQ_05"),
    Mutant("slot: the size of the array wraps in 32 bits", SLOT_C,
           "    return (size_t)size * sizeof(void *) + CACHE_LINE;\n",
           "    return size * (unsigned)sizeof(void *) + CACHE_LINE;\n",
           "slot_ring_test", "shortage"),
    Mutant("index: head loaded without acquire: older tail, newer head", INDEX,
           "uint32_t head = __atomic_load_n(&mine->head, __ATOMIC_ACQUIRE);",
           "uint32_t head = __atomic_load_n(&mine->head, __ATOMIC_RELAXED);",
           ALL_INDEX, "RQ_24_role_change"),
    Mutant("index: head swapped without release: older tail, newer head",
           INDEX,
           "__ATOMIC_RELEASE, __ATOMIC_RELAXED)",
           "__ATOMIC_RELAXED, __ATOMIC_RELAXED)",
           ALL_INDEX, "RQ_24_role_change"),
    Mutant("index: slots read before the tail", INDEX,
           "const uint32_t seen = __atomic_load_n(other, __ATOMIC_ACQUIRE);",
           "const uint32_t seen = __atomic_load_n(other, __ATOMIC_RELAXED);",
           ALL_INDEX, "RQ_17_one_and_one"),
    Mutant("index: tail moved without release (buf_ring)", INDEX,
           "    __atomic_store_n(&mine->tail, at + n, __ATOMIC_RELEASE);\n",
           "    __atomic_store_n(&mine->tail, at + n, __ATOMIC_RELAXED);\n",
           ALL_INDEX, "RQ_17_one_and_one"),
    Mutant("index: a ring of 1 slot has no capacity", INDEX_C,
           "count < 2 ||", "count < 1 ||", "index_ring_test", "RQ_02"),
    Mutant("index: exactly 0 has no capacity", INDEX_C,
           "        if (count == 0 || slots <= count)\n",
           "        if (slots <= count)\n", "index_ring_test", "RQ_02"),
    Mutant("mbuf: count is one, read without acquire", "mm/mbuf.c",
           "__atomic_load_n(&m->refcnt, __ATOMIC_ACQUIRE) == 1",
           "__atomic_load_n(&m->refcnt, __ATOMIC_RELAXED) == 1",
           "interleave_mbuf_test", "MB_36_the_last"),
]

RINGS = [
    Mutant("slot: looks ahead farther than the ring", SLOT_C,
           "size > SLOT_RING_PROBE ? SLOT_RING_PROBE : 1;",
           "size > 1 ? SLOT_RING_PROBE : 1;", "slot_ring_test", "RQ_19"),
    Mutant("slot: the index moves after the clearing", SLOT,
           """    __atomic_store_n(&r->head, wrapped, __ATOMIC_RELEASE);
    for (unsigned i = tail; i < head; i++)
        __atomic_store_n(&r->slots[i], NULL, __ATOMIC_RELEASE);
""", """    for (unsigned i = tail; i < head; i++)
        __atomic_store_n(&r->slots[i], NULL, __ATOMIC_RELEASE);
    __atomic_store_n(&r->head, wrapped, __ATOMIC_RELEASE);
""", ALL_SLOT, "RQ_20_never_empty"),
    Mutant("slot: empty is said of a slot that head has left", SLOT_C,
           "__atomic_load_n(&r->head, __ATOMIC_RELAXED) == head;", "true;",
           ALL_SLOT, "RQ_20_never_empty"),
    Mutant("slot: put back into slots that the producer counts on", SLOT_C,
           "    plain_store(&r->known_free, 0); /* R5: "
           "we take from the far end */\n", "",
           "slot_ring_change_test", "RQ_23"),
    Mutant("slot: put back without the producers' lock", SLOT_C,
           "    lock_enter(&r->producer_lock, r->producer_kind, "
           "&us->producer);\n",
           "    if (r->producer_kind != LOCK_TICKET)\n"
           "        lock_enter(&r->producer_lock, r->producer_kind, "
           "&us->producer);\n"
           "    else\n"
           "        r->producer_lock.ticket.next++;\n",
           ALL_SLOT, "RQ_23"),
    Mutant("slot: put back before what is due is cleared", SLOT_C,
           "    enter_both(r, &us);\n"
           "    slot_ring_clear(r, __atomic_load_n(&r->head, "
           "__ATOMIC_RELAXED));\n",
           "    enter_both(r, &us);\n",
           "slot_ring_change_test", "RQ_23_put_back_clears"),
    Mutant("slot: resize keeps what the producer knew of the old array",
           SLOT_C,
           "    plain_store(&r->known_free, 0);\n"
           "    plain_store(&r->tail, 0);\n",
           "    plain_store(&r->tail, 0);\n",
           "slot_ring_change_test", "RQ_22"),
    Mutant("index: a tail moves out of turn", INDEX,
           "    if (users == INDEX_RING_MANY &&\n",
           "    if (users > INDEX_RING_MANY &&\n", ALL_INDEX, "RQ_18"),
    Mutant("index: a tail passed on without what it stands for", INDEX,
           "__atomic_load_n(&mine->tail, __ATOMIC_ACQUIRE) != at)",
           "__atomic_load_n(&mine->tail, __ATOMIC_RELAXED) != at)",
           ALL_INDEX, "I4"),
    Mutant("index: a tail waited for without what it stands for", INDEX_C,
           "while (__atomic_load_n(tail, __ATOMIC_ACQUIRE) != at) {",
           "while (__atomic_load_n(tail, __ATOMIC_RELAXED) != at) {",
           ALL_INDEX, "I4"),
    Mutant("index: pushed elements are published before they are stored",
           INDEX,
           "    if (likely(n <= run)) {\n        index_ring_store(",
           "    index_ring_publish(&r->producer, at, n, INDEX_RING_ONE);\n"
           "    if (likely(n <= run)) {\n        index_ring_store(",
           ALL_INDEX, "RQ_17_one_and_one"),
    Mutant("index: looks again only when it knows of nothing", INDEX,
           "    if (*ready < n) {\n",
           "    if (*ready == 0) {\n", "index_ring_test", "RQ_15"),
    Mutant("index: the count can be negative", INDEX_C,
           """    const uint32_t out = __atomic_load_n(&r->consumer.tail, __ATOMIC_ACQUIRE);
    const uint32_t in = __atomic_load_n(&r->producer.tail, __ATOMIC_ACQUIRE);
""", """    const uint32_t in = __atomic_load_n(&r->producer.tail, __ATOMIC_ACQUIRE);
    const uint32_t out = __atomic_load_n(&r->consumer.tail, __ATOMIC_ACQUIRE);
""", ALL_INDEX, "RQ_24_the_count"),
]

LOCKS = [
    Mutant("ticket lock passed on without release", LOCK,
           "__atomic_store_n(&lock->serving, mine + 1, __ATOMIC_RELEASE);",
           "__atomic_store_n(&lock->serving, mine + 1, __ATOMIC_RELAXED);",
           ALL_LOCK, "ticket_lock_excludes"),
    Mutant("spinlock taken without acquire", LOCK,
           "__ATOMIC_ACQUIRE, __ATOMIC_RELAXED);",
           "__ATOMIC_RELAXED, __ATOMIC_RELAXED);",
           ALL_LOCK, "spinlock_excludes"),
    Mutant("queue lock taken without the order of the last holder", LOCK,
           "__ATOMIC_ACQ_REL", "__ATOMIC_RELAXED",
           ALL_LOCK, "queue_lock_excludes"),
    Mutant("queue lock left while somebody queues: nobody wakes them", LOCK,
           """        while ((next = __atomic_load_n(&me->next, __ATOMIC_ACQUIRE)) == NULL)
            __builtin_ia32_pause();
""", """        return;
""", ALL_LOCK, "queue_lock_excludes"),
]

MUTANTS = PUBLIC + RINGS + LOCKS
