# Drivers that others wrote, unmodified, on the model: it may judge ours only
# when they, which are known to work on silicon, find nothing odd about it.

.PHONY: conformance conformance-short

CONFORM := $(PYTHON) -m pytest -q -p no:cacheprovider --tb=short

# A small program of ours that the Linux guests run; static, to run anywhere.
FLOWS := $(BUILD)/conformance/flows
$(FLOWS): tests/conformance/linux/flows.c | setup-host
	@mkdir -p $(@D)
	@gcc -std=gnu11 -O1 -Wall -Wextra -Werror -static $< -o $@

## conformance: foreign drivers on the model: Linux, DPDK, iPXE (CONFORMANCE=word picks checks)
conformance: efi model $(FLOWS) | setup-conformance
	@$(CONFORM) $(if $(CONFORMANCE),-k '$(CONFORMANCE)') tests/conformance

## conformance-short: a few of them, in some minutes
conformance-short: efi model $(FLOWS) | setup-conformance
	@$(CONFORM) --short $(if $(CONFORMANCE),-k '$(CONFORMANCE)') \
	    tests/conformance

## bench-model-testpmd: processor time of the model and of a guest with testpmd, a packet
.PHONY: bench-model-testpmd
bench-model-testpmd: model | setup-conformance
	@$(PYTHON) tests/bench/model/testpmd.py
