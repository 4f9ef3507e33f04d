"""Several queues: every flow in the queue that key and table say, in order."""

import random
import re
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from test_boot import buffers_out
from test_forward import settle, wait_until

from lab import captures

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "conformance"))

import toeplitz  # noqa: E402

BOOT = "-- --rxq=4 --forward-mode=io --auto-start"

# The key of Microsoft's "Verifying the RSS Hash Calculation"; the chip wants
# twelve bytes more, which reach no flow below.
KEY = ("6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b4"
       "77cb2da38030f20c6a42b73bbeac01fa" + "6d5a56da255b0ec24167253d")


class Flow(NamedTuple):
    kind: str
    source: str = ""
    target: str = ""
    ports: tuple = (None, None)
    hash: int = None  # as that document has it

    def hashed(self):
        if self.kind == "ether":
            return b"\x88\xb5"
        return toeplitz.flow(self.source, self.target, *self.ports)


# The document's examples, what has no ports, no IP, and two ways back.
FLOWS = [
    Flow("ipv4-udp", "66.9.149.187", "161.142.100.80", (2794, 1766),
         0x51CCC178),
    Flow("ipv4-tcp", "199.92.111.2", "65.69.140.83", (14230, 4739),
         0xC626B0EA),
    Flow("ipv4-udp", "24.19.198.95", "12.22.207.184", (12898, 38024),
         0x5C2B394A),
    Flow("ipv4-tcp", "38.27.205.30", "209.142.163.6", (48228, 2217),
         0xAFC7327F),
    Flow("ipv4-other", "153.39.163.191", "202.188.127.2", hash=0x5D1809C5),
    Flow("ipv6-tcp", "3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1",
         (2794, 1766), 0x40207D3D),
    Flow("ipv6-udp", "3ffe:501:8::260:97ff:fe40:efab", "ff02::1",
         (14230, 4739), 0xDDE51BBF),
    Flow("ipv6-other", "3ffe:1900:4545:3:200:f8ff:fe21:67cf",
         "fe80::200:f8ff:fe21:67cf", hash=0x4B61E985),
    Flow("ether"),
    Flow("ipv4-udp", "161.142.100.80", "66.9.149.187", (1766, 2794)),
    Flow("ipv4-tcp", "65.69.140.83", "199.92.111.2", (4739, 14230)),
]
BACK = {0: 9, 1: 10}


# ---- frames ----

def frame(flow, n):
    """Frame n of a flow; its bytes tell which."""
    text = n.to_bytes(4, "big") + bytes((n + i) & 0xFF
                                        for i in range(60 + n % 1000))
    head = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
    if flow.kind == "ether":
        head.type = 0x88B5
        return bytes(head) + text
    ip = IPv6 if flow.kind.startswith("ipv6") else IP
    packet = head / ip(src=flow.source, dst=flow.target)
    if flow.kind.endswith("udp"):
        packet /= UDP(sport=flow.ports[0], dport=flow.ports[1])
    elif flow.kind.endswith("tcp"):
        packet /= TCP(sport=flow.ports[0], dport=flow.ports[1])
    elif ip is IP:
        packet[IP].proto = 253  # RFC 3692: experiments
    else:
        packet[IPv6].nh = 59    # no next header
    return bytes(packet / text)


class Traffic:
    """So many frames of each flow, mixed."""

    def __init__(self, counts):
        turns = [i for i, count in enumerate(counts) for _ in range(count)]
        random.Random(5).shuffle(turns)
        made = [0] * len(FLOWS)
        self.frames, self.flow_of = [], {}
        for i in turns:
            f = frame(FLOWS[i], made[i])
            made[i] += 1
            self.frames.append(f)
            self.flow_of[f] = i

    def of_flow(self, frames, flow):
        return [f for f in frames if self.flow_of[f] == flow]

    def check(self, got):
        """Every frame as it was sent, those of a flow in their order."""
        assert sorted(got) == sorted(self.frames)
        for i in range(len(FLOWS)):
            assert self.of_flow(got, i) == self.of_flow(self.frames, i), i


# 2^i frames of flow i: a count in binary says which flows it is made of.
BINARY = Traffic([1 << i for i in range(len(FLOWS))])


def flows_in(packets):
    return {i for i in range(len(FLOWS)) if packets >> i & 1}


# ---- the appliance ----

def queues(console, port):
    """`show port queues json` of a port, in their order."""
    return console.json("show port queues %d" % port)["queues"]


def boot(bench, frames, options="hold=1", cmdline=BOOT, **machine):
    """Both ports get `frames`; returns the console."""
    source = bench.work / "in.pcap"
    captures.write(source, frames)
    return bench.boot(["wire=pcap,in=%s,out=%s,%s"
                       % (source, bench.work / ("out%d.pcap" % i), options)
                       for i in range(2)], cmdline=cmdline, **machine)


def outs(bench):
    bench.model.ask("flush")
    return [captures.read(bench.work / ("out%d.pcap" % i))[0]
            for i in range(2)]


def predict(console, port):
    """{queue: flows}, by key, table and types as the console has them."""
    text = console.run("show port %d rss-hash key" % port)
    if "RSS disabled" in text:
        return {0: set(range(len(FLOWS)))}
    types, key = re.search(r"functions:\s+(.*?)\s+RSS key:\s+(\w+)", text,
                           re.S).groups()
    table = [int(q) for q in re.findall(
        r"queue=(\d+)", console.run("show port %d rss reta" % port))]
    key, types = bytes.fromhex(key), types.split() + ["ether"] * (
        "l2-payload" in types)
    assert len(key) == 52 and len(table) == 512
    where = {}
    for i, flow in enumerate(FLOWS):
        index = toeplitz.toeplitz(key, flow.hashed()) % len(table)
        q = table[index] if flow.kind in types else 0
        where.setdefault(q, set()).add(i)
    return where


def spread(bench):
    """Send all once, both ways; returns {queue: flows} of each port."""
    console, before = bench.console, [len(got) for got in outs(bench)]
    console.run("clear port stats all")
    for port in range(2):
        bench.model.ask("wire %d start" % port)
    settle(bench.model)
    for got, n in zip(outs(bench), before):
        BINARY.check(got[n:])
    where = []
    for port in range(2):
        found = queues(console, port)
        where.append({q["queue"]: flows_in(q["q_ipackets"])
                      for q in found if q["q_ipackets"]})
        sent = {q["queue"]: flows_in(q["q_opackets"])
                for q in queues(console, 1 - port) if q["q_opackets"]}
        assert sent == where[port]
        assert not any(q["q_errors"] or q["q_oerrors"] for q in found)
    return where


def test_toeplitz_is_the_published_one():
    key = bytes.fromhex(KEY)
    for flow in FLOWS:
        if flow.hash is not None:
            assert toeplitz.toeplitz(key, flow.hashed()) == flow.hash, flow


def set_queues(console, n):
    for line in ("stop", "port stop all", "port config all rxq %d" % n,
                 "port config all txq %d" % n, "port start all", "start"):
        console.run(line)


@pytest.mark.parametrize("cores", [1, 2, 4])
def test_every_flow_goes_where_key_and_table_say(bench, cores):
    console = boot(bench, BINARY.frames, cores=cores)
    for n in (4, 2, 1):
        set_queues(console, n)
        assert len(queues(console, 0)) == n
        expected = {}
        for i, flow in enumerate(FLOWS):
            value = toeplitz.toeplitz(bytes.fromhex(KEY), flow.hashed())
            expected.setdefault(value % n, set()).add(i)
        assert predict(console, 0) == expected
        assert spread(bench) == [expected, expected]
        assert buffers_out(console) == 0
    assert bench.quit() == 0


def test_key_table_and_types_are_set_at_the_prompt(bench):
    console = boot(bench, BINARY.frames, cores=2)
    default = predict(console, 1)

    console.run("port config all rss-hash-algo symmetric_toeplitz")
    assert (b"\x6d\x5a" * 26).hex().upper() in console.run(
        "show port 0 rss-hash key")
    symmetric = predict(console, 0)
    assert symmetric != default
    for there, back in BACK.items():
        assert any({there, back} <= flows for flows in symmetric.values())
    assert spread(bench) == [symmetric, symmetric]

    console.run("port config 0 rss-hash-key ipv4-udp " + KEY)
    hashes = [FLOWS[i].hash % 512 for i in range(4)]
    console.run("port config 0 rss reta " + ",".join(
        "(%d,%d)" % (h, q) for q, h in enumerate(hashes)))
    moved = predict(console, 0)
    assert all(i in moved[i] for i in range(4))
    assert spread(bench) == [moved, symmetric]

    console.run("port config all rss ipv4-udp|ipv6")
    some = predict(console, 0)
    assert {1, 3, 4, 8, 10} <= some[0]
    assert spread(bench) == [some, predict(console, 1)]


def received(console, port):
    return [q["q_ipackets"] for q in queues(console, port)]


def wraps(traffic, got, flow):
    """How often a flow began anew; any other step back would count, too."""
    place = {f: n for n, f in enumerate(traffic.of_flow(traffic.frames, flow))}
    order = [place[f] for f in traffic.of_flow(got, flow)]
    return sum(1 for a, b in zip(order, order[1:]) if b <= a)


def test_queues_stop_and_start_while_the_others_forward(bench):
    """Frames for a queue that is off are missed; all others come through."""
    traffic = Traffic([30] * len(FLOWS))
    console = boot(bench, traffic.frames, "loop=0,pps=4000,pause=0", cores=4)
    for port in range(2):
        for off in range(4):
            console.run("port %d rxq %d stop" % (port, off))
            before = received(console, port)
            wait_until(lambda: all(
                now > then for q, (then, now) in enumerate(
                    zip(before, received(console, port))) if q != off))
            found = queues(console, port)
            assert found[off]["q_ipackets"] == before[off]
            assert [q["rx"] for q in found].index("off") == off
            console.run("port %d rxq %d start" % (port, off))
            wait_until(lambda: received(console, port)[off] > before[off])
    console.run("port 1 txq 2 stop")
    sent = queues(console, 1)[2]["q_opackets"]
    before = received(console, 0)
    wait_until(lambda: all(now > then for then, now in zip(
        before, received(console, 0))))
    assert queues(console, 1)[2]["q_opackets"] == sent
    console.run("port 1 txq 2 start")
    wait_until(lambda: queues(console, 1)[2]["q_opackets"] > sent)
    for port in range(2):
        bench.model.ask("wire %d stop" % port)
    settle(bench.model, idle_s=1)
    loops = [w["injected"] // len(traffic.frames) + 1 for w in
             (p["wire"] for p in bench.model.ask("status")["ports"])]
    for port, got in enumerate(outs(bench)):
        assert set(got) <= set(traffic.frames)
        for i in range(len(FLOWS)):
            assert wraps(traffic, got, i) <= loops[1 - port]
    assert all(q["restarts"] == 0 for p in range(2)
               for q in queues(console, p))
    assert buffers_out(console) == 0
    assert bench.quit() == 0


def test_a_queue_that_stands_still_is_restarted_alone(bench):
    """Few frames, so that no other ring is full; short rings, so that they can
    hide few of those that are missed."""
    traffic = Traffic([30] * len(FLOWS))
    console = boot(bench, traffic.frames, "loop=0,pps=2000,pause=0",
                   BOOT + " --rxd=256 --txd=512", cores=2)
    wait_until(lambda: all(received(console, 0)))
    bench.model.ask("fault pf=0 stall-rx 2")
    before = received(console, 0)
    console.wait_for("receive queue 2 stands still", 60)
    console.wait_for("receive queue 2 restarted", 60)
    console.run("")
    found = queues(console, 0)
    assert found[2]["restarts"] >= 1
    assert all(q["restarts"] == 0 and q["q_ipackets"] > then
               for q, then in zip(found, before) if q["queue"] != 2)
    assert all(q["restarts"] == 0 for q in queues(console, 1))
    bench.model.ask("fault pf=0 clear")
    stood = found[2]["q_ipackets"]
    wait_until(lambda: received(console, 0)[2] > stood)
    assert all(set(got) <= set(traffic.frames) for got in outs(bench))
