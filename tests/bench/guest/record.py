"""The recorded costs: what a change may not exceed by more than 2 %."""

from pathlib import Path

FILE = Path(__file__).resolve().parents[1] / "insn.record"
ALLOWED = 0.02


def read():
    """{(engine, path): instructions a packet}."""
    found = {}
    for text in FILE.read_text().splitlines():
        words = text.split("#")[0].split()
        if words:
            engine, path, each = words
            found[engine, path] = float(each)
    return found


def judge(recorded, measured):
    """What to say about a path that costs `measured`, or None: it is well."""
    growth = measured / recorded - 1
    if growth <= ALLOWED:
        return None
    return ("%.1f instructions a packet, recorded are %.1f: %.1f %% more. "
            "Make it cheaper, or change %s in the same commit and say why"
            % (measured, recorded, 100 * growth, FILE.name))
