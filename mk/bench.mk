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

# ---- inside QEMU, in instructions ----

BENCH_LINE := $(BUILD)/bench/guest/line
$(BENCH_LINE): tests/bench/guest/line.c bench/line.c bench/stats.c \
    bench/line.h bench/stats.h | setup-host
	@mkdir -p $(@D)
	@gcc -std=gnu11 -O2 $(C_WARNINGS) -Iinclude -I. $(filter %.c,$^) -o $@

## bench-insn: guest instructions for a forwarded packet, ours and DPDK's (PEERS= leaves them out)
.PHONY: bench-insn bench-boot
PEERS := 22.11 24.11
bench-insn: image model $(BENCH_LINE) | setup-run
	@$(PYTHON) tests/bench/guest/insn.py --tool $(BENCH_LINE) \
	    --dpdk '$(PEERS)' $(BENCH_OPTIONS)

## bench-boot: how big the image is, and its way from entry to forwarding
bench-boot: image model $(BENCH_LINE) | setup-run
	@$(PYTHON) tests/bench/guest/boot.py --tool $(BENCH_LINE) $(BENCH_OPTIONS)

COUNT_PLUGIN := $(BUILD)/bench/guest/count.so
$(COUNT_PLUGIN): tests/bench/guest/count.c | setup-host
	@mkdir -p $(@D)
	@gcc -std=gnu11 -O2 $(C_WARNINGS) -fvisibility=hidden -shared -fPIC $< \
	    -o $@

## insn-profile: where the instructions of a packet are spent (ENGINE=io INSN_PATH=best)
.PHONY: insn-profile
ENGINE    := io
INSN_PATH := best
insn-profile: image model $(COUNT_PLUGIN) | setup-run
	@$(PYTHON) tests/bench/guest/profile.py --plugin $(COUNT_PLUGIN) \
	    --engine $(ENGINE) --path $(INSN_PATH) \
	    --out $(BUILD)/bench/guest/$(ENGINE)-$(INSN_PATH).txt
