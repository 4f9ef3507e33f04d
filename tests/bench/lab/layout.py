"""What the layout of a buffer's header is worth: two builds, in turn.

    layout.py --tool LINE [--rounds N] [--window US] PRODUCT PUBLISHED

Both are `lab` programs, which differ in MBUF_LAYOUT_PUBLISHED only. A round runs
PRODUCT, PUBLISHED and PRODUCT again in an order drawn from a seed, each in a
fresh process at addresses of its own; a process answers with the medians of its
blocks. The lines compare the rounds; those named aa_ compare PRODUCT with
itself, and what they differ by is the error of the method. One core only: two
say nothing of a layout that one does not.
"""

import argparse
import os
import random
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "guest"))
from figure import bench_line  # noqa: E402

LINE = re.compile(r"^BENCH (mbuf-\S+) ours=(\S+) .*\bn=(\d+) .*\baa=(\w+)")
BLOCKS_MIN = 30  # a series with fewer claims nothing
SEED = 1


def run(program, window_us, seed):
    """Cycles of each variant whose series holds."""
    done = subprocess.run(
        [program, "-w", str(window_us), "-s", str(seed), "mbuf"],
        check=True, stdout=subprocess.PIPE, text=True)
    found = filter(None, map(LINE.match, done.stdout.splitlines()))
    return {m[1]: float(m[2]) for m in found
            if int(m[3]) >= BLOCKS_MIN and m[4] == "ok"}


def take_round(programs, window_us, seed, order):
    """An answer for each of `programs`, which run in a random order."""
    turns = list(range(len(programs)))
    order.shuffle(turns)
    answers = {i: run(programs[i], window_us, seed) for i in turns}
    return [answers[i] for i in range(len(programs))]


def report(tool, name, row, rounds, ours, peer):
    """The line `name` of what `row` cost in programs `ours` and `peer`."""
    both = [(r[ours][row], r[peer][row]) for r in rounds
            if row in r[ours] and row in r[peer]]
    if not both:
        print("# %s: void in each of %u rounds" % (name, len(rounds)))
        return
    bench_line(tool, name, [b[0] for b in both], [b[1] for b in both],
               unit="cycles",
               dropped="%u/%u" % (len(rounds) - len(both), len(rounds)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tool", required=True)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--window", type=int, default=300)
    parser.add_argument("product")
    parser.add_argument("published")
    options = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    programs = [options.product, options.published, options.product]
    order = random.Random(SEED)
    rounds = [take_round(programs, options.window, SEED + i, order)
              for i in range(options.rounds)]
    for row in sorted({n for r in rounds for answer in r for n in answer}):
        report(options.tool, "layout-" + row, row, rounds, 0, 1)
        report(options.tool, "aa_layout-" + row, row, rounds, 2, 0)


if __name__ == "__main__":
    main()
