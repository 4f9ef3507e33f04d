"""Packets in, the same packets out."""

import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from lab import captures  # noqa: E402

MAC0, MAC1 = "\x68\x05\xca\x00\x00\x10", "\x68\x05\xca\x00\x00\x11"


def ethernet(n, size, dst=b"\x02\0\0\0\0\x02", src=b"\x02\0\0\0\0\x01"):
    """Frame n: addresses, the local experimental ethertype, counting bytes."""
    head = dst + src + b"\x88\xb5" + n.to_bytes(4, "big")
    body = bytes((n + i) & 0xFF for i in range(256)) * (size // 256 + 1)
    return (head + body)[:size]


def replay(bench, frames, cmdline=None, loop=1, **machine):
    """Send `frames` into both ports; returns what each port sent."""
    source = bench.work / "in.pcap"
    captures.write(source, frames)
    outs = [bench.work / ("out%d.pcap" % i) for i in range(2)]
    wires = ["wire=pcap,in=%s,out=%s,loop=%d" % (source, out, loop)
             for out in outs]
    args = {} if cmdline is None else {"cmdline": cmdline}
    bench.boot(wires, **args, **machine)
    settle(bench.model)
    bench.model.ask("flush")
    return [captures.read(out)[0] for out in outs]


def settle(model, idle_s=3, limit_s=120):
    """Wait until the wires have sent all and nothing has moved for a while."""
    start = since = time.monotonic()
    last = None
    while time.monotonic() - start < limit_s:
        wires = [p["wire"] for p in model.ask("status")["ports"]]
        left = sum(w["remaining"] or 0 for w in wires)
        now = [(w["injected"], w["received"]) for w in wires]
        if left == 0 and sum(w["injected"] for w in wires) == sum(
                w["received"] for w in wires):
            return
        if now != last:
            last, since = now, time.monotonic()
        elif time.monotonic() - since > idle_s:
            return
        time.sleep(0.02)
    pytest.fail("traffic did not settle in %d s" % limit_s)


def test_every_frame_size_from_60_to_9728_both_ways(bench):
    frames = [ethernet(n, n) for n in range(60, 9729)]
    for got in replay(bench, frames):
        v = captures.compare(frames, got)
        assert v.ok(), v


def test_frames_of_14_to_59_bytes_come_out_padded(bench):
    frames = [ethernet(n, n) for n in range(14, 60)]
    for got in replay(bench, frames):
        assert got == [f.ljust(60, b"\0") for f in frames]


@pytest.mark.parametrize("rings", ["--rxd=64 --txd=192", "--rxd=96 --txd=224",
                                   "--rxd=4096 --txd=8160"])
def test_bursts_wrap_the_rings_many_times(bench, rings):
    frames = [ethernet(n, 60 + n % 1455) for n in range(5000)]
    outs = replay(bench, frames, loop=4,
                  cmdline="-- --auto-start --forward-mode=io " + rings)
    for got in outs:
        v = captures.compare(frames * 4, got)
        assert v.ok(), v


def test_macswap_exchanges_the_addresses(bench):
    frames = [ethernet(n, 64 + n) for n in range(100)]
    outs = replay(bench, frames, cmdline="-- --forward-mode=macswap "
                                         "--auto-start")
    for got in outs:
        assert got == [f[6:12] + f[:6] + f[12:] for f in frames]


def test_mac_writes_peer_and_own_address(bench):
    frames = [ethernet(n, 64 + n) for n in range(100)]
    outs = replay(bench, frames, cmdline="-- --forward-mode=mac --auto-start "
                                         "--eth-peer=1,02:11:22:33:44:55")
    for port, got in enumerate(outs):
        own = bytes([0x68, 0x05, 0xCA, 0, 0, 0x10 + port])
        peer = (b"\x02\0\0\0\0\0", b"\x02\x11\x22\x33\x44\x55")[port]
        assert got == [peer + own + f[12:] for f in frames]


def test_rxonly_takes_and_sends_nothing(bench):
    console = bench.boot(("wire=gen,size=64,count=10000", "wire=sink"),
                         cmdline="-- --forward-mode=rxonly --auto-start")
    wait_until(lambda: "RX-packets: 10000" in console.run("show port stats 0"))
    assert "TX-packets: 0 " in console.run("show port stats all")
    assert bench.model.ask("status")["ports"][1]["wire"]["received"] == 0


def test_txonly_sends_udp_with_a_right_checksum(bench):
    out = bench.work / "out.pcap"
    console = bench.boot(("wire=pcap,out=%s" % out, "wire=sink"),
                         cmdline="-- --forward-mode=txonly")
    console.run("set txpkts 100")
    console.run("start")
    wait_until(lambda: bench.model.ask("status")["ports"][0]["wire"]
               ["received"] > 1000)
    console.run("stop")
    bench.model.ask("flush")
    from scapy.layers.inet import IP, UDP
    from scapy.layers.l2 import Ether
    frames, _ = captures.read(out)
    packet = Ether(frames[0])
    assert len(frames[0]) == 100
    assert (packet[IP].src, packet[IP].dst) == ("198.18.0.1", "198.18.0.2")
    assert (packet[UDP].sport, packet[UDP].dport) == (9, 9)
    stated = packet[IP].chksum
    del packet[IP].chksum
    assert Ether(bytes(packet))[IP].chksum == stated
    assert set(frames) == {frames[0]}


def test_a_lone_packet_is_not_kept_waiting_for_company(bench):
    wires = ("wire=gen,size=64,count=1,hold=1", "wire=sink")
    bench.boot(wires)
    for n in range(1, 6):
        bench.model.ask("wire 0 start")
        wait_until(lambda: bench.model.ask("status")["ports"][1]["wire"]
                   ["received"] == n, limit_s=5)


def wait_until(condition, limit_s=30):
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, "the condition never came true"
        time.sleep(0.05)
