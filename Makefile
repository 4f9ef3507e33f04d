# Millrace - the only entry point. `make help` explains every target.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
# Alone on its line: with names behind it anywhere, it would keep only those.
.SECONDARY:
.DEFAULT_GOAL := help

include mk/dirs.mk
include mk/sources.mk
-include mk/setup.mk
-include mk/bare.mk
-include mk/selftest.mk
include mk/host.mk
-include mk/console.mk
-include mk/model.mk
-include mk/image.mk
-include mk/system.mk
-include mk/boot.mk
-include mk/conformance.mk
-include mk/fuzz.mk
-include mk/bench.mk
-include mk/soak.mk
-include mk/mutants.mk
include mk/checks.mk

## help: this list
.PHONY: help
help:
	@echo "Millrace: a network appliance with nothing under it"
	@echo
	@sed -n 's/^## \([a-z-]*\): /  \1\t/p' $(MAKEFILE_LIST) | expand -t 16

## check: what needs no QEMU: unit tests, layers, headers, format (the inner loop)
.PHONY: check
check: unit fuzz-replay lab-check commands-check layers rows headers format pe

## test: everything that must pass: check, then what runs in QEMU
.PHONY: test
test: check release-check reproducible system boot-test conformance-short soak-minute

## clean: remove what was built, keep the caches
.PHONY: clean
clean:
	rm -rf $(BUILD) out

## distclean: clean, and name the cache that all clones share
.PHONY: distclean
distclean: clean
	@echo "The shared cache stays: $(CACHE)"
