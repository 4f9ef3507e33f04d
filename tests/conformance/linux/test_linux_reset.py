"""What a driver lives through: links, resets, unloading, reboots."""

import re

import pytest

from pair import ADDRESS, DEVICE, PCI, inside

UPS_AND_DOWNS = 100
RELOADS = 20


def test_cable(pair):
    """Both ends see a pulled cable, and traffic comes back with it."""
    for n, side in enumerate(DEVICE):
        for _ in range(3):
            pair.model.ask("link %d down" % n)
            pair.wait_link(side, up=False)
            pair.model.ask("link %d up" % n)
            pair.wait_link(side)
        pair.wait_ping()
    pair.ping(10)


# Waits in the guest: a word over the serial line costs more than a round.
UP_AND_DOWN = """
for i in $(seq %d); do
    /sbin/ip link set eth0 down && /sbin/ip link set eth0 up || exit 1
    n=0
    until [ "$(cat /sys/class/net/eth0/carrier)" = 1 ]; do
        n=$((n + 1)); [ $n -lt 600 ] || exit 2; sleep 0.05
    done
    n=0
    until /bin/ping -q -c 1 -W 1 198.18.0.2 >/dev/null; do
        n=$((n + 1)); [ $n -lt 30 ] || exit 3
    done
done
"""


def test_down_up(pair):
    """A hundred times closed and opened; each time a ping gets through."""
    pair.guest.ok("cat >/tmp/down-up <<'EOF'%sEOF"
                  % (UP_AND_DOWN % UPS_AND_DOWNS))
    pair.ok("a", "sh /tmp/down-up", timeout=60 + 10 * UPS_AND_DOWNS)
    pair.addresses()
    pair.ping(10)


def test_unload_load(pair):
    """Twenty times; the last time, as the first, everything works."""
    for _ in range(RELOADS):
        pair.guest.ok("rmmod i40e", timeout=120)
        assert pair.guest.run("ls /sys/class/net/eth0")[1] != 0
        pair.guest.ok("insmod /modules/i40e.ko", timeout=120)
        pair.guest.wait_until("ls -d /sys/class/net/eth1", timeout=60)
        pair.wire_up()
        pair.wait_ping()
    pair.ping(10)
    pair.transfer(4)


def recovered(pair):
    """Links up again and traffic both ways, also in volume."""
    for side in DEVICE:
        pair.wait_link(side, timeout=60)
    pair.wait_ping(60)
    pair.ping(10)
    pair.transfer(4)


@pytest.mark.parametrize("side", ["a", "b"])
def test_function_level_reset(pair, side):
    """Through sysfs, while the port is up."""
    methods = pair.guest.ok("cat /sys/bus/pci/devices/%s/reset_method"
                            % PCI[side])
    assert "flr" in methods
    pair.guest.ok("echo flr >/sys/bus/pci/devices/%s/reset_method\n"
                  "echo 1 >/sys/bus/pci/devices/%s/reset"
                  % (PCI[side], PCI[side]))
    recovered(pair)


@pytest.mark.parametrize("kind", ["core", "global", "emp"])
def test_chip_reset(pair, kind):
    """The chip resets itself under the driver."""
    pair.kernel_log()
    pair.model.ask("fault reset " + kind)
    recovered(pair)


@pytest.mark.parametrize("kind", ["pfr", "corer", "globr"])
def test_driver_reset(pair, kind):
    """The driver asks for a reset, through its debugfs file."""
    pair.guest.ok("[ -d /sys/kernel/debug/i40e ] || "
                  "mount -t debugfs debugfs /sys/kernel/debug")
    pair.guest.ok("echo %s >/sys/kernel/debug/i40e/%s/command"
                  % (kind, PCI["a"]))
    recovered(pair)


def test_reset_in_traffic(pair):
    """A core reset amid a TCP stream: the stream outlives it."""
    pair.iperf_server()
    sent = pair.link_statistics("a")["tx"]["packets"]
    pair.guest.ok(inside("a", "iperf3 -J -t 6 -c %s" % ADDRESS["b"])
                  + " >/tmp/iperf 2>&1 &")
    pair.guest.wait_until(inside(
        "a", "[ $(cat /sys/class/net/eth0/statistics/tx_packets) -gt %d ]"
        % (sent + 500)))
    pair.model.ask("fault reset core")
    pair.guest.wait_until("grep -q -e sum_received -e error /tmp/iperf",
                          timeout=120)
    report = pair.guest.ok("cat /tmp/iperf")
    assert "sum_received" in report, report
    recovered(pair)


def test_reboot(pair):
    """The guest restarts on the same chip, also twice."""
    for _ in range(2):
        pair.guest.reboot()
        pair.probe_log = pair.kernel_log()
        text = "\n".join(t for _, t in pair.probe_log)
        assert len(re.findall("i40e .*: MAC address", text)) == 2, text
        pair.settle()
        pair.ping(10)
