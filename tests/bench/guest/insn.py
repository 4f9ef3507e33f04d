"""make bench-insn: guest instructions for a forwarded packet, ours and DPDK's.

Counted, not timed: each figure is taken `--runs` times, in guests of our image
that were started anew, and in pairs of runs of testpmd.
"""

import argparse
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
TREE = HERE.parents[2]
for folder in ("tools", "tests/conformance", "tests/conformance/dpdk"):
    sys.path.insert(0, str(TREE / folder))

from figure import BURST, bench_line  # noqa: E402
from ours import PATHS, Ours  # noqa: E402

ENGINES = ("io", "macswap")
PACKETS = 100000
# Not measured here: Debian 13 and 12 have no DPDK this new. See README.md.
REFERENCE = {"io": 61.9, "macswap": 79.2}


def folder(work, name):
    made = work / name
    made.mkdir()
    return made


def ours(work, runs):
    """{path: (its name, {engine: [instructions a packet]})}, without paths
    that turn out to be another one."""
    found = {}
    for path in PATHS:
        taken = {engine: [] for engine in ENGINES}
        name = None
        for run in range(runs):
            guest = Ours(folder(work, "%s-%d" % (path, run)), path)
            try:
                name = guest.path()
                if name in (known for known, _ in found.values()):
                    break
                for engine in ENGINES:
                    taken[engine].append(guest.measure(engine, PACKETS).each)
            finally:
                guest.close()
        else:
            found[path] = name, taken
    return found


def peers(work, releases, runs):
    """{(release, path): (its name, {engine: [instructions a packet]})}."""
    from peer import PATHS as THEIRS, Peer
    from stand import root
    packages = root(TREE / "tests" / "conformance" / "linux" / "packages")
    found = {}
    for release in releases:
        guest = Peer(folder(work, "dpdk-" + release), packages, release)
        try:
            for path in THEIRS:
                name = guest.take(path).replace(" ", "-")
                found[release, path] = name, {
                    engine: [guest.measure(engine).each for _ in range(runs)]
                    for engine in ENGINES}
        finally:
            guest.close()
    return found


def report(tool, mine, theirs):
    for path, (name, taken) in mine.items():
        for engine in ENGINES:
            show(tool, engine, path, name, taken[engine], theirs)


def show(tool, engine, path, name, taken, theirs):
    """A line against each release's path of the same kind; where there is no
    such path, against its cheapest."""
    label = "insn-%s-%s" % (engine, path)
    for release in sorted({release for release, _ in theirs}):
        kinds = {p: t for (r, p), t in theirs.items() if r == release}
        kind = path if path in kinds else min(
            kinds, key=lambda k: min(kinds[k][1][engine]))
        bench_line(tool, label, taken, kinds[kind][1][engine], path=name,
                   dpdk=release, dpdk_path=kind, burst=BURST)
    if not theirs:
        bench_line(tool, label, taken, path=name, burst=BURST)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tool", required=True, help="build/bench/guest/line")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--dpdk", default="22.11 24.11",
                         help="releases to compare with; may be empty")
    args = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="millrace-insn-") as name:
        work = Path(name)
        mine = ours(work, args.runs)
        theirs = peers(work, args.dpdk.split(), args.runs)
        report(args.tool, mine, theirs)
    print("reference, not measured here: DPDK 25.11, Vector AVX2: " + ", ".join(
        "%s %.1f" % pair for pair in REFERENCE.items()))


if __name__ == "__main__":
    main()
