"""DPDK's testpmd, counted, in a Linux guest on the same model."""

import re
import time

from bed import CLAIM, IOMMU, MODULES, image
from figure import BURST, FIRST, PORTS, RING, Figure, Void
from lab import paths
from lab.guest import Guest
from lab.model import Model
from testpmd import Testpmd

HUGEPAGES = 176  # of 2 MiB
MEMORY = 768
BOOT_S = 900  # counted, Linux takes ten times as long
# Each run carries a constant of some million instructions, when other threads
# and the kernel come in between, and it varies by a million or two. What counts
# is the difference of two runs that differ by so many packets.
SHORT_S, LONG_S = 2, 12
APART = 5000000
TRIES = 5

# --force-max-simd-bitwidth, what to preload, a word of the burst modes.
PATHS = {
    "scalar": ("64", "", "Scalar"),
    "sse": ("128", "", "Vector SSE"),
    "avx2": ("256", CLAIM, "Vector AVX2"),
}
CYCLES = r"cycles=(\d+) ?/ ?total \w+ packets=(\d+)"


class Peer:
    """A guest with one release of DPDK."""

    def __init__(self, work, packages, release):
        self.release = release
        self.pmd = None
        self.guest = None
        self.model = Model(paths.MODEL, work, ["wire=pair"] * PORTS,
                           mode="sync", options=["--strict=log"])
        try:
            self.model.start()
            self.guest = Guest(
                work, image(packages, release, work), memory=MEMORY, cores=1,
                machine="q35,kernel-irqchip=split", before=IOMMU, counted=True,
                append="intel_iommu=on hugepagesz=2M hugepages=%d" % HUGEPAGES,
                nics=[self.model.socket(port) for port in range(PORTS)])
            self.guest.start(BOOT_S)
            self._bind()
        except BaseException:
            self.close()
            raise

    def _bind(self):
        self.guest.ok("mkdir -p /dev/hugepages /var/run && "
                      "mount -t hugetlbfs -o pagesize=2M huge /dev/hugepages")
        for port in range(PORTS):
            device = "0000:01:00.%d" % port
            self.guest.ok("echo vfio-pci >/sys/bus/pci/devices/%s/"
                          "driver_override && echo %s >/sys/bus/pci/"
                          "drivers_probe" % (device, device))

    def take(self, path):
        """A testpmd that takes this path; returns the name it has for it."""
        bits, preload, word = PATHS[path]
        if self.pmd is not None:
            self.pmd.quit()
        self.pmd = Testpmd(
            self.guest, self.release, range(PORTS), memory="-m 256",
            eal="--lcores=0@0,1@0 --force-max-simd-bitwidth=" + bits,
            preload=preload, start_s=BOOT_S, options="--total-num-mbufs=8192 --nb-cores=1 "
            "--rxd=%d --txd=%d --burst=%d --port-topology=paired" % (
                RING, RING, BURST))
        modes = self.pmd.bursts(0)
        if word not in modes[0] or word not in modes[1]:
            raise Void("testpmd %s, %s: it took %s" % (self.release, path,
                                                       " / ".join(modes)))
        for what in ("core-cycles", "burst-stats"):
            self.pmd.run("set record-%s on" % what)
        return " / ".join(modes)

    def measure(self, engine):
        """A Figure: a long run less a short one."""
        self.pmd.run("set fwd " + engine)
        seconds = LONG_S
        for _ in range(TRIES):
            short, long = self._run(SHORT_S), self._run(seconds)
            if None in (short, long):
                continue
            if long.packets - short.packets >= APART:
                return Figure(long.insns - short.insns,
                              long.packets - short.packets)
            seconds *= 2
        raise Void("testpmd %s, %s: no two runs to compare"
                   % (self.release, engine))

    def _run(self, seconds):
        """A Figure with the constant in it; None when it is void."""
        self.pmd.run("start tx_first %d" % FIRST)
        time.sleep(seconds)
        text = self.pmd.run("stop").replace("\n", " ")
        found = re.search(CYCLES, text)
        full = [int(n) for n in re.findall(r"(\d+)%% of %d pkts" % BURST, text)]
        if found is None or not full or min(full) < 99:
            return None
        return Figure(*(int(g) for g in found.groups()))

    def close(self):
        if self.guest is not None:
            self.guest.stop()
        self.model.stop()
