"""DPDK's testpmd in a Linux guest, as a program sees it.

    pmd = Testpmd(guest, release, ports=(0, 1), options="--rxd=512")
    pmd.run("start")
    pmd.xstats(0)["rx_good_packets"]
    pmd.quit()
"""

import re

import pexpect

PROMPT = "testpmd> "
ENDED = (r"EAL: Error - exiting with code[^\n]*\n[^\n]*\n|"
         r"Segmentation fault|Illegal instruction|Aborted")
START_S = 120  # four ports, emulated, on a busy machine
MBUFS = 40960  # enough for four queues of 2048 descriptors, two ports
EAL = ("-n 1 --no-telemetry --log-level=eal,6 "
       "-d librte_mempool_ring.so -d librte_net_i40e.so")

# What the driver says on its normal path with the model, and why it is right.
EXPECTED = (
    # i40e_check_write_global_reg, i40e_GLQF_reg_init and
    # i40e_aq_debug_write_global_register tell of each register that all ports
    # share and that they change; they do the same on silicon.
    r"changed global register \[0x[0-9a-f]+\]\. original: ",
    # i40e_dcb_init_configure: the LLDP agent of the model's firmware is off by
    # its NVM, so i40e_init_dcb has nothing to ask (I40E_ERR_NOT_READY, -63) and
    # the port runs with one traffic class.
    r"DCB initialization in FW fails, err = -63, aq_err = 0\.",
)
# Lines of a driver, of EAL or of testpmd that say something is not well.
TELLING = re.compile(
    r"^(i40e\w*\(\)|eth_i40e\w*\(\)|"
    r"EAL: .*(Error|error|FATAL|Cannot|cannot|fail|WARN)|"
    r"Bad arguments|Command not found|Fail|fail|Error|"
    r".*ethdev initialisation failed|.*No probed)")


class TestpmdError(Exception):
    """testpmd did not start, or did not answer."""


def telling(text):
    """The lines of `text` that nothing in EXPECTED explains."""
    return [line for line in text.splitlines() if TELLING.search(line)
            and not any(re.search(e, line) for e in EXPECTED)]


class Testpmd:
    """A running testpmd at its prompt. One at a time in a guest."""

    __test__ = False  # it is no test, whatever pytest thinks of the name

    def __init__(self, guest, release, ports, options="", eal="",
                 preload="", memory="-m 320", start_s=START_S):
        self.guest = guest
        abi = {"22.11": "23", "24.11": "25"}[release]
        words = [
            "LD_PRELOAD=" + preload if preload else "",
            "dpdk-testpmd", EAL.replace(".so", ".so." + abi),
            memory, eal,
            " ".join("-a 0000:01:00.%d" % p for p in ports),
            "-- -i", "--total-num-mbufs=%d" % MBUFS, options]
        command = " ".join(w for w in words if w)
        guest.ok("true")
        guest.type(command)
        self.started = self._until(PROMPT, start_s, command)
        self.complaints = telling(self.started)

    def run(self, command, timeout=60):
        """Type a command; returns what it printed."""
        self.guest.type(command)
        self._until(re.escape(command) + r"\r*\n", timeout, command)
        text = self._until(PROMPT, timeout, command)
        self.complaints += telling(text)
        return text

    def quit(self, timeout=60):
        """Stop and close the ports and leave; returns what was printed."""
        self.guest.type("quit")
        text = self._until(r"Bye\.\.\.\r*\n", timeout, "quit")
        self.complaints += telling(text)
        status = self.guest.run("true", timeout)[1]
        assert status == 0
        return text

    def wait_event(self, text, timeout=60):
        """Wait for what testpmd tells unasked."""
        self._until(re.escape(text), timeout, text)

    def _until(self, pattern, timeout, what):
        """Wait for a pattern; returns what came before it."""
        shell = self.guest.shell
        try:
            ended = shell.expect([pattern, ENDED], timeout=timeout)
        except (pexpect.TIMEOUT, pexpect.EOF) as error:
            raise TestpmdError("%s: %s\n%s" % (
                what, type(error).__name__, shell.before[-3000:])) from None
        text = shell.before.replace("\r", "")
        if ended:
            raise TestpmdError("%s: testpmd ended\n%s"
                               % (what, text[-3000:] + shell.after))
        return text

    # ---- what it shows, as numbers ----

    def xstats(self, port):
        """{name: value} of `show port xstats`."""
        text = self.run("show port xstats %d" % port)
        return {name: int(value) for name, value in
                re.findall(r"^(\w+): (\d+)$", text, re.M)}

    def stats(self, port):
        """{name: value} of `show port stats`, e.g. RX-packets."""
        text = self.run("show port stats %d" % port)
        return {name: int(value) for name, value in
                re.findall(r"([RT]X-[a-z]+):\s+(\d+)", text)}

    def info(self, port):
        """{name: text} of `show port info`."""
        text = self.run("show port info %d" % port)
        return dict(re.findall(r"^([\w ]+): +(.*)$", text, re.M))

    def bursts(self, port):
        """The names of the receive and the transmit function."""
        return tuple(
            re.search(r"Burst mode: (.*)", self.run(
                "show %s info %d 0" % (queue, port))).group(1).strip()
            for queue in ("rxq", "txq"))
