"""What the processor must refuse, and how the refusal reads."""

import re

import pytest

FAULTS = [
    ("write-text", r"page fault: writing", True),
    ("write-rodata", r"page fault: writing", True),
    ("exec-data", r"page fault: execut", True),
    ("exec-stack", r"page fault: execut", True),
    ("null-read", r"page fault", True),
    ("null-call", r"page fault", True),
    ("stack-overflow", r"double fault|page fault", True),
    ("nmi-overflow", r"double fault: the stack is full", True),
    ("fault-overflow", r"double fault: the stack is full", True),
    ("divide", r"divide", False),
    ("invalid-opcode", r"invalid opcode", False),
    ("panic", r"panic", False),
]


@pytest.mark.parametrize("kind, words, has_address", FAULTS,
                         ids=[f[0] for f in FAULTS])
def test_a_fault_is_dumped_and_ends_the_machine(bench, kind, words,
                                                has_address):
    console = bench.boot(wires=(), cmdline="debug-exit=0xf4")
    console.send("debug fault %s\r" % kind)
    dump = console.rest()
    status = bench.machine.wait(30)
    assert re.search(words, dump, re.I | re.S), dump
    assert re.search(r"rip", dump, re.I) and re.search(r"backtrace", dump, re.I)
    if has_address:
        assert re.search(r"cr2", dump, re.I)
    # Through the debug-exit port, not by a triple fault (which gives 0).
    assert status & 1 and status != 1
