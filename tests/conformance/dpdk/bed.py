"""A guest for testpmd: its ports behind an IOMMU, real captures on the wires.

Ports 0 and 1 are given the captures that Debian's packages ship, and record
what leaves them; ports 2 and 3 are given numbered frames, and check those that
leave them. No frame moves before a check says so.
"""

import subprocess
import time
from pathlib import Path

from lab import captures, paths
from lab.guest import Image, Kernel
from testpmd import Testpmd

LOOPS = 20       # of the captures, as `make run` does
IDLE_S = 30      # nothing moved for so long: what is missing is lost
LIMIT_S = 120    # no check moves frames for longer
PORTS = 4
HUGEPAGES = 176  # of 2 MiB
MEMORY = 768
MODULES = ("vfio_iommu_type1", "vfio-pci")
IOMMU = ("-device", "intel-iommu,intremap=on,caching-mode=on")
CLAIM = "/usr/lib/claim_avx512.so"


def dpdk_root():
    """The folder of tools/dpdk-root; makes it when missing."""
    script = paths.TREE / "tools" / "dpdk-root"
    subprocess.run([script], check=True)
    return Path(subprocess.run([script, "--path"], check=True,
                               capture_output=True, text=True).stdout.strip())


def image(packages, release, work):
    """A Linux with one release of DPDK. `packages`: those of linux/."""
    made = Image(Kernel(packages / "linux-6.12"), packages / "user")
    tree = dpdk_root() / release
    for path in sorted(tree.rglob("*")):
        if path.is_file():
            made.add("/" + str(path.relative_to(tree)), path, mode=0o755)
    claim = work / "claim_avx512.so"
    subprocess.run(["gcc", "-O1", "-Wall", "-Werror", "-shared", "-fPIC",
                    Path(__file__).parent / "claim_avx512.c", "-o", claim],
                   check=True)
    made.add(CLAIM, claim, mode=0o755)
    made.load(*MODULES)
    return made


def merged(path):
    """All frames of Debian's captures that can travel, as one capture."""
    frames = []
    for file in sorted((paths.tool_root() / "captures").glob("*.pcap")):
        frames += captures.read(file)[0]
    captures.write(path, frames)
    return frames


class Bed:
    """A guest with one release, and at most one testpmd in it."""

    def __init__(self, stand, packages, release):
        self.stand = stand
        self.release = release
        self.frames = merged(stand.work / "in.pcap") * LOOPS
        self.pmd = None
        self._wanted = None
        self._taken = [0, 0]  # frames of the records that were judged already
        stand.model_start(
            ["wire=pcap,hold=1,loop=%d,in=%s,out=%s"
             % (LOOPS, stand.work / "in.pcap", self._record(port))
             for port in (0, 1)] +
            ["wire=gen,hold=1"] * (PORTS - 2))
        self.guest = stand.linux(
            image(packages, release, stand.work), memory=MEMORY,
            machine="q35,kernel-irqchip=split", before=IOMMU,
            append="intel_iommu=on hugepagesz=2M hugepages=%d" % HUGEPAGES)
        self._bind()

    def _bind(self):
        self.guest.ok("mkdir -p /dev/hugepages /var/run && "
                      "mount -t hugetlbfs -o pagesize=2M huge /dev/hugepages")
        for port in range(PORTS):
            device = "0000:01:00.%d" % port
            self.guest.ok("echo vfio-pci >/sys/bus/pci/devices/%s/"
                          "driver_override && echo %s >/sys/bus/pci/"
                          "drivers_probe" % (device, device))
        self.guest.ok("test $(ls /dev/vfio | grep -c '[0-9]') = %d" % PORTS)

    def close(self):
        self.stand.stop()

    def _record(self, port):
        return self.stand.work / ("out%d.pcap" % port)

    # ---- testpmd ----

    def testpmd(self, ports=(0, 1), **options):
        """A testpmd with these options: the one that runs, or a new one."""
        wanted = (tuple(ports), tuple(sorted(options.items())))
        if self.pmd is None or wanted != self._wanted:
            self.leave()
            self.pmd = Testpmd(self.guest, self.release, ports, **options)
            self._wanted = wanted
        return self.pmd

    def leave(self):
        """End the testpmd that runs; returns what it printed."""
        if self.pmd is None:
            return ""
        pmd, self.pmd = self.pmd, None
        return pmd.quit()

    # ---- wires ----

    def ask(self, command):
        return self.stand.model.ask(command)

    def wire(self, port):
        """The counters of a port's wire."""
        return self.ask("status")["ports"][port]["wire"]

    def settle(self, ports, received, given=True):
        """Wait until wires have given all and got `received` frames each.

        Returns when they have, or when nothing moves any more. Not `given`:
        what the wires have still to give does not matter.
        """
        last, since = None, time.monotonic()
        limit = since + LIMIT_S
        while time.monotonic() < min(since + IDLE_S, limit):
            now = self.ask("status")["ports"]
            wires = [now[port]["wire"] for port in ports]
            if (all(w["remaining"] == 0 or not given for w in wires) and
                    all(w["received"] >= n for w, n in zip(wires, received))):
                return
            moved = [(w["injected"], w["received"]) for w in wires]
            if moved != last:
                last, since = moved, time.monotonic()
            time.sleep(0.02)

    def replay(self, back=None):
        """Send the captures into ports 0 and 1, wait for them to come back.

        `back`: how many come out of each port, when that is not all.
        """
        back = back or (len(self.frames),) * 2
        before = [self.wire(port)["received"] for port in (0, 1)]
        for port in (0, 1):
            self.ask("wire %d start" % port)
        self.settle((0, 1), [a + b for a, b in zip(before, back)])

    def generate(self, count, sizes, back=True):
        """Numbered frames into ports 2 and 3, and perhaps back again.

        Returns {port: bytes that went into it}.
        """
        before = {port: self.wire(port) for port in (2, 3)}
        for port in (2, 3):
            self.ask("wire %d set count=%d size=%d-%d" % (port, count, *sizes))
            self.ask("wire %d start" % port)
        self.settle((2, 3), [before[port]["received"] + (count if back else 0)
                             for port in (2, 3)])
        return {port: self.wire(port)["injected_bytes"]
                - before[port]["injected_bytes"] for port in (2, 3)}

    def recorded(self, port):
        """The frames that left a port since this was asked last."""
        self.ask("flush")
        frames = captures.read(self._record(port))[0]
        new = frames[self._taken[port]:]
        self._taken[port] = len(frames)
        return new
