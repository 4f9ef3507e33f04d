/*
 * kernel.S - the stripped kernel image, inside the loader
 *
 * KERNEL_FILE comes from mk/bare.mk.
 */
        .section .rdata, "dr"
        .globl  embedded_kernel
        .globl  embedded_kernel_end
        .balign 64
embedded_kernel:
        .incbin KERNEL_FILE
embedded_kernel_end:
