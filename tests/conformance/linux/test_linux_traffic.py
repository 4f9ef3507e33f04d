"""VLAN, large frames, what is counted, and how flows spread over queues."""

import contextlib

import pytest

from pair import ADDRESS, ADDRESS6, DEVICE, difference
from toeplitz import Printed, flow, toeplitz

CRC = 4
UDP4 = 14 + 20 + 8


# ---- VLAN ----

@contextlib.contextmanager
def vlan(pair, number):
    """A tagged interface on each side; yields the address in b."""
    for side, device in DEVICE.items():
        pair.ok(side, "/sbin/ip link add link %s name v%d type vlan id %d; "
                "/sbin/ip addr add 198.19.0.%d/24 dev v%d; "
                "/sbin/ip link set v%d up"
                % (device, number, number, "ab".index(side) + 1, number,
                   number))
    yield "198.19.0.2"
    for side in DEVICE:
        pair.ok(side, "/sbin/ip link del v%d" % number)


@pytest.mark.parametrize("receive", ["rx on", "rx off"])
@pytest.mark.parametrize("send", ["tx on", "tx off"])
def test_vlan(pair, send, receive):
    """The chip or the kernel inserts the tag, either takes it out again."""
    words = "-K %svlan %s %svlan %s" % (*send.split(), *receive.split())
    for side in DEVICE:
        pair.ethtool(side, words)
    try:
        with vlan(pair, 42) as address:
            for size in (0, 56, 1472):
                pair.ok("a", "/bin/ping -q -c 5 -i 0.02 -W 10 -s %d %s"
                        % (size, address))
            pair.transfer(4, target=address)
            out = pair.ok("b", "cat /proc/net/vlan/v42")
            assert "VID: 42" in out
    finally:
        for side in DEVICE:
            pair.ethtool(side, "-K rxvlan on txvlan on")


def test_vlan_filter(pair):
    """Another VLAN's frames do not reach a port that has joined but one."""
    with vlan(pair, 42), pair.quiet():
        pair.ok("a", "/sbin/ip link add link eth0 name v43 type vlan id 43; "
                "/sbin/ip addr add 198.19.1.1/24 dev v43; "
                "/sbin/ip link set v43 up; "
                "/sbin/ip neigh replace 198.19.1.2 lladdr %s dev v43"
                % pair.mac("b"))
        before = pair.statistics("b")
        pair.run("a", "/bin/ping -q -c 5 -i 0.02 -W 1 198.19.1.2")
        after = pair.statistics("b")
        pair.ok("a", "/sbin/ip link del v43")
    assert after["port.rx_unicast"] - before["port.rx_unicast"] == 5
    assert after["rx_unicast"] == before["rx_unicast"]


# ---- large frames ----

@contextlib.contextmanager
def mtu(pair, size):
    for side, device in DEVICE.items():
        pair.ok(side, "/sbin/ip link set %s mtu %d" % (device, size))
    pair.settled()
    try:
        yield
    finally:
        for side, device in DEVICE.items():
            pair.ok(side, "/sbin/ip link set %s mtu 1500" % device)
        pair.settled()


def test_mtu_9000(pair):
    with mtu(pair, 9000):
        for size in (1472, 1473, 2000, 4068, 6116, 8971, 8972):
            pair.ping(3, words="-i 0.02 -M do -s %d" % size)
            pair.ping(3, to="a", six=True,
                      words="-i 0.02 -M do -s %d" % (size - 20))
        pair.flows(20000, 4, 25, 8972)
        pair.transfer(16)
    pair.ping(3)


def test_mtu_largest(pair):
    """The driver's largest MTU: a frame of 9728 bytes with its CRC."""
    out = pair.ok("a", "/sbin/ip -d link show eth0")
    words = out.split()
    largest = int(words[words.index("maxmtu") + 1])
    assert largest >= 9702
    with mtu(pair, largest):
        pair.ping(5, words="-i 0.02 -M do -s %d" % (largest - 28))


# ---- what is counted ----

@pytest.mark.short
def test_counters(pair):
    """So many frames of each size, on both sides, in all counters."""
    bursts = {18: 11, 60: 12, 200: 13, 400: 14, 900: 15, 1472: 16}
    buckets = {18: "64", 60: "127", 200: "255", 400: "511", 900: "1023",
               1472: "1522"}

    before = {}

    def send():
        before.update({side: pair.link_statistics(side) for side in DEVICE})
        for size, count in bursts.items():
            pair.flows(21000, 1, count, size)

    with pair.quiet():
        got = pair.counted(send)
        after = {side: pair.link_statistics(side) for side in DEVICE}
    frames = sum(bursts.values())
    octets = sum(n * (size + UDP4) for size, n in bursts.items())
    for side, way in (("a", "tx"), ("b", "rx")):
        s = got[side]
        assert s["port.%s_unicast" % way] == frames
        assert s["port.%s_multicast" % way] == 0
        assert s["port.%s_broadcast" % way] == 0
        assert s["port.%s_bytes" % way] == octets + frames * CRC
        assert s["%s_unicast" % way] == frames
        assert s["%s_packets" % way] == frames
        assert s["%s_bytes" % way] == octets
        for size, count in bursts.items():
            assert s["port.%s_size_%s" % (way, buckets[size])] == count
        queues = [name for name in s
                  if name.startswith(way + "-") and name.endswith(".packets")]
        assert sum(s[name] for name in queues) == frames
        other = {"tx": "rx", "rx": "tx"}[way]
        assert s["port.%s_unicast" % other] == 0
        for name in s:
            if "error" in name or "dropped" in name or "discard" in name:
                assert s[name] == 0, name
        kernel = difference(before[side][way], after[side][way])
        assert kernel["packets"] == frames
        assert kernel["bytes"] == octets
        assert kernel["errors"] == 0
        assert kernel["dropped"] == 0


def test_counters_big(pair):
    with mtu(pair, 9000), pair.quiet():
        got = pair.counted(lambda: pair.flows(21000, 1, 20, 5000))
    assert got["a"]["port.tx_size_big"] == 20
    assert got["b"]["port.rx_size_big"] == 20
    assert got["b"]["port.rx_bytes"] == 20 * (5000 + UDP4 + CRC)


def test_counters_cast(pair):
    """Multicast and broadcast have counters of their own."""
    with pair.quiet():
        for side in DEVICE:
            pair.ok(side, "/sbin/ip addr add 198.18.9.%d/24 broadcast + dev %s;"
                    "echo 0 >/proc/sys/net/ipv4/icmp_echo_ignore_broadcasts"
                    % ("ab".index(side) + 1, DEVICE[side]))
        before = pair.statistics("b")
        pair.run("a", "/bin/ping -q -b -c 7 -i 0.02 -W 1 198.18.9.255")
        pair.run("a", "/bin/ping -q -I eth0 -c 6 -i 0.02 -W 1 224.0.0.1")
        got = difference(before, pair.statistics("b"))
        for side in DEVICE:
            pair.ok(side, "/sbin/ip addr del 198.18.9.%d/24 dev %s;"
                    "echo 1 >/proc/sys/net/ipv4/icmp_echo_ignore_broadcasts"
                    % ("ab".index(side) + 1, DEVICE[side]))
    assert got["port.rx_broadcast"] == 7
    assert got["port.rx_multicast"] == 6
    assert got["rx_broadcast"] == 7
    assert got["rx_multicast"] == 6


# ---- RSS ----

def test_toeplitz_itself(kernel):
    """Microsoft's published example of the hash."""
    key = bytes.fromhex("6d5a56da255b0ec24167253d43a38fb0"
                        "d0ca2bcbae7b30b477cb2da38030f20c6a42b73bbeac01fa")
    assert toeplitz(key, flow("66.9.149.187", "161.142.100.80", 2794,
                              1766)) == 0x51ccc178
    assert toeplitz(key, flow("66.9.149.187", "161.142.100.80")) == 0x323e8fc2


def spread(pair, six, flows=64, each=2):
    """Each queue gets the flows that the printed key and table promise."""
    printed = Printed(pair.ethtool("b", "-x"))
    addresses = ADDRESS6 if six else ADDRESS
    want = {}
    for port in range(22000, 22000 + flows):
        queue = printed.queue(flow(addresses["a"], addresses["b"], port, 4000))
        want[queue] = want.get(queue, 0) + each
    got = pair.counted(
        lambda: pair.flows(22000, flows, each, 18, six=six))["b"]
    for name, value in got.items():
        if name.startswith("rx-") and name.endswith(".packets"):
            queue = int(name[len("rx-"):-len(".packets")])
            assert value == want.get(queue, 0), (queue, want, got)
    return want


@pytest.mark.parametrize("six", [False, True], ids=["4", "6"])
def test_rss(pair, six):
    with pair.quiet(six):
        assert len(spread(pair, six)) > 1


def test_rss_key(pair):
    """Another key, another spread; as predicted again."""
    with pair.quiet():
        key = ":".join("%02x" % (i * 37 % 251 + 1) for i in range(52))
        pair.ethtool("b", "-X hkey " + key)
        try:
            assert key in pair.ethtool("b", "-x")
            assert len(spread(pair, False)) > 1
        finally:
            pair.ethtool("b", "-X default")


def test_rss_table(pair):
    """Weights, and all on one queue."""
    with pair.quiet():
        try:
            pair.ethtool("b", "-X weight 3 1")
            uneven = spread(pair, False)
            assert uneven[0] > uneven[1]
            pair.ethtool("b", "-X equal 1")
            assert list(spread(pair, False)) == [0]
        finally:
            pair.ethtool("b", "-X default")
        assert len(spread(pair, False)) > 1


def test_rss_off(pair):
    """Without receive hashing no packet carries a hash; traffic goes on."""
    pair.ethtool("b", "-K rxhash off")
    try:
        pair.flows(22000, 8, 4, 100)
    finally:
        pair.ethtool("b", "-K rxhash on")


def test_fast_ping(pair):
    """Back to back, and in a rapid rhythm: each is answered."""
    for side in DEVICE:
        pair.ping(2000, to=side, words="-f")
        pair.ping(500, to=side, words="-i 0.002")
