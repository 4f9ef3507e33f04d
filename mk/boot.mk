# Every way of booting, each up to frames that cross both ports of the model.

BOOT_TEST := $(PYTHON) -m pytest -q -p no:cacheprovider --tb=short tests/boot

.PHONY: boot-test boot-table

## boot-test: each way of booting in QEMU, up to forwarded frames (BOOT=word picks tests)
boot-test: efi model | setup-run setup-release
	@$(BOOT_TEST) $(if $(BOOT),-k '$(BOOT)')

## boot-table: the same, and its times go into docs/reference/boot.md
boot-table: efi model | setup-run setup-release
	@$(BOOT_TEST) --table docs/reference/boot.md
