"""The three archives: for a boot server, for debugging, for a Linux host."""

import re
import tempfile
from pathlib import Path

from . import made

NETBOOT = made.TREE / "tools" / "release" / "netboot"
BUILD_ID = re.compile(r"Build ID: ([0-9a-f]{40})")
# Taken from tools/ as they are.
HOST_SCRIPTS = ["model-ctl", "symbolize", "netboot-server"]

HOST_README = """\
Programs for Linux (Debian 12, x86-64) that go with Millrace %s.

millrace-check   reads a configuration as the appliance would, and says what is
                 wrong with it: millrace-check millrace.conf
xl710-model      the NIC as a vfio-user device for QEMU 10.1 or newer; needs
                 the package libpcap0.8; --help
model-ctl        a word with the model while it runs
symbolize        names for the addresses of a panic dump; needs binutils and
                 kernel.elf of the debug archive: symbolize -e kernel.elf dump
netboot-server   PXE and HTTP boot for a lab; needs dnsmasq-base; --help
"""


def netboot(efi, licences):
    files = {p.name: made.plain(p) for p in sorted(NETBOOT.iterdir())
             if p.is_file()}
    files["millrace.efi"] = efi, 0o644
    files["LICENSES.TXT"] = licences, 0o644
    return files


def build_id(elf):
    found = BUILD_ID.search(made.run("readelf", "-n", elf))
    if not found:
        made.fail("%s has no build id" % elf)
    return found[1]


def debug(elf, map_text):
    return {"kernel.elf": made.plain(elf),
            "kernel.map": (map_text.encode(), 0o644),
            "build-id": ((build_id(elf) + "\n").encode(), 0o644),
            "symbolize": made.program(made.TREE / "tools" / "symbolize")}


def stripped(path):
    """The program without symbols, and without an id made of their folder."""
    with tempfile.TemporaryDirectory() as work:
        out = Path(work) / "stripped"
        made.run("strip", "--strip-all", "-R", ".note.gnu.build-id", "-o",
                 out, path)
        return made.program(out)


def hosttools(release, model, checker):
    files = {name: made.program(made.TREE / "tools" / name)
             for name in HOST_SCRIPTS}
    files["xl710-model"] = stripped(model)
    files["millrace-check"] = stripped(checker)
    files["README.txt"] = (HOST_README % release).encode(), 0o644
    files["LICENSE"] = made.plain(made.TREE / "LICENSE")
    return files
