# Measurements. They print numbers and judge nothing: a test that fails on a
# busy machine would only teach people to run it again.

BENCHES     := $(patsubst tests/bench/%.c,%,$(wildcard tests/bench/*.c))

$(BUILD)/bench/%: tests/bench/%.c $(CHIP:$(MODEL_DIR)/%.c=$(BUILD)/model/%.o)
	@mkdir -p $(@D)
	@gcc $(MODEL_FLAGS) $^ -o $@

# Makes a BENCH line of pairs of numbers.
BENCH_LINE := $(BUILD)/bench/guest/line

# ---- the appliance's own experiments, natively ----

LAB     := $(BUILD)/bench/lab/lab
LAB_PUB := $(BUILD)/bench/lab-published/lab
# Of the driver what both layouts share: the vector paths know line 0 by heart.
LAB_SRC := $(wildcard bench/*.c mm/*.c tests/bench/lab/*.c) \
           tests/bench/plat/plat.c \
           $(patsubst %,drivers/xl710/%.c,tx tx_fix tx_schemes)

# $(1) = folder, $(2) = flags
define LAB_RULES
$(BUILD)/bench/$(1)/%.o: %.c | setup-host
	@mkdir -p $$(@D)
	@gcc -std=gnu11 -O2 -g -fno-omit-frame-pointer $(C_WARNINGS) -no-pie \
	    -fno-pie -ffunction-sections -fdata-sections -pthread -Iinclude \
	    -Itests/bench/lab -I. $(2) -MMD -MP -c $$< -o $$@
$(BUILD)/bench/$(1)/lab: $(LAB_SRC:%.c=$(BUILD)/bench/$(1)/%.o)
	@gcc -no-pie -pthread -Wl,--gc-sections $$^ -o $$@
-include $(LAB_SRC:%.c=$(BUILD)/bench/$(1)/%.d)
endef
$(eval $(call LAB_RULES,lab,))
$(eval $(call LAB_RULES,lab-published,-DMBUF_LAYOUT_PUBLISHED))

## bench-lab: `bench` of the console as a Linux program (LAB_RUN='-q mbuf' for less)
.PHONY: bench-lab
LAB_RUN := all
bench-lab: $(LAB)
	@$(LAB) $(LAB_RUN)

## bench-layout: buffers with next in line 0 and in line 1, two builds in turn (ROUNDS=)
.PHONY: bench-layout
bench-layout: $(LAB) $(LAB_PUB) $(BENCH_LINE)
	@$(PYTHON) tests/bench/lab/layout.py --tool $(BENCH_LINE) \
	    $(if $(ROUNDS),--rounds $(ROUNDS)) $(LAB) $(LAB_PUB)

# ---- the driver's rings, on Linux, on registers that are memory ----

RING_FLAGS := -std=gnu11 -g -O2 -flto=2 -fno-omit-frame-pointer $(C_WARNINGS) \
              -Iinclude -Itests/bench/path -I. -pthread
RING_DEPS  := $(wildcard bench/*.h drivers/xl710/*.h include/millrace/*.h mm/*.h \
              net/*.h $(addprefix tests/bench/,path/*.h plat/*.h txfree/*.h))
PATH_C     := $(wildcard mm/*.c drivers/xl710/rx*.c drivers/xl710/tx*.c \
              drivers/xl710/forward*.c tests/bench/path/*.c tests/bench/plat/*.c) drivers/xl710/path.c \
              $(filter-out net/fwd%.c,$(wildcard net/*.c)) bench/stats.c \
              bench/line.c
TXFREE_C   := $(wildcard mm/*.c drivers/xl710/tx*.c tests/bench/plat/*.c) \
              tests/bench/path/quiet.c tests/bench/path/plat.c bench/stats.c \
              bench/line.c tests/bench/txfree/ours.c tests/bench/txfree/txfree.c

$(BUILD)/bench/path: $(PATH_C) $(RING_DEPS) | setup-host
	@mkdir -p $(@D)
	@gcc $(RING_FLAGS) $(PATH_C) -o $@

# DPDK's side is compiled as DPDK tells its users to.
$(BUILD)/bench/txfree: $(TXFREE_C) tests/bench/txfree/peer.c $(RING_DEPS) \
    | setup-bench
	@mkdir -p $(@D)
	@gcc -std=gnu11 -O2 -I. $$(pkg-config --cflags libdpdk) \
	    -c tests/bench/txfree/peer.c -o $@-peer.o
	@gcc $(RING_FLAGS) $(TXFREE_C) $@-peer.o -lrte_eal -lrte_mempool \
	    -lrte_mbuf -lrte_mempool_ring -lrte_ring -o $@

## bench-path: cycles of a packet from receive to transmit ring (CASES='words' picks some)
.PHONY: bench-path bench-txfree
bench-path: $(BUILD)/bench/path
	@$< $(CASES)

## bench-txfree: cycles to give one sent buffer back, ours and DPDK's
bench-txfree: $(BUILD)/bench/txfree
	@$<

# ---- inside QEMU, in instructions ----

$(BENCH_LINE): tests/bench/guest/line.c bench/line.c bench/stats.c \
    bench/line.h bench/stats.h | setup-host
	@mkdir -p $(@D)
	@gcc -std=gnu11 -O2 $(C_WARNINGS) -Iinclude -I. $(filter %.c,$^) -o $@

## bench-insn: guest instructions for a forwarded packet, ours and DPDK's (PEERS= leaves them out)
.PHONY: bench-insn bench-boot
PEERS := 22.11 24.11
bench-insn: efi model $(BENCH_LINE) | setup-run
	@$(PYTHON) tests/bench/guest/insn.py --tool $(BENCH_LINE) \
	    --dpdk '$(PEERS)' $(BENCH_OPTIONS)

## bench-boot: how big the image is, and its way from entry to forwarding
bench-boot: efi model $(BENCH_LINE) | setup-run
	@$(PYTHON) tests/bench/guest/boot.py --tool $(BENCH_LINE) $(BENCH_OPTIONS)

COUNT_PLUGIN := $(BUILD)/bench/guest/count.so
$(COUNT_PLUGIN): tests/bench/guest/count.c | setup-host
	@mkdir -p $(@D)
	@gcc -std=gnu11 -O2 $(C_WARNINGS) -fvisibility=hidden -shared -fPIC $< \
	    -o $@

## insn-profile: where the instructions of a packet are spent (ENGINE=io INSN_PATH=fused)
.PHONY: insn-profile
ENGINE    := io
INSN_PATH := fused
insn-profile: efi model $(COUNT_PLUGIN) | setup-run
	@$(PYTHON) tests/bench/guest/profile.py --plugin $(COUNT_PLUGIN) \
	    --engine $(ENGINE) --path $(INSN_PATH) \
	    --out $(BUILD)/bench/guest/$(ENGINE)-$(INSN_PATH).txt

# ---- pools, buffers and rings beside DPDK's ----

DPDK_C    := $(filter-out %/peer.c,$(wildcard mm/*.c tests/bench/dpdk/*.c)) \
             bench/stats.c bench/line.c tests/bench/plat/plat.c
DPDK_DEPS := $(wildcard bench/*.h mm/*.h include/millrace/*.h \
             tests/bench/dpdk/*.h tests/bench/plat/*.h) mk/bench.mk
# Static, so that its calls of its own library cost what they cost at best.
DPDK_LIBS := -Wl,--whole-archive -l:librte_mempool_ring.a \
             -l:librte_mempool_stack.a -Wl,--no-whole-archive -Wl,--start-group \
             $(patsubst %,-l:librte_%.a,mempool ring stack mbuf eal kvargs \
             telemetry) -Wl,--end-group -lnuma -lbsd -ldl -lm

# Both sides with the same flags, twice: as DPDK's package tells its users to
# compile, and as makes it fastest. $(1) = name, $(2) = flags
define DPDK_BENCH
$(BUILD)/bench/dpdk/$(1): $(DPDK_C) tests/bench/dpdk/peer.c $(DPDK_DEPS) \
    | setup-bench
	@mkdir -p $$(@D)
	@gcc -std=gnu11 -g $(2) -Wall -Wextra -I. -Iinclude -Itests/bench/plat \
	    $$$$(pkg-config --cflags-only-I libdpdk) -include rte_config.h \
	    -c tests/bench/dpdk/peer.c -o $$@-peer.o
	@gcc -std=gnu11 -g $(2) $(C_WARNINGS) -fno-omit-frame-pointer -no-pie \
	    -Iinclude -Itests/bench/plat -I. -pthread \
	    -DBENCH_FLAGS='"$(subst $(space),$(comma),$(2))"' $(DPDK_C) \
	    $$@-peer.o $(DPDK_LIBS) -o $$@
endef
comma := ,
space := $(subst ,, )
$(eval $(call DPDK_BENCH,debian,-O2 -march=corei7))
$(eval $(call DPDK_BENCH,native,-O3 -march=native))

## bench-dpdk: pools, buffers and rings, ours and DPDK's (ROWS='-p 30 ring' for some)
.PHONY: bench-dpdk
bench-dpdk: $(BUILD)/bench/dpdk/debian $(BUILD)/bench/dpdk/native
	@for b in $^; do $$b $(ROWS) || exit 1; done

# ---- all that needs no QEMU ----

BENCH_GOALS := bench-dpdk bench-txfree bench-layout

## bench: what it costs, beside DPDK: one BENCH line each (median of several blocks)
.PHONY: bench
bench: $(BENCHES:%=$(BUILD)/bench/%) $(BUILD)/bench/dpdk/debian \
    $(BUILD)/bench/dpdk/native $(BUILD)/bench/txfree $(LAB) $(LAB_PUB) \
    $(BENCH_LINE) | setup-bench
	@for b in $(BENCHES:%=$(BUILD)/bench/%); do $$b || exit 1; done
	@$(MAKE) --no-print-directory -j1 $(BENCH_GOALS)
