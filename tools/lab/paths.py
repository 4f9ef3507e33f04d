"""Where the pieces are: in this clone, or in the cache all clones share."""

import os
import subprocess
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
BUILD = TREE / "build"
EFI = BUILD / "millrace.efi"
MODEL = BUILD / "model" / "xl710-model"
MODEL_ASAN = BUILD / "model-asan" / "xl710-model"


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "millrace"


def tool_root() -> Path:
    """The private root that tools/toolroot made."""
    out = subprocess.run([TREE / "tools" / "toolroot", "--path"],
                         check=True, capture_output=True, text=True)
    return Path(out.stdout.strip())
