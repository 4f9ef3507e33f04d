"""`tools/run --passthrough` as on a server: Linux has the ports with its own
driver, gives them to our image in QEMU by vfio-pci, and gets them back.

QEMU in QEMU, both emulating; what KVM would do is not seen here.
"""

import time

import host
import pytest
from stand import root

from lab import paths

PORTS = ("0000:01:00.0", "0000:01:00.1")
FRAMES = 2000
START_S = 900       # firmware and image under two emulators, on a busy machine
RUN = ("cd /tree && export HOME=%s && python3 tools/run --memory 256 "
       "--passthrough 01:00.0,01:00.1" % paths.cache().parents[1])


@pytest.fixture
def server(stand):
    """A Linux that has both ports; frames wait at their cables."""
    if paths.cache().name != "millrace" or \
            paths.cache().parent.name != ".cache":
        pytest.skip("the tool root is not at ~/.cache")
    stand.model_start(["wire=gen,hold=1,size=64,count=%d" % FRAMES] * 2)
    packages = root(paths.TREE / "tests/conformance/linux/packages")
    guest = stand.linux(host.image(packages), memory=2048,
                        machine="q35,kernel-irqchip=split", before=host.IOMMU,
                        append="intel_iommu=on")
    guest.ok(host.HUGE)
    return guest


def drivers(server):
    return [server.ok("basename $(readlink /sys/bus/pci/devices/%s/driver)"
                      % port).strip() for port in PORTS]


def wires(stand):
    return [p["wire"] for p in stand.model.ask("status")["ports"]]


def test_passthrough_and_back(stand, server):
    # What is not possible yet is said, and nothing is touched.
    server.ok("ip link set eth0 up")
    said, status = server.run(RUN, timeout=START_S)
    assert status == 1
    assert "interface eth0 is up" in said
    assert "ip link set eth0 down" in said
    assert "/dev/kvm is not there" in said
    assert drivers(server) == ["i40e", "i40e"]
    server.ok("ip link set eth0 down")

    server.ok("(%s --kvm off >/tmp/out 2>&1; echo status $? >>/tmp/out) & "
              "sleep 1" % RUN)
    server.wait_until("grep -q -e 'millrace> ' -e '^status' /tmp/out", START_S)
    assert "millrace> " in server.ok("cat /tmp/out")
    assert drivers(server) == ["vfio-pci", "vfio-pci"]

    # Frames cross it both ways.
    for port in range(2):
        stand.model.ask("wire %d start" % port)
    deadline = time.monotonic() + START_S
    while any(w["received"] < FRAMES for w in wires(stand)):
        assert time.monotonic() < deadline, wires(stand)
        time.sleep(0.1)

    server.ok("kill -TERM $(pidof python3)")
    server.wait_until("grep -q ^status /tmp/out", START_S)
    said = server.ok("cat /tmp/out")
    assert said.count("back to i40e") == 2
    assert said.rstrip().endswith("status 143")
    assert drivers(server) == ["i40e", "i40e"]
    server.ok("ip link set eth0 up && ip link set eth1 up")
