"""A machine on two ports of the model, and the proof that it forwards."""

import hashlib
import re
import time

from lab import captures, kvm, paths
from lab.console import Console
from lab.qemu import Machine
from stand import Stand

BOOT_S = 240    # firmware, its waits for networks, and us, on a busy machine
FORWARD_S = 180

# What a configuration of these tests does, seen from outside.
MACSWAP = b"version 1\nset fwd macswap\nstart\n"
IO_OPTIONS = "-- --forward-mode=io --auto-start"


def frame(n, size):
    """A frame that no other one equals."""
    head = b"\x02\0\0\0\0\x02\x02\0\0\0\0\x01\x88\xb5" + n.to_bytes(4, "big")
    return head + bytes((n + i) & 0xFF for i in range(size - len(head)))


FRAMES = [frame(n, 60 + 91 * n) for n in range(17)]


def macswap(frames):
    return [f[6:12] + f[:6] + f[12:] for f in frames]


def io(frames):
    return list(frames)


def pcap_wires(work):
    """Each port will be given FRAMES, and what it sends is kept."""
    source = work / "in.pcap"
    captures.write(source, FRAMES)
    return ["wire=pcap,in=%s,out=%s,hold=1" % (source, out_file(work, port))
            for port in range(2)]


def out_file(work, port):
    return work / ("out%d.pcap" % port)


class Station(Stand):
    """`boot`, then `forwards`; `came_by` is about the configuration."""

    def __init__(self, work, table):
        super().__init__(work)
        self.table = table
        self.log = open(work / "shell.log", "w")

    def machine(self, wires=None, **machine):
        """A started machine on the model; nothing is waited for."""
        if self.model is None:
            self.model_start(wires or pcap_wires(self.work))
        machine.setdefault("efi", None)
        self.guest = Machine(self.work, nics=self.nics(),
                             accel=kvm.choose("auto", paths.EFI), **machine)
        self.guests.append(self.guest)
        self.began = time.monotonic()
        self.console = Console(self.guest.start(), echo=self.log,
                               timeout=BOOT_S)
        return self.console

    def boot(self, **machine):
        """Up to the prompt; `banner` is what came before it."""
        console = self.machine(**machine)
        console.wait_for(r"loader: options: ")
        self.seconds = time.monotonic() - self.began
        self.banner = "loader: options: " + console.wait_prompt()
        return console

    def came_by(self, place, text):
        """The boot log names the place and the hash of the configuration."""
        found = re.search(r"loader: configuration: (.*), (\d+) bytes, "
                          r"SHA-256 ([0-9a-f]{64})\n", self.banner)
        assert found is not None, self.banner
        assert found.groups() == (place, str(len(text)),
                                  hashlib.sha256(text).hexdigest())

    def forwards(self, how, way=None):
        """FRAMES cross both ports as `how` changes them. `way` is the row of the
        table that this boot's times belong to."""
        want = [n + len(FRAMES) for n in self.sent()]
        for port in range(2):
            self.model.ask("wire %d start" % port)
        deadline = time.monotonic() + FORWARD_S
        while self.sent() != want and time.monotonic() < deadline:
            time.sleep(0.02)
        assert self.sent() == want
        self.model.ask("flush")
        for port in range(2):
            # A driver before ours may have sent some before these.
            got, _ = captures.read(out_file(self.work, port))
            assert got[-len(FRAMES):] == how(FRAMES), "port %d" % port
        if way is not None:
            self.note(way)

    def sent(self):
        """Frames that came out of each port since the model started."""
        return [p["wire"]["received"]
                for p in self.model.ask("status")["ports"]]

    def note(self, way):
        """Remember the times of this boot."""
        text = self.console.run("show boot")
        us = re.search(r"^link +(\d+) us$", text, re.MULTILINE)
        waits = re.search(r"waits that the chip demands: (\d+) us", text)
        self.table.add(way, self.seconds, int(us.group(1)),
                       int(waits.group(1)))

    def stop(self):
        super().stop()
        self.log.close()

    def logs(self):
        self.log.flush()
        return super().logs()
