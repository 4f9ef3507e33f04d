"""Our image, counted: frames go round between two ports that are cabled
together."""

import re
import time

from figure import BURST, FIRST, PORTS, RING, Figure, Void
from lab import paths
from lab.console import Console
from lab.model import Model
from lab.qemu import Machine

BOOT_S = 300
LIMIT_S = 300
# show_fwd.c; a burst comes from each port in each round.
CYCLES = (r"CPU cycles/packet=\S+ \(busy cycles=(\d+) / total RX "
          r"packets=(\d+) / busy rounds=(\d+)\)")


# The words that choose a path through mbufs, and "fused": from ring to ring, as
# without any word.
PATHS = {
    "scalar": "--force-max-simd-bitwidth=64",
    "sse": "--force-max-simd-bitwidth=128",
    "avx2": "--force-max-simd-bitwidth=256",
    "fused": "",
}


class Ours:
    """A guest at its prompt, on one of the PATHS."""

    def __init__(self, work, path="fused", options="", extra=()):
        self.model = Model(paths.MODEL, work, ["wire=pair"] * PORTS,
                           mode="sync", options=["--strict=log"])
        self.machine = None
        self.log = open(work / "console.log", "w")
        try:
            self.model.start()
            self.machine = Machine(
                work, counted=True, extra=extra, nics=[self.model.socket(port)
                                          for port in range(PORTS)],
                cmdline="%s -- --rxd=%d --txd=%d --burst=%d %s" % (
                    PATHS[path], RING, RING, BURST, options))
            self.console = Console(self.machine.start(), echo=self.log,
                                   timeout=LIMIT_S)
            self.console.wait_prompt(BOOT_S)
            self.console.run("set record-core-cycles on")
            self.console.run("set fused " + ("on" if path == "fused"
                                             else "off"))
        except BaseException:
            self.close()
            raise

        self.chosen = path

    def path(self):
        """The names of the receive and the transmit path, as one word."""
        if self.chosen == "fused":
            return "fused"
        found = re.search(r"Rx path: (\S+), Tx path: (\S+)",
                          self.console.run("show port info 0"))
        return "%s/%s" % found.groups() if found else "scalar/scalar"

    def quit(self):
        """Leave by the console's way."""
        self.console.send("quit\r")
        self.machine.wait(BOOT_S)

    def measure(self, engine, packets):
        """A Figure of at least so many packets, all of them in full bursts."""
        self.console.run("set fwd " + engine)
        self.console.run("start tx_first %d" % FIRST)
        self.console.run("clear fwd stats all")
        try:
            return self._figure(packets)
        finally:
            self.console.run("stop")

    def sent(self):
        """Packets since the ports were started."""
        return sum(int(n) for n in re.findall(
            r"TX-packets: (\d+) ", self.console.run("show port stats all")))

    def _figure(self, packets):
        deadline = time.monotonic() + LIMIT_S
        while time.monotonic() < deadline:
            time.sleep(0.2)
            text = self.console.run("show fwd stats all")
            found = re.search(CYCLES, text)
            if found is None or int(found.group(2)) < packets:
                continue
            insns, n, rounds = (int(g) for g in found.groups())
            if n != rounds * PORTS * BURST:
                raise Void("%d packets in %d rounds: not all bursts are full"
                           % (n, rounds))
            return Figure(insns, n)
        raise Void("fewer than %d packets in %d s" % (packets, LIMIT_S))

    def close(self):
        if self.machine is not None:
            self.machine.stop()
        self.model.stop()
        self.log.close()
