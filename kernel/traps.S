/*
 * traps.S - the first instructions after a fault, and after panic()
 *
 *   T1  exceptions and panic() leave a struct trap_frame (traps.h) with every
 *       register as it was
 *   T2  other vectors touch nothing but their core's counter
 */
#define EXCEPTIONS 32
#define VECTORS    256
#define STUB_BYTES 16
#define TRAP_PANIC 256
#define TRAP_WAKE  0xF0

/* struct percore */
#define WAKES      16
#define INTERRUPTS 24

/* struct trap_frame */
#define R15     0
#define R14     8
#define R13     16
#define R12     24
#define R11     32
#define R10     40
#define R9      48
#define R8      56
#define RBP     64
#define RDI     72
#define RSI     80
#define RDX     88
#define RCX     96
#define RBX     104
#define RAX     112
#define VECTOR  120
#define ERROR   128
#define RIP     136
#define CS      144
#define RFLAGS  152
#define RSP     160
#define SS      168

        .text

/* One stub of STUB_BYTES per vector. Exceptions for which the CPU pushes no
 * error code get a 0, so that all frames look alike. */
        .globl  trap_stubs
        .balign STUB_BYTES
trap_stubs:
        .set    vector, 0
        .rept   VECTORS
        .balign STUB_BYTES
        .if     vector < EXCEPTIONS
        .if     vector != 8 && vector != 10 && vector != 11 && \
                vector != 12 && vector != 13 && vector != 14 && \
                vector != 17 && vector != 21 && vector != 29 && vector != 30
        push    $0
        .endif
        push    $vector
        jmp     exception
        .elseif vector == TRAP_WAKE
        incq    %gs:WAKES
        iretq
        .else
        incq    %gs:INTERRUPTS
        iretq
        .endif
        .set    vector, vector + 1
        .endr
        .org    trap_stubs + VECTORS * STUB_BYTES /* fails if one outgrew */

exception:
        push    %rax
        push    %rbx
        push    %rcx
        push    %rdx
        push    %rsi
        push    %rdi
        push    %rbp
        push    %r8
        push    %r9
        push    %r10
        push    %r11
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        cld
        mov     %rsp, %rdi
        xor     %ebp, %ebp
        and     $-16, %rsp
        call    trap_fatal

/*
 * panic(fmt, ...): the registers go to static memory before any C can change
 * them, then panic_report(fmt, ...) sees the arguments as they came. Only the
 * first call gets there.
 */
        .globl  panic
        .type   panic, @function
panic:
        pushfq
        cli
        lock btsl $0, panic_latch
        jc      1f
        mov     %r15, panic_frame + R15
        mov     %r14, panic_frame + R14
        mov     %r13, panic_frame + R13
        mov     %r12, panic_frame + R12
        mov     %r11, panic_frame + R11
        mov     %r10, panic_frame + R10
        mov     %r9, panic_frame + R9
        mov     %r8, panic_frame + R8
        mov     %rbp, panic_frame + RBP
        mov     %rdi, panic_frame + RDI
        mov     %rsi, panic_frame + RSI
        mov     %rdx, panic_frame + RDX
        mov     %rcx, panic_frame + RCX
        mov     %rbx, panic_frame + RBX
        mov     %rax, panic_frame + RAX
        popq    panic_frame + RFLAGS
        mov     (%rsp), %rax
        mov     %rax, panic_frame + RIP
        lea     8(%rsp), %rax
        mov     %rax, panic_frame + RSP
        xor     %eax, %eax
        mov     %cs, %ax
        mov     %rax, panic_frame + CS
        mov     %ss, %ax
        mov     %rax, panic_frame + SS
        movq    $TRAP_PANIC, panic_frame + VECTOR
        movq    $0, panic_frame + ERROR
        mov     panic_frame + RAX, %rax /* al counts vector arguments */
        cld
        jmp     panic_report
1:      and     $-16, %rsp
        call    panic_again
        .size   panic, . - panic

        .section .note.GNU-stack, "", @progbits
