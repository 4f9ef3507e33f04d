"""Tools that others wrote, run on what we made."""

import subprocess
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]


def tool(*words, **options):
    """Run a tool that must do it; returns what it said, both ways."""
    done = subprocess.run([str(w) for w in words], text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=300, **options)
    assert done.returncode == 0, "%s: %s" % (words[0], done.stdout)
    return done.stdout
