/*
 * ucontext.c - changes of stack
 *
 * A context that does not run is its stack pointer; the six registers that a
 * callee keeps, and where to go on, lie on its stack (System V AMD64 ABI, 3.2).
 */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <ucontext.h>

enum { KEPT = 6, KEPT_R12 = 3 };

void ucontext_begin(void); /* in the assembly below */
void ucontext_main(ucontext_t *context);

__asm__(".text\n"
        ".globl swapcontext\n"
        "swapcontext:\n"
        "    push %rbp\n"
        "    push %rbx\n"
        "    push %r12\n"
        "    push %r13\n"
        "    push %r14\n"
        "    push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov (%rsi), %rsp\n"
        "    pop %r15\n"
        "    pop %r14\n"
        "    pop %r13\n"
        "    pop %r12\n"
        "    pop %rbx\n"
        "    pop %rbp\n"
        "    xor %eax, %eax\n"
        "    ret\n"
        "ucontext_begin:\n"
        "    mov %r12, %rdi\n"
        "    call ucontext_main\n"
        "    ud2\n");

int getcontext(ucontext_t *context)
{
    memset(context, 0, sizeof(*context));
    return 0;
}

void makecontext(ucontext_t *context, void (*body)(void), int count, ...)
{
    const uintptr_t top =
        ((uintptr_t)context->uc_stack.ss_sp + context->uc_stack.ss_size) &
        ~(uintptr_t)15;
    uint64_t *sp = (uint64_t *)top - KEPT - 2;
    va_list arguments;

    va_start(arguments, count);
    context->argument = va_arg(arguments, int);
    va_end(arguments);
    context->body = body;
    memset(sp, 0, (KEPT + 2) * sizeof(*sp));
    sp[KEPT_R12] = (uintptr_t)context;
    sp[KEPT] = (uintptr_t)ucontext_begin;
    context->sp = sp;
}

void ucontext_main(ucontext_t *context)
{
    ucontext_t ended;

    ((void (*)(int))context->body)(context->argument);
    swapcontext(&ended, context->uc_link);
}
