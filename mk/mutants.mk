# Known mistakes, made on purpose in a copy of the tree: each must be noticed by
# the test that is named with it. Takes minutes; no part of `make test`.

## mutants: does a test fail for each known mistake? (MUTANTS=words picks some)
.PHONY: mutants
mutants: | setup-host
	@tests/mutants/run $(MUTANTS)
