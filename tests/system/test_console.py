"""What the console tells programs: each `show` of the reference as JSON."""

import itertools
import re
from pathlib import Path

REFERENCE = Path(__file__).resolve().parents[2] / "docs/reference/commands.md"

# DPDK 25.11: the keys that /ethdev/stats, /ethdev/link_status and
# /ethdev/info of its telemetry have for what we know too.
TELEMETRY = {
    "show port stats 0": {"ipackets", "opackets", "ibytes", "obytes",
                          "imissed", "ierrors", "oerrors", "rx_nombuf"},
    "show port info 0": {"name", "port_id", "mtu", "mac_addr", "promiscuous",
                         "nb_rx_queues", "nb_tx_queues", "dev_started",
                         "numa_node"},
}


def spoken(pattern):
    """Each command that a pattern of the reference allows, without json."""
    words = [word.replace("<port>", "0").split("|")
             for word in pattern.split()[:-1]]
    return [" ".join(choice) for choice in itertools.product(*words)]


def shows():
    patterns = re.findall(r"^### `(show [^`]*)`$", REFERENCE.read_text(), re.M)
    assert len(patterns) > 10
    for pattern in patterns:
        assert pattern.endswith((" [json]", "|json]")), pattern
        yield from spoken(pattern)


def keys_of(answer):
    """The keys, without values, of an answer; of a list, of its first item."""
    if isinstance(answer, dict):
        return {key: keys_of(value) for key, value in answer.items()}
    if isinstance(answer, list) and answer:
        return [keys_of(answer[0])]
    return None


def test_every_show_of_the_reference_is_one_json_object(bench):
    console = bench.boot()
    for command in shows():
        first = console.json(command)
        assert keys_of(console.json(command)) == keys_of(first), command
        missing = TELEMETRY.get(command, set()) - set(first)
        assert not missing, (command, missing)
    link = console.json("show port info 0")["link"]
    assert {"status": "UP", "speed": 40000, "duplex": "full-duplex"}.items() \
        <= link.items()
    assert [p["port_id"] for p in console.json("show port info all")["ports"]] \
        == [0, 1]


def test_json_and_text_say_the_same(bench):
    console = bench.boot(cmdline="")
    info = console.json("show port info 1")
    text = console.run("show port info 1")
    for label, key in (("MAC address", "mac_addr"), ("Device name", "name"),
                       ("MTU", "mtu"), ("Firmware-version", "firmware"),
                       ("Current number of RX queues", "nb_rx_queues")):
        assert "%s: %s\n" % (label, info[key]) in text.replace("\r", "")
    pools = console.json("show mempool")["mempools"]
    text = console.run("show mempool")
    for pool in pools:
        assert re.search(r"^%s +%d +%d +%d +%d\s*$" % (
            re.escape(pool["name"]), pool["size"], pool["free"],
            pool["in_use"], pool["data_room"]), text, re.M), text
