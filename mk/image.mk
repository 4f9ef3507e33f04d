# The files of a release, in out/: what each way of booting needs, what a crash
# needs to be read, what is in it and under which licences.

OUT := out

## image: out/, all files of a release (CONF=file goes on disk and CD as millrace.conf)
.PHONY: image
image: $(EFI) $(BUILD)/model/xl710-model $(HOSTTOOL)/millrace-check | setup-release
	@$(PYTHON) tools/make-image --version '$(VERSION)' --efi $(EFI) \
	    --kernel $(BUILD)/kernel.elf --map $(BARE_BUILD)/kernel.map \
	    --model $(BUILD)/model/xl710-model \
	    --checker $(HOSTTOOL)/millrace-check $(if $(CONF),--config '$(CONF)') \
	    --out $(OUT)

## pe: is the image's file one that strict loaders and signers take?
.PHONY: pe
pe: $(EFI)
	@tools/pe check $(EFI)

## release-check: the files of a release, looked at with other tools
.PHONY: release-check
release-check: image | setup-run
	@$(PYTHON) -m pytest -q -p no:cacheprovider tests/release

## reproducible: is out/ the same, byte for byte, when built elsewhere?
.PHONY: reproducible
reproducible: image
	@tests/release/elsewhere $(OUT)
