"""Disks, CDs, keys and firmware variables, made as a user would make them."""

import os
import subprocess

from lab import paths
from release import disk

EPOCH = 1700000000
OWNER = "6d696c6c-7261-6365-8000-626f6f742e2e"  # of keys in the variables
LICENCES = b"The licences of a medium for tests: see the release's.\n"


class Media:
    """All in folder `work`; `packages` are firmware and its tools, unpacked."""

    def __init__(self, work, packages):
        self.work = work
        self.packages = packages
        self.firmware = packages / "firmware" / "usr" / "share" / "OVMF"
        self.count = 0

    def folder(self):
        """A new one, for what is made there."""
        self.count += 1
        path = self.work / str(self.count)
        path.mkdir()
        return path

    # ---- what is on a medium ----

    def contents(self, efi=None, **files):
        """The release's medium; `files` by their path with / as __."""
        efi = paths.EFI.read_bytes() if efi is None else efi
        made = disk.contents(efi, b"", LICENCES)
        del made["millrace.conf"]
        made.update(files)
        return made

    def disk(self, contents):
        path = self.folder()
        disk.make_disk(path / "disk.img", path, contents, EPOCH)
        return path / "disk.img"

    def cd(self, contents):
        path = self.folder()
        disk.make_cd(path / "cd.iso", path, contents, EPOCH)
        return path / "cd.iso"

    # ---- firmware ----

    def variables(self, *words):
        """An NVRAM, as virt-fw-vars changes an empty one."""
        out = self.folder() / "vars.fd"
        python = self.packages / "vars/usr/lib/python3/dist-packages"
        subprocess.run(
            ["/usr/bin/python3", self.packages / "vars/usr/bin/virt-fw-vars",
             "-i", self.firmware / "OVMF_VARS_4M.fd", "-o", out, *words],
            env=dict(os.environ, PYTHONPATH=str(python)), check=True,
            capture_output=True)
        return out

    def secure(self, code="OVMF_CODE_4M.secboot.fd"):
        """A machine's words for a firmware with our key, and its use forced."""
        key, certificate = self.keys()
        return {
            "code": self.firmware / code,
            "variables": self.variables(
                "--set-pk", OWNER, certificate, "--add-kek", OWNER, certificate,
                "--add-db", OWNER, certificate, "--no-microsoft", "--sb"),
            "machine": "q35,smm=on",
        }

    def keys(self):
        """(key, certificate) of an owner of machines; one pair a run."""
        key, certificate = self.work / "own.key", self.work / "own.crt"
        if not certificate.exists():
            subprocess.run(
                ["openssl", "req", "-new", "-x509", "-newkey", "rsa:2048",
                 "-nodes", "-days", "3650", "-subj", "/CN=Owner of a lab/",
                 "-keyout", key, "-out", certificate],
                check=True, capture_output=True)
        return key, certificate

    def sign(self, efi):
        """A signed copy; the signer must have found nothing odd."""
        key, certificate = self.keys()
        out = self.folder() / "signed.efi"
        said = subprocess.run(
            ["sbsign", "--key", key, "--cert", certificate, "--output", out,
             efi], check=True, capture_output=True, text=True).stderr
        assert "warning" not in said.lower(), said
        subprocess.run(["sbverify", "--cert", certificate, out], check=True,
                       capture_output=True)
        return out
