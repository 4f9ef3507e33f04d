# Goals that start the image in QEMU on the NIC model.

.PHONY: model run system lab-check

## run: boot in QEMU and forward real captures between two XL710 ports (PCAP=file for your own)
run: efi model | setup-run
	@$(PYTHON) tools/run $(if $(PCAP),--pcap '$(PCAP)') $(RUN_OPTIONS)

## system: the image in QEMU on the model: forwarding, resets, faults (SYSTEM=word picks tests)
system: efi selftest-image model | setup-run
	@$(PYTHON) -m pytest -q -n 2 -p no:cacheprovider $(if $(SYSTEM),-k '$(SYSTEM)') tests/system

## lab-check: the laboratory's own tools, without QEMU
lab-check: | setup-run
	@$(PYTHON) -m pytest -q -p no:cacheprovider tests/lab
