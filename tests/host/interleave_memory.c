/*
 * interleave_memory.c - locations, what was stored in them, and who may see it
 *
 *   M1  an atomic location's stores are kept in order; the memory itself always
 *       holds the newest
 *   M2  a thread never sees a store older than its view's `at`
 *   M3  an acquire that sees a release, or a swap that follows it, joins the
 *       releaser's view
 *   M4  a location is atomic or plain throughout a run
 */
#include "tests/host/interleave.h"
#include "tests/host/interleave_hooks.h"
#include "tests/host/interleave_impl.h"

#include <string.h>

#undef __atomic_load_n

#define STORES_MAX 128

struct store {
    uint64_t value;
    struct il_view view; /* what an acquire learns */
    uint64_t hash;
};

static struct location {
    const volatile void *p;
    unsigned count;
    struct store stores[STORES_MAX];
} locations[IL_LOCATIONS];
static unsigned location_count;

static struct plain {
    const volatile void *p;
    unsigned writer;
    uint16_t written; /* the writer's clock; 0 = before the run */
    uint16_t read[INTERLEAVE_THREADS];
} plains[IL_LOCATIONS];
static unsigned plain_count;

static bool acquires(int order)
{
    return order == __ATOMIC_ACQUIRE || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

static bool releases(int order)
{
    return order == __ATOMIC_RELEASE || order == __ATOMIC_ACQ_REL ||
           order == __ATOMIC_SEQ_CST;
}

/* ---- memory as it is ---- */

static uint64_t get(const volatile void *p, unsigned bytes)
{
    uint64_t value = 0;

    memcpy(&value, (const void *)(uintptr_t)p, bytes);
    return value;
}

static void set(volatile void *p, unsigned bytes, uint64_t value)
{
    memcpy((void *)(uintptr_t)p, &value, bytes);
}

static uint64_t cut(uint64_t value, unsigned bytes)
{
    return bytes == 8 ? value : value & ((UINT64_C(1) << 8 * bytes) - 1);
}

/* ---- views ---- */

static unsigned running_id(void)
{
    return (unsigned)(il_running - il_threads);
}

static void join(struct il_view *into, const struct il_view *from)
{
    for (unsigned i = 0; i < location_count; i++)
        if (into->at[i] < from->at[i])
            into->at[i] = from->at[i];
    for (unsigned i = 0; i < INTERLEAVE_THREADS; i++)
        if (into->clock[i] < from->clock[i])
            into->clock[i] = from->clock[i];
}

uint64_t il_view_hash(const struct il_view *view)
{
    uint64_t hash = 0;

    for (unsigned i = 0; i < location_count; i++)
        if (view->at[i] != 0)
            hash += il_mix((uintptr_t)locations[i].p, view->at[i]);
    for (unsigned i = 0; i < INTERLEAVE_THREADS; i++)
        hash = il_mix(hash, view->clock[i]);
    return hash;
}

/* ---- atomic locations ---- */

static void put_store(struct location *l, uint64_t value,
                      const struct il_view *view)
{
    struct store *s = &l->stores[l->count];

    if (l->count == STORES_MAX - 1)
        il_fail("the checker has no room for more stores");
    s->value = value;
    s->view = *view;
    s->hash = il_mix(value, il_view_hash(view));
    l->count++;
}

static struct location *location_of(const volatile void *p, unsigned bytes)
{
    static const struct il_view nothing;
    struct location *l;

    il_check_allowed(p);
    for (unsigned i = 0; i < location_count; i++)
        if (locations[i].p == p)
            return &locations[i];
    for (unsigned i = 0; i < plain_count; i++)
        if (plains[i].p == p)
            il_fail("a plain location is used atomically (M4)");
    if (location_count == IL_LOCATIONS)
        il_fail("the checker has no room for more locations");
    l = &locations[location_count++];
    l->p = p;
    l->count = 0;
    put_store(l, get(p, bytes), &nothing);
    return l;
}

static void tick(void)
{
    il_running->view.clock[running_id()]++;
}

/* The running thread sees store @index of @l. */
static uint64_t see(struct location *l, unsigned index, int order)
{
    struct il_thread *t = il_running;
    const struct store *s = &l->stores[index];

    t->location = (unsigned)(l - locations);
    t->index = index;
    t->view.at[t->location] = (uint8_t)index;
    if (acquires(order))
        join(&t->view, &s->view);
    t->history = il_mix(il_mix(t->history, (uintptr_t)l->p), s->value);
    return s->value;
}

/* The running thread stores; @after is the store a swap saw, or NULL. */
static void append(struct location *l, unsigned bytes, uint64_t value,
                   int order, const struct store *after)
{
    struct il_thread *t = il_running;
    struct il_view view = { .at = { 0 } };

    t->view.at[l - locations] = (uint8_t)l->count;
    if (releases(order))
        view = t->view;
    if (after != NULL)
        join(&view, &after->view); /* M3: the release goes on through a swap */
    put_store(l, cut(value, bytes), &view);
    set((volatile void *)(uintptr_t)l->p, bytes, value);
}

uint64_t interleave_load(const volatile void *p, unsigned bytes, int order)
{
    struct location *l;
    unsigned oldest, newest, index;
    uint64_t value;

    if (il_running == NULL)
        return get(p, bytes);
    il_turn();
    tick();
    l = location_of(p, bytes);
    newest = l->count - 1;
    oldest = il_running->view.at[l - locations];
    if (il_model == INTERLEAVE_STRONG)
        oldest = newest;
    index = newest - il_choose(newest - oldest + 1);
    value = see(l, index, il_effective_order(p, INTERLEAVE_LOAD, order));
    il_note(index == newest ? "loads" : "loads old", p, value);
    return value;
}

void interleave_store(volatile void *p, unsigned bytes, uint64_t value,
                      int order)
{
    if (il_running == NULL) {
        set(p, bytes, value);
        return;
    }
    il_turn();
    tick();
    append(location_of(p, bytes), bytes, value,
           il_effective_order(p, INTERLEAVE_STORE, order), NULL);
    il_note("stores", p, cut(value, bytes));
}

/* Both sides of what loads and stores at once; it always sees the newest. */
static uint64_t load_and_store(volatile void *p, unsigned bytes, uint64_t value,
                               bool adds, int order)
{
    struct location *l;
    uint64_t was;

    if (il_running == NULL) {
        was = get(p, bytes);
        set(p, bytes, adds ? was + value : value);
        return was;
    }
    il_turn();
    tick();
    order = il_effective_order(p, INTERLEAVE_SWAP, order);
    l = location_of(p, bytes);
    was = see(l, l->count - 1, order);
    value = adds ? was + value : value;
    append(l, bytes, value, order, &l->stores[l->count - 1]);
    il_note("swaps in", p, cut(value, bytes));
    return was;
}

uint64_t interleave_exchange(volatile void *p, unsigned bytes, uint64_t value,
                             int order)
{
    return load_and_store(p, bytes, value, false, order);
}

uint64_t interleave_add(volatile void *p, unsigned bytes, uint64_t value,
                        int order)
{
    return load_and_store(p, bytes, value, true, order);
}

bool interleave_swap(volatile void *p, unsigned bytes, uint64_t *expected,
                     uint64_t value, int order, int order_failed)
{
    struct location *l;
    uint64_t was;

    if (il_running == NULL) {
        was = get(p, bytes);
        if (was == *expected)
            set(p, bytes, value);
    } else {
        il_turn();
        tick();
        l = location_of(p, bytes);
        was = l->stores[l->count - 1].value;
        order = was == *expected ? order : order_failed;
        order = il_effective_order(p, INTERLEAVE_SWAP, order);
        see(l, l->count - 1, order);
        if (was == *expected)
            append(l, bytes, value, order, &l->stores[l->count - 1]);
        il_note(was == *expected ? "swaps in" : "cannot swap, finds", p,
                was == *expected ? cut(value, bytes) : was);
    }
    if (was == *expected)
        return true;
    *expected = was;
    return false;
}

void interleave_pause(void)
{
    struct il_thread *t = il_running;

    if (t == NULL)
        return;
    t->pausing = true;
    il_turn();
    t->pausing = false;
    tick();
    /* What it saw would make it wait again. */
    if (t->view.at[t->location] <= t->index)
        t->view.at[t->location] = (uint8_t)(t->index + 1);
    t->history = il_mix(t->history, 'p');
}

bool il_has_newer(const struct il_thread *t)
{
    return locations[t->location].count - 1 > t->index;
}

/* ---- plain locations ---- */

static struct plain *plain_of(const volatile void *p)
{
    il_check_allowed(p);
    for (unsigned i = 0; i < plain_count; i++)
        if (plains[i].p == p)
            return &plains[i];
    for (unsigned i = 0; i < location_count; i++)
        if (locations[i].p == p)
            il_fail("an atomic location is used plainly (M4)");
    if (plain_count == IL_LOCATIONS)
        il_fail("the checker has no room for more plain locations");
    plains[plain_count] = (struct plain) { .p = p };
    return &plains[plain_count++];
}

void interleave_plain_load(const volatile void *p, unsigned bytes)
{
    struct plain *x;

    if (il_running == NULL)
        return;
    tick();
    x = plain_of(p);
    il_note("reads", p, get(p, bytes));
    if (il_running->view.clock[x->writer] < x->written)
        il_fail("read, and nothing orders it after the write");
    x->read[running_id()] = il_running->view.clock[running_id()];
    il_running->history = il_mix(il_running->history, get(p, bytes));
}

void interleave_plain_store(volatile void *p, unsigned bytes)
{
    struct plain *x;

    (void)bytes;
    if (il_running == NULL)
        return;
    tick();
    x = plain_of(p);
    il_note("writes", p, 0);
    if (il_running->view.clock[x->writer] < x->written)
        il_fail("written, and nothing orders it after another write");
    for (unsigned i = 0; i < INTERLEAVE_THREADS; i++)
        if (il_running->view.clock[i] < x->read[i])
            il_fail("written, and nothing orders it after a read");
    x->writer = running_id();
    x->written = il_running->view.clock[x->writer];
}

/* ---- the whole ---- */

void il_memory_reset(void)
{
    location_count = 0;
    plain_count = 0;
    il_marks_reset();
}

uint64_t il_memory_hash(void)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < location_count; i++) {
        uint64_t hash = (uintptr_t)locations[i].p;

        for (unsigned k = 0; k < locations[i].count; k++)
            hash = il_mix(hash, locations[i].stores[k].hash);
        sum += hash;
    }
    for (unsigned i = 0; i < plain_count; i++) {
        const struct plain *x = &plains[i];
        uint64_t hash = il_mix((uintptr_t)x->p, x->writer);

        hash = il_mix(hash, x->written);
        for (unsigned k = 0; k < INTERLEAVE_THREADS; k++)
            hash = il_mix(hash, x->read[k]);
        sum += hash;
    }
    return sum;
}
