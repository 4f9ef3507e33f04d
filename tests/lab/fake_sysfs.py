"""A machine's /sys/bus/pci, /proc and /dev as a folder, and the kernel behind.

What a write to bind, unbind, drivers_probe and driver_override does follows
Linux's drivers/pci/pci-driver.c and drivers/base/{bus,dd}.c: a driver binds when
the override names it or, without one, when it knows the device's ID.
"""

import os
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "tools"))

from lab import passthrough  # noqa: E402

CPU = "vendor_id\t: %s\nflags\t\t: fpu %s\n"


class FakeHost(passthrough.Host):
    """A Host in a folder; `broken` has pieces of paths whose writes fail."""

    def __init__(self, root, cpu="GenuineIntel", flags="vmx"):
        super().__init__(root)
        self.broken, self.deaf = set(), set()
        self.forbidden = set()
        self.limit = 1 << 40
        self.writes = []
        for driver in ("i40e", "nvme", "pcieport", "vfio-pci"):
            (self.drivers / driver).mkdir(parents=True, exist_ok=True)
        self.put("proc/cpuinfo", CPU % (cpu, flags))
        self.put("proc/meminfo", "MemAvailable:    8388608 kB")
        self.put("proc/self/status", "CapEff:\t0000000000000000")
        self.put("proc/net/route", "Iface\tDestination\n")
        for node in ("kvm", "vfio/vfio"):
            self.put("dev/" + node, "")

    def put(self, path, text):
        path = self.root / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def device(self, address, kind="020000", driver="i40e", group="7",
               interface=None, flags="0x1002", match=None):
        path = self.pci / "devices" / address
        path.mkdir(parents=True)
        (path / "class").write_text("0x%s\n" % kind)
        (path / "driver_override").write_text("(null)\n")
        (path / "match").write_text(match or driver or "")
        if interface:
            self.put(path / "net" / interface / "flags", flags)
        if group:
            members = self.root / "sys/kernel/iommu_groups" / group / "devices"
            members.mkdir(parents=True, exist_ok=True)
            (members / address).symlink_to(path)
            (path / "iommu_group").symlink_to(members.parent)
            self.put("dev/vfio/" + group, "")
        if driver:
            self._bind(path, driver)
        return passthrough.Device(self, address)

    # ---- the kernel's side ----

    def write(self, path, text):
        path = Path(path)
        name = str(path.relative_to(self.root))
        self.writes.append((name, text))
        if any(part in name for part in self.broken):
            raise OSError(5, "Input/output error")
        if path.name == "driver_override":
            path.write_text((text.strip() or "(null)") + "\n")
        elif path.name == "unbind":
            self._unbind(self.pci / "devices" / text)
        elif path.name == "bind":
            self._try(self.pci / "devices" / text, path.parent.name)
        elif path.name == "drivers_probe":
            device = self.pci / "devices" / text
            self._try(device, self._wanted(device))
        else:
            raise AssertionError("nobody writes " + name)

    def _wanted(self, device):
        override = (device / "driver_override").read_text().strip()
        return (device / "match").read_text() if override == "(null)" \
            else override

    def _try(self, device, driver):
        if (device / "driver").is_symlink() or driver in self.deaf:
            return
        if driver == self._wanted(device) and (self.drivers / driver).is_dir():
            self._bind(device, driver)
        else:
            raise OSError(19, "No such device")

    def _bind(self, device, driver):
        (device / "driver").symlink_to(self.drivers / driver)

    def _unbind(self, device):
        (device / "driver").unlink()

    # ---- what an ordinary user would be told ----

    def may(self, path, how):
        name = str((self.root / path).relative_to(self.root))
        if name in self.forbidden and how != os.F_OK:
            return False
        return super().may(path, how)

    def memlock(self):
        return self.limit
