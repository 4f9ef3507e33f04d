"""Instructions for one forwarded packet, and BENCH lines of them."""

import subprocess
from dataclasses import dataclass

BURST = 32
RING = 512
FIRST = 8  # bursts each way that go round and round
PORTS = 2


class Void(Exception):
    """A measurement that says nothing: bursts that were not full, lines that
    are missing."""


@dataclass(frozen=True)
class Figure:
    """`packets` took `insns` instructions."""

    insns: int
    packets: int

    @property
    def each(self):
        return self.insns / self.packets


def bench_line(tool, name, ours, peer=None, unit="insns", **more):
    """Print a BENCH line. `tool` is build/bench/guest/line, which has the
    statistics.

    `ours`, `peer`: as many numbers of each, measured side by side; without a
    peer the line has the median of ours.
    """
    rows = zip(ours, peer) if peer else zip(ours)
    text = "".join(" ".join("%.6f" % v for v in row) + "\n" for row in rows)
    subprocess.run([tool, name, unit, *("%s=%s" % m for m in more.items())],
                   input=text, text=True, check=True)
