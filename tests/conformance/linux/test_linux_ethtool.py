"""ethtool's options do what they say, and the traffic goes on after each."""

import re

import pytest

from pair import DEVICE, PCI


# The driver gives its interrupt one or two milliseconds (i40e_ethtool.c,
# i40e_intr_test). An emulated CPU on a loaded machine can be late for that, so
# this one part may be tried again.
TRIES = 10


@pytest.mark.short
@pytest.mark.parametrize("side", ["a", "b"])
def test_self_test_offline(pair, side):
    """ethtool -t offline: registers, NVM, interrupt, link."""
    for _ in range(TRIES):
        out, _ = pair.run(side, "ethtool -t %s offline" % DEVICE[side])
        results = dict(re.findall(r"^(\w+) test\s+\(\S+\)\s+(\d+)$", out,
                                  re.M))
        late = results.pop("Interrupt", None) != "0"
        assert results == {"Register": "0", "Eeprom": "0", "Link": "0"}, out
        pair.settled()
        if not late:
            break
    assert not late
    assert "The test result is PASS" in out


def test_information(pair):
    """-i: the driver, the NVM version, the place."""
    for side, pci in PCI.items():
        out = pair.ethtool(side, "-i")
        assert "driver: i40e" in out
        assert "firmware-version: 8.40 0x" in out
        assert "bus-info: %s" % pci in out


def test_permanent_address(pair):
    for side in DEVICE:
        out = pair.ethtool(side, "-P")
        assert pair.mac(side) in out


def test_ring_sizes(pair):
    """-G sets, -g shows, frames flow; the sizes are multiples of 32."""
    try:
        for rx, tx in ((64, 64), (1024, 256), (4096, 4096)):
            pair.ethtool("a", "-G rx %d tx %d" % (rx, tx))
            shown = pair.ethtool("a", "-g").split("Current hardware")[1]
            assert re.search(r"^RX:\s+%d$" % rx, shown, re.M), shown
            assert re.search(r"^TX:\s+%d$" % tx, shown, re.M), shown
            pair.settled()
            pair.ping(5)
            pair.transfer(4)
    finally:
        pair.ethtool("a", "-G rx 512 tx 512")
        pair.wait_link("a")


def test_channels(pair):
    """-L: one queue, then two again."""
    for count in (1, 2):
        pair.ethtool("b", "-L combined %d" % count)
        shown = pair.ethtool("b", "-l").split("Current hardware")[1]
        assert "Combined:\t%d" % count in shown
        pair.settled()
        pair.flows(23000, 16, 4, 100)
        queues = [n for n in pair.statistics("b")
                  if re.match(r"rx-\d+\.packets", n)]
        assert len(queues) >= count


def test_features(pair):
    """-K switches each offload that is not fixed, -k shows it, ping works."""
    names = ("rx", "tx", "tso", "gso", "gro", "rxvlan", "txvlan", "rxhash",
             "sg", "ntuple")
    long = {"rx": "rx-checksumming", "tx": "tx-checksumming",
            "tso": "tcp-segmentation-offload",
            "gso": "generic-segmentation-offload",
            "gro": "generic-receive-offload", "rxvlan": "rx-vlan-offload",
            "txvlan": "tx-vlan-offload", "rxhash": "receive-hashing",
            "sg": "scatter-gather", "ntuple": "ntuple-filters"}
    for name in names:
        shown = pair.ethtool("a", "-k")
        before = re.search(r"^%s: (\S+)( \[fixed\])?" % long[name], shown,
                           re.M)
        if before.group(2):
            continue
        for word in ("off", "on"):
            pair.ethtool("a", "-K %s %s" % (name, word))
            assert re.search(r"^%s: %s" % (long[name], word),
                             pair.ethtool("a", "-k"), re.M), name
            pair.settled()
            pair.ping(2)
        pair.ethtool("a", "-K %s %s" % (name, before.group(1)))
    pair.ethtool("a", "-K tx on sg on tso on gso on")


def test_module_eeprom(pair):
    """-m: a QSFP+ that ethtool can decode."""
    out = pair.ethtool("a", "-m")
    assert re.search(r"Identifier\s+: 0x0d \(QSFP\+\)", out)
    assert "40G Base-SR4" in out
    raw = pair.ethtool("a", "-m hex on offset 0 length 256")
    octets = bytes.fromhex("".join(
        re.findall(r"^0x[0-9a-f]+:\s+((?:[0-9a-f]{2} ?)+)\s*$", raw, re.M)))
    assert len(octets) == 256
    # SFF-8636: check codes of bytes 128 to 190 and of 192 to 222.
    assert octets[191] == sum(octets[128:191]) & 0xff
    assert octets[223] == sum(octets[192:223]) & 0xff


def test_nvm(pair):
    """-e: words of the shadow RAM, whose checksum is right."""
    out = pair.ethtool("a", "-e raw on | head -c 4096 | od -v -An -t x2")
    words = [int(word, 16) for word in out.split()]
    assert len(words) == 2048
    assert words[0] & 0xc0 == 0x40
    assert words[0x18] == 0x8040
    vpd, alternate = words[0x2f], words[0x3e]
    total = sum(word for n, word in enumerate(words)
                if n != 0x3f and not vpd <= n < vpd + 512
                and not alternate <= n < alternate + 512)
    assert words[0x3f] == (0xbaba - total) & 0xffff


def test_register_dump(pair):
    """-d: a dump, and reading it changes nothing."""
    assert "0x0000:" in pair.ethtool("a", "-d")
    pair.ping(5)


def test_pause(pair):
    """-A asks for flow control, -a shows what was asked for and got."""
    try:
        pair.ethtool("a", "-A rx on tx on")
        pair.wait_link("a")
        out = pair.ethtool("a", "-a")
        assert re.search(r"^RX:\s+on$", out, re.M), out
        assert re.search(r"^TX:\s+on$", out, re.M), out
        pair.settled()
        pair.ping(5)
    finally:
        pair.ethtool("a", "-A rx off tx off")
        pair.settled()
    out = pair.ethtool("a", "-a")
    assert re.search(r"^RX:\s+off$", out, re.M), out


def test_settings(pair):
    """-s: speed of the link, wake on LAN only where the port has it."""
    pair.ethtool("a", "-s speed 40000 duplex full autoneg on")
    pair.wait_link("a")
    assert "Speed: 40000Mb/s" in pair.ethtool("a", "")
    out = pair.ethtool("a", "")
    assert "Supports Wake-on: d" in out
    pair.ethtool("a", "-s wol d")
    _, status = pair.run("a", "ethtool -s eth0 wol g")
    assert status != 0
    pair.ethtool("a", "-s msglvl drv on")
    pair.ping(5)


def test_coalescing(pair):
    """-C: fixed and adaptive interrupt moderation."""
    try:
        for words in ("adaptive-rx off adaptive-tx off rx-usecs 0 tx-usecs 0",
                      "rx-usecs 200 tx-usecs 200", "rx-usecs 8160"):
            pair.ethtool("a", "-C " + words)
            pair.ping(10)
    finally:
        # It takes numbers only while adaptation is off.
        pair.ethtool("a", "-C rx-usecs 50 tx-usecs 50")
        pair.ethtool("a", "-C adaptive-rx on adaptive-tx on")


def test_identify(pair):
    """-p: the port's LED blinks for a second and is as before after that."""
    pair.ethtool("a", "-p 1")


def test_negotiate_again(pair):
    """-r: the link comes back."""
    pair.ethtool("a", "-r")
    pair.wait_link("a")
    pair.wait_ping()


def test_private_flags(pair):
    """legacy-rx gives receive buffers of another size."""
    try:
        pair.ethtool("b", "--set-priv-flags legacy-rx on")
        pair.settled()
        pair.flows(24000, 4, 25, 1472)
    finally:
        pair.ethtool("b", "--set-priv-flags legacy-rx off")
        pair.wait_link("b")


def test_flow_rule(pair):
    """-N: flows that match go to their queue, whatever RSS says. Where the
    driver offers no flow director, it says so."""
    pair.ethtool("b", "-K ntuple on")
    words = "ethtool -N eth1 flow-type udp4 dst-port 4000 action %d loc 10"
    if "ntuple-filters: on" not in pair.ethtool("b", "-k"):
        out, status = pair.run("b", words % 1)
        assert "not supported" in out and status != 0
        return
    pair.settled()
    with pair.quiet():
        for queue in (1, 0):
            pair.ok("b", words % queue)
            assert "Filter: 10" in pair.ethtool("b", "-n")
            before = pair.statistics("b")
            pair.flows(25000, 32, 2, 100)
            after = pair.statistics("b")
            pair.ethtool("b", "-N delete 10")
            got = {n: after["rx-%d.packets" % n] - before["rx-%d.packets" % n]
                   for n in (0, 1)}
            assert got == {queue: 64, 1 - queue: 0}
    assert "Total 0 rules" in pair.ethtool("b", "-n")
