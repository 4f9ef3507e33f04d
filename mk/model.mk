# The model of the NIC: a Linux program, once for speed and once with
# sanitizers, which is the one that the system tests start.

MODEL_DIR   := tools/xl710-model
MODEL       := $(wildcard $(addprefix $(MODEL_DIR)/,*.c */*.c))
MODEL_FLAGS := -std=gnu11 -g -O2 -fno-omit-frame-pointer -Wall -Wextra -Werror \
               -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
               -Wpointer-arith -I$(MODEL_DIR)

# $(1) = flavour, $(2) = its flags
define MODEL_RULES
$(BUILD)/$(1)/%.o: $(MODEL_DIR)/%.c | setup-host
	@mkdir -p $$(@D)
	@gcc $$(MODEL_FLAGS) $(2) -MMD -MP -c $$< -o $$@
$(BUILD)/$(1)/xl710-model: $(MODEL:$(MODEL_DIR)/%.c=$(BUILD)/$(1)/%.o)
	@gcc $(2) $$^ -lpcap -o $$@
-include $$(wildcard $(BUILD)/$(1)/*.d $(BUILD)/$(1)/*/*.d)
endef
$(eval $(call MODEL_RULES,model,))
$(eval $(call MODEL_RULES,model-asan,$(ASAN_FLAGS)))

## model: the XL710 model, build/model and, with sanitizers, build/model-asan
.PHONY: model
model: $(BUILD)/model/xl710-model $(BUILD)/model-asan/xl710-model
