/*
 * smp_entry.S - the first instructions of a core that is not the boot core
 *
 * A start signal lets it begin in real mode at a page below 1 MiB: a copy of
 * smp_trampoline, which climbs to long mode on tables of its own and jumps to
 * smp_entry in the kernel's text.
 *
 *   E1  the copy writes nothing: its page is mapped to be run only
 *   E2  no stack is used before the core has found its row of smp_rows by its
 *       APIC id and taken it; who finds none, or comes after it was given up,
 *       halts for good
 *   E3  C code starts with control registers and vector state as on the boot
 *       core, and %gs at the core's own area
 */
#define CR0_PE   (1 << 0)
#define CR0_PG   (1 << 31)
#define CR0_WP   (1 << 16)
#define CR0_BASE (CR0_PG | CR0_WP | (1 << 5) | (1 << 4) | (1 << 1) | CR0_PE)

#define CR4_OSXSAVE (1 << 18)

#define MSR_EFER     0xc0000080
#define EFER_LME_NXE ((1 << 8) | (1 << 11))
#define MSR_PAT      0x277
#define PAT_LOW      0x00070406         /* as in entry.S */
#define MSR_GS_BASE  0xc0000101

#define MXCSR_DEFAULT 0x1f80

/* struct smp_row of smp.c */
#define ROW_BYTES 32
#define ROW_ID    0
#define ROW_STATE 4
#define ROW_STACK 8
#define ROW_AREA  16
#define STATE_WANTED 1
#define STATE_TAKEN  2

#define CODE32 0x08
#define DATA32 0x10
#define CODE64 0x18

#define AT(label) ((label) - smp_trampoline)

/* Copied, not run here. What smp_trampoline_values holds is filled in the copy;
 * base is the copy's own address, below 1 MiB. */
        .section .rodata.smp, "a", @progbits
        .globl  smp_trampoline, smp_trampoline_values, smp_trampoline_end
        .balign 16
        .code16
smp_trampoline:
        cli
        cld
        mov     %cs, %ax
        mov     %ax, %ds
        mov     AT(base), %ebx
        lgdtl   AT(gdt_register)
        mov     $(CR0_PE | 1 << 4), %eax /* caches on, paging off */
        mov     %eax, %cr0
        ljmpl   *AT(far32)

        .code32
in32:   mov     $DATA32, %eax
        mov     %eax, %ds
        mov     %eax, %es
        mov     %eax, %ss
        mov     AT(cr4)(%ebx), %eax
        mov     %eax, %cr4
        mov     AT(root)(%ebx), %eax
        mov     %eax, %cr3
        mov     $MSR_EFER, %ecx
        rdmsr
        or      $EFER_LME_NXE, %eax
        wrmsr
        mov     $CR0_BASE, %eax
        mov     %eax, %cr0
        ljmp    *AT(far64)(%ebx)

        .code64
in64:   mov     AT(entry)(%rbx), %rax
        jmp     *%rax

        .balign 8
gdt:    .quad   0
        .quad   0x00cf9b000000ffff      /* code32; "accessed" is set (E1) */
        .quad   0x00cf93000000ffff      /* data32 */
        .quad   0x00209b0000000000      /* code64 */
gdt_end:
        .balign 8
/* struct smp_values of smp.c, all relative to the copy until it is filled in */
smp_trampoline_values:
base:   .long   0
cr4:    .long   0
root:   .long   0
far32:  .long   AT(in32)
        .word   CODE32, 0
far64:  .long   AT(in64)
        .word   CODE64, 0
gdt_register:
        .word   gdt_end - gdt - 1
        .long   AT(gdt)
        .word   0
entry:  .quad   0
smp_trampoline_end:

/* ---- in the kernel ---- */

        .text
        .globl  smp_entry
        .type   smp_entry, @function
        .code64
smp_entry:
        mov     smp_root, %rax
        mov     %rax, %cr3
        mov     smp_cr0, %rax
        mov     %rax, %cr0

        xor     %eax, %eax
        mov     %eax, %ds
        mov     %eax, %es
        mov     %eax, %ss
        mov     %eax, %fs
        mov     %eax, %gs

        /* Our APIC id to edi, as topology_own_id() finds it. */
        cpuid
        cmp     $0x0b, %eax
        jb      1f
        mov     $0x0b, %eax
        xor     %ecx, %ecx
        cpuid
        mov     %edx, %edi
        test    %ebx, %ebx
        jnz     2f
1:      mov     $1, %eax
        cpuid
        mov     %ebx, %edi
        shr     $24, %edi
2:
        mov     $smp_rows, %rsi
        mov     smp_row_count, %ecx
3:      sub     $1, %ecx
        jb      lost
        cmp     %edi, ROW_ID(%rsi)
        je      4f
        add     $ROW_BYTES, %rsi
        jmp     3b
4:      mov     $STATE_WANTED, %eax
        mov     $STATE_TAKEN, %edx
        lock cmpxchg %edx, ROW_STATE(%rsi)
        jne     lost

        mov     ROW_STACK(%rsi), %rsp
        mov     ROW_AREA(%rsi), %rdi
        xor     %ebp, %ebp              /* the end of every backtrace */

        mov     smp_cr4, %rax
        mov     %rax, %cr4
        fninit
        push    $MXCSR_DEFAULT
        ldmxcsr (%rsp)
        add     $8, %rsp
        test    $CR4_OSXSAVE, %rax
        jz      5f
        mov     smp_xcr0, %eax
        mov     smp_xcr0 + 4, %edx
        xor     %ecx, %ecx
        xsetbv
5:
        mov     $PAT_LOW, %eax
        mov     %eax, %edx
        mov     $MSR_PAT, %ecx
        wrmsr

        /* struct percore is the area's first member. */
        mov     %rdi, (%rdi)
        mov     %rdi, %rax
        mov     %rdi, %rdx
        shr     $32, %rdx
        mov     $MSR_GS_BASE, %ecx
        wrmsr
        call    smp_main                /* does not return */

lost:   cli
        hlt
        jmp     lost
        .size   smp_entry, . - smp_entry

        .section .note.GNU-stack, "", @progbits
