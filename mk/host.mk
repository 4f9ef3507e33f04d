# Unit tests on the host: each tests/unit/*_test.c is a program, built three
# times: gcc and clang with ASan and UBSan, and gcc with TSan for the files
# named *_mt_test.c (more than one thread).

HOST_WARN  := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes \
              -Wmissing-prototypes -Wpointer-arith
HOST_FLAGS := -std=gnu11 -g -O1 -fno-omit-frame-pointer $(HOST_WARN) \
              -Iinclude -Itests/host -Itools/xl710-model -I. -pthread \
              -DMILLRACE_HOST
ASAN_FLAGS := -fsanitize=address,undefined -fno-sanitize-recover=all

FLAVOURS   := gcc clang tsan
CC_gcc     := gcc
CC_clang   := clang
CC_tsan    := gcc
FLAGS_gcc  := $(ASAN_FLAGS)
FLAGS_clang := $(ASAN_FLAGS)
# TSan does not see fences (ours order device memory only), and its own code
# makes gcc see uninitialised variables where there are none.
FLAGS_tsan := -fsanitize=thread -Wno-tsan -Wno-maybe-uninitialized
TESTS_gcc  := $(UNIT)
TESTS_clang := $(UNIT)
TESTS_tsan := $(filter %_mt_test.c,$(UNIT))

UNIT_LIB := $(CORE) $(BOOT_PURE) $(HOST) $(CHIP) $(MODEL_PARTS) \
            tests/unit/main.c

# Tests whose ports are FAKE_PORT: named before the library, it keeps the
# driver's port.h from being taken out of it.
FAKE_PORT_TESTS := $(addsuffix _test,app cmd_queue cmd_selftest command config \
                     console engine fwd fwd_cores fwd_mt lcore numa options \
                     session)

# $(1) = flavour
define FLAVOUR_RULES
$(BUILD)/$(1)/%.o: %.c | setup-host
	@mkdir -p $$(@D)
	@$$(CC_$(1)) $$(HOST_FLAGS) $$(FLAGS_$(1)) -MMD -MP -c $$< -o $$@
$(BUILD)/$(1)/libunit.a: $(UNIT_LIB:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@ && ar rcs $$@ $$^
$(BUILD)/$(1)/bin/%: $(BUILD)/$(1)/tests/unit/%.o $(BUILD)/$(1)/libunit.a \
    $(FAKE_PORT:%.c=$(BUILD)/$(1)/%.o)
	@mkdir -p $$(@D)
	@$$(CC_$(1)) $$(FLAGS_$(1)) $$< $(BUILD)/$(1)/tests/unit/main.o \
	    $$(if $$(filter $$*,$$(FAKE_PORT_TESTS)),$(FAKE_PORT:%.c=$(BUILD)/$(1)/%.o)) \
	    $(BUILD)/$(1)/libunit.a -lcmocka -lpcap -lpthread -o $$@
unit-$(1): $$(TESTS_$(1):tests/unit/%.c=$(BUILD)/$(1)/bin/%)
	@tests/run-unit $(1) $$(sort $$^)
.PHONY: unit-$(1)
-include $$(wildcard $(BUILD)/$(1)/*/*.d $(BUILD)/$(1)/*/*/*.d $(BUILD)/$(1)/*/*/*/*.d)
endef
$(foreach f,$(FLAVOURS),$(eval $(call FLAVOUR_RULES,$(f))))

UNIT_PROGRAMS := $(foreach f,$(FLAVOURS),\
                   $(TESTS_$(f):tests/unit/%.c=$(BUILD)/$(f)/bin/%))

# Compiling takes longest, so it takes every processor; what then runs is told
# in its order. A make that was given -j keeps its own number.
IN_PARALLEL = +@$(MAKE) --no-print-directory \
              $(if $(filter -j%,$(MAKEFLAGS)),,-j$(shell nproc))

.PHONY: unit-programs
unit-programs:
	$(IN_PARALLEL) $(UNIT_PROGRAMS)

## unit: the unit tests, with gcc and clang under ASan+UBSan, threads under TSan
.PHONY: unit
unit: unit-programs
	@$(MAKE) --no-print-directory $(FLAVOURS:%=unit-%)

.PHONY: setup-host
ifeq ($(wildcard mk/setup.mk),)
setup-host: ;
endif
