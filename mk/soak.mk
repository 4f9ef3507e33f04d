# Random operations on pools, buffers, rings and transmit queues, each object
# accounted for. Three builds see different mistakes:
#
#   native  -O2 and threads, for numbers: what the product compiles
#   tsan    threads: orders that are missing
#   asan    cores that take turns in one thread, so that a seed repeats a run;
#           every get and put is checked, too
#
# SECONDS bounds all three together; without it, native does OPERATIONS.

SOAK_LIB    := $(wildcard mm/*.c $(addprefix drivers/xl710/,\
                 tx*.c rx*.c forward*.c path.c))
SOAK_C      := $(wildcard tests/soak/*.c)
SOAK_FLAGS  := -std=gnu11 -g $(C_WARNINGS) -Itests/soak -Iinclude -I. -pthread
SOAK_BUILDS := native asan tsan

SOAK_FLAGS_native := -O2
SOAK_FLAGS_asan   := -O1 -fno-omit-frame-pointer $(ASAN_FLAGS) -DMEMPOOL_CHECKS=1
SOAK_FLAGS_tsan   := -O1 $(FLAGS_tsan)

# $(1) = build
define SOAK_RULES
$(BUILD)/soak/$(1)/%.o: %.c mk/soak.mk | setup-host
	@mkdir -p $$(@D)
	@gcc $(SOAK_FLAGS) $(SOAK_FLAGS_$(1)) -MMD -MP -c $$< -o $$@
$(BUILD)/soak/$(1)/soak: $(SOAK_LIB:%.c=$(BUILD)/soak/$(1)/%.o) \
    $(SOAK_C:%.c=$(BUILD)/soak/$(1)/%.o)
	@gcc $(SOAK_FLAGS) $(SOAK_FLAGS_$(1)) $$^ -o $$@
-include $$(wildcard $(BUILD)/soak/$(1)/*/*.d $(BUILD)/soak/$(1)/*/*/*.d)
endef
$(foreach b,$(SOAK_BUILDS),$(eval $(call SOAK_RULES,$(b))))

# Of SECONDS, a quarter goes to each sanitizer; both are short without it. Who
# stops moving is stopped: locks are part of what is soaked.
SOAK_PART   := $(if $(SECONDS),$(shell expr $(SECONDS) / 4),20)
SOAK_REST   := $(if $(SECONDS),$(shell expr $(SECONDS) - 2 \* $(SOAK_PART)))
SOAK_SEED   := $(if $(SEED),--seed=$(SEED))
SOAK_STUCK  := 300
OPERATIONS  ?= 1000000000

# $(1) = build, $(2) = seconds or nothing
SOAK_RUN = $(if $(2),timeout $(shell expr $(2) + $(SOAK_STUCK))) \
           $(BUILD)/soak/$(1)/soak $(SOAK_SEED) $(if $(2),--seconds=$(2))

## soak: 10^9 random operations, every object accounted for (SECONDS=, OPERATIONS=, SEED=)
.PHONY: soak
soak: $(SOAK_BUILDS:%=$(BUILD)/soak/%/soak)
	@$(call SOAK_RUN,asan,$(SOAK_PART)) --turns --between=3000
	@$(call SOAK_RUN,tsan,$(SOAK_PART)) --between=1000
	@$(call SOAK_RUN,native,$(SOAK_REST)) --operations=$(OPERATIONS)

# What `make test` has time for.
.PHONY: soak-minute
soak-minute:
	@$(MAKE) --no-print-directory soak SECONDS=60
