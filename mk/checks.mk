# Checks of the tree itself.

C_FILES = $(shell git ls-files -co --exclude-standard '*.c' '*.h')

## layers: does each #include respect who may know whom?
.PHONY: layers
layers:
	@$(PYTHON) tools/check-layers

## rows: does a test carry each row of the data path's tables?
.PHONY: rows
rows:
	@$(PYTHON) tools/check-rows

## headers: does each header compile alone?
.PHONY: headers
headers: | setup-host setup-image
	@tools/check-headers $(filter %.h,$(C_FILES))

## format: is every C file as clang-format leaves it?
.PHONY: format
format: | setup-host
	@clang-format --dry-run -Werror $(C_FILES) && echo "format: ok"

## format-fix: let clang-format mend them
.PHONY: format-fix
format-fix:
	@clang-format -i $(C_FILES)
