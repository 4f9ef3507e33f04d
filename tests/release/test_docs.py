"""The commands of the documentation, as they are printed there.

Blocks marked `sh` are run, one after another, in a folder with a release; those
marked `console` are for other machines.
"""

import re
import shutil
import subprocess

import pytest

from outside import TREE, tool

HOW_TO = TREE / "docs" / "how-to"
BLOCK = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)


def replay(name, folder):
    blocks = BLOCK.findall((HOW_TO / name).read_text())
    assert blocks
    done = subprocess.run(["sh", "-eux", "-c", "\n".join(blocks)], cwd=folder,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=600)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture
def folder(release, tmp_path):
    shutil.copytree(release.out, tmp_path / "out")
    return tmp_path / "out"


def test_the_recipe_for_ones_own_keys(folder):
    said = replay("secure-boot.md", folder)
    assert "Signature verification OK" in said
    assert "Signature verification failed" in said      # of the altered one
    assert "warning" not in said.lower() and "gap" not in said.lower()
    signed = (folder / "signed.efi").read_bytes()
    for medium in ("signed.img", "signed.iso"):
        table = tool("/sbin/sfdisk", "-q", "-l", "-o", "start,type",
                     folder / medium)
        start = int(re.search(r"^ *(\d+) EFI System", table, re.M)[1]) * 512
        got = subprocess.run(
            ["mtype", "-i", "%s@@%d" % (folder / medium, start),
             "::/EFI/BOOT/BOOTX64.EFI"], capture_output=True, timeout=300)
        assert got.stdout == signed
    (served,) = folder.glob("*-netboot/millrace.efi")
    assert served.read_bytes() == signed


def test_the_ways_to_boot(folder):
    said = replay("boot.md", folder)
    assert "\nset fwd macswap\n" in said      # read back from the disk
    assert "\nmillrace.efi\n" in said
