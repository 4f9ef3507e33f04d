"""A Linux guest without a disk: a Debian kernel, an initramfs, a shell.

    image = Image(Kernel(root / "linux-6.1"))
    image.programs(root / "user", "/sbin/ip", "/sbin/ethtool")
    guest = Guest(work, image, modules=["i40e"], nics=[...])
    guest.start()
    output, status = guest.run("ip link")

The shell has the first serial line to itself; the kernel's console is the
second, and goes to the file kernel.log.
"""

import functools
import itertools
import lzma
import os
import re
import stat
import subprocess
import time
from pathlib import Path

import pexpect
import pexpect.fdpexpect

from .qemu import Qemu

BOOT_S = 120       # a cold emulated kernel on a busy machine
LINE_MAX = 4000    # a terminal takes 4095 bytes a line
BUSYBOX = "/bin/busybox"
APPEND = ("console=ttyS1 loglevel=5 mitigations=off nokaslr panic=-1 "
          "audit=0 random.trust_cpu=on")

# Behind a pipe the shell is not interactive: it prints no prompt. dd hands on
# what it reads line by line, where busybox's cat would wait for megabytes.
INIT = """#!/bin/busybox sh
export PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/ TERM=dumb
/bin/busybox mkdir -p /proc /sys /dev /tmp /run /var/run /root /etc
/bin/busybox --install -s /bin 2>/dev/null
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
ulimit -c 0
for module in $(cat /modules.order); do
    insmod /modules/$module.ko $(cat /modules/$module.options 2>/dev/null) ||
        echo "cannot load $module"
done
while :; do
    stty -echo -opost </dev/ttyS0
    (echo "echo @@ready"; exec dd bs=4096 2>/dev/null </dev/ttyS0) |
        sh >/dev/ttyS0 2>&1
done
"""


class GuestError(Exception):
    """The guest did not come up, or did not answer."""


class Kernel:
    """An unpacked linux-image package, and the modules in it."""

    def __init__(self, root):
        self.image = next(Path(root).glob("boot/vmlinuz-*"))
        self.release = self.image.name[len("vmlinuz-"):]
        self.root = Path(root) / "lib" / "modules" / self.release

    @functools.cached_property
    def _files(self):
        return {_module_name(path): path
                for path in self.root.rglob("*.ko*")}

    @functools.cached_property
    def _builtin(self):
        lines = (self.root / "modules.builtin").read_text().split()
        return {_module_name(Path(line)) for line in lines}

    def module(self, name):
        """The bytes of one module."""
        path = self._files[name]
        data = path.read_bytes()
        return lzma.decompress(data) if path.suffix == ".xz" else data

    def closure(self, names):
        """{name: bytes} of modules and all they need, in loading order."""
        found = {}
        for name in names:
            self._add(name.replace("-", "_"), found)
        return found

    def _add(self, name, found):
        if name in found or name in self._builtin:
            return
        if name not in self._files:
            raise GuestError("%s has no module %s" % (self.release, name))
        data = self.module(name)
        needs = re.search(rb"\0depends=([^\0]*)\0", data)
        for need in needs.group(1).decode().split(",") if needs else ():
            if need:
                self._add(need.replace("-", "_"), found)
        found[name] = data


def _module_name(path):
    return path.name.split(".ko")[0].replace("-", "_")


class Image:
    """What is in a guest's initramfs: files by their path in the guest."""

    def __init__(self, kernel, busybox):
        """`busybox`: the root of unpacked packages with busybox-static."""
        self.kernel = kernel
        self.files = {}
        self.modules = {}
        self.add(BUSYBOX, Path(busybox) / "bin" / "busybox", mode=0o755)
        self.add("/init", INIT, mode=0o755)

    def add(self, path, content, mode=0o644):
        """One file: bytes, text, or the Path of one on this machine."""
        if isinstance(content, Path):
            content = content.read_bytes()
        elif isinstance(content, str):
            content = content.encode()
        self.files[path] = (content, mode)

    def programs(self, root, *names):
        """Programs of an unpacked root, with the libraries they need."""
        root = Path(root)
        for name in names:
            self.add(name, _inside(root, name), mode=0o755)
            for library, path in libraries(root, _inside(root, name)):
                self.add(library, path, mode=0o755)

    def load(self, *names, **options):
        """Modules that the guest loads when it starts.

        load("vfio_iommu_type1", vfio_iommu_type1="allow_unsafe_interrupts=1")
        """
        for module, data in self.kernel.closure(names).items():
            self.modules[module] = data
        for module, words in options.items():
            self.add("/modules/%s.options" % module, words)

    def carry(self, *names):
        """Modules in /modules that the guest does not load by itself."""
        for module, data in self.kernel.closure(names).items():
            if module not in self.modules:
                self.add("/modules/%s.ko" % module, data)

    def write(self, path):
        """The initramfs as a file, not compressed: unpacking costs more."""
        files = dict(self.files)
        files["/modules.order"] = ("\n".join(self.modules).encode(), 0o644)
        for module, data in self.modules.items():
            files["/modules/%s.ko" % module] = (data, 0o644)
        with open(path, "wb") as out:
            made = set()
            number = itertools.count(1)
            for name in sorted(files):
                for parent in reversed(Path(name).parents[:-1]):
                    if parent not in made:
                        made.add(parent)
                        _cpio(out, next(number), str(parent)[1:],
                              stat.S_IFDIR | 0o755, b"")
                content, mode = files[name]
                _cpio(out, next(number), name[1:], stat.S_IFREG | mode,
                      content)
            _cpio(out, 0, "TRAILER!!!", 0, b"")


def _cpio(out, number, name, mode, content):
    """One member in the "newc" format of cpio(5)."""
    encoded = name.encode() + b"\0"
    fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0,
              len(encoded), 0)
    header = b"070701" + b"".join(b"%08x" % f for f in fields) + encoded
    out.write(header + bytes(-len(header) % 4))
    out.write(content + bytes(-len(content) % 4))


def _inside(root, name):
    """The file behind `name` in a root whose links are absolute in it."""
    path = Path(root) / name.lstrip("/")
    for _ in range(8):
        if not path.is_symlink():
            return path
        target = os.readlink(path)
        path = (Path(root) / target.lstrip("/") if target.startswith("/")
                else path.parent / target)
    raise GuestError("%s: too many links" % name)


def library_path(root):
    return [d for d in ("lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu",
                        "lib64", "usr/lib64") if (Path(root) / d).is_dir()]


def libraries(root, program):
    """(path in the guest, path here) of all that a program links to."""
    root = Path(root)
    loader = _inside(root, "/lib64/ld-linux-x86-64.so.2")
    folders = ":".join(str(root / d) for d in library_path(root))
    listing = subprocess.run(
        [loader, "--library-path", folders, "--list", program],
        check=True, capture_output=True, text=True).stdout
    if "not found" in listing:
        raise GuestError("%s lacks a library:\n%s" % (program, listing))
    yield "/lib64/ld-linux-x86-64.so.2", loader
    for name, path in re.findall(r"^\s*(\S+) => (\S+)", listing, re.M):
        yield ("/lib/x86_64-linux-gnu/" + Path(name).name,
               _inside(root, "/" + str(Path(path).relative_to(root))))


class Guest(Qemu):
    """A running Linux. `append` adds words to its command line."""

    def __init__(self, work, image, append="", memory=512, cores=2, extra=(),
                 **options):
        self.console = Path(work) / "kernel.log"
        self.shell = None
        initramfs = Path(work) / "initramfs"
        image.write(initramfs)
        super().__init__(work, [
            "-kernel", str(image.kernel.image), "-initrd", str(initramfs),
            "-append", " ".join((APPEND, append)).strip(),
            "-chardev", "file,id=kernel,path=%s" % self.console,
            "-serial", "chardev:kernel"],
            memory=memory, cores=cores, extra=extra, **options)
        self._marks = itertools.count(1)

    def start(self, timeout=BOOT_S):
        """Start it, and wait for its shell."""
        self._ends = super().start()
        self.shell = pexpect.fdpexpect.fdspawn(
            self._ends[0], timeout=timeout, encoding="utf-8",
            codec_errors="replace", maxread=65536)
        self.shell.logfile_read = open(self.work / "shell.log", "w")
        self.wait_ready(timeout)
        return self

    def wait_ready(self, timeout=BOOT_S):
        """Wait for the shell of a guest that (re)starts."""
        self._expect("@@ready\r?\n", timeout, "start")

    def run(self, command, timeout=60):
        """Type a command; returns (its output with errors, its status).

        It may have several lines; each is at most LINE_MAX bytes.
        """
        mark = next(self._marks)
        self.type("{ %s\n} 2>&1 </dev/null; echo @@%d=$?" % (command, mark))
        self._expect(r"@@%d=(\d+)\r?\n" % mark, timeout, command)
        text = self.shell.before.replace("\r\n", "\n")
        return text, int(self.shell.match.group(1))

    def ok(self, command, timeout=60):
        """Like run(), but the command must succeed; returns its output."""
        output, status = self.run(command, timeout)
        if status != 0:
            raise GuestError("%s: status %d\n%s" % (command, status, output))
        return output

    def wait_until(self, command, timeout=60):
        """Repeat a command in the guest until it succeeds."""
        deadline = time.monotonic() + timeout
        while True:
            output, status = self.run(command)
            if status == 0:
                return output
            if time.monotonic() > deadline:
                raise GuestError("%s: not within %d s\n%s"
                                 % (command, timeout, output))
            time.sleep(0.05)

    def type(self, text):
        """Put lines into the shell and do not wait."""
        for line in text.split("\n"):
            if len(line) > LINE_MAX:
                raise GuestError("a line of %d bytes" % len(line))
        os.write(self._ends[1], (text + "\n").encode())

    def kernel_log(self):
        return self.ok("dmesg")

    def reboot(self, timeout=BOOT_S):
        self.type("reboot -f")
        self.wait_ready(timeout)

    def _expect(self, pattern, timeout, what):
        try:
            self.shell.expect(pattern, timeout=timeout)
        except (pexpect.TIMEOUT, pexpect.EOF) as error:
            raise GuestError(
                "%s: %s\nshell: %s\nkernel: %s\nQEMU: %s"
                % (what, type(error).__name__, self.shell.before[-1000:],
                   self._tail(self.console), self._tail(self.log))) from None

    @staticmethod
    def _tail(path):
        if not path.exists():
            return ""
        return path.read_text(errors="replace")[-2000:]

    def stop(self):
        super().stop()
        if self.shell is not None:
            self.shell.logfile_read.close()
            for end in self._ends:
                os.close(end)
            self.shell = None
