"""DPDK's testpmd on the model: what its users know it to do."""

import pytest

from bed import CLAIM
from lab import captures

# --force-max-simd-bitwidth, what to preload, and a word of the burst modes.
PATHS = {
    "scalar": ("64", "", "Scalar"),
    "sse": ("128", "", "Vector SSE"),
    "avx2": ("256", CLAIM, "Vector AVX2"),
}


def session(bed, path, queues=1, descriptors=512, options="", **more):
    """A testpmd that takes one path through the driver."""
    bits, preload, word = PATHS[path]
    pmd = bed.testpmd(
        eal="--force-max-simd-bitwidth=" + bits, preload=preload,
        options=("--rxq=%d --txq=%d --rxd=%d --txd=%d %s" % (
            queues, queues, descriptors, descriptors, options)).strip(),
        **more)
    assert all(word in burst for burst in pmd.bursts(0))
    return pmd


def forward(bed, pmd, engine="io"):
    """The captures through both ports; returns the frames that came out.

    What finds no room for sending testpmd drops at once unless told to try
    again: on a busy machine the model, which sends, may sleep for longer than
    it takes the guest to fill a ring.
    """
    pmd.run("set fwd %s retry" % engine)
    pmd.run("set burst tx delay 100 retry 10000")
    pmd.run("clear port stats all")
    pmd.run("start")
    bed.replay()
    said = pmd.run("stop")
    assert "RX-dropped: 0 " in said
    return [bed.recorded(port) for port in (0, 1)]


@pytest.mark.short
def test_probe(bed):
    pmd = session(bed, "scalar")
    assert not pmd.complaints
    for port in (0, 1):
        info = pmd.info(port)
        assert info["Link status"] == "up"
        assert info["Link speed"] == "40 Gbps"
        assert info["Driver name"] == "net_i40e"


@pytest.mark.short
def test_io_capture(bed):
    pmd = session(bed, "scalar")
    for got in forward(bed, pmd):
        verdict = captures.compare(bed.frames, got)
        assert verdict.ok(), verdict
