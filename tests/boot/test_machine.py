"""By -kernel, on machines that are small, large or odd."""

import pytest
from station import IO_OPTIONS, MACSWAP, io, macswap

from lab import paths

EFI = paths.EFI


@pytest.mark.parametrize("cores, mib", [(1, 256), (2, 512), (4, 4096),
                                        (8, 65536)])
def test_cores_and_memory(station, cores, mib):
    """Memory is sparse: who touches all of it at the start would be seen."""
    station.boot(efi=EFI, cmdline=IO_OPTIONS, cores=cores, memory=mib)
    assert "loader: configuration: none" in station.banner
    if cores > 1:
        assert ("smp: %d of %d other cores are ready" % (cores - 1, cores - 1)
                in station.banner)
    station.forwards(io, "-kernel, %d core%s, %d MiB" % (
        cores, "s"[:cores > 1], mib))


def test_memory_above_a_tebibyte(station):
    """QEMU puts what is above 4 GiB there when AMD's hole would be in its way:
    half of the memory, at 1 TiB."""
    station.boot(efi=EFI, cmdline=IO_OPTIONS, memory=4096, extra=[
        "-cpu", "EPYC,phys-bits=48", "-m", "4G,slots=2,maxmem=1200G"])
    station.forwards(io)
    regions = station.guest.qmp("human-monitor-command",
                                **{"command-line": "info mtree -f"})
    assert "0000010000000000-000001007fffffff" in regions
    assert "memory: 4" in station.banner or "memory: 3" in station.banner


def test_gaps_in_apic_ids_and_x2apic_by_the_firmware(station):
    """Three cores a package make ids with gaps; one above 254 makes OVMF switch
    all cores to x2APIC before we come."""
    station.boot(efi=EFI, cmdline=IO_OPTIONS,
                 cores="6,sockets=100,cores=3,maxcpus=300",
                 extra=["-device", "max-x86_64-cpu,socket-id=99,core-id=1,"
                                   "thread-id=0"])
    assert "smp: 6 of 6 other cores are ready" in station.banner
    station.forwards(io)


@pytest.mark.parametrize("screen", [["-device", "VGA"], []],
                         ids=["a screen", "no screen"])
def test_without_a_serial_port(station, tmp_path, screen):
    """Nothing to talk to: it forwards all the same."""
    conf = tmp_path / "millrace.conf"
    conf.write_bytes(MACSWAP)
    station.machine(efi=EFI, config=conf, serial=False, extra=screen)
    station.forwards(macswap)


def test_options_that_do_not_fit_configure_nothing(station):
    """5000 characters; what is left of them may not be acted upon."""
    word = "--file-prefix=%s " % ("x" * 85)
    station.boot(efi=EFI, wires=["wire=sink"], cmdline=50 * word + IO_OPTIONS)
    errors = [line for line in station.banner.splitlines() if "error:" in line]
    assert len(errors) == 1, station.banner
    assert "load options of" in errors[0] and "were cut" in errors[0]


def test_a_configuration_that_was_asked_for_must_be_there(station):
    station.boot(efi=EFI, wires=["wire=sink"],
                 cmdline="config=dut7.conf " + IO_OPTIONS)
    errors = [line for line in station.banner.splitlines() if "error:" in line]
    assert len(errors) == 1, station.banner
    assert "config=dut7.conf is nowhere" in errors[0]
