"""Guests of another kind, each at the chip that the last one left behind.

They end as no driver expects: QEMU is killed. What the next one finds is a chip
just powered on.
"""

import re

import pytest

from pair import ADDRESS, DEVICE, inside

GIB4 = 1 << 32
pytestmark = pytest.mark.spoils


def works(pair):
    for side in DEVICE:
        out = pair.ethtool(side, "")
        assert "Speed: 40000Mb/s" in out and "Link detected: yes" in out
    pair.ping(10)
    pair.ping(10, to="a", six=True)
    pair.flows(20000, 4, 25, 1472)
    pair.transfer(16)


def test_reconnect_high_memory(pair):
    """Power fails amid a transfer. The next machine has memory beyond 4 GiB,
    and its kernel takes what is highest."""
    pair.iperf_server()
    pair.guest.ok(inside("a", "iperf3 -t 60 -c %s" % ADDRESS["b"])
                  + " >/dev/null 2>&1 &")
    pair.guest.wait_until(inside(
        "a", "[ $(cat /sys/class/net/eth0/statistics/tx_packets) -gt 2000 ]"))
    pair.power_cycle(memory=6144)
    works(pair)
    for port in pair.model.ask("status")["ports"]:
        assert port["dma_highest"] > GIB4
    pair.iperf("-t 2")


def test_no_msi(pair):
    """pci=nomsi: the driver falls back to the INTx pin, as it says itself.

    Its offline self test cannot pass then: it closes the port, which gives its
    only interrupt back (i40e_vsi_free_irq), before it waits for one.
    """
    pair.power_cycle(append="pci=nomsi")
    text = "\n".join(line for _, line in pair.probe_log)
    assert len(re.findall("i40e .*: MSI-X and MSI not available, falling back "
                          "to Legacy IRQ", text)) == 2, text
    lines = [line for line in pair.guest.ok("cat /proc/interrupts").splitlines()
             if "i40e" in line]
    assert len(lines) == 2
    assert all("IO-APIC" in line for line in lines), lines
    works(pair)
    pair.iperf("-t 2")
    pair.iperf("-t 2", six=True)
