# Fuzzing: each tests/fuzz/*_fuzz.c is a target. With libFuzzer it searches;
# without, as part of `make check`, it only runs the inputs that are kept.

FUZZ_S      ?= 30
FUZZ_TARGETS := $(filter $(or $(FUZZ),%),$(patsubst tests/fuzz/%_fuzz.c,%,\
                    $(sort $(wildcard tests/fuzz/*_fuzz.c))))
FUZZ_LIB    := $(CORE) $(BOOT_PURE) $(HOST) $(CHIP) $(MODEL_PARTS) \
               tests/fuzz/guest.c tests/fuzz/failed.c
FUZZ_FLAGS  := $(ASAN_FLAGS) -fsanitize=fuzzer-no-link -O2
# These stand on a machine whose ports are made of memory.
FUZZ_FAKE_PORT := $(addsuffix _fuzz,config console line load_options)

# $(1) = flavour, $(2) = the program's main, $(3) = its linker flags
define FUZZ_RULES
$(BUILD)/$(1)/libfuzz.a: $(FUZZ_LIB:%.c=$(BUILD)/$(1)/%.o)
	@rm -f $$@ && ar rcs $$@ $$^
$(BUILD)/$(1)/fuzz/%: $(BUILD)/$(1)/tests/fuzz/%.o $(2) \
    $(BUILD)/$(1)/libfuzz.a $(FAKE_PORT:%.c=$(BUILD)/$(1)/%.o)
	@mkdir -p $$(@D)
	@$$(CC_$(1)) $$(FLAGS_$(1)) $(3) $$< $(2) \
	    $$(if $$(filter $$*,$$(FUZZ_FAKE_PORT)),$(FAKE_PORT:%.c=$(BUILD)/$(1)/%.o)) \
	    $(BUILD)/$(1)/libfuzz.a -lcmocka -lpcap -lpthread -o $$@
endef

# gcc and clang have their object rules in host.mk; this is the third flavour.
CC_fuzz    := clang
FLAGS_fuzz := $(FUZZ_FLAGS)
$(BUILD)/fuzz/%.o: %.c | setup-host
	@mkdir -p $(@D)
	@clang $(HOST_FLAGS) $(FUZZ_FLAGS) -MMD -MP -c $< -o $@
# The benches themselves are nothing to explore.
$(HOST:%.c=$(BUILD)/fuzz/%.o) $(BUILD)/fuzz/tests/fuzz/guest.o: FUZZ_FLAGS := $(ASAN_FLAGS) -O2
-include $(wildcard $(BUILD)/fuzz/*/*.d $(BUILD)/fuzz/*/*/*.d $(BUILD)/fuzz/*/*/*/*.d)

$(eval $(call FUZZ_RULES,gcc,$(BUILD)/gcc/tests/fuzz/replay.o,))
$(eval $(call FUZZ_RULES,clang,$(BUILD)/clang/tests/fuzz/replay.o,))
$(eval $(call FUZZ_RULES,fuzz,,-fsanitize=fuzzer))

## fuzz: search for inputs that break us, FUZZ_S=30 seconds for each target (FUZZ=name picks one)
.PHONY: fuzz
fuzz: $(FUZZ_TARGETS:%=$(BUILD)/fuzz/fuzz/%_fuzz)
	@tests/fuzz/search $(BUILD)/fuzz $(FUZZ_S) $(FUZZ_TARGETS)

REPLAYED := $(foreach c,gcc clang,$(FUZZ_TARGETS:%=$(BUILD)/$(c)/fuzz/%_fuzz))

## fuzz-replay: the inputs that are kept, with gcc and clang under ASan+UBSan
.PHONY: fuzz-replay
fuzz-replay:
	$(IN_PARALLEL) $(REPLAYED)
	@tests/fuzz/replay $(REPLAYED)
