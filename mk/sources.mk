# Source lists, written once.
#   CORE  both builds: everything that reaches the world through plat.h
#   BARE  the image only
#   HOST  the host tests' machine
#   CHIP  the model of the NIC without I/O, also linked into host tests

CORE := $(wildcard mm/*.c drivers/xl710/*.c net/*.c console/*.c) \
        $(wildcard $(addprefix kernel/,$(addsuffix .c,acpi pci log stamp uart)))
BARE := $(filter-out $(CORE),$(wildcard kernel/*.c))
BARE_ASM := $(wildcard kernel/*.S)
HOST := $(wildcard tests/host/*.c tests/fake/*.c)
CHIP := $(wildcard tools/xl710-model/chip/*.c)
UNIT := $(wildcard tests/unit/*_test.c)
