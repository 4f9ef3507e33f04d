/*
 * entry.S - the first instructions of the kernel
 *
 * The loader jumps here in long mode with interrupts off:
 *
 *   rdi   struct boot_info, identity-mapped
 *   rsi   page tables to run on (the value for CR3)
 *
 * Until CR3 changes we run on the firmware's own tables with the kernel added
 * on top; afterwards nothing but the kernel's text can be executed.
 *
 *   E1  no stack is used before boot_stack_top is loaded
 *   E2  C code starts with SSE on, AVX on where the CPU has it, the direction
 *       flag clear and %gs at percore_boot
 */
#define CR0_MP (1 << 1)
#define CR0_EM (1 << 2)
#define CR0_TS (1 << 3)
#define CR0_NE (1 << 5)
#define CR0_WP (1 << 16)

#define CR4_PGE        (1 << 7)
#define CR4_OSFXSR     (1 << 9)
#define CR4_OSXMMEXCPT (1 << 10)
#define CR4_OSXSAVE    (1 << 18)
#define CR4_CET        (1 << 23)

#define CPUID_1_ECX_XSAVE (1 << 26)
#define XCR0_X87_SSE_AVX  7
#define XCR0_AVX512       0xe0
#define MXCSR_DEFAULT     0x1f80

#define MSR_PAT     0x277
#define MSR_GS_BASE 0xc0000101
#define PAT_LOW     0x00070406          /* UC, UC-, WT, WB; the same above */

        .section .text.entry, "ax", @progbits
        .globl  kernel_entry
        .type   kernel_entry, @function
        .code64
kernel_entry:
        cli
        cld

        /* CET first: with it on, WP cannot be cleared or CR4 be changed
         * freely. PGE off drops the firmware's global translations, which
         * would outlive the change of CR3 and stay executable. */
        mov     %cr4, %rax
        and     $~(CR4_CET | CR4_PGE), %rax
        or      $(CR4_OSFXSR | CR4_OSXMMEXCPT), %rax
        mov     %rax, %cr4
        mov     %rsi, %cr3

        mov     %cr0, %rax
        and     $~(CR0_EM | CR0_TS), %rax
        or      $(CR0_MP | CR0_NE | CR0_WP), %rax
        mov     %rax, %cr0

        mov     $boot_stack_top, %rsp
        xor     %ebp, %ebp              /* the end of every backtrace */
        mov     %rdi, %r12

        fninit
        push    $MXCSR_DEFAULT
        ldmxcsr (%rsp)
        add     $8, %rsp

        /* Vector state: x87 and SSE always, AVX and AVX-512 as CPUID.0xd
         * offers them. */
        mov     $1, %eax
        cpuid
        test    $CPUID_1_ECX_XSAVE, %ecx
        jz      1f
        mov     %cr4, %rax
        or      $CR4_OSXSAVE, %rax
        mov     %rax, %cr4
        mov     $0xd, %eax
        xor     %ecx, %ecx
        cpuid
        mov     %eax, %ebx
        and     $XCR0_X87_SSE_AVX, %eax
        /* The three parts of AVX-512 come together and need AVX. */
        mov     %ebx, %ecx
        and     $(XCR0_AVX512 | XCR0_X87_SSE_AVX), %ecx
        cmp     $(XCR0_AVX512 | XCR0_X87_SSE_AVX), %ecx
        cmove   %ecx, %eax
        xor     %edx, %edx
        xor     %ecx, %ecx
        xsetbv
1:
        /* Memory types as after power-on: entry 3 of the PAT is uncached. */
        mov     $PAT_LOW, %eax
        mov     %eax, %edx
        mov     $MSR_PAT, %ecx
        wrmsr

        /* %gs: a null selector first, because loading one clears the base. */
        xor     %eax, %eax
        mov     %eax, %fs
        mov     %eax, %gs
        mov     $percore_boot, %rax
        mov     %rax, (%rax)            /* percore.self */
        mov     %rax, %rdx
        shr     $32, %rdx
        mov     $MSR_GS_BASE, %ecx
        wrmsr

        mov     %r12, %rdi
        call    kmain
        /* kmain does not return; if it did, stop here and stay. */
2:      cli
        hlt
        jmp     2b
        .size   kernel_entry, . - kernel_entry

        .section .stack, "aw", @nobits
        .balign 4096
        .skip   65536

        .section .note.GNU-stack, "", @progbits
