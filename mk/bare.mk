# The image: newlib, the kernel (gcc, link-time optimisation), and the UEFI
# loader around it (clang and lld-link, which know PE files natively).
#
#   build/kernel.elf     the kernel with symbols, for gdb and the symbolizer
#   build/millrace.efi   what a machine boots
#
# Recipes find tools and paths when they run: on a fresh machine neither gcc nor
# newlib is there yet when make reads this.

BARE_BUILD := $(BUILD)/bare
EFI        := $(BUILD)/millrace.efi
VERSION    := 0.1.0-dev
EFI_LIMIT  := 524288

# Debugging data names files from the root of the tree, wherever that is.
HERE_IS_DOT := -ffile-prefix-map=$(CURDIR)=.

C_WARNINGS := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
              -Wmissing-prototypes -Wpointer-arith

# ---- newlib ----

NEWLIB     := $(BUILD)/newlib
BARE_READY := $(BUILD)/newlib.path

.PHONY: always
always:

# Looks at each run, in milliseconds, but is only touched when it changes.
$(BARE_READY): always | setup-image
	@mkdir -p $(@D)
	@path=$$(tools/build-newlib $(CACHE)) && \
	if [ "$$path" != "$$(cat $@ 2>/dev/null)" ]; then \
	    ln -sfn "$$path" $(NEWLIB) && echo "$$path" >$@; fi

# ---- the kernel ----

# The red zone is off because traps run on the stack they interrupt. Frame
# pointers stay, for backtraces. Not -ffreestanding: it would turn every small
# memcpy into a call. GCC 12.2 may take a variable for read-only that is written
# to by its address alone, and put it into .rodata;
# -fno-ipa-reference-addressable keeps it from looking for such variables.
BARE_CODE  := -O2 -g -mno-red-zone -mcmodel=kernel -fno-pic -fno-pie \
              -fno-stack-protector -fcf-protection=none \
              -fno-asynchronous-unwind-tables -fno-omit-frame-pointer \
              -ffunction-sections -fdata-sections -fno-common \
              -fno-ipa-reference-addressable $(HERE_IS_DOT)
BARE_FLAGS  = -std=gnu11 $(BARE_CODE) $(C_WARNINGS) \
              -DMILLRACE_VERSION='"$(VERSION)"' \
              -Iinclude -Ikernel/plat -I. -nostdinc -isystem $(NEWLIB)/include \
              -isystem $(shell gcc -print-file-name=include)
BARE_LTO   := -flto

# newlib's calls of its hooks appear too late for link-time optimisation, which
# would have dropped them as unused by then.
HOOKS      := kernel/libc.c
# What runs while another's vector registers are live must not touch them.
TRAP_CODE  := $(wildcard kernel/trap*.c)

BARE_C     := $(CORE) $(BARE) $(BARE_EXTRA)
BARE_OBJ   := $(BARE_C:%.c=$(BARE_BUILD)/%.o) $(BARE_ASM:%.S=$(BARE_BUILD)/%.S.o)

$(HOOKS:%.c=$(BARE_BUILD)/%.o): BARE_LTO :=
$(TRAP_CODE:%.c=$(BARE_BUILD)/%.o): BARE_LTO := -mgeneral-regs-only

$(BARE_BUILD)/%.o: %.c $(BARE_READY) mk/bare.mk
	@mkdir -p $(@D)
	@gcc $(BARE_FLAGS) $(BARE_LTO) -MMD -MP -c $< -o $@

$(BARE_BUILD)/%.S.o: %.S $(BARE_READY) mk/bare.mk
	@mkdir -p $(@D)
	@gcc -g $(HERE_IS_DOT) -I. -MMD -MP -c $< -o $@

KERNEL_LINK = gcc $(BARE_CODE) $(C_WARNINGS) -flto=auto -nostdlib -static \
              -Wl,-T,linker.ld,-z,max-page-size=4096,-z,noexecstack \
              -Wl,--gc-sections,--build-id=sha1,--orphan-handling=error \
              -Wl,-Map,$(BARE_BUILD)/$(@F:.elf=.map) -o $@ \
              $(filter %.o,$^) -L$(NEWLIB)/lib -lc -lgcc

$(BUILD)/kernel.elf: $(BARE_OBJ) linker.ld
	@$(KERNEL_LINK)

$(BARE_BUILD)/kernel.stripped: $(BUILD)/kernel.elf
	@objcopy --strip-all $< $@

# ---- the loader ----

# These know nothing of UEFI and are unit-tested on the host as well.
LOADER_C   := $(BOOT_PURE) $(filter-out $(BOOT_PURE),$(wildcard boot/*.c))
LOADER_OBJ := $(LOADER_C:%.c=$(BARE_BUILD)/%.obj) $(BARE_BUILD)/boot/kernel.S.obj

# No stack probes: the firmware gives 128 KiB of stack. -fno-builtin keeps
# string.c from being compiled into calls of itself.
LOADER_FLAGS := --target=x86_64-unknown-windows -std=gnu11 -O2 -ffreestanding \
                -nostdlibinc -fshort-wchar -mno-red-zone -mno-stack-arg-probe \
                -fno-builtin -DGNU_EFI_USE_MS_ABI $(C_WARNINGS) \
                -Iinclude -I. -Iboot/libc -isystem /usr/include/efi \
                -isystem /usr/include/efi/x86_64

$(BARE_BUILD)/boot/%.obj: boot/%.c mk/bare.mk | setup-image
	@mkdir -p $(@D)
	@clang $(LOADER_FLAGS) -MMD -MP -c $< -o $@

KERNEL_EMBED = clang --target=x86_64-unknown-windows \
               -DKERNEL_FILE='"$(filter %.stripped,$^)"' -c $< -o $@

$(BARE_BUILD)/boot/kernel.S.obj: boot/kernel.S $(BARE_BUILD)/kernel.stripped
	@mkdir -p $(@D)
	@$(KERNEL_EMBED)

LOADER_LINK = lld-link /subsystem:efi_application /entry:efi_main \
              /nodefaultlib /dynamicbase /nxcompat /tsaware:no /debug:none \
              /Brepro /out:$@ $(filter %.obj,$^) && \
              $(PYTHON) tools/pe checksum $@

$(EFI): $(LOADER_OBJ)
	@$(LOADER_LINK)

-include $(wildcard $(BARE_BUILD)/*/*.d $(BARE_BUILD)/*/*/*.d)

# ---- goals ----

## efi: build/millrace.efi, the file that a machine boots
.PHONY: efi
efi: $(EFI)

## size: what the image is made of; fails over 512 KiB
.PHONY: size
size: $(EFI)
	@tools/image-size $(EFI) $(BUILD)/kernel.elf $(EFI_LIMIT)
