"""DPDK's testpmd on the model: what its users know it to do."""

import collections
import re

import pytest

import flows
from bed import CLAIM, LOOPS
from lab import captures

# --force-max-simd-bitwidth, what to preload, and a word of the burst modes.
PATHS = {
    "scalar": ("64", "", "Scalar"),
    "sse": ("128", "", "Vector SSE"),
    "avx2": ("256", CLAIM, "Vector AVX2"),
}
SCATTER_RX = "--rx-offloads=0x2000"
SEGMENTS_TX = "--tx-offloads=0x8000"
TABLE = 512  # entries of an XL710's hash table


def session(bed, path="sse", queues=1, descriptors=512, options="", **more):
    """A testpmd that takes one path through the driver."""
    bits, preload, word = PATHS[path]
    pmd = bed.testpmd(
        eal="--force-max-simd-bitwidth=" + bits, preload=preload,
        options=("--rxq=%d --txq=%d --rxd=%d --txd=%d %s" % (
            queues, queues, descriptors, descriptors, options)).strip(),
        **more)
    assert word in pmd.bursts(0)[0]
    return pmd


def begin(pmd, engine):
    """Start forwarding.

    What finds no room for sending testpmd drops at once unless told to try
    again: on a busy machine the model, which sends, may sleep for longer than
    it takes the guest to fill a ring.
    """
    said = pmd.run("set fwd %s%s" % (
        engine, "" if engine == "rxonly" else " retry"))
    assert "Set %s packet forwarding mode" % engine in said
    pmd.run("set burst tx delay 100 retry 10000")
    pmd.run("clear port stats all")
    pmd.run("start")


def end(pmd):
    """Stop forwarding; returns what testpmd counted."""
    said = pmd.run("stop")
    dropped = re.findall(r"[RT]X-dropped: (\d+)", said)
    assert dropped and set(dropped) == {"0"}, said
    return said


def forward(bed, pmd, engine="io"):
    """The captures through both ports; returns the frames that came out."""
    begin(pmd, engine)
    bed.replay()
    end(pmd)
    return [bed.recorded(port) for port in (0, 1)]


def check_unaltered(bed, got, ordered=True):
    for frames in got:
        verdict = captures.compare(bed.frames, frames)
        if not ordered:  # flows on different queues overtake each other
            verdict.reordered = 0
        assert verdict.ok(), verdict


# ---- probe, paths ----

@pytest.mark.short
def test_probe(bed):
    pmd = session(bed)
    for port in (0, 1):
        info = pmd.info(port)
        assert info["Link status"] == "up"
        assert info["Link speed"] == "40 Gbps"
        assert info["Driver name"] == "net_i40e"
        assert info["Redirection table size"] == str(TABLE)


@pytest.mark.short
def test_io_capture(bed):
    check_unaltered(bed, forward(bed, session(bed)))


@pytest.mark.parametrize("descriptors", [512, 2048])
@pytest.mark.parametrize("queues", [1, 4])
@pytest.mark.parametrize("path", sorted(PATHS))
def test_io_capture_path(bed, path, queues, descriptors):
    pmd = session(bed, path, queues, descriptors)
    check_unaltered(bed, forward(bed, pmd), ordered=queues == 1)


def test_small_maps(bed):
    """Without huge pages each 4 KiB page is a DMA mapping of its own."""
    pmd = session(bed, options="--total-num-mbufs=8192",
                  memory="--no-huge -m 64")
    ranges = bed.ask("status")["ports"][0]["dma_ranges"]
    assert ranges > 10000
    check_unaltered(bed, forward(bed, pmd))


# ---- engines ----

def addresses(frame):
    return frame[0:6], frame[6:12]


@pytest.mark.parametrize("path", sorted(PATHS))
def test_mac(bed, path):
    pmd = session(bed, path)
    got = forward(bed, pmd, "mac")
    for port in (0, 1):
        own = bytes.fromhex(pmd.info(port)["MAC address"].replace(":", ""))
        peer = bytes([2, 0, 0, 0, 0, port])
        want = [peer + own + captures.padded(f)[12:] for f in bed.frames]
        verdict = captures.compare(want, got[port])
        assert verdict.ok(), verdict


@pytest.mark.parametrize("path", sorted(PATHS))
def test_csum(bed, path):
    """The chip's checksums are those that testpmd computes itself."""
    pmd = session(bed, path)
    got = {}
    for by in ("sw", "hw"):
        pmd.run("port stop all")
        for layer in ("ip", "udp", "tcp"):
            for port in (0, 1):
                pmd.run("csum set %s %s %d" % (layer, by, port))
        pmd.run("port start all")
        got[by] = forward(bed, pmd, "csum")
    bed.leave()
    for port in (0, 1):
        assert len(got["sw"][port]) == len(bed.frames)
        assert captures.compare(got["sw"][port], got["hw"][port]).ok()
        # Some of the captures' checksums are wrong, so it can be told.
        assert any(f[12:] != captures.padded(g)[12:] for f, g
                   in zip(got["hw"][port], bed.frames))


@pytest.mark.parametrize("path", sorted(PATHS))
def test_rxonly(bed, path):
    count, sizes = 20000, (60, 1514)
    pmd = session(bed, path, ports=(2, 3))
    begin(pmd, "rxonly")
    given = bed.generate(count, sizes, back=False)
    end(pmd)
    for port in (0, 1):
        assert pmd.stats(port)["RX-packets"] == count
        seen = pmd.xstats(port)
        assert seen["rx_good_packets"] == seen["rx_unicast_packets"] == count
        assert seen["rx_good_bytes"] == given[2 + port]


@pytest.mark.parametrize("path", sorted(PATHS))
def test_txonly(bed, path):
    least = 3000
    pmd = session(bed, path)
    before = [bed.wire(port)["received"] for port in (0, 1)]
    begin(pmd, "txonly")
    bed.settle((0, 1), [n + least for n in before], given=False)
    end(pmd)
    for port in (0, 1):
        sent = pmd.stats(port)["TX-packets"]
        bed.settle((port,), [before[port] + sent], given=False)
        frames = bed.recorded(port)
        assert least <= sent == len(frames)
        for frame in frames:
            assert len(frame) == 64
            assert addresses(frame)[0] == bytes([2, 0, 0, 0, 0, port])
            assert flows.of(frame).proto == 17


def test_txonly_segments(bed):
    """Frames of three buffers each."""
    pmd = session(bed, options=SEGMENTS_TX)
    before = bed.wire(0)["received"]
    pmd.run("set txpkts 64,700,300")
    begin(pmd, "txonly")
    bed.settle((0,), [before + 1000], given=False)
    end(pmd)
    sent = pmd.stats(0)["TX-packets"]
    bed.settle((0,), [before + sent], given=False)
    bed.leave()
    frames = bed.recorded(0)
    bed.recorded(1)
    assert len(frames) == sent
    assert {len(f) for f in frames} == {1064}


@pytest.mark.parametrize("path", sorted(PATHS))
def test_jumbo(bed, path):
    """Frames of up to 9000 bytes and their headers, over buffers of 2 KiB.

    Sizes follow each other, so each occurs once.
    """
    sizes = (60, 9014)
    count = sizes[1] - sizes[0] + 1
    pmd = session(bed, path, ports=(2, 3), options="--max-pkt-len=9018 %s %s"
                  % (SCATTER_RX, SEGMENTS_TX))
    assert "Scattered" in pmd.bursts(0)[0]
    begin(pmd, "io")
    bed.generate(count, sizes)
    end(pmd)
    for port in (2, 3):
        assert bed.wire(port)["checked"] == [{
            "from": port ^ 1, "received": count, "missing": 0, "altered": 0,
            "duplicated": 0, "reordered": 0}]
    assert pmd.xstats(0)["rx_size_1523_to_max_packets"] == 9014 - 1518


# ---- what testpmd reads and sets ----

def test_xstats(bed):
    pmd = session(bed)
    forward(bed, pmd)
    frames = [captures.padded(f) for f in bed.frames]
    casts = collections.Counter(flows.cast(f) for f in frames)
    sizes = collections.Counter(flows.size_class(f) for f in frames)
    for port in (0, 1):
        seen = pmd.xstats(port)
        for way in ("rx", "tx"):
            assert seen[way + "_good_packets"] == len(frames)
            assert seen[way + "_good_bytes"] == sum(map(len, frames))
            for cast in ("unicast", "multicast", "broadcast"):
                assert seen["%s_%s_packets" % (way, cast)] == casts[cast]
            for name in flows.SIZE_CLASSES:
                assert seen["%s_size_%s_packets" % (way, name)] == sizes[name]
        assert all(seen[name] == 0 for name in seen
                   if re.search(r"error|drop|crc|fragment|jabber|missed|"
                                r"oversize|undersize|illegal|fault", name))


def streams(said):
    """{receive queue of port 0: packets}"""
    return {int(queue): int(count) for queue, count in re.findall(
        r"RX Port= *0/Queue= *(\d+) .*\n\s*RX-packets: *(\d+)", said)}


def set_table(pmd, table):
    """Write the whole hash table of port 0, and read it back."""
    # A word of a testpmd command has at most 127 characters.
    for at in range(0, TABLE, 8):
        pmd.run("port config 0 rss reta " + ",".join(
            "(%d,%d)" % (i, table[i]) for i in range(at, at + 8)))
    some, none = ["0xffffffffffffffff"] * 4, ["0"] * 4
    shown = "".join(
        pmd.run("show port 0 rss reta %d (%s)" % (TABLE, ",".join(masks)))
        for masks in (some + none, none + some))
    assert re.findall(r"hash index=(\d+), queue=(\d+)", shown) == [
        (str(i), str(q)) for i, q in enumerate(table)]


def spread(bed, pmd):
    begin(pmd, "io")
    bed.replay()
    counts = streams(end(pmd))
    check_unaltered(bed, [bed.recorded(port) for port in (0, 1)],
                    ordered=False)
    return counts


def test_rss_reta(bed):
    """Flows go where the key and the table that are shown say."""
    pmd = session(bed, queues=4)
    pmd.run("port config all rss all")
    key = bytes.fromhex(re.search(r"RSS key:\s*([0-9A-Fa-f]+)", pmd.run(
        "show port 0 rss-hash key")).group(1))
    for table in ([i % 4 for i in range(TABLE)],
                  [3 - i * i % 3 for i in range(TABLE)],
                  [2] * TABLE):
        set_table(pmd, table)
        want = collections.Counter()
        for frame in bed.frames[:len(bed.frames) // LOOPS]:
            want[flows.queue(captures.padded(frame), key, table)] += LOOPS
        got = spread(bed, pmd)
        assert {q: n for q, n in got.items() if n} == dict(want)
    bed.leave()


def test_flow_director(bed):
    """One flow of the captures to a queue of its own, another nowhere."""
    pmd = session(bed, queues=4)
    by_flow = collections.Counter(
        flow for flow in map(flows.of, bed.frames)
        if flow and flow.version == 4 and flow.proto in (6, 17) and flow.sport)
    (steered, hits), (dropped, misses) = by_flow.most_common(2)
    set_table(pmd, [0] * TABLE)
    for flow, action in ((steered, "queue index 3"), (dropped, "drop")):
        said = pmd.run("flow create 0 ingress pattern eth / %s / end "
                       "actions %s / end" % (flow.pattern(), action))
        assert re.search(r"Flow rule #\d+ created", said), said
    begin(pmd, "io")
    bed.replay(back=(len(bed.frames), len(bed.frames) - misses))
    counts = streams(end(pmd))
    assert counts == {0: len(bed.frames) - hits - misses, 3: hits}
    assert "destroyed" in pmd.run("flow destroy 0 rule 0")
    assert "error" not in pmd.run("flow flush 0").lower()
    for port in (0, 1):
        bed.recorded(port)
    assert streams_after_flush(bed, pmd) == {0: len(bed.frames)}
    bed.leave()


def streams_after_flush(bed, pmd):
    return {q: n for q, n in spread(bed, pmd).items() if n}


def test_promiscuous_off(bed):
    """Then a port takes what is for it, and no other unicast."""
    pmd = session(bed)
    pmd.run("set promisc all off")
    casts = collections.Counter(flows.cast(f) for f in bed.frames)
    begin(pmd, "rxonly")
    bed.replay(back=(0, 0))
    end(pmd)
    # testpmd does not ask for multicast; broadcast the driver always takes.
    for port in (0, 1):
        assert pmd.stats(port)["RX-packets"] == casts["broadcast"]
    bed.leave()


# ---- up and down ----

def test_link_events(bed):
    pmd = session(bed)
    for state in ("down", "up"):
        bed.ask("link 0 " + state)
        pmd.wait_event("Port 0: link state change event")
        assert pmd.info(0)["Link status"] == state
    assert pmd.info(1)["Link status"] == "up"
    check_unaltered(bed, forward(bed, pmd))


def test_stop_start(bed):
    pmd = session(bed)
    for _ in range(5):
        pmd.run("port stop all")
        queues = bed.ask("status")["ports"][0]
        assert queues["rx_queues"] == queues["tx_queues"] == []
        pmd.run("port start all")
    assert pmd.info(0)["Link status"] == "up"
    check_unaltered(bed, forward(bed, pmd))


def test_close(bed):
    session(bed)
    said = bed.leave()
    for port in (0, 1):
        assert "Port %d is closed" % port in said
        state = bed.ask("status")["ports"][port]
        assert state["rx_queues"] == state["tx_queues"] == []
