/*
 * interleave.c - the search: every choice of every run, one run after the other
 *
 * A run starts from the beginning and repeats the choices of the one before up
 * to the last that has an untried alternative. Threads are stacks that we switch
 * between; a run that is given up leaves them as they are.
 */
#include "tests/host/interleave.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sanitizer/asan_interface.h>

#include "tests/host/interleave_impl.h"

#define STACK_BYTES  65536
#define CHOICES_MAX  4096
#define STATES_MAX   (1U << 21)
#define PRINTED_STEP "%c %-18s %p  %" PRIu64 "\n"

struct il_thread il_threads[INTERLEAVE_THREADS];
struct il_thread *il_running;
enum interleave_model il_model;

static const struct interleave *subject;
static const char *failure;

static struct choice {
    unsigned taken, of;
} choices[CHOICES_MAX];
static unsigned choice_count, choice_at;

static char stacks[INTERLEAVE_THREADS][STACK_BYTES]
    __attribute__((aligned(16)));
static void *thread_sp[INTERLEAVE_THREADS], *search_sp;

static struct step {
    unsigned thread;
    const char *access;
    const volatile void *p;
    uint64_t value;
} steps[CHOICES_MAX];
static unsigned step_count;

/* ---- two stacks ---- */

/* Push what a call keeps, and go on where @to was left. */
void il_switch(void **from, void *to);
__asm__(".text\n"
        ".globl il_switch\n"
        ".type il_switch, @function\n"
        "il_switch:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    ret\n"
        ".size il_switch, . - il_switch\n");

static void back_to_search(void)
{
    const unsigned id = (unsigned)(il_running - il_threads);

    il_switch(&thread_sp[id], search_sp);
}

static void thread_body(void)
{
    subject->thread[il_running - il_threads]();
    il_running->ended = true;
    back_to_search();
    abort(); /* nobody resumes it */
}

static void thread_prepare(unsigned id)
{
    void **top = (void **)(stacks[id] + STACK_BYTES - 32);

    /* A run that was given up has left its frames' marks. */
    ASAN_UNPOISON_MEMORY_REGION(stacks[id], STACK_BYTES);
    *top = (void *)(uintptr_t)thread_body; /* where il_switch returns to */
    thread_sp[id] = top - 6;
    il_threads[id] = (struct il_thread) { .history = id };
    il_threads[id].ended = subject->thread[id] == NULL;
}

/* Up to its next turn, or to its end. */
static void thread_go_on(unsigned id)
{
    il_running = &il_threads[id];
    il_switch(&search_sp, thread_sp[id]);
    il_running = NULL;
}

void il_turn(void)
{
    back_to_search();
}

void il_fail(const char *wrong)
{
    failure = wrong;
    back_to_search();
    abort();
}

/* ---- choices ---- */

unsigned il_choose(unsigned n)
{
    if (n == 1)
        return 0;
    if (choice_at == CHOICES_MAX)
        il_fail("a thread does not end");
    if (choice_at == choice_count)
        choices[choice_count++] = (struct choice) { 0, n };
    return choices[choice_at++].taken;
}

/* The next untried alternative; false when there is none. */
static bool next_choices(void)
{
    while (choice_count != 0) {
        struct choice *last = &choices[choice_count - 1];

        if (++last->taken < last->of)
            return true;
        choice_count--;
    }
    return false;
}

/* ---- states ---- */

static uint64_t *known; /* open addressing; 0 = free; kept for the next try */
static unsigned *known_slots, known_count;

static void forget_states(void)
{
    if (known == NULL) {
        known = calloc(STATES_MAX, sizeof(*known));
        known_slots = calloc(STATES_MAX, sizeof(*known_slots));
        if (known == NULL || known_slots == NULL)
            abort();
    }
    while (known_count != 0)
        known[known_slots[--known_count]] = 0;
}

/* Note the present state; false when it is known. */
static bool state_is_new(void)
{
    uint64_t hash = il_memory_hash();

    for (unsigned i = 0; i < INTERLEAVE_THREADS; i++) {
        const struct il_thread *t = &il_threads[i];

        hash = il_mix(hash, t->history);
        hash = il_mix(hash, il_view_hash(&t->view));
        hash = il_mix(hash, t->pausing * 2U + t->ended);
    }
    hash |= 1;
    for (uint64_t i = hash >> 20;; i++) {
        const unsigned slot = (unsigned)(i % STATES_MAX);

        if (known[slot] == hash)
            return false;
        if (known[slot] == 0) {
            known[slot] = hash;
            known_slots[known_count++] = slot;
            return true;
        }
    }
}

/* ---- runs ---- */

static unsigned able(unsigned ids[])
{
    unsigned n = 0;

    for (unsigned i = 0; i < INTERLEAVE_THREADS; i++) {
        const struct il_thread *t = &il_threads[i];

        if (!t->ended && (!t->pausing || il_has_newer(t)))
            ids[n++] = i;
    }
    return n;
}

static bool all_ended(void)
{
    for (unsigned i = 0; i < INTERLEAVE_THREADS; i++)
        if (!il_threads[i].ended)
            return false;
    return true;
}

static unsigned choose_thread(const unsigned ids[], unsigned n)
{
    if (n == 1)
        return ids[0];
    if (choice_at == CHOICES_MAX) {
        failure = "the threads do not end";
        return ids[0];
    }
    return ids[il_choose(n)];
}

static void run(void)
{
    step_count = 0;
    choice_at = 0;
    il_memory_reset();
    subject->start();
    for (unsigned i = 0; i < INTERLEAVE_THREADS; i++)
        thread_prepare(i);
    for (unsigned i = 0; i < INTERLEAVE_THREADS && failure == NULL; i++)
        if (!il_threads[i].ended)
            thread_go_on(i);
    while (failure == NULL && !all_ended()) {
        unsigned ids[INTERLEAVE_THREADS];
        const unsigned n = able(ids);

        if (choice_at == choice_count && !state_is_new())
            return;
        if (n == 0)
            failure = "all wait";
        else if (step_count == CHOICES_MAX)
            failure = "the threads do not end";
        else
            thread_go_on(choose_thread(ids, n));
    }
    if (failure == NULL)
        failure = subject->wrong();
}

struct interleave_result interleave_try(const struct interleave *what)
{
    struct interleave_result result = { NULL, 0, 0 };

    subject = what;
    il_model = what->model;
    failure = NULL;
    choice_count = 0;
    forget_states();
    do {
        run();
        result.runs++;
        if (known_count > STATES_MAX / 2)
            failure = "too many states for the checker";
    } while (failure == NULL && next_choices());
    result.wrong = failure;
    result.states = known_count;
    return result;
}

/* ---- the last run ---- */

void il_note(const char *access, const volatile void *p, uint64_t value)
{
    if (step_count < CHOICES_MAX)
        steps[step_count++] =
            (struct step) { (unsigned)(il_running - il_threads), access, p,
                            value };
}

void interleave_print_last(void)
{
    for (unsigned i = 0; i < step_count; i++)
        printf(PRINTED_STEP, 'A' + (int)steps[i].thread, steps[i].access,
               (void *)(uintptr_t)steps[i].p, steps[i].value);
}
