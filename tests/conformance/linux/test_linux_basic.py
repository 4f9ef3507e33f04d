"""Probe, link and traffic between two namespaces over the wire."""

import re

import pytest

from pair import DEVICE, PCI, TROUBLE, WARNING


@pytest.mark.short
def test_probe(pair):
    """Nothing at warning level or worse, and the driver's good words."""
    text = "\n".join(t for _, t in pair.probe_log)
    for side, pci in PCI.items():
        assert re.search(r"i40e %s: MAC address" % pci, text), text
        assert re.search(r"i40e %s: PCI-Express: Speed 8.0GT/s Width x8"
                         % pci, text)
    for level, line in pair.probe_log:
        assert not any(word in line for word in TROUBLE), line
        assert level > WARNING or "i40e" not in line, line


@pytest.mark.short
def test_link_40g(pair):
    for side in DEVICE:
        out = pair.ethtool(side, "")
        assert "Speed: 40000Mb/s" in out
        assert "Link detected: yes" in out
        assert "Duplex: Full" in out


@pytest.mark.short
def test_ping4(pair):
    pair.ping(20)
    pair.ping(20, to="a")


@pytest.mark.short
def test_ping6(pair):
    pair.ping(20, six=True)
    pair.ping(20, six=True, to="a")


def test_ping_sizes(pair):
    """Each length around those where something changes; the kernel compares
    what comes back."""
    for size in (0, 1, 18, 19, 22, 23, 86, 470, 982, 1471, 1472):
        pair.ping(3, words="-i 0.02 -s %d" % size)


OFFLOADS = {
    # what the sender leaves to the chip, what the receiver leaves to it
    "all on": ("rx on tx on tso on gso on gro on",
               "rx on tx on tso on gso on gro on"),
    "all off": ("rx off tx off tso off gso off gro off",
                "rx off tx off tso off gso off gro off"),
    "chip sends": ("rx off tx on tso on gso on gro off",
                   "rx off tx on tso on gso on gro off"),
    "chip checks": ("rx on tx off tso off gso off gro on",
                    "rx on tx off tso off gso off gro on"),
}


@pytest.fixture
def offloads(request, pair):
    for side, words in zip("ab", OFFLOADS[request.param]):
        pair.ethtool(side, "-K " + words)
    yield request.param
    for side, words in zip("ab", OFFLOADS["all on"]):
        pair.ethtool(side, "-K " + words)


def tcp(pair, six, megabytes):
    """That many megabytes arrive unaltered, none with a wrong checksum."""
    before = pair.bad_checksums()
    report = pair.iperf("-n %dM" % megabytes, six)["end"]
    # The server stops counting when the client has handed over its last byte.
    assert report["sum_sent"]["bytes"] >= megabytes << 20
    assert report["sum_received"]["bytes"] >= (megabytes << 20) // 2
    pair.transfer(megabytes, six)
    assert pair.bad_checksums() == before


@pytest.mark.parametrize("offloads", list(OFFLOADS), indirect=True)
def test_tcp4(pair, offloads):
    tcp(pair, False, 16)


@pytest.mark.parametrize("offloads", list(OFFLOADS), indirect=True)
def test_tcp6(pair, offloads):
    tcp(pair, True, 16)


@pytest.mark.short
def test_tcp(pair):
    tcp(pair, False, 16)


@pytest.mark.parametrize("six", [False, True], ids=["4", "6"])
@pytest.mark.parametrize("offloads", ["all on", "all off"], indirect=True)
def test_udp(pair, offloads, six):
    """A rate that an emulated CPU can take: nothing may be lost."""
    before = pair.bad_checksums()
    report = pair.iperf("-u -b 8M -t 2 -l 1000 -w 1M", six)["end"]["sum"]
    assert report["packets"] > 1000
    assert report["lost_packets"] == 0, report
    assert pair.bad_checksums() == before


def test_udp_payload(pair):
    """What arrives is what was sent, byte for byte, in many sizes."""
    for size in (1, 17, 18, 19, 500, 1471, 1472, 4000, 20000):
        pair.flows(20000, 4, 25, size)
        pair.flows(20000, 4, 25, size, six=True)
