"""From firmware to forwarding, and every way in which that can go wrong."""

import re

import pytest

from test_forward import wait_until

STAMPS = ("entry", "memory", "pci", "nic", "link", "forwarding")


def test_stages_are_stamped_in_order_and_quit_powers_off(bench):
    console = bench.boot(("wire=gen,size=64", "wire=sink"), prompt=False)
    line = console.wait_for(r"stamps: us since entry: ([^\r]*)\r", 60).group(1)
    console.wait_prompt()
    at = [int(re.search(r"\b%s (\d+)" % s, line).group(1)) for s in STAMPS]
    assert at == sorted(at)
    assert bench.quit() == 0


def test_reboot_starts_again(bench):
    console = bench.boot()
    console.send("reboot\r")
    console.wait_for("Rebooting")
    console.wait_prompt(timeout=60)
    assert "Link status: up" in console.run("show port info 0")


def test_options_reach_the_ports(bench):
    console = bench.boot(cmdline="-- --rxd=512 --txd=1056 --burst=8 "
                                 "--forward-mode=macswap --auto-start")
    text = console.run("show config rxtx") + console.run("show config fwd")
    assert "RX desc=512" in text and "TX desc=1056" in text
    assert "macswap packet forwarding" in text
    assert "packets/burst=8" in console.run("show config rxtx")


def test_configuration_arrives_and_is_applied(bench, tmp_path):
    conf = tmp_path / "millrace.conf"
    conf.write_text("version 1\n# as at the prompt\nset burst 16\n"
                    "set fwd macswap\nstart\n")
    console = bench.boot(cmdline="", config=conf)
    assert "fw_cfg" in bench.banner
    text = console.run("show config rxtx")
    assert "macswap packet forwarding packets/burst=16" in text


def test_a_bad_configuration_line_is_one_clear_line(bench, tmp_path):
    conf = tmp_path / "millrace.conf"
    conf.write_text("version 1\nset burst 16\nset fwd sideways\n")
    console = bench.boot(cmdline="", config=conf)
    errors = [x for x in bench.banner.splitlines() if "error:" in x]
    assert len(errors) == 1
    assert re.search(r"fw_cfg:3:9:", errors[0]), errors
    assert "sideways" in errors[0] and "expected io" in errors[0]
    # Nothing half-configured: line 2 was right and is not in force either.
    assert "packets/burst=32" in console.run("show config rxtx")


@pytest.mark.parametrize("words, expected", [
    ("-- --bogus=3", r'"--bogus=3": not known here'),
    ("-- --rxd=1000", r"multiple of 32"),
    ("-- --rxq=65", r"--rxq=65"),
    ("-- --total-num-mbufs=100", r"4096|at least|needs"),
    ("-a 0000:77:00.0 --", r"0000:77:00.0"),
])
def test_a_wrong_option_is_named_and_the_console_comes_up(bench, words,
                                                          expected):
    console = bench.boot(cmdline=words)
    errors = [x for x in bench.banner.splitlines() if "error:" in x]
    assert len(errors) == 1 and re.search(expected, errors[0]), bench.banner
    assert "Millrace" in console.run("show version")


def test_too_little_memory_is_one_clear_line(bench):
    console = bench.boot(cmdline="-- --total-num-mbufs=4000000 --auto-start",
                         memory=256)
    lines = [x for x in bench.banner.splitlines() if "mempool" in x]
    assert len(lines) == 1 and "error:" in lines[0], bench.banner
    assert "Millrace" in console.run("show version")


def test_without_a_nic_the_console_says_so(bench):
    console = bench.boot(wires=())
    assert re.search(r"error: .*no (usable )?(NIC|port)", bench.banner)
    assert "Millrace" in console.run("show version")
    assert bench.quit() == 0


def test_an_unknown_nic_is_left_alone_and_named(bench):
    bench.boot(model_options=["--device-id", "10fb"])
    assert re.search(r"8086:10fb", bench.banner), bench.banner
    assert re.search(r"error: .*no (usable )?(NIC|port)", bench.banner)


def test_firmware_in_recovery_mode_is_said_in_words(bench):
    console = bench.boot(faults=("recovery",))
    errors = [x for x in bench.banner.splitlines() if "error:" in x]
    assert len(errors) == 2, bench.banner
    for function, error in zip(("01:00.0", "01:00.1"), errors):
        assert function in error and "recovery mode" in error
    assert "Millrace" in console.run("show version")


def test_an_admin_queue_that_never_answers_ends_in_one_line(bench):
    console = bench.boot(faults=("pf=0 lost 0001 1000",))
    errors = [x for x in bench.banner.splitlines()
              if "error:" in x and "01:00.0" in x]
    assert len(errors) == 1 and "no answer" in errors[0], bench.banner
    # The other function is well and comes up.
    assert "0000:01:00.1" in console.run("show port info 0")


def test_twenty_warm_resets_under_traffic(bench):
    wires = ("wire=gen,size=64-1518", "wire=gen,size=64-1518")
    console = bench.boot(wires)
    for _ in range(20):
        bench.machine.qmp("system_reset")
        console.wait_for("Type `help`", timeout=60)
        console.wait_prompt()
    bench.model.ask("wire 0 stop")
    bench.model.ask("wire 1 stop")
    assert buffers_out(console) == 0


def test_the_log_does_not_tear_what_is_being_typed(bench):
    console = bench.boot()
    wait_until(lambda: "Link status: up" in console.run("show port info 0"))
    console.send("show vers")
    console.wait_for("show vers")
    bench.model.ask("link 0 down")
    console.wait_for(r"\r +\r\[ *\d+\.\d+\] [^\r]*link[^\r]*down[^\r]*\r\n")
    console.wait_for(r"millrace> show vers")
    console.send("ion\r")
    assert "Millrace" in console.wait_prompt()


def in_use(console):
    """Buffers of the pool that are not free."""
    text = console.run("show mempool")
    return int(re.search(r"^mb_pool_0 +\d+ +\d+ +(\d+) +\d+$", text,
                         re.MULTILINE).group(1))


def buffers_out(console):
    """Buffers in use after everything was stopped."""
    console.run("stop")
    assert in_use(console) > 0  # the receive rings are full
    console.run("port stop all")
    return in_use(console)
