"""The built-in experiments on the console: each row, the report, and an end.

Times mean nothing here, and no test looks at one.
"""

import re

import pytest

FIGURE = (r"^BENCH %s ours=[0-9]+\.[0-9]{3} (peer=[0-9.]+ )?unit=cycles "
          r"(ratio=[0-9.]+ ci95=[0-9.]+\.\.[0-9.]+ )?n=3 base=[a-z0-9-]+ "
          r"min=[0-9.]+ resolution=\S+ aa=(ok|void|few) void=[0-9]+ "
          r"steady=[01] ghz=\S+$")

POOL = ["p0", "p1", "p1-again", "p2", "default", "default-inline"]
PREFREE = ["always", "differs", "differs-again", "at-alloc", "product-call",
           "product-bulk"]
SCHEMES = ["each", "each-again", "chunks", "all"]
QUEUES = ["ticket", "ticket-again", "cas", "queue-lock", "index-many",
          "no-lock", "index-one"]
ONE_CORE = (
    [("mempool-" + row, POOL) for row in
     ("512", "2048", "wave-512", "wave-2048", "walk", "equal")] +
    [("mbuf-1t", PREFREE)] +
    [("txfree-%d-%s" % (n, p), SCHEMES) for n in (32, 256, 512)
     for p in ("p0", "p1", "p2", "default")] +
    [("ring-pair-" + row, QUEUES) for row in
     ("8", "64", "1000", "10000", "32000", "1000-64", "1000-full")])
MORE_CORES = ["mempool-2t-512", "mempool-2t-2048", "mempool-2t-wave-512",
              "mbuf-2t", "ring-2-half", "ring-2-empty", "ring-2-full",
              "ring-4-half", "ring-4-empty", "ring-4-full"]


def expect_rows(text, rows):
    for row, variants in rows:
        for variant in variants:
            name = re.escape("%s-%s" % (row, variant))
            assert re.search(FIGURE % name, text, re.M), (name, text)


def expect_environment(text):
    for line in (r"CPU +\S.*", r"microcode +\S.*", r"hypervisor +\S.*",
                 r"clock +\d+ Hz, (not )?invariant", r"smi +\S.*",
                 r"time gaps +\d+ above .*", r"image +[0-9a-f]{16}",
                 r"seed +1", r"mbuf layout +identity-mapped .*"):
        assert re.search("^  %s$" % line, text, re.M), (line, text)


def test_all_experiments_print_every_row_and_a_report(bench):
    """REQ-17, REQ-23, REQ-28, REQ-30, REQ-32; RQ-26..RQ-28 where one core can."""
    console = bench.boot(wires=(), cmdline="")
    text = console.run("bench all quick", timeout=120)
    expect_environment(text)
    expect_rows(text, ONE_CORE)
    for name in MORE_CORES:
        assert re.search("^%s: not measured: needs [24] cores, has 1$" % name,
                         text, re.M), name
    report = text[text.index("\nReport\n"):]
    expect_environment(report)
    assert re.search(r"^  \d+ series, \d+ void by their A/A control", report,
                     re.M)
    assert "quick: few blocks" in report
    if "hypervisor   TCG" in text:
        assert "WARNING: this is an emulator (TCGTCGTCGTCG)" in report
    assert bench.quit() == 0


def test_two_cores_meet(bench):
    """RQ-25, RQ-27: side by side, or said to be void."""
    console = bench.boot(wires=(), cmdline="-l 0-1", cores=2)
    text = console.run("bench ring quick", timeout=120)
    if "needs 2 cores, has 1" in text:
        pytest.skip("the image uses one core")
    expect_rows(text, [("ring-2-" + row, QUEUES)
                       for row in ("half", "empty", "full")])
    assert bench.quit() == 0


def test_a_key_ends_it_and_gives_the_memory_back(bench):
    console = bench.boot(wires=(), cmdline="")
    before = console.run("show memory")
    console.send("bench all\r")
    console.wait_for(r"== mempool")
    console.send("x")
    text = console.wait_prompt(timeout=60)
    assert "bench: ended by a key" in text
    assert console.run("show memory") == before
    assert bench.quit() == 0


def test_it_refuses_while_packets_are_forwarded(bench):
    console = bench.boot()
    assert "`stop` it first" in console.run("bench all quick")
    console.run("stop")
    assert "ratio=" in console.run("bench mbuf quick", timeout=120)
    assert "did you mean \"mbuf\"?" in console.run("bench mbufs")
    assert bench.quit() == 0
