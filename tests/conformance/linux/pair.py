"""A Linux whose two ports are wired to each other, each in its namespace.

eth0 lives in namespace a, eth1 in b, so the guest talks to itself over the
wire and not through its own stack. The guest's shell prefers busybox's ip and
ping, hence the paths before the real ones.
"""

import contextlib
import json
import re
import time

from lab import paths
from lab.guest import Image, Kernel

ADDRESS = {"a": "198.18.0.1", "b": "198.18.0.2"}
ADDRESS6 = {"a": "2001:2::1", "b": "2001:2::2"}
DEVICE = {"a": "eth0", "b": "eth1"}
PCI = {"a": "0000:01:00.0", "b": "0000:01:00.1"}
OTHER = {"a": "b", "b": "a"}
LINK_S = 30
LATE_S = 10
STILL_S = 30
UNDISTURBED_TRIES = 5
# The driver gives its interrupt one or two milliseconds (i40e_ethtool.c,
# i40e_intr_test). An emulated CPU on a loaded machine can be late for that, so
# this one part may be tried again.
SELF_TESTS = 10
FLOWS = paths.BUILD / "conformance" / "flows"
WARNING = 4  # the kernel's level; smaller is worse
# Kernel troubles that name no driver.
TROUBLE = ("WARNING:", "BUG:", "Oops", "Call Trace", "NETDEV WATCHDOG",
           "hung_task", "general protection", "stall")


def image(packages, version):
    """The guest's files; `packages` is the root of unpacked packages."""
    out = Image(Kernel(packages / version), packages / "user")
    out.programs(packages / "user", "/sbin/ip", "/sbin/ethtool",
                 "/usr/bin/iperf3", "/bin/ping")
    out.add("/bin/flows", FLOWS, mode=0o755)
    out.add("/etc/protocols", "tcp 6 TCP\nudp 17 UDP\n")
    out.load("i40e", "8021q", "ipv6")
    return out


def inside(side, command):
    """Shell words that run a command in a namespace."""
    return "/sbin/ip netns exec %s sh -c '%s'" % (side, command)


def difference(before, after):
    return {name: after[name] - before[name] for name in after}


class Pair:
    """The guest and its model. `expected` are words of kernel warnings that a
    check causes on purpose."""

    def __init__(self, stand, kernel, image_):
        self.stand = stand
        self.image = image_
        self.kernel = kernel
        self.expected = []
        self.model = stand.model_start(["wire=pair", "wire=pair"])
        self.guest = stand.linux(image_)
        self.probe_log = self.kernel_log()
        self.settle()

    def settle(self):
        """What a freshly booted guest needs."""
        self.guest.ok("/sbin/ip netns add a; /sbin/ip netns add b\n"
                      "echo 4194304 >/proc/sys/net/core/rmem_max\n"
                      "echo 4194304 >/proc/sys/net/core/wmem_max")
        # Nobody here is a router, and asking for one upsets the counters.
        for side in DEVICE:
            self.ok(side, "cd /proc/sys/net/ipv6/conf/default;"
                    "echo 0 >router_solicitations; echo 0 >accept_dad")
        self.wire_up()

    def close(self):
        self.stand.stop()

    def power_cycle(self, **options):
        """The guest ends where it is; another machine takes its place at the
        same model."""
        self.guest.stop()
        self.stand.guests.remove(self.guest)
        self.guest = self.stand.linux(self.image, **options)
        self.probe_log = self.kernel_log()
        self.settle()

    # ---- words for the guest ----

    def run(self, side, command, timeout=60):
        """In a namespace: (output, status)."""
        return self.guest.run(inside(side, command), timeout)

    def ok(self, side, command, timeout=60):
        return self.guest.ok(inside(side, command), timeout)

    def ethtool(self, side, words):
        """ethtool OPTION DEVICE REST: `words` without the device."""
        option, _, rest = words.partition(" ")
        return self.ok(side, "ethtool %s %s %s"
                       % (option, DEVICE[side], rest))

    def self_test(self, side):
        """ethtool -t offline passes."""
        for _ in range(SELF_TESTS):
            out, _ = self.run(side, "ethtool -t %s offline" % DEVICE[side])
            results = dict(re.findall(r"^(\w+) test\s+\(\S+\)\s+(\d+)$", out,
                                      re.M))
            late = results.pop("Interrupt", None) != "0"
            assert results == {"Register": "0", "Eeprom": "0", "Link": "0"}, out
            self.settled()
            if not late:
                break
        assert not late
        assert "The test result is PASS" in out

    def addresses(self):
        for side, device in DEVICE.items():
            self.ok(side, "/sbin/ip addr replace %s/24 dev %s;"
                    "/sbin/ip addr replace %s/64 dev %s nodad"
                    % (ADDRESS[side], device, ADDRESS6[side], device))

    def wire_up(self):
        """Ports into their namespaces, with addresses, up, with a link."""
        for side, device in DEVICE.items():
            self.guest.ok("/sbin/ip link set %s netns %s" % (device, side))
            self.ok(side, "/sbin/ip link set lo up;"
                    "/sbin/ip link set %s up" % device)
        self.addresses()
        for side in DEVICE:
            self.wait_link(side)

    def mac(self, side):
        return self.ok(side, "cat /sys/class/net/%s/address"
                       % DEVICE[side]).strip()

    @contextlib.contextmanager
    def quiet(self, six=False):
        """No frame but the check's own: IPv6 off, if it is not needed, and
        neighbours known, also those of the other protocol. Any that were learnt
        are forgotten: what was talked to before is asked once more, alone, five
        seconds later (delay_first_probe_time), after any moment of silence."""
        for side, device in DEVICE.items():
            other = OTHER[side]
            for address in [ADDRESS, ADDRESS6] if six else [ADDRESS]:
                self.ok(side, "/sbin/ip neigh replace %s lladdr %s dev %s"
                        % (address[other], self.mac(other), device))
            self.ok(side, "/sbin/ip neigh flush dev %s" % device)
            if not six:
                self.ok(side, "echo 1 >/proc/sys/net/ipv6/conf/%s/disable_ipv6"
                        % device)
        self.wait_quiet()
        try:
            yield
        finally:
            for side, device in DEVICE.items():
                self.ok(side, "echo 0 >/proc/sys/net/ipv6/conf/%s/disable_ipv6;"
                        "/sbin/ip neigh flush dev %s nud permanent"
                        % (device, device))
            self.addresses()

    def wait_quiet(self, timeout=60):
        """Until no port sent anything for two seconds."""
        deadline = time.monotonic() + timeout
        before = None
        while time.monotonic() < deadline:
            now = [self.link_statistics(side)["tx"]["packets"]
                   for side in DEVICE]
            if now == before:
                return
            before = now
            time.sleep(2)
        raise AssertionError("the ports do not get quiet")

    def wait_link(self, side, up=True, timeout=LINK_S):
        self.guest.wait_until(
            inside(side, "[ $(cat /sys/class/net/%s/carrier) = %d ]"
                   % (DEVICE[side], up)), timeout)

    # ---- traffic ----

    def ping(self, count=5, to="b", six=False, words="-i 0.02"):
        """Each is answered, or an error.

        ping itself gives up after two round trips; a loaded machine needs
        longer, so the answers are what the kernel counts.
        """
        side = OTHER[to]
        target = (ADDRESS6 if six else ADDRESS)[to]
        before = self.echo_replies(side, six)
        out, _ = self.run(side, "/bin/ping %s -q -c %d -W 10 %s %s"
                          % ("-6" if six else "-4", count, words, target),
                          timeout=60 + count)
        assert "%d packets transmitted" % count in out, out
        deadline = time.monotonic() + LATE_S
        while self.echo_replies(side, six) < before + count:
            assert time.monotonic() < deadline, out
        assert "dup" not in out and "corrupted" not in out, out

    def echo_replies(self, side, six):
        if six:
            out = self.ok(side, "grep Icmp6InEchoReplies /proc/net/snmp6")
            return int(out.split()[1])
        names, values = self.ok(side, "grep Icmp: /proc/net/snmp").splitlines()
        return int(dict(zip(names.split(), values.split()))["InEchoReps"])

    def settled(self):
        """After a change that restarts a port: it sets its filters in its own
        time, and until then nothing gets through."""
        for side in DEVICE:
            self.wait_link(side)
        self.wait_ping()

    def wait_ping(self, timeout=LINK_S):
        """Until the first answer: for what recovers in its own time."""
        self.guest.wait_until(
            inside("a", "/bin/ping -q -c 1 -W 1 %s" % ADDRESS["b"]), timeout)

    def iperf_server(self):
        """One in b, listening, for one client."""
        self.ok("b", "iperf3 -s -1 -D")
        self.guest.wait_until(inside("b", "netstat -tln | grep -q :5201"))

    def iperf(self, words, six=False, timeout=120):
        """Client in a, server in b; the client's report."""
        self.iperf_server()
        target = (ADDRESS6 if six else ADDRESS)["b"]
        out = self.ok("a", "iperf3 -J -c %s %s" % (target, words), timeout)
        report = json.loads(out)
        assert "error" not in report, report["error"]
        return report

    def transfer(self, megabytes, six=False, target=None):
        """Random bytes through TCP; the sums of both ends must agree."""
        target = target or (ADDRESS6 if six else ADDRESS)["b"]
        self.guest.ok("[ -e /tmp/never ] || mkfifo /tmp/never\n"
                      "dd if=/dev/urandom of=/tmp/data bs=1M count=%d"
                      % megabytes)
        # At the end of its input nc would leave early.
        self.guest.ok(inside("b", "nc -l -p 5001 <>/tmp/never | md5sum")
                      + " >/tmp/sum 2>&1 &")
        self.guest.wait_until(inside("b", "netstat -tln | grep -q :5001"))
        self.ok("a", "nc %s 5001 </tmp/data" % target, timeout=120)
        self.guest.wait_until("[ -s /tmp/sum ]")
        got = self.guest.ok("cat /tmp/sum").split()[0]
        assert got == self.guest.ok("md5sum </tmp/data").split()[0]

    def flows(self, first, flows, each, size, six=False, port=4000):
        """Datagrams from a to b, each with its pattern; all must come."""
        count = flows * each
        target = (ADDRESS6 if six else ADDRESS)["b"]
        self.guest.ok(inside("b", "flows take %d %d 20" % (port, count))
                      + " >/tmp/taken 2>&1 &")
        self.guest.wait_until("grep -q ready /tmp/taken")
        self.ok("a", "flows send %s %d %d %d %d %d"
                % (target, port, first, flows, each, size))
        out = self.guest.wait_until("grep taken /tmp/taken", timeout=60)
        assert "taken %d damaged 0" % count in out, out + self.losses()

    def losses(self):
        """Where frames may have gone: all that was counted on the way."""
        out = [self.ok("b", "grep Udp /proc/net/snmp; grep Udp /proc/net/snmp6;"
                       "cat /proc/net/softnet_stat")]
        for side in DEVICE:
            out.append("%s %r" % (side, {
                name: value for name, value in self.statistics_now(side).items()
                if value}))
        return "\n".join(out)

    # ---- what is counted ----

    def statistics(self, side):
        """ethtool -S as a dictionary, when nothing is under way: the chip has
        counted a frame before the kernel has taken it from its queue."""
        deadline = time.monotonic() + STILL_S
        before, now = None, self.statistics_now(side)
        while now != before:
            assert time.monotonic() < deadline, "port %s never rests" % side
            before, now = now, self.statistics_now(side)
        return now

    def statistics_now(self, side):
        out = self.ethtool(side, "-S")
        return {name.strip(): int(value) for name, value in
                re.findall(r"^\s*(\S.*?): (\d+)$", out, re.M)}

    def counted(self, send):
        """What each side's counters gained while send() ran. The kernel sends
        reports about multicast groups now and then, to any queue; they are not
        ours, so then it counts again."""
        for _ in range(UNDISTURBED_TRIES):
            before = {side: self.statistics(side) for side in DEVICE}
            send()
            got = {side: difference(before[side], self.statistics(side))
                   for side in DEVICE}
            # Also what came after the sender's counters were read.
            if not any(got[side]["port.%s_multicast" % way]
                       for side in DEVICE for way in ("tx", "rx")):
                return got
        raise AssertionError("the multicast reports do not end")

    def link_statistics(self, side):
        """The kernel's own counters (ip -s)."""
        out = self.ok(side, "/sbin/ip -j -s -s link show %s" % DEVICE[side])
        return json.loads(out)[0]["stats64"]

    def bad_checksums(self):
        """What both network stacks found wrong: a sum."""
        total = 0
        for side in DEVICE:
            out = self.ok(side, "cat /proc/net/snmp /proc/net/snmp6")
            names = {}
            for line in out.splitlines():
                key, *values = line.replace(":", " ").split()
                if key in names:
                    total += sum(int(v) for n, v in zip(names[key], values)
                                 if n == "InCsumErrors")
                else:
                    names[key] = values
                if key.endswith("InCsumErrors"):
                    total += int(values[0])
        return total

    # ---- the kernel's opinion ----

    def kernel_log(self):
        """Lines since the last call, as (level, text)."""
        out = self.guest.ok("dmesg -r -c")
        return [(int(level) & 7, text) for level, text in
                re.findall(r"^<(\d+)>(.*)$", out, re.M)]

    def trouble(self):
        """Lines since the last call that nobody expected."""
        bad = []
        for level, text in self.kernel_log():
            ours = "i40e" in text or "eth0" in text or "eth1" in text
            if (level <= WARNING and ours) or any(w in text for w in TROUBLE):
                if not any(word in text for word in self.expected):
                    bad.append("kernel: " + text)
        return bad
