"""make insn-profile: where the instructions of a forwarded packet are spent.

QEMU counts each instruction of a guest that forwards, and of one that does not:
the difference is what packets cost. Control, which runs between rounds, is left
out. An inlined function is named as itself.
"""

import argparse
import collections
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "tools"))

from figure import BURST, PORTS  # noqa: E402
from lab import paths  # noqa: E402
from ours import PATHS, Ours  # noqa: E402

KERNEL = paths.BUILD / "kernel.elf"
KERNEL_FROM = 0xffffffff80000000  # linker.ld
PACKETS = 500000
LEAST = 0.9 / (BURST * PORTS)  # once a round of both ports
CONTROL = ("kernel/", "console/")


def count(work, plugin, path, engine=None):
    """({address: how often it ran}, a Figure, packets sent)."""
    work.mkdir()
    figure, sent = None, 0
    counts = work / "counts"
    guest = Ours(work, path, extra=["-plugin", "%s,out=%s,from=%d" % (
        Path(plugin).resolve(), counts, KERNEL_FROM)])
    try:
        if engine is not None:
            figure, sent = guest.measure(engine, PACKETS), guest.sent()
        guest.quit()
    finally:
        guest.close()
    ran = collections.Counter()
    for text in counts.read_text().splitlines():
        at, n = text.split()
        ran[int(at, 16)] += int(n)
    return ran, figure, sent


def compare(work, plugin, path, engine):
    """(the Figure, {address: times it ran for each packet})."""
    idle, _, _ = count(work / "idle", plugin, path)
    ran, figure, sent = count(work / "busy", plugin, path, engine)
    least = LEAST * sent
    return figure, {at: (n - idle[at]) / sent for at, n in ran.items()
                    if n - idle[at] >= least}


def functions(addresses):
    """{address: (innermost function, its file)}"""
    asked = subprocess.run(
        ["addr2line", "-e", KERNEL, "-f", "-i", "-a"], check=True, text=True,
        input="\n".join(map(hex, addresses)), capture_output=True).stdout
    found, at = {}, None
    lines = iter(asked.splitlines())
    for line in lines:
        if line.startswith("0x"):
            at = int(line, 16)
            name = next(lines).split(".")[0]
            file = next(lines).split(":")[0].replace(str(paths.TREE) + "/", "")
            found[at] = name, file.replace("./", "", 1)
    return found


def disassembly(per, out):
    """Every instruction of a packet, with how often it ran, into a file."""
    text = subprocess.run(["objdump", "-d", "--no-show-raw-insn", KERNEL],
                          check=True, text=True, capture_output=True).stdout
    with open(out, "w") as file:
        for line in text.splitlines():
            found = re.match(r"\s*([0-9a-f]+):\s+(.*)", line)
            if re.match(r"[0-9a-f]+ <", line):
                head = line
            elif found and int(found.group(1), 16) in per:
                if head:
                    file.write("\n%s\n" % head)
                    head = None
                file.write("%8.3f  %s  %s\n" % (per[int(found.group(1), 16)],
                                                *found.groups()))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--plugin", required=True)
    options.add_argument("--engine", default="io")
    options.add_argument("--path", default="fused", choices=PATHS)
    options.add_argument("--out", required=True,
                         help="file for the single instructions")
    args = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="millrace-profile-") as name:
        figure, per = compare(Path(name), args.plugin, args.path, args.engine)
    spent = collections.Counter()
    for at, (function, file) in functions(sorted(per)).items():
        if not file.startswith(CONTROL):
            spent[function, file] += per[at]
    print("%s, path %s: %.2f instructions a packet, %.2f of them here:"
          % (args.engine, args.path, figure.each, sum(spent.values())))
    for (function, file), each in spent.most_common():
        if each >= 0.05:
            print("%8.2f  %-28s %s" % (each, function, file))
    disassembly(per, args.out)
    print("each instruction: %s" % args.out)


if __name__ == "__main__":
    main()
