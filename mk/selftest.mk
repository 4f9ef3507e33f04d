# The image that carries its own tests: those of pools, buffers, rings and locks
# run inside it, on the console's `selftest`.
#
#   build/millrace-selftest.efi
#
# The test files are those of the host, the machine around them is the host
# tests' too; what cmocka and the C library would give is in tests/bare/. They
# are linked with a copy of mm/ that checks each get and put, and then forget all
# names but one: the appliance around them is the product, object by object.
#
# An image of its own, because the tests would take half the room that the
# appliance may have; this one may have more.

SELFTEST_EFI   := $(BUILD)/millrace-selftest.efi
SELFTEST_BUILD := $(BUILD)/selftest
SELFTEST_LIMIT := 786432

SELFTEST_TESTS := $(filter-out %_mt_test.c,$(wildcard $(addprefix tests/unit/,\
                    mempool*_test.c mbuf*_test.c slot_ring*_test.c \
                    index_ring*_test.c lock_test.c)))
# Those that bring sources of their own have a copy of the rest to themselves.
SELFTEST_APART := $(patsubst %,tests/unit/%_test.c,\
                    mbuf_order mbuf_published index_ring_wait)
SELFTEST_LIB   := $(wildcard mm/*.c drivers/xl710/rx*.c) \
                  kernel/log.c kernel/stamp.c tests/fake/xl710_ring.c
SELFTEST_FRAME := $(wildcard tests/bare/*.c)

# host.h's variables are per thread where there are threads.
SELFTEST_FLAGS  = -std=gnu11 $(BARE_CODE) $(C_WARNINGS) -DMEMPOOL_CHECKS=1 \
                  -D_Thread_local= -Itests/bare -Iinclude -Itests/host -I. \
                  -nostdinc -isystem $(NEWLIB)/include \
                  -isystem $(shell gcc -print-file-name=include)

SELFTEST_OBJ = $(patsubst %.c,$(SELFTEST_BUILD)/%.o,$(1))

$(SELFTEST_BUILD)/%.o: %.c $(BARE_READY) mk/bare.mk mk/selftest.mk
	@mkdir -p $(@D)
	@gcc $(SELFTEST_FLAGS) $(if $(filter tests/unit/%,$<),-Os \
	    -DSELFTEST_GROUP='"$(*F)"') -MMD -MP -c $< -o $@

$(SELFTEST_BUILD)/lib.a: $(call SELFTEST_OBJ,$(SELFTEST_LIB))
	@rm -f $@ && ar rcs $@ $^

$(SELFTEST_APART:tests/unit/%.c=$(SELFTEST_BUILD)/apart/%.o): \
    $(SELFTEST_BUILD)/apart/%.o: $(SELFTEST_BUILD)/tests/unit/%.o \
    $(SELFTEST_BUILD)/lib.a
	@mkdir -p $(@D)
	@ld -r -o $@ $^ && objcopy --keep-global-symbol=none $@

$(SELFTEST_BUILD)/selftest.o: \
    $(SELFTEST_APART:tests/unit/%.c=$(SELFTEST_BUILD)/apart/%.o) \
    $(call SELFTEST_OBJ,$(filter-out $(SELFTEST_APART),$(SELFTEST_TESTS)) \
        $(SELFTEST_FRAME)) $(SELFTEST_BUILD)/lib.a
	@ld -r -o $@ $^ && objcopy --keep-global-symbol=selftest $@

# ---- kernel and loader around them ----

$(SELFTEST_BUILD)/kernel.elf: $(BARE_OBJ) $(SELFTEST_BUILD)/selftest.o linker.ld
	@$(KERNEL_LINK)

$(SELFTEST_BUILD)/kernel.stripped: $(SELFTEST_BUILD)/kernel.elf
	@objcopy --strip-all $< $@

$(SELFTEST_BUILD)/boot/kernel.S.obj: boot/kernel.S $(SELFTEST_BUILD)/kernel.stripped
	@mkdir -p $(@D)
	@$(KERNEL_EMBED)

$(SELFTEST_EFI): $(filter-out %/kernel.S.obj,$(LOADER_OBJ)) \
    $(SELFTEST_BUILD)/boot/kernel.S.obj
	@$(LOADER_LINK)

-include $(wildcard $(SELFTEST_BUILD)/*/*.d $(SELFTEST_BUILD)/*/*/*.d)

## selftest-image: build/millrace-selftest.efi, with the tests that run inside it
.PHONY: selftest-image
selftest-image: $(SELFTEST_EFI)
	@tools/image-size $(SELFTEST_EFI) $(SELFTEST_BUILD)/kernel.elf $(SELFTEST_LIMIT)
