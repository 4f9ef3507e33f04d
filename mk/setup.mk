# What a goal needs is installed on the way to it (tools/setup); when it is all
# there, a check costs some tens of milliseconds and prints nothing.
.PHONY: setup-host setup-image setup-run setup-conformance setup-bench \
    setup-release
setup-host setup-image setup-run setup-conformance setup-bench \
    setup-release: setup-%:
	@tools/setup $*
