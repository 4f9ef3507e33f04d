/*
 * stub.c - a NIC that does the least a driver can notice
 */
#define _GNU_SOURCE
#include "tests/bench/path/stub.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <x86intrin.h>

#include <millrace/plat.h>

#define FRAME    UINT64_C(60)
#define RXD_DONE (UINT64_C(3) | FRAME << 38) /* DD, EOP, length */
#define LINE     64u

void stub_open(struct stub *s, struct port_rxq *rxq, struct port_txq *txq)
{
    *s = (struct stub) { .rxq = rxq, .txq = txq };
    rxq->tail_reg = &s->rx_tail;
    txq->tail_reg = &s->tx_tail;
    s->rx_tail = rxq->post;
}

static void send(struct stub *s)
{
    struct tx_desc *ring = s->txq->ring;
    const unsigned tail = *(volatile uint32_t *)&s->tx_tail;

    while (s->tx_head != tail) {
        struct tx_desc *d = &ring[s->tx_head];

        const bool reports = (d->qw1 & TXD_RS) != 0;

        s->tx_head = s->tx_head + 1 == s->txq->n ? 0 : s->tx_head + 1;
        s->sent++;
        if (reports && s->writes_head)
            __atomic_store_n(&s->head_word, s->tx_head, __ATOMIC_RELEASE);
        else if (reports)
            __atomic_store_n(&d->qw1, d->qw1 | TXD_TYPE_DONE, __ATOMIC_RELEASE);
    }
}

static void receive(struct stub *s, unsigned n)
{
    struct rx_desc *ring = s->rxq->ring;
    const unsigned tail = *(volatile uint32_t *)&s->rx_tail;

    for (; n > 0; n--) {
        struct rx_desc *d = &ring[s->rx_head];

        if (s->rx_head == tail)
            abort(); /* the ring has run dry: not what is to be measured */
        d->qw0 = 0;
        __atomic_store_n(&d->qw1, RXD_DONE, __ATOMIC_RELEASE);
        s->rx_head = s->rx_head + 1 == s->rxq->n ? 0 : s->rx_head + 1;
    }
}

void stub_work(struct stub *s, unsigned n)
{
    send(s);
    receive(s, n);
}

void stub_flush(const struct stub *s)
{
    const char *const rx = (const char *)s->rxq->ring;
    const char *const tx = (const char *)s->txq->ring;

    for (unsigned i = 0; i < s->rxq->n * sizeof(struct rx_desc); i += LINE)
        _mm_clflush(rx + i);
    for (unsigned i = 0; i < s->txq->n * sizeof(struct tx_desc); i += LINE)
        _mm_clflush(tx + i);
    _mm_mfence();
}

/* ---- on the other core ---- */

static pthread_t thread;
static struct {
    struct stub *stub;
    unsigned n;
    bool end;
    _Alignas(128) unsigned asked;
    _Alignas(128) unsigned done;
} there;

static void *work_there(void *arg)
{
    cpu_set_t set;
    unsigned seen = 0;

    CPU_ZERO(&set);
    CPU_SET(*(const unsigned *)arg, &set);
    (void)sched_setaffinity(0, sizeof(set), &set);
    for (;;) {
        const unsigned asked = __atomic_load_n(&there.asked, __ATOMIC_ACQUIRE);

        if (asked == seen) {
            plat_pause();
            continue;
        }
        seen = asked;
        if (there.end)
            return NULL;
        stub_work(there.stub, there.n);
        __atomic_store_n(&there.done, asked, __ATOMIC_RELEASE);
    }
}

void stub_thread_start(unsigned core)
{
    static unsigned at;

    at = core;
    there.end = false;
    there.asked = there.done = 0;
    if (pthread_create(&thread, NULL, work_there, &at) != 0)
        abort();
}

void stub_thread_stop(void)
{
    there.end = true;
    __atomic_store_n(&there.asked, there.asked + 1, __ATOMIC_RELEASE);
    (void)pthread_join(thread, NULL);
}

void stub_work_there(struct stub *s, unsigned n)
{
    const unsigned ask = there.asked + 1;

    there.stub = s;
    there.n = n;
    __atomic_store_n(&there.asked, ask, __ATOMIC_RELEASE);
    while (__atomic_load_n(&there.done, __ATOMIC_ACQUIRE) != ask)
        plat_pause();
}
