"""More cores: found, started, forwarding on cores of their own, stopped."""

import re
import struct

import pexpect
import pytest
from test_boot import buffers_out, in_use
from test_forward import ethernet, replay, settle
from test_restart import GEN, moves_both_ways, wait_until

from lab import captures

AUTO = "-- --auto-start --forward-mode=io"


def madt(tmp_path, *apic_ids):
    """QEMU arguments that add a second MADT; acpi_apic_instance=2 takes it."""
    body = struct.pack("<II", 0xFEE00000, 1)
    for apic_id in apic_ids:
        if apic_id < 255:
            body += struct.pack("<BBBBI", 0, 8, 0, apic_id, 1)
        else:
            body += struct.pack("<BBHIII", 9, 16, 0, apic_id, 1, 0)
    data = tmp_path / "madt.bin"
    data.write_bytes(body)
    return ["-acpitable", "sig=APIC,rev=4,data=%s" % data]


def srat(tmp_path, nodes, initiators=()):
    """QEMU arguments that add an SRAT: node of each APIC id, and memory; and of
    PCI functions on segment 0: (bus, device, function, node).
    """
    body = struct.pack("<IQ", 1, 0)
    for apic_id, node in enumerate(nodes):
        body += struct.pack("<BBBBIBBHI", 0, 16, node, apic_id, 1, 0, 0, 0, 0)
    for node in sorted(set(nodes)):
        body += struct.pack("<BBIHQQIIQ", 1, 40, node, 0, node << 28, 1 << 28,
                            0, 1, 0)
    for bus, device, function, node in initiators:
        body += struct.pack("<BBBBIHBB12xIxxxx", 5, 32, 0, 1, node, 0, bus,
                            device << 3 | function, 1)
    data = tmp_path / "srat.bin"
    data.write_bytes(body)
    return ["-acpitable", "sig=SRAT,rev=3,data=%s" % data]


def ask(console, what):
    """`show lcore|cycles|jitter json` as objects by core number."""
    (objects,) = console.json("show %s" % what).values()
    return {o["lcore"]: o for o in objects}


def states(console):
    return [o["state"] for o in ask(console, "lcore").values()]


def forwarded_whole(bench, cores, cmdline=AUTO):
    frames = [ethernet(n, 60 + n % 1455) for n in range(2000)]
    for got in replay(bench, frames, cmdline=cmdline, loop=2, cores=cores):
        verdict = captures.compare(frames * 2, got)
        assert verdict.ok(), verdict


@pytest.mark.parametrize("cores, expected", [
    (1, ["forwards"]),
    (2, ["control", "forwards"]),
    (4, ["control", "forwards", "forwards", "asleep"]),
])
def test_a_capture_is_forwarded_whole(bench, cores, expected):
    forwarded_whole(bench, cores)
    console = bench.console
    assert states(console) == expected
    jitter = ask(console, "jitter")
    packets = {n: o["packets"] for n, o in ask(console, "cycles").items()}
    assert sum(packets.values()) == 2 * 2 * 2000
    assert all(n > 0 for n in packets.values())
    assert sorted(jitter) == sorted(packets)
    assert all(o["interrupts"] == 0 for o in jitter.values())
    assert "TX-dropped: 0 " in console.run("stop")
    assert "forwards" not in states(console)
    assert bench.quit() == 0


def test_every_queue_goes_where_config_says(bench):
    forwarded_whole(bench, 4, "-l 0-3 -- --config=(0,0,3),(1,0,1) "
                              "--auto-start")
    console = bench.console
    assert states(console) == ["control", "forwards", "asleep", "forwards"]
    text = console.run("show config fwd")
    assert re.search(r"Logical Core 1 \(socket 0\) forwards packets on 1 "
                     r"streams:\n  RX P=1/Q=0 .* -> TX P=0/Q=0", text), text
    assert "List of forwarding lcores:  1  3" in console.run(
        "show config cores")


@pytest.mark.parametrize("words, expected", [
    ("--main-lcore=2 ", ["forwards", "forwards", "control", "asleep"]),
    ("idle=mwait -l 1-3 ", ["asleep", "control", "forwards", "forwards"]),
])
def test_another_core_is_the_main_lcore(bench, words, expected):
    forwarded_whole(bench, 4, "debug-exit=0xf4 " + words + AUTO)
    console = bench.console
    assert states(console) == expected
    assert all(o["interrupts"] == 0 for o in ask(console, "jitter").values())
    for _ in range(5):
        console.run("stop")
        console.run("start")
    assert states(console) == expected
    console.run("stop")
    console.send("debug fault panic core 0\r")
    dump = console.rest()
    assert "panic on core 0: asked to" in dump
    assert "stopped 3 of 3 other cores" in dump


def test_engines_change_while_cores_forward(bench):
    frames = [ethernet(n, 64) for n in range(500)]
    source, out = bench.work / "in.pcap", bench.work / "out.pcap"
    captures.write(source, frames)
    console = bench.boot(["wire=pcap,in=%s,loop=8" % source,
                          "wire=pcap,out=%s" % out], cores=2, cmdline=AUTO)
    for _ in range(4):
        for engine in ("macswap", "rxonly", "io"):
            assert "Set %s" % engine in console.run("set fwd " + engine)
    settle(bench.model)
    console.run("stop")
    assert console.run("start").count("Logical Core 1") == 1
    console.run("stop")
    bench.model.ask("flush")
    swapped = [f[6:12] + f[:6] + f[12:] for f in frames]
    known = set(frames) | set(swapped)
    assert all(f in known for f in captures.read(out)[0])


STAGES = ("rx", "engine", "tx")


def timed(console):
    """Of each core that forwards: cycles of each stage in timed bursts."""
    return [[o[stage + "_cycles"] for stage in STAGES]
            for o in ask(console, "cycles").values()]


def check_times(console):
    """Stages and histograms fill, and agree, while traffic flows."""
    console.run("set fused off")
    wait_until(lambda: all(all(stages) for stages in timed(console)))
    console.run("stop")
    cycles, jitter = ask(console, "cycles"), ask(console, "jitter")
    for lcore, o in jitter.items():
        assert o["interrupts"] == 0
        assert sum(o["latency_ns"]) >= cycles[lcore]["timed_bursts"] > 0
        # The last slice may have been cut short.
        rounds = 8 * sum(o["rounds_ns"])
        assert 0 <= rounds - cycles[lcore]["rounds"] <= 8
    assert re.search(r"of a packet, in \d+ bursts that were timed: forward "
                     r"\d+\.\d\d rx \d+\.\d\d engine \d+\.\d\d tx "
                     r"\d+\.\d\d\n", console.run("show cycles"))
    console.run("set fused on")
    console.run("start")


def test_stops_and_starts_under_traffic_lose_no_buffer(bench):
    console = bench.boot(GEN, cores=3, cmdline=AUTO)
    moves_both_ways(bench)
    check_times(console)
    for n in range(20):
        console.run("stop")
        if n % 2:
            console.run("port stop all")
            assert in_use(console) == 0, "cycle %d" % n
            console.run("port start all")
            console.run("set nbcore %d" % (1 + n // 2 % 2))
        console.run("start")
    moves_both_ways(bench)
    bench.model.ask("wire 0 stop")
    bench.model.ask("wire 1 stop")
    assert buffers_out(console) == 0


@pytest.mark.parametrize("words, complaint", [
    ("-l 0-4 -- --auto-start", "-l names core 2: there is none"),
    ("--main-lcore=5 -- --auto-start", "core 5 cannot be the main lcore: "
     "there is none"),
    ("-- --nb-cores=2 --auto-start", "--nb-cores=2: expected 1..1"),
    ("-- --config=(0,0,2),(1,0,1) --auto-start", "(0,0,2): expected a port"),
    ("-- --config=(0,0,1) --auto-start", "no core polls port 1 queue 0"),
])
def test_what_cannot_be_is_refused_and_nothing_forwards(bench, words,
                                                        complaint):
    console = bench.boot(cmdline=words, cores=2)
    assert complaint in bench.banner
    assert "forwards" not in states(console)


def test_cores_that_do_not_answer_are_named_and_left_out(bench, tmp_path):
    console = bench.boot(wires=(), cmdline="acpi_apic_instance=2", cores=4,
                         extra=madt(tmp_path, 0, 1, 2, 77, 3, 2, 0x1234))
    assert "smp: 3 of 5 other cores are ready" in bench.banner
    for lcore, apic_id in ((4, 77), (5, 0x1234)):
        assert ("core %d (APIC id %d): expected an answer to INIT and two "
                "start signals, found none; it is left out"
                % (lcore, apic_id)) in bench.banner
    assert states(console) == ["control", "asleep", "asleep", "asleep",
                               "left out", "left out"]


def test_without_x2apic_the_older_mode_serves(bench, tmp_path):
    console = bench.boot(wires=(), cmdline="acpi_apic_instance=2", cores=3,
                         extra=["-cpu", "max,-x2apic",
                                *madt(tmp_path, 0, 1, 2, 0x1234)])
    assert "in nodes, xAPIC" in bench.banner
    assert ("core 3 (APIC id 4660): no signal can be addressed to it"
            in bench.banner)
    assert states(console) == ["control", "asleep", "asleep", "left out"]


def test_cores_sleep_in_mwait_and_a_store_wakes_them(bench):
    forwarded_whole(bench, 4, "idle=mwait " + AUTO)
    console = bench.console
    assert "sleep in mwait" in bench.banner
    for _ in range(20):
        console.run("stop")
        console.run("start")
    console.run("stop")
    assert states(console) == ["control"] + ["asleep"] * 3


def test_sixteen_cores_start_and_sleep(bench):
    console = bench.boot(wires=(), cmdline="", cores=16)
    assert "smp: 15 of 15 other cores are ready and sleep in hlt" in (
        bench.banner)
    assert states(console) == ["control"] + ["asleep"] * 15


def test_threads_and_nodes_are_told(bench, tmp_path):
    console = bench.boot(wires=(), cmdline="",
                         cores="8,sockets=2,cores=2,threads=2",
                         extra=srat(tmp_path, [0] * 4 + [1] * 4))
    assert "2 ranges of memory in nodes" in bench.banner
    lcores = ask(console, "lcore")
    place = [(o["package"], o["core"], o["thread"], o["node"])
             for o in lcores.values()]
    assert place == [(p, c, t, p) for p in (0, 1) for c in (0, 1)
                     for t in (0, 1)]


def nodes_of_memory(console):
    """{owner: what `show memory` says of its node}."""
    return dict(re.findall(r"^  (\S.*?) +\d+ KiB in \d+ blocks, (.*)$",
                           console.run("show memory"), re.M))


def test_rings_and_buffers_are_near_their_port(bench, tmp_path):
    """Said of the bridge for port 0 and by an option for port 1."""
    frames = [ethernet(n, 60 + n) for n in range(500)]
    for got in replay(
            bench, frames, cores=4,
            cmdline="-- --port-numa-config=(1,1) --auto-start",
            extra=srat(tmp_path, [0, 0, 1, 1], [(0, 1, 0, 1)])):
        assert captures.compare(frames, got).ok()
    for line in ("port 0 is near node 1, says the firmware",
                 "port 1 is near node 1, says --port-numa-config",
                 "core 1 of node 0 polls port 0 queue 0, which is near node 1",
                 ):
        assert line in bench.banner
    assert "core 2 of" not in bench.banner
    near = nodes_of_memory(bench.console)
    assert near["packet buffers"] == near["mempool caches"] == "node 1", near
    assert near["xl710 rx ring"] == near["xl710 tx ring"] == "node 1", near
    assert "Connect to socket: 1" in bench.console.run("show port info 0")


@pytest.mark.parametrize("fault, words", [
    ("panic", "panic on core 2: asked to"),
    ("stack-overflow", "panic on core 2: double fault: the stack is full"),
    ("check-overflow", "panic on core 2: double fault: the stack is full"),
    ("divide", "panic on core 2: divide error"),
])
def test_a_panic_on_one_core_stops_all(bench, fault, words):
    console = bench.boot(cmdline="debug-exit=0xf4 " + AUTO, cores=4,
                         wires=("wire=gen,size=64-1518", "wire=sink"))
    console.run("stop")
    console.run("set nbcore 1")
    console.run("start")
    console.send("debug fault %s core 2\r" % fault)
    console.spawn.expect(pexpect.EOF)
    dump = console.spawn.before
    assert words in dump
    assert "stopped 3 of 3 other cores" in dump
    assert dump.count("*** panic") == 1
    assert bench.machine.wait(30) == 2 * 99 + 1


def test_a_core_that_forwards_is_not_disturbed_by_a_fault_command(bench):
    console = bench.boot(cmdline=AUTO, cores=2)
    assert "Core 1 forwards" in console.run("debug fault panic core 1")
    assert "not found" in console.run("debug fault panic core 9")
