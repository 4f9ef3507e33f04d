"""Our image between two cables that count: packets in, the same packets out.

Both cables make numbered frames and check those that come; the appliance passes
on what comes in at one port to the other. Time is the machine's, and the guest
is emulated: whoever waits, waits for a condition.
"""

import re
import time

from lab.console import Console
from lab.qemu import Machine

BOOT_S = 120
WAIT_S = 60
PORTS = (0, 1)
CMDLINE = "-- --forward-mode=io --auto-start"

# Frames wait for nobody, as on a real cable: what a port cannot take in time is
# lost. The rate is one that an emulated guest on a busy machine keeps up with.
PPS = 2000
WIRE = "wire=gen,size=64-1518,pps=%d,burst=32,hold=1,pause=0" % PPS
BATCH = PPS


def wait_until(condition, what, limit_s=WAIT_S):
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end, "in %d s: never %s" % (limit_s, what)
        time.sleep(0.05)


class Appliance:
    """A booted image on a stand, its console, its cables."""

    def __init__(self, stand):
        self.stand = stand
        self.log = open(stand.work / "shell.log", "w")
        self.model = stand.model_start([WIRE, WIRE])
        self.machine = Machine(stand.work, cmdline=CMDLINE, nics=stand.nics())
        stand.guests.append(self.machine)
        self.console = Console(self.machine.start(), echo=self.log,
                               timeout=WAIT_S)
        self.console.wait_prompt(timeout=BOOT_S)
        self.mark = 0

    def close(self):
        self.stand.stop()
        self.log.close()

    # ---- what it says ----

    def begin(self):
        """Forget what was said before."""
        self.said()
        self.mark += len(self._new())

    def _new(self):
        self.log.flush()
        text = (self.stand.work / "shell.log").read_text(errors="replace")
        return text[self.mark:]

    def said(self):
        """All that came over the console since begin()."""
        self.console.run("")
        return self._new()

    def wait_said(self, pattern, limit_s=WAIT_S):
        wait_until(lambda: re.search(pattern, self.said()),
                   "said: " + pattern, limit_s)

    def info(self, port, name):
        text = self.console.run("show port info %d" % port)
        return re.search(r"%s: (\S+)" % re.escape(name), text).group(1)

    def xstat(self, port, name):
        text = self.console.run("show port xstats %d" % port)
        return int(re.search(r"^%s: (\d+)$" % re.escape(name), text,
                             re.MULTILINE).group(1))

    def lost_buffers(self):
        """Buffers that are neither in a pool nor where they belong."""
        text = self.console.run("show mempool")
        return int(re.search(r", (\d+) elsewhere", text).group(1))

    def is_started(self):
        return all(self.info(p, "Port state") == "started" for p in PORTS)

    def links_are(self, word):
        return all(self.info(p, "Link status") == word for p in PORTS)

    def wait_well(self, limit_s=WAIT_S):
        wait_until(lambda: self.is_started() and self.links_are("up"),
                   "both ports started and their links up", limit_s)

    # ---- traffic ----

    def wires(self):
        return [p["wire"] for p in self.model.ask("status")["ports"]]

    def _make(self, count):
        for p in PORTS:
            self.model.ask("wire %d set count=%d" % (p, count))
        for p in PORTS:
            self.model.ask("wire %d start" % p)

    def _have_made_all(self):
        return all(w["state"] == "done" for w in self.wires())

    def traffic_start(self):
        """Frames both ways until somebody says otherwise."""
        self._make(0)

    def traffic_end(self):
        """No more frames, and none is on its way."""
        self._make(1)
        wait_until(self._have_made_all, "a cable at its end")
        seen = None
        while seen != (now := [w["received"] for w in self.wires()]):
            seen = now
            time.sleep(0.2)

    def check_forwards(self, count=BATCH):
        """Numbered frames both ways: all of them, unaltered, in order."""
        self.traffic_end()
        self._make(count)
        wait_until(self._have_made_all, "all frames sent")
        end = time.monotonic() + 10
        while self._books() != self._full(count):
            assert time.monotonic() < end, self._books()
            time.sleep(0.05)

    def _books(self):
        return [w["checked"] for w in self.wires()]

    @staticmethod
    def _full(count):
        return [[{"from": 1 - p, "received": count, "missing": 0,
                  "altered": 0, "duplicated": 0, "reordered": 0}]
                for p in PORTS]
