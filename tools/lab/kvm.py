"""Does KVM really work here? Having /dev/kvm is not enough: try it once."""

import hashlib
import os
import sys
import tempfile
from pathlib import Path

import pexpect

from . import paths
from .console import Console
from .qemu import Machine

TRY_S = 8


def choose(wish, efi):
    """The accelerator for `wish` (auto, on, off): "kvm" or "tcg"."""
    if wish == "off":
        return "tcg"
    if not os.access("/dev/kvm", os.R_OK | os.W_OK):
        if wish == "on":
            sys.exit("run: KVM is asked for, but /dev/kvm cannot be opened")
        return "tcg"
    works = _remembered(efi)
    if wish == "on" and not works:
        sys.exit("run: KVM is asked for, but cannot start the firmware here")
    return "kvm" if works else "tcg"


def _remembered(efi):
    """The answer of the last try on this kernel with these tools."""
    stamp = os.uname().release + str(paths.tool_root()) + _cpu()
    name = "kvm-" + hashlib.sha256(stamp.encode()).hexdigest()[:12]
    note = paths.cache() / name
    if not note.exists():
        works = _try(efi)
        if not works:
            print("kvm: /dev/kvm is there but cannot start the firmware; "
                  "emulating")
        note.write_text("works" if works else "fails")
    return note.read_text() == "works"


def _cpu():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line
    return ""


def _try(efi):
    with tempfile.TemporaryDirectory(prefix="millrace-kvm-") as work:
        machine = Machine(work, efi=efi, accel="kvm", memory=256)
        try:
            console = Console(machine.start(), timeout=TRY_S)
            console.wait_prompt()
            return True
        except (pexpect.TIMEOUT, pexpect.EOF, RuntimeError, OSError):
            return False
        finally:
            machine.stop()
