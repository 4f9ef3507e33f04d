#!/usr/bin/python3
"""Who is the limit when testpmd forwards in a guest: the guest, or the model?

Two ports on one cable; testpmd sends a first burst into both and passes on for
ever what comes. Per packet that the model moves it takes so much processor time
of the guest's core and of the model. Where the guest takes more, the guest is
the limit. Processor time, because a loaded machine changes it least.

The model also looks at the doorbells while there is nothing to do: it cannot
take less than it does, so what is printed for it is no more than an upper limit.

    make bench-model-testpmd
"""

import os
import sys
import tempfile
import time
from pathlib import Path

TREE = Path(__file__).resolve().parents[3]
for folder in ("tools", "tests/conformance", "tests/conformance/dpdk"):
    sys.path.insert(0, str(TREE / folder))

import bed as dpdk  # noqa: E402
from lab import paths  # noqa: E402
from lab.guest import Guest  # noqa: E402
from lab.model import Model  # noqa: E402
from stand import root  # noqa: E402
from testpmd import Testpmd  # noqa: E402

RELEASE = "24.11"
WINDOWS, WINDOW_S = 9, 2.0
TICK_NS = 10 ** 9 // os.sysconf("SC_CLK_TCK")


def cpu_ns(stat):
    """User and system time of a process or a thread."""
    fields = Path(stat).read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_NS


def busiest_thread(pid):
    """The thread of QEMU that is the guest's core with testpmd on it."""
    tasks = list(Path("/proc/%d/task" % pid).iterdir())
    before = {task: cpu_ns(task / "stat") for task in tasks}
    time.sleep(1)
    return max(tasks, key=lambda task: cpu_ns(task / "stat") - before[task])


class Lab:
    def __init__(self, work):
        self.work = work
        self.model = Model(paths.MODEL, work, ["wire=pair"] * 2).start()
        packages = root(TREE / "tests/conformance/linux/packages")
        self.guest = Guest(
            work, dpdk.image(packages, RELEASE, work), memory=dpdk.MEMORY,
            machine="q35,kernel-irqchip=split", before=dpdk.IOMMU,
            append="intel_iommu=on hugepagesz=2M hugepages=%d"
            % dpdk.HUGEPAGES, nics=[self.model.socket(n) for n in (0, 1)])

    def start(self):
        self.guest.start()
        self.guest.ok("mkdir -p /dev/hugepages /var/run && "
                      "mount -t hugetlbfs -o pagesize=2M huge /dev/hugepages")
        for port in (0, 1):
            at = "/sys/bus/pci/devices/0000:01:00.%d/driver_override" % port
            self.guest.ok("echo vfio-pci >%s && echo 0000:01:00.%d >"
                          "/sys/bus/pci/drivers_probe" % (at, port))
        pmd = Testpmd(self.guest, RELEASE, (0, 1))
        pmd.run("set fwd io")
        pmd.run("start tx_first 4")
        return pmd

    def moved(self):
        return sum(port["wire"]["received"]
                   for port in self.model.ask("status")["ports"])

    def stop(self):
        self.guest.stop()
        self.model.stop()


def measure(lab):
    """[(packets/s, ns of the guest, ns of the model)] of each window."""
    core = busiest_thread(lab.guest.process.pid) / "stat"
    model = "/proc/%d/stat" % lab.model.process.pid
    for _ in range(WINDOWS):
        before = (time.monotonic(), lab.moved(), cpu_ns(core), cpu_ns(model))
        time.sleep(WINDOW_S)
        after = (time.monotonic(), lab.moved(), cpu_ns(core), cpu_ns(model))
        seconds, packets, guest, mine = (
            b - a for a, b in zip(before, after))
        yield packets / seconds, guest / packets, mine / packets


def median(values):
    return sorted(values)[len(values) // 2]


def main():
    with tempfile.TemporaryDirectory(prefix="millrace-bench-") as folder:
        lab = Lab(Path(folder))
        try:
            lab.start()
            rates, guest, model = zip(*measure(lab))
        finally:
            lab.stop()
    print("BENCH model_testpmd ours=%.0f peer=%.0f unit=ns ratio=%.2f n=%d "
          "peer_is=testpmd_%s model=%.0f..%.0f guest=%.0f..%.0f mpps=%.3f"
          % (median(model), median(guest), median(model) / median(guest),
             WINDOWS, RELEASE, min(model), max(model), min(guest), max(guest),
             median(rates) / 1e6))


if __name__ == "__main__":
    main()
