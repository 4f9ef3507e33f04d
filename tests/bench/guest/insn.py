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


def ours(work, runs, options):
    """{path: (its name, {engine: [instructions a packet]})}, without paths
    that turn out to be another one."""
    found = {}
    for path in PATHS:
        taken = {engine: [] for engine in ENGINES}
        name = None
        for run in range(runs):
            guest = Ours(folder(work, "%s-%d" % (path, run)), path, options)
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


def peer(work, release, runs):
    """{path: {engine: [instructions a packet]}} of a release of DPDK."""
    from peer import PATHS as THEIRS, Peer
    from stand import root
    packages = root(TREE / "tests" / "conformance" / "linux" / "packages")
    guest = Peer(folder(work, "dpdk-" + release), packages, release)
    found = {}
    try:
        for path in THEIRS:
            guest.take(path)
            found[path] = {engine: [guest.measure(engine).each
                                    for _ in range(runs)]
                           for engine in ENGINES}
    finally:
        guest.close()
    return found


def report(tool, mine, release=None, theirs=None):
    """A line for each engine and path, against the release's path of the same
    kind; where there is no such path, against its cheapest."""
    for path, (name, taken) in mine.items():
        for engine in ENGINES:
            label = "insn-%s-%s" % (engine, path)
            keys = {"path": name, "burst": BURST}
            if release is None:
                bench_line(tool, label, taken[engine], **keys)
                continue
            kind = path if path in theirs else min(
                theirs, key=lambda p: min(theirs[p][engine]))
            bench_line(tool, label, taken[engine], theirs[kind][engine],
                       dpdk=release, dpdk_path=kind, **keys)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tool", required=True, help="build/bench/guest/line")
    options.add_argument("--runs", type=int, default=3)
    options.add_argument("--dpdk", default="22.11 24.11",
                         help="releases to compare with; may be empty")
    options.add_argument("--options", default="",
                         help="more words for our image, as --rxq=2 --txq=2")
    args = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="millrace-insn-") as name:
        work = Path(name)
        mine = ours(work, args.runs, args.options)
        if not args.dpdk.split():
            report(args.tool, mine)
        for release in args.dpdk.split():
            report(args.tool, mine, release, peer(work, release, args.runs))
    print("reference, not measured here: DPDK 25.11, Vector AVX2: " + ", ".join(
        "%s %.1f" % pair for pair in REFERENCE.items()))


if __name__ == "__main__":
    main()
