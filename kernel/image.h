/*
 * image.h - where the parts of the kernel image are
 *
 * Names that linker.ld defines; only their addresses mean anything. Text may
 * be run, rodata be read, everything else be written, and the page below
 * boot_stack_bottom is mapped nowhere.
 */
#pragma once

extern const char image_start[], image_end[];
extern const char text_start[], text_end[];
extern const char build_id_note[]; /* the first of rodata */
extern const char rodata_start[], rodata_end[];
extern const char data_start[], data_end[];
extern const char bss_start[], bss_end[];
extern const char boot_stack_bottom[], boot_stack_top[];
