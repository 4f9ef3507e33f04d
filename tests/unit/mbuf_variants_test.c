/*
 * mbuf_variants_test.c - the prefrees that benchmarks compare do what they say
 */
#include "mm/mbuf_variants.h"
#include "tests/unit/mbuf_rig.h"

static const struct {
    struct mbuf *(*prefree)(struct mbuf *m);
    bool restores;
} variants[] = {
    { mbuf_prefree_always, true },
    { mbuf_prefree_differs, true },
    { mbuf_prefree_none, false },
    { mbuf_prefree, true }, /* the product's */
};

TEST(mbuf_variants, MB_09_second_of_two_references_frees)
{
    struct mempool *p = open_pool();

    for (unsigned i = 0; i < ARRAY_SIZE(variants); i++) {
        struct mbuf *m = mbuf_alloc(p);

        mbuf_hold(m);
        CHECK(variants[i].prefree(m) == NULL);
        CHECK_EQ(m->refcnt, 1);
        CHECK(variants[i].prefree(m) == m);
        CHECK_EQ(m->refcnt, 1);
        mempool_put_bulk(p, &m, 1);
        CHECK_EQ(mempool_available(p), 1023);
    }
}

TEST(mbuf_variants, chain_fields_are_restored_or_left)
{
    struct mempool *p = open_pool();

    for (unsigned i = 0; i < ARRAY_SIZE(variants); i++) {
        struct mbuf *m = mbuf_alloc(p);

        m->next = m;
        m->nb_segs = 3;
        CHECK(variants[i].prefree(m) == m);
        CHECK_EQ(m->next == NULL, variants[i].restores);
        CHECK_EQ(m->nb_segs == 1, variants[i].restores);
        m->next = NULL;
        m->nb_segs = 1;
        mempool_put_bulk(p, &m, 1);
    }
}
