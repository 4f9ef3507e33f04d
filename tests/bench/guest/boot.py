"""make bench-boot: how big the image is, and what passes between its entry and
the first forwarded packet, stage by stage.

Twice: by the clock of a machine without KVM, where the emulator decides how
fast it goes, and counted, where a microsecond is a thousand instructions and
waits for the chip are as long as they must be.
"""

import argparse
import re
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tools"))

from figure import bench_line  # noqa: E402
from lab import paths  # noqa: E402
from lab.console import Console  # noqa: E402
from lab.model import Model  # noqa: E402
from lab.qemu import Machine  # noqa: E402

BOOT_S = 300
STAGES = ("memory", "cores", "pci", "nic", "link", "forwarding")
STAMPS = r"stamps: us since entry: ([^\r]*)\r"
WAITED = r"the chip asked for (\d+) of"
# What the image is for: ports up, frames crossing.
CMDLINE = "-- --forward-mode=io --auto-start"
INSNS_A_US = 1000


def boot(work, counted):
    """{stage: microseconds}, and under "waits" those that the chip asked."""
    model = Model(paths.MODEL, work, ["wire=gen,size=64", "wire=sink"],
                  mode="sync" if counted else "polled",
                  options=["--strict=log"])
    machine = Machine(work, cmdline=CMDLINE, counted=counted,
                      nics=[model.socket(0), model.socket(1)])
    try:
        model.start()
        with open(work / "console.log", "w") as log:
            line = Console(machine.start(), echo=log).wait_for(
                STAMPS, BOOT_S).group(1)
    finally:
        machine.stop()
        model.stop()
    since = [int(re.search(r"\b%s (\d+)" % stage, line).group(1))
             for stage in STAGES]
    took = {stage: max(after - before, 1) for stage, before, after
            in zip(STAGES, [0] + since, since)}
    return {**took, "total": since[-1],
            "waits": max(int(re.search(WAITED, line).group(1)), 1)}


def series(work, counted, runs):
    """{stage: [microseconds of each run]}"""
    found = {}
    for run in range(runs):
        made = work / ("%d-%d" % (counted, run))
        made.mkdir()
        for stage, us in boot(made, counted).items():
            found.setdefault(stage, []).append(us)
    return found


def sizes(tool, efi):
    bench_line(tool, "boot-image", [efi.stat().st_size], unit="bytes")


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--tool", required=True,
                         help="build/bench/guest/line")
    options.add_argument("--runs", type=int, default=5)
    args = options.parse_args()
    sizes(args.tool, paths.EFI)
    with tempfile.TemporaryDirectory(prefix="millrace-boot-") as name:
        for stage, us in series(Path(name), False, args.runs).items():
            bench_line(args.tool, "boot-" + stage, us, unit="us",
                       emulator="tcg", lowest=min(us), highest=max(us))
        for stage, us in series(Path(name), True, args.runs).items():
            bench_line(args.tool, "boot-%s-counted" % stage,
                       [INSNS_A_US * n for n in us], unit="insns",
                       lowest=INSNS_A_US * min(us),
                       highest=INSNS_A_US * max(us))


if __name__ == "__main__":
    main()
