"""ethtool's options do what they say, and the traffic goes on after each."""

import contextlib
import re

import pytest

from pair import ADDRESS, ADDRESS6, DEVICE, PCI


@pytest.mark.short
@pytest.mark.parametrize("side", ["a", "b"])
def test_self_test_offline(pair, side):
    """ethtool -t offline: registers, NVM, interrupt, link."""
    pair.self_test(side)


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
    """-d: a dump of registers, and reading it changes nothing. It begins with
    QTX_CTL of queue 0 (i40e_ethtool.c, i40e_get_regs), which says that it is a
    function's, and whose."""
    for number, side in enumerate(DEVICE):
        raw = pair.ethtool(side, "-d raw on | head -c 4 | od -v -An -t x4")
        assert int(raw, 16) == 2 | number << 2
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


def refuses_rules(pair):
    """Where the driver offers no flow director, it says so."""
    pair.ethtool("b", "-K ntuple on")
    if "ntuple-filters: on" in pair.ethtool("b", "-k"):
        return False
    out, status = pair.run(
        "b", "ethtool -N eth1 flow-type udp4 dst-port 4000 action 1 loc 10")
    assert "not supported" in out and status != 0
    return True


@contextlib.contextmanager
def rule(pair, words):
    """A rule of port b, which is shown while it is there."""
    pair.ethtool("b", "-N %s loc 10" % words)
    assert "Filter: 10" in pair.ethtool("b", "-n")
    try:
        yield
    finally:
        pair.ethtool("b", "-N delete 10")
    assert "Total 0 rules" in pair.ethtool("b", "-n")


@contextlib.contextmanager
def one_queue(pair, six):
    """Nobody else sends, and only a rule brings anything to queue 1."""
    pair.settled()
    pair.ethtool("b", "-X equal 1")
    try:
        with pair.quiet(six):
            yield
    finally:
        pair.ethtool("b", "-X default")


def received(pair, send):
    """What port b counted while send() ran: (packets of each queue, matches)."""
    got = pair.counted(send)["b"]
    return ([got["rx-0.packets"], got["rx-1.packets"]],
            got["port.fdir_sb_match"])


# What a rule for UDP from a to b says.
UDP_FIELDS = (
    "src-port 25000 dst-port 4000",
    "dst-port 4000",
    "src-ip {a} dst-ip {b}",
    "src-ip {a} dst-ip {b} src-port 25000 dst-port 4000",
)


@pytest.mark.parametrize("six", [False, True], ids=["4", "6"])
def test_flow_rule_udp(pair, six):
    """-N: what matches goes to its queue, whatever RSS says; what does not
    match in one field stays with RSS."""
    if refuses_rules(pair):
        return

    def send():
        pair.flows(25000, 4, 8, 100, six=six)

    with one_queue(pair, six):
        for fields in UDP_FIELDS:
            words = "flow-type udp%s %s action 1" % (
                "6" if six else "4",
                fields.format(**(ADDRESS6 if six else ADDRESS)))
            with rule(pair, words):
                assert received(pair, send) == (
                    ([24, 8], 8) if "src-port" in fields
                    else ([0, 32], 32)), words
        assert received(pair, send) == ([32, 0], 0)


@pytest.mark.parametrize("six", [False, True], ids=["4", "6"])
def test_flow_rule_tcp(pair, six):
    """A stream of bytes goes to the rule's queue with all its segments."""
    if refuses_rules(pair):
        return
    words = "flow-type tcp%s dst-ip %s dst-port 5001 action " % (
        "6" if six else "4", (ADDRESS6 if six else ADDRESS)["b"])
    with one_queue(pair, six):
        for queue in (0, 1):
            with rule(pair, words + str(queue)):
                queues, matches = received(pair, lambda: pair.transfer(4, six))
            assert queues[1 - queue] == 0
            assert queues[queue] == matches > 4 << 20 >> 11


@pytest.mark.parametrize("six", [False, True], ids=["4", "6"])
def test_flow_rule_drop(pair, six):
    """Action -1: the chip takes the packets and shows them to nobody."""
    if refuses_rules(pair):
        return
    target = (ADDRESS6 if six else ADDRESS)["b"]
    with one_queue(pair, six), rule(
            pair, "flow-type udp%s dst-port 4000 action -1"
            % ("6" if six else "4")):
        got = received(pair, lambda: pair.ok(
            "a", "flows send %s 4000 25000 4 8 100" % target))
        assert got == ([0, 0], 32)
        # Another port is not concerned.
        pair.flows(25000, 4, 8, 100, six=six, port=4001)
    pair.flows(25000, 4, 8, 100, six=six)
