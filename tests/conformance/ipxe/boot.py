"""A machine that iPXE boots from the model's ports, up to our own image.

iPXE does by itself what it does on a real machine: DHCP on the first port, a
script by TFTP. The script says after each step whether it went well.
"""

import shutil

from lab import captures, paths
from lab.console import Console
from lab.qemu import Machine
from network import Network, Web

STEP_S = 120     # for one step, on a busy machine
BOOT_S = 180     # firmware, iPXE's own waits, DHCP
FORWARD_S = 60
BLOB = 300 * 1024 + 7
MARK = b"\xff" * 12 + b"\x88\xb5" + bytes(46)  # IEEE 802: local experiments

# Where Debian's package keeps it.
EFI = {"ipxe-1.0": "1.0/boot/ipxe.efi",
       "ipxe-1.21": "1.21/usr/lib/ipxe/ipxe-amd64.efi"}

# iPXE sends everything to the gateway that it met first, so one port is open
# while the other is tried; in the end both are, and stay so.
SCRIPT = """#!ipxe
echo check script good
imgfetch --name blob tftp://${next-server}/blob && echo check tftp good || echo check tftp bad
imgstat
imgfree
imgfetch --name blob http://${next-server}:%(port)d/blob && echo check http good || echo check http bad
imgstat
imgfree
ifclose net0
dhcp net1 && echo check second good || echo check second bad
imgfetch --name blob tftp://10.0.3.2/blob && echo check second-tftp good || echo check second-tftp bad
imgstat
imgfree
ifclose net1
ifopen net1
dhcp net0 && echo check once-more good || echo check once-more bad
ifstat
route
chain %(image)s -- --forward-mode=io --auto-start || echo check chain bad
"""


class Boot:
    """Steps in their order; a check asks for the one it is about, and those
    before it are done first when they have not been."""

    def __init__(self, stand, efi):
        self.stand = stand
        self.efi = efi
        self.folder = stand.work / "srv"
        self.log = open(stand.work / "shell.log", "w")
        self.web = None
        self.nets = []
        self.done = 0
        self.stuck = None  # the step that failed

    def start(self):
        self.folder.mkdir()
        shutil.copyfile(paths.EFI, self.folder / "millrace.efi")
        (self.folder / "blob").write_bytes(bytes(i * 7 % 251
                                                 for i in range(BLOB)))
        self.web = Web(self.folder)
        self.chain_by("http")
        for number in (2, 3):
            self.nets.append(Network(self.stand.work, number, self.folder,
                                     "boot.ipxe"))
        self.stand.model_start([net.wire for net in self.nets])
        self.machine = Machine(self.stand.work, efi=self.efi,
                               nics=self.stand.nics())
        self.stand.guests.append(self.machine)
        self.console = Console(self.machine.start(), echo=self.log,
                               timeout=STEP_S)

    def close(self):
        self.stand.stop()
        for net in self.nets:
            net.close()
        if self.web is not None:
            self.web.close()
        self.log.close()
        shutil.rmtree(self.stand.work)

    def chain_by(self, protocol):
        """What the script, fetched at each boot, does in the end."""
        where = {"http": "http://10.0.2.2:%d" % self.web.port,
                 "tftp": "tftp://10.0.2.2"}[protocol]
        (self.folder / "boot.ipxe").write_text(
            SCRIPT % {"port": self.web.port,
                      "image": where + "/millrace.efi"})

    # ---- iPXE's steps ----

    def check(self, name):
        """Wait for what the script says about `name`."""
        self.log.flush()
        word = self.console.wait_for(r"check %s (good|bad)" % name).group(1)
        assert word == "good"

    def fetched(self, name):
        self.check(name)
        size = self.console.wait_for(r"blob : (\d+) bytes").group(1)
        assert int(size) == BLOB

    def dhcp(self):
        self.console.wait_for(r"net0: 10\.0\.2\.15/255\.255\.255\.0",
                              timeout=BOOT_S)

    def script(self):
        self.check("script")

    def tftp(self):
        self.fetched("tftp")

    def http(self):
        self.fetched("http")

    def second_port(self):
        self.check("second")
        self.fetched("second-tftp")
        self.check("once-more")

    # ---- ours ----

    def chain(self):
        self.banner = self.console.wait_prompt(timeout=STEP_S)

    STEPS = ("dhcp", "script", "tftp", "http", "second_port", "chain")

    def reach(self, step):
        for name in self.STEPS[self.done:self.STEPS.index(step) + 1]:
            assert self.stuck is None, "%s failed before" % self.stuck
            self.stuck = name
            getattr(self, name)()
            self.stuck = None
            self.done += 1

    def again(self, protocol):
        """The machine starts anew, with the NIC as our image leaves it."""
        self.chain_by(protocol)
        for net in self.nets:
            net.server.close()
            net.server.open()
        self.machine.qmp("system_reset")
        self.done = 0

    # ---- frames through our image ----

    def fall_silent(self):
        """The servers leave; what they sent last has passed."""
        for net in self.nets:
            net.server.close()
        for here, there in (self.nets, self.nets[::-1]):
            here.hub.say([MARK])
            assert MARK in there.hub.wait_for(lambda heard: MARK in heard,
                                              FORWARD_S)
        for net in self.nets:
            net.hub.forget()

    def forward(self):
        """Captures in at each port come out at the other: a Verdict."""
        frames = []
        for path in sorted((paths.tool_root() / "captures").glob("*.pcap")):
            frames += captures.read(path)[0]
        ways = [frames, frames[::-1]]
        self.fall_silent()
        for net, sent in zip(self.nets, ways):
            net.hub.say(sent)
        verdict = captures.Verdict()
        for net, sent in zip(reversed(self.nets), ways):
            got = net.hub.wait_for(lambda heard: len(heard) >= len(sent),
                                   FORWARD_S)
            verdict += captures.compare(sent, got)
        return verdict
