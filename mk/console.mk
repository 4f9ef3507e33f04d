# Host tools made of the console's own sources: the checker of configurations,
# and the page that is printed from the grammar.

HOSTTOOL       := $(BUILD)/hosttools
HOSTTOOL_FLAGS := -std=gnu11 -g -O1 $(HOST_WARN) -Itools/console -Iinclude -I.
HOSTTOOL_LIB   := $(filter-out kernel/log.c,$(CORE)) tools/console/machine.c

$(HOSTTOOL)/%.o: %.c | setup-host
	@mkdir -p $(@D)
	@gcc $(HOSTTOOL_FLAGS) -MMD -MP -c $< -o $@
# Tools without a machine take out of it what they use.
$(HOSTTOOL)/libconsole.a: $(HOSTTOOL_LIB:%.c=$(HOSTTOOL)/%.o)
	@rm -f $@ && ar rcs $@ $^
$(HOSTTOOL)/millrace-check: $(HOSTTOOL)/tools/console/check.o
$(HOSTTOOL)/reference: $(HOSTTOOL)/tools/console/reference.o
$(HOSTTOOL)/millrace-check $(HOSTTOOL)/reference: $(HOSTTOOL)/libconsole.a
	@gcc $(filter %.o,$^) $(filter %.a,$^) -o $@
-include $(wildcard $(HOSTTOOL)/*/*.d $(HOSTTOOL)/*/*/*.d)

.PHONY: millrace-check commands commands-check

## millrace-check: build/hosttools/millrace-check, the checker of configurations
millrace-check: $(HOSTTOOL)/millrace-check

## commands: docs/reference/commands.md, anew from the grammar
commands: $(HOSTTOOL)/reference
	@$< >docs/reference/commands.md

## commands-check: is docs/reference/commands.md what the grammar says?
commands-check: $(HOSTTOOL)/reference
	@$< | diff -u docs/reference/commands.md - || \
	    { echo "commands.md is not current: run make commands"; exit 1; }
	@echo "commands: ok"
