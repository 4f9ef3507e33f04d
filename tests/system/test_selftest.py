"""The unit tests of pools, buffers, rings and locks, inside the booted image."""

import re

from lab import paths
from test_boot import buffers_out

IMAGE = paths.BUILD / "millrace-selftest.efi"
UNIT = paths.TREE / "tests" / "unit"
AREAS = ("mempool", "mbuf", "slot_ring", "index_ring", "lock_test")
RUN_S = 600  # emulated, on a machine that does other things too


def host_tests(path):
    """How many tests a file has on the host: its own and included ones."""
    text = path.read_text()
    count = len(re.findall(r"^(?:TEST|ROW)\(", text, re.M))
    return count + sum(host_tests(UNIT / name) for name in re.findall(
        r'^#include "tests/unit/(\w+_test\.c)"', text, re.M))


def files():
    return sorted(p for p in UNIT.glob("*_test.c")
                  if p.name.startswith(AREAS)
                  and not p.name.endswith("_mt_test.c"))


def run(console, command="selftest"):
    """Tests of each group, and the two figures of the last line."""
    text = console.run(command, timeout=RUN_S)
    groups = {name: int(tests) for name, tests in re.findall(
        r"^(\w+)\s+(\d+) tests, 0 failed$", text, re.M)}
    summary = re.search(r"^selftest: (\d+) tests, (\d+) failed$", text, re.M)
    assert "FAILED" not in text and summary, text
    return groups, tuple(map(int, summary.groups()))


def memory_used(console):
    return re.search(r"used (\d+)", console.run("show memory")).group(1)


def test_every_test_of_the_host_passes_in_the_image(bench):
    console = bench.boot(efi=IMAGE, cmdline="")
    used = memory_used(console)
    expected = {p.stem: host_tests(p) for p in files()}
    groups, summary = run(console)
    assert groups == expected
    assert summary == (sum(expected.values()), 0)
    # Again, each after others, and back to work.
    for group in ("mempool_test", "mbuf_pinned_test", "lock_test",
                  "mbuf_published_test", "mempool_test"):
        assert run(console, "selftest " + group)[0] == {group: expected[group]}
    assert memory_used(console) == used
    console.run("start")
    assert buffers_out(console) == 0


def test_no_tests_while_packets_move_and_one_group_after(bench):
    console = bench.boot(efi=IMAGE)
    assert "Packet forwarding is on" in console.run("selftest")
    console.run("stop")
    run(console, "selftest lock_test")
    console.run("start")
    assert buffers_out(console) == 0


def test_the_appliance_itself_carries_none(bench):
    console = bench.boot(wires=(), cmdline="")
    assert "carries no tests" in console.run("selftest")
