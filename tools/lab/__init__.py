"""A laboratory on one machine: the NIC model, QEMU, a console, a verdict."""
