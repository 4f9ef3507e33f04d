# Where things go. CACHE is shared by all clones; everything else is in BUILD.
BUILD  := build
CACHE  := $(if $(XDG_CACHE_HOME),$(XDG_CACHE_HOME),$(HOME)/.cache)/millrace
# Debian's own interpreter: the one that sees Debian's python3-* packages.
PYTHON := /usr/bin/python3
