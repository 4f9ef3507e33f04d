# Measurements. They print numbers and judge nothing: a test that fails on a
# busy machine would only teach people to run it again.

BENCHES     := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/*.c))

$(BUILD)/bench/%: tests/bench/%.c $(CHIP:$(MODEL_DIR)/%.c=$(BUILD)/model/%.o)
	@mkdir -p $(@D)
	@gcc $(MODEL_FLAGS) $^ -o $@

## bench: what it costs, one BENCH line each (median of several blocks)
.PHONY: bench
bench: $(BENCHES:%=$(BUILD)/bench/%) | setup-host
	@for b in $(BENCHES:%=$(BUILD)/bench/%); do $$b || exit 1; done
