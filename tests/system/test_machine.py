"""The machine under the appliance: console port, ACPI, PCI, NMI, power.

The console is read to its end before QEMU's exit is waited for: a socket that
nobody reads fills after some hundred bytes, and the guest drops the rest.
"""

import re
import struct
import subprocess
import time

import pexpect
import pytest

from lab import paths


def spcr(tmp_path, port, baud_code, bytes_kept=None):
    """QEMU arguments that add an SPCR naming an I/O port."""
    body = struct.pack("<B3x", 0)                      # a full 16550
    body += struct.pack("<BBBBQ", 1, 8, 0, 1, port)    # I/O, 8 bits
    body += struct.pack("<BBI", 0, 0, 0)               # no interrupt
    body += struct.pack("<BBBBBB", baud_code, 0, 1, 0, 3, 0)
    body += struct.pack("<HHBBBIBI", 0xFFFF, 0xFFFF, 0, 0, 0, 0, 0, 0)
    data = tmp_path / "spcr.bin"
    data.write_bytes(body[:bytes_kept])
    return ["-acpitable", "sig=SPCR,rev=2,data=%s" % data]


def wait_for_file(path, pattern, timeout=60):
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        text = path.read_text(errors="replace") if path.exists() else ""
        if re.search(pattern, text):
            return text
        time.sleep(0.1)
    raise AssertionError("%s not in %s" % (pattern, text))


def second_port(tmp_path):
    return ["-serial", "file:%s" % (tmp_path / "com2")]


def test_spcr_chooses_the_console(bench, tmp_path):
    bench.boot(wires=(), cmdline="", prompt=False,
               extra=second_port(tmp_path) + spcr(tmp_path, 0x2F8, 7))
    text = wait_for_file(tmp_path / "com2", "millrace> ")
    assert "console: port 0x2f8 (SPCR), rate 115200" in text


def test_the_option_overrides_spcr(bench, tmp_path):
    bench.boot(wires=(), cmdline="console=ttyS0",
               extra=second_port(tmp_path) + spcr(tmp_path, 0x2F8, 7))
    assert "console: port 0x3f8 (console= option)" in bench.banner


def test_a_console_that_does_not_answer_is_passed_over(bench, tmp_path):
    bench.boot(wires=(), cmdline="console=ttyS3",
               extra=spcr(tmp_path, 0x3E8, 7))
    assert "no UART answers at port 0x2e8 (console= option)" in bench.banner
    assert "no UART answers at port 0x3e8 (SPCR)" in bench.banner
    assert "console: port 0x3f8 (default)" in bench.banner


@pytest.mark.parametrize("kept", [1, 20, 43])
def test_a_truncated_spcr_is_ignored_with_a_line(bench, tmp_path, kept):
    bench.boot(wires=(), cmdline="", extra=spcr(tmp_path, 0x2F8, 7, kept))
    assert "SPCR has %d bytes, at least 80 expected; ignored" % (36 + kept) \
        in bench.banner


def test_a_second_root_bus_and_its_bridges_are_found(bench):
    console = bench.boot(wires=(), cmdline="", extra=[
        "-device", "pxb-pcie,id=far,bus_nr=0x40",
        "-device", "pcie-root-port,id=rp9,bus=far,chassis=9,slot=9",
        "-device", "virtio-rng-pci,bus=rp9,romfile="])
    text = console.run("show pci")
    assert re.search(r"0000:40:00\.0 .*1b36:000c", text), text
    assert re.search(r"0000:41:00\.0 .*1af4:1044", text), text


def test_the_clock_has_two_sources_that_agree(bench):
    bench.boot(wires=(), cmdline="")
    rates = re.search(r"HPET (\d+), PM timer (\d+)", bench.banner)
    hpet, pm = (int(x) for x in rates.groups())
    assert abs(hpet - pm) / hpet < 0.01
    assert "Hz from HPET" in bench.banner


def test_without_hpet_the_pm_timer_serves(bench):
    bench.boot(wires=(), cmdline="", extra=["-machine", "hpet=off"])
    assert "Hz from PM timer" in bench.banner


def test_an_nmi_is_dumped(bench):
    console = bench.boot(wires=(), cmdline="debug-exit=0xf4")
    bench.machine.qmp("inject-nmi")
    console.spawn.expect(pexpect.EOF)
    assert bench.machine.wait(30) == 2 * 99 + 1
    assert "panic on core 0: non-maskable interrupt" in console.spawn.before


def test_an_unexpected_interrupt_is_counted_and_survived(bench):
    console = bench.boot(wires=(), cmdline="")
    assert "traps: 1 interrupts" in console.run("debug fault stray-interrupt")
    assert "traps: 2 interrupts" in console.run("debug fault stray-interrupt")


def test_after_a_panic_the_machine_starts_again(bench):
    console = bench.boot(wires=(), cmdline="panic=1")
    console.send("debug fault panic\r")
    console.wait_for("rebooting in 1 seconds")
    console.wait_prompt(timeout=60)


def test_a_dump_gets_names(bench):
    console = bench.boot(wires=(), cmdline="debug-exit=0xf4")
    console.send("debug fault divide\r")
    console.spawn.expect(pexpect.EOF)
    tree = paths.EFI.parent.parent
    named = subprocess.run([tree / "tools" / "symbolize"], check=True,
                           input=console.spawn.before, capture_output=True,
                           text=True).stdout
    assert re.search(r"divide kernel/fault_test\.c:\d+", named)
    assert re.search(r"kmain kernel/main\.c:\d+", named)
