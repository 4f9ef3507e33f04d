"""A NIC of this machine for a guest: looked at, bound to vfio-pci, given back.

  B1  nothing is changed before all that can be looked at is well
  B2  what was changed is changed back, last first, however we end: only SIGKILL
      and a power cut leave a NIC behind, and the words for that are printed first
  B3  a refusal says what was found and the command that mends it

Sources: Linux Documentation/driver-api/vfio.rst, Documentation/ABI/testing/
sysfs-bus-pci (driver_override, drivers_probe, bind, unbind).
"""

import os
import re
import resource
import signal
from pathlib import Path

VFIO = "vfio-pci"
ADDRESS = re.compile(r"(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-1][0-9a-f]\.[0-7]")
ETHERNET, BRIDGE = 0x0200, 0x0604
HARMLESS = {None, VFIO, "pci-stub"}     # of others in an IOMMU group
CAP_IPC_LOCK = 14
# QEMU pins what the guest has as RAM, and some more for firmware and ROMs.
PIN_SLACK_MIB = 64
ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class PassthroughError(Exception):
    pass


class Problem:
    """What stands in the way, and the command that takes it out of it."""

    def __init__(self, what, cure):
        self.what, self.cure = what, cure

    def __str__(self):
        return "%s\n      %s" % (self.what, self.cure)


class Host:
    """This machine's /sys, /proc and /dev; in tests, others."""

    def __init__(self, root="/"):
        self.root = Path(root)
        self.pci = self.root / "sys/bus/pci"
        self.drivers = self.pci / "drivers"

    def read(self, path, default=""):
        try:
            return (self.root / path).read_text().strip()
        except OSError:
            return default

    def write(self, path, text):
        path.write_text(text)

    def may(self, path, how):
        return os.access(self.root / path, how)

    def memlock(self):
        return resource.getrlimit(resource.RLIMIT_MEMLOCK)[0]


class Device:
    """One PCI function, as sysfs shows it."""

    def __init__(self, host, address):
        self.host, self.address = host, address
        self.path = host.pci / "devices" / address

    def read(self, name, default=""):
        return self.host.read(self.path / name, default)

    def _link(self, name):
        path = self.path / name
        return path.resolve().name if path.is_symlink() else None

    @property
    def driver(self):
        return self._link("driver")

    @property
    def group(self):
        return self._link("iommu_group")

    @property
    def override(self):
        said = self.read("driver_override")
        return "" if said == "(null)" else said

    @property
    def kind(self):
        return int(self.read("class", "0"), 16) >> 8

    def interfaces(self):
        return sorted(p.name for p in (self.path / "net").glob("*"))

    def group_members(self):
        return [Device(self.host, p.name) for p in
                sorted((self.path / "iommu_group/devices").glob("*"))]


def addresses(text):
    """The functions that `--passthrough` names, in full."""
    found = []
    for word in text.lower().split(","):
        if not ADDRESS.fullmatch(word):
            raise PassthroughError(
                "%r is no PCI address; expected 0000:3b:00.0[,...]" % word)
        address = word if word.count(":") == 2 else "0000:" + word
        if address in found:
            raise PassthroughError("%s is named twice" % address)
        found.append(address)
    return found


# ---- what may stand in the way ----

def _device_problems(device):
    address = device.address
    if not device.path.exists():
        yield Problem("there is no PCI device %s" % address,
                      "lspci -D -d ::0200     # lists the Ethernet controllers")
        return
    if device.kind != ETHERNET:
        yield Problem("%s is no Ethernet controller (its class is %04x)"
                      % (address, device.kind),
                      "lspci -D -d ::0200     # lists those that are")
        return
    if (device.path / "physfn").exists():
        yield Problem("%s is a virtual function; the appliance drives whole "
                      "ports" % address,
                      "readlink /sys/bus/pci/devices/%s/physfn    # is the "
                      "port" % address)
    if int(device.read("sriov_numvfs", "0")):
        yield Problem("%s has virtual functions, which would lose their port"
                      % address, "echo 0 > /sys/bus/pci/devices/%s/"
                      "sriov_numvfs" % address)
    default = _default_route(device.host)
    for name in device.interfaces():
        if int(device.read("net/%s/flags" % name, "0"), 16) & 1:
            yield Problem("%s is in use: its interface %s is up%s" % (
                address, name, ", and the default route goes through it: you "
                "may be working over it" if name == default else ""),
                "ip link set %s down" % name)


def _default_route(host):
    for line in host.read("proc/net/route").splitlines()[1:]:
        words = line.split()
        if len(words) > 1 and words[1] == "00000000":
            return words[0]
    return None


def _iommu_problem(host, device):
    if device.group is not None or not device.path.exists():
        return
    if "AuthenticAMD" in host.read("proc/cpuinfo"):
        cure = "switch on IOMMU (AMD-Vi) in the firmware's setup, then reboot"
    else:
        cure = "switch on VT-d in the firmware's setup, add intel_iommu=on " \
               "to GRUB_CMDLINE_LINUX in /etc/default/grub, then: " \
               "update-grub && reboot"
    yield Problem("%s is in no IOMMU group: the kernel uses no IOMMU"
                  % device.address, cure)


def _group_problems(device, given):
    """Others in the group could reach the guest's memory, or be reached."""
    others = [d for d in device.group_members() if d.address not in given
              and d.kind != BRIDGE and d.driver not in HARMLESS]
    if not others:
        return
    what = "%s shares IOMMU group %s with %s" % (
        device.address, device.group,
        ", ".join("%s (%s)" % (d.address, d.driver) for d in others))
    if all(d.kind == ETHERNET for d in others):
        yield Problem(what, "tools/run --passthrough %s" % ",".join(
            [*given, *[d.address for d in others]]))
    else:
        yield Problem(what, "put the card into a slot that has a root port of "
                      "its own: lspci -tv shows them")


def _driver_problems(host, devices):
    if not (host.drivers / VFIO).is_dir():
        yield Problem("the kernel's driver %s is not loaded" % VFIO,
                      "modprobe %s" % VFIO)
    if not host.may("dev/vfio/vfio", os.F_OK):
        yield Problem("/dev/vfio/vfio is not there", "modprobe vfio")
    for d in devices:
        if not d.path.exists():
            continue
        if d.driver != VFIO and not host.may(d.path / "driver_override",
                                             os.W_OK):
            yield Problem("binding %s to %s (it has %s) needs root" % (
                d.address, VFIO, d.driver or "no driver"),
                "sudo tools/run ...")
        node = "dev/vfio/%s" % d.group
        if d.driver == VFIO and not host.may(node, os.R_OK | os.W_OK):
            yield Problem("/%s cannot be opened" % node,
                          "sudo chown $USER /%s" % node)


def _kvm_problems(host):
    if not host.may("dev/kvm", os.F_OK):
        info = host.read("proc/cpuinfo")
        flags = re.search(r"^flags\s*:(.*)$", info, re.M)
        words = flags[1].split() if flags else []
        if "vmx" not in words and "svm" not in words:
            yield Problem("the processor does not offer virtualization",
                          "switch on VT-x or SVM in the firmware's setup, or "
                          "emulate: --kvm off")
        else:
            yield Problem("/dev/kvm is not there", "modprobe kvm_%s" % (
                "intel" if "vmx" in words else "amd"))
    elif not host.may("dev/kvm", os.R_OK | os.W_OK):
        yield Problem("/dev/kvm cannot be opened", "sudo usermod -aG kvm "
                      "$USER     # then log in again")


def _memory_problems(host, memory_mib):
    need = memory_mib + PIN_SLACK_MIB
    found = re.search(r"^MemAvailable:\s*(\d+) kB", host.read("proc/meminfo"),
                      re.M)
    free = int(found[1]) // 1024 if found else None
    if free is not None and free < need:
        yield Problem("all of the guest's memory is pinned: %d MiB are needed "
                      "and %d available" % (need, free),
                      "tools/run --memory %d ...    # or less"
                      % max(free - PIN_SLACK_MIB, 0))
    caps = re.search(r"^CapEff:\s*([0-9a-f]+)", host.read("proc/self/status"),
                     re.M)
    if caps and int(caps[1], 16) >> CAP_IPC_LOCK & 1:
        return
    limit = host.memlock()
    if limit != resource.RLIM_INFINITY and limit < need << 20:
        yield Problem("this shell may lock %d MiB of memory, the guest needs "
                      "%d" % (limit >> 20, need),
                      "sudo prlimit --memlock=%d:%d --pid $$"
                      % (need << 20, need << 20))


def problems(host, given, memory_mib, kvm=True):
    """All that stands in the way of these functions, in a sensible order."""
    devices = [Device(host, a) for a in given]
    found = []
    for d in devices:
        found += [*_device_problems(d), *_iommu_problem(host, d),
                  *_group_problems(d, given)]
    found += _driver_problems(host, devices)
    if kvm:
        found += _kvm_problems(host)
    return found + [*_memory_problems(host, memory_mib)]


# ---- binding, and back ----

class Bound:
    """The functions, bound to vfio-pci while the context lasts."""

    def __init__(self, host, given, say=print):
        self.host, self._say = host, say
        self.devices = [Device(host, a) for a in given]
        self.before = []    # (device, driver, override), to be restored

    def __enter__(self):
        self._signals = {n: signal.signal(n, _leave) for n in ENDINGS}
        try:
            for d in self.devices:
                if d.driver != VFIO:
                    self._take(d)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *unused):
        # A second Ctrl-C must not leave a NIC half-way.
        for n in ENDINGS:
            signal.signal(n, signal.SIG_IGN)
        try:
            while self.before:
                self._give_back(*self.before.pop())
        finally:
            for n, handler in self._signals.items():
                signal.signal(n, handler)

    def say(self, text):
        try:
            self._say(text)
        except OSError:     # the terminal is gone; the NICs go back all the same
            pass

    def _take(self, device):
        driver, override = device.driver, device.override
        self.say("passthrough: %s: from %s to %s; should this be killed: %s"
                 % (device.address, driver or "no driver", VFIO,
                    "; ".join(_words(device, driver, override))))
        self.before.append((device, driver, override))
        try:
            self.host.write(device.path / "driver_override", VFIO)
            if driver:
                self.host.write(device.path / "driver/unbind", device.address)
            self.host.write(self.host.pci / "drivers_probe", device.address)
        except OSError as error:
            raise PassthroughError("%s cannot be bound to %s: %s" % (
                device.address, VFIO, error)) from error
        if device.driver != VFIO:
            raise PassthroughError(
                "%s has %s after it was to be bound to %s; dmesg says why" % (
                    device.address, device.driver or "no driver", VFIO))

    def _give_back(self, device, driver, override):
        """One that fails is named, and the others get their turn."""
        try:
            if device.driver not in (None, driver):
                self.host.write(device.path / "driver/unbind", device.address)
            self.host.write(device.path / "driver_override",
                            override or "\n")
            if driver and device.driver != driver:
                self.host.write(self.host.drivers / driver / "bind",
                                device.address)
        except OSError as error:
            self._lost(device, driver, override, error)
            return
        if device.driver != driver:
            self._lost(device, driver, override, "it has %s"
                       % (device.driver or "no driver"))
            return
        self.say("passthrough: %s: back to %s" % (device.address,
                                                  driver or "no driver"))

    def _lost(self, device, driver, override, why):
        self.say("passthrough: %s was not given back to %s: %s; by hand: %s"
                 % (device.address, driver or "no driver", why,
                    "; ".join(_words(device, driver, override))))


def _leave(number, _):
    raise SystemExit(128 + number)


def _words(device, driver, override):
    """The commands that give it back."""
    base = "/sys/bus/pci/"
    yield "echo %s > %sdrivers/%s/unbind" % (device.address, base, VFIO)
    yield "echo %s > %sdevices/%s/driver_override" % (override, base,
                                                      device.address)
    if driver:
        yield "echo %s > %sdrivers/%s/bind" % (device.address, base, driver)


def qemu_arguments(given):
    """Each function behind a root port of its own, without its boot ROM."""
    args = []
    for i, address in enumerate(given):
        args += ["-device", "pcie-root-port,id=pt%d,chassis=%d,slot=%d"
                 % (i, 16 + i, 16 + i),
                 "-device", "vfio-pci,host=%s,bus=pt%d,rombar=0"
                 % (address, i)]
    return args
