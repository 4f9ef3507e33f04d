# Source lists, written once.
#   CORE  both builds: everything that reaches the world through plat.h
#   BARE  the image only
#   BOOT_PURE  the loader's parts that know no firmware: loader and host tests
#   HOST  the host tests' machine; FAKE_PORT stands in for the driver in some
#   CHIP  the model of the NIC without I/O, also linked into host tests
#   MODEL_PARTS  what surrounds the chip: sockets, wires, control

CORE := $(wildcard $(addsuffix /*.c,mm drivers/xl710 net bench console)) \
        $(wildcard $(addprefix kernel/,$(addsuffix .c,\
            acpi acpi_tables acpi_cpu acpi_fadt pci pci_config pci_reset log stamp uart \
            uart_config calibrate ram framebuffer font \
            mailbox cores topology park nodes)))
BARE := $(filter-out $(CORE),$(wildcard kernel/*.c))
BARE_ASM := $(wildcard kernel/*.S)
BOOT_PURE := $(patsubst %,boot/%.c,devpath dhcp elf fetch format leave \
            memmap names options paging search sha256 smbios)
FAKE_PORT := tests/fake/port_fake.c
HOST := $(filter-out $(FAKE_PORT),$(wildcard tests/host/*.c tests/fake/*.c))
CHIP := $(wildcard tools/xl710-model/chip/*.c)
MODEL_PARTS := $(filter-out %/main.c,$(wildcard tools/xl710-model/*.c)) \
        $(wildcard $(addprefix tools/xl710-model/,base/*.c server/*.c wire/*.c ctl/*.c))
UNIT := $(wildcard tests/unit/*_test.c)
