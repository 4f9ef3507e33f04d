"""NICs for a guest, on machines made of files: every refusal, and the way back."""

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from fake_sysfs import FakeHost, TREE, passthrough

A, B, C = "0000:3b:00.0", "0000:3b:00.1", "0000:01:00.0"


@pytest.fixture
def host(tmp_path):
    return FakeHost(tmp_path)


def problems(host, *given, memory=512, kvm=True):
    return [str(p) for p in
            passthrough.problems(host, given or (A,), memory, kvm)]


def only(found, *texts):
    """There is one problem, and these are in it."""
    assert len(found) == 1, found
    for text in texts:
        assert text in found[0]


def state(host, *devices):
    return [(d.driver, d.override) for d in devices]


# ---- addresses ----

def test_addresses_are_read_with_and_without_their_segment():
    assert passthrough.addresses("3b:00.0,0001:3B:1f.7") == \
        ["0000:3b:00.0", "0001:3b:1f.7"]


@pytest.mark.parametrize("text", ["", "3b:00", "3b:00.8", "3b:20.0", "eth0",
                                  "3b:00.0,", "0000:3b:00.0;reboot"])
def test_what_is_no_address_is_refused(text):
    with pytest.raises(passthrough.PassthroughError, match="PCI address"):
        passthrough.addresses(text)


def test_one_function_is_not_given_twice():
    with pytest.raises(passthrough.PassthroughError, match="named twice"):
        passthrough.addresses("3b:00.0,0000:3b:00.0")


# ---- refusals ----

def test_where_all_is_well_nothing_is_said_or_touched(host):
    host.device(A, interface="ens1f0")
    assert problems(host) == []
    assert host.writes == []


def test_no_such_device(host):
    only(problems(host), "there is no PCI device " + A, "lspci -D")


def test_no_ethernet_controller(host):
    host.device(A, kind="010802", driver="nvme")
    only(problems(host), "no Ethernet controller (its class is 0108)")


def test_a_virtual_function(host):
    d = host.device(A)
    (d.path / "physfn").symlink_to(d.path)
    only(problems(host), "is a virtual function", "physfn")


def test_a_port_that_has_virtual_functions(host):
    d = host.device(A)
    (d.path / "sriov_numvfs").write_text("4\n")
    only(problems(host), "has virtual functions",
         "echo 0 > /sys/bus/pci/devices/%s/sriov_numvfs" % A)


def test_an_interface_that_is_up(host):
    host.device(A, interface="ens1f0", flags="0x1003")
    found = problems(host)
    only(found, "its interface ens1f0 is up", "ip link set ens1f0 down")
    assert "default route" not in found[0]


def test_the_interface_that_we_may_be_working_over(host):
    host.device(A, interface="ens1f0", flags="0x1003")
    host.put("proc/net/route",
             "Iface\tDestination\nens2\t0000000A\nens1f0\t00000000\n")
    only(problems(host), "the default route goes through it")


@pytest.mark.parametrize("cpu, cure", [
    ("GenuineIntel", "intel_iommu=on"), ("AuthenticAMD", "AMD-Vi")])
def test_no_iommu(tmp_path, cpu, cure):
    host = FakeHost(tmp_path, cpu=cpu)
    host.device(A, group=None)
    only(problems(host), "in no IOMMU group", cure)


def test_another_port_in_the_group_is_to_be_given_too(host):
    host.device(A)
    host.device(B)
    only(problems(host), "shares IOMMU group 7 with %s (i40e)" % B,
         "tools/run --passthrough %s,%s" % (A, B))
    assert problems(host, A, B) == []


def test_a_disk_in_the_group(host):
    host.device(A)
    host.device(C, kind="010802", driver="nvme")
    only(problems(host), "shares IOMMU group 7 with %s (nvme)" % C,
         "slot that has a root port of its own", "lspci -tv")


@pytest.mark.parametrize("kind, driver", [
    ("060400", "pcieport"), ("010802", None), ("010802", "vfio-pci")])
def test_others_in_the_group_that_do_no_harm(host, kind, driver):
    host.device(A)
    host.device(C, kind=kind, driver=driver)
    assert problems(host) == []


def test_the_driver_is_not_loaded(host):
    host.device(A)
    (host.drivers / "vfio-pci").rmdir()
    only(problems(host), "vfio-pci is not loaded", "modprobe vfio-pci")


def test_vfio_is_not_loaded(host):
    host.device(A)
    (host.root / "dev/vfio/vfio").unlink()
    only(problems(host), "/dev/vfio/vfio is not there", "modprobe vfio")


def test_binding_without_root(host):
    host.device(A)
    host.forbidden.add("sys/bus/pci/devices/%s/driver_override" % A)
    only(problems(host), "needs root", "it has i40e", "sudo tools/run")


def test_bound_already_but_somebody_elses(host):
    host.device(A, driver="vfio-pci")
    host.forbidden.add("dev/vfio/7")
    only(problems(host), "/dev/vfio/7 cannot be opened", "chown")


def test_bound_already_and_ours_needs_no_root(host):
    host.device(A, driver="vfio-pci")
    host.forbidden.add("sys/bus/pci/devices/%s/driver_override" % A)
    assert problems(host) == []


@pytest.mark.parametrize("flags, texts", [
    ("vmx", ["/dev/kvm is not there", "modprobe kvm_intel"]),
    ("svm", ["/dev/kvm is not there", "modprobe kvm_amd"]),
    ("", ["does not offer virtualization", "--kvm off"])])
def test_no_kvm(tmp_path, flags, texts):
    host = FakeHost(tmp_path, flags=flags)
    host.device(A)
    (host.root / "dev/kvm").unlink()
    only(problems(host), *texts)
    assert problems(host, kvm=False) == []


def test_kvm_of_others(host):
    host.device(A)
    host.forbidden.add("dev/kvm")
    only(problems(host), "/dev/kvm cannot be opened", "usermod -aG kvm")


def test_a_limit_on_locked_memory(host):
    host.device(A)
    host.limit = 8 << 20
    only(problems(host), "may lock 8 MiB of memory, the guest needs 576",
         "prlimit --memlock=603979776:603979776")
    host.put("proc/self/status", "CapEff:\t0000000000004000")   # CAP_IPC_LOCK
    assert problems(host) == []


def test_more_memory_than_there_is(host):
    host.device(A)
    host.put("proc/meminfo", "MemTotal: 9 kB\nMemAvailable:    524288 kB")
    only(problems(host), "576 MiB are needed and 512 available",
         "--memory 448")


def test_all_that_is_missing_is_said_at_once(host):
    host.device(A, group=None, interface="ens1f0", flags="0x1003")
    (host.drivers / "vfio-pci").rmdir()
    (host.root / "dev/kvm").unlink()
    assert len(problems(host)) == 4


# ---- binding, and back ----

def test_bound_inside_and_as_before_outside(host):
    a, b = host.device(A), host.device(B, driver=None, match="i40e")
    said = []
    with passthrough.Bound(host, [A, B], said.append):
        assert state(host, a, b) == [("vfio-pci", "vfio-pci")] * 2
        # Should we be killed, these would be the words.
        assert "echo %s > /sys/bus/pci/drivers/i40e/bind" % A in said[0]
    assert state(host, a, b) == [("i40e", ""), (None, "")]
    assert said[-2:] == ["passthrough: %s: back to no driver" % B,
                         "passthrough: %s: back to i40e" % A]


def test_what_was_bound_before_stays_bound(host):
    a = host.device(A, driver="vfio-pci")
    with passthrough.Bound(host, [A], print):
        pass
    assert state(host, a) == [("vfio-pci", "")]
    assert host.writes == []


def test_an_override_of_the_owners_comes_back(host):
    a = host.device(A)
    (a.path / "driver_override").write_text("i40e\n")
    with passthrough.Bound(host, [A], print):
        assert a.driver == "vfio-pci"
    assert state(host, a) == [("i40e", "i40e")]


def test_a_failure_inside_changes_nothing_about_the_way_back(host):
    a = host.device(A)
    with pytest.raises(ZeroDivisionError):
        with passthrough.Bound(host, [A], print):
            1 / 0
    assert state(host, a) == [("i40e", "")]


@pytest.mark.parametrize("step", ["driver_override", "driver/unbind",
                                  "drivers_probe"])
def test_each_step_that_fails_gives_back_what_was_taken(host, step):
    a, b = host.device(A), host.device(B)

    class Second(passthrough.Bound):
        def _take(self, device):
            if device.address == B:
                host.broken.add("%s/%s" % (B, step) if step != "drivers_probe"
                                else step)
            try:
                super()._take(device)
            finally:
                host.broken.clear()

    with pytest.raises(passthrough.PassthroughError, match=B):
        with Second(host, [A, B], print):
            pass
    assert state(host, a, b) == [("i40e", ""), ("i40e", "")]


def test_a_driver_that_does_not_take_it_is_noticed(host):
    a = host.device(A)
    host.deaf.add("vfio-pci")
    with pytest.raises(passthrough.PassthroughError, match="has no driver"):
        with passthrough.Bound(host, [A], print):
            pass
    assert state(host, a) == [("i40e", "")]


def test_one_that_cannot_be_given_back_is_named_and_the_other_is(host):
    a, b = host.device(A), host.device(B)
    said = []
    with passthrough.Bound(host, [A, B], said.append):
        host.broken.add("%s/driver_override" % B)
        host.broken.add("%s/driver/unbind" % B)
    assert state(host, a) == [("i40e", "")]
    (lost,) = [t for t in said if "was not given back" in t]
    assert B in lost and "by hand: echo %s > " % B in lost
    assert b.driver == "vfio-pci"


def test_an_old_driver_that_does_not_come_back_is_said(host):
    host.device(A)
    said = []
    with passthrough.Bound(host, [A], said.append):
        host.deaf.add("i40e")
    assert "was not given back to i40e: it has no driver" in said[-1]


def test_a_terminal_that_is_gone_keeps_no_nic(host):
    a = host.device(A)

    def gone(text):
        raise OSError(5, "Input/output error")
    with passthrough.Bound(host, [A], gone):
        assert a.driver == "vfio-pci"
    assert state(host, a) == [("i40e", "")]


WAITER = """
    import sys, time
    sys.path.insert(0, %r)
    from fake_sysfs import FakeHost, passthrough
    host = FakeHost(sys.argv[1])
    host.device(%r)
    with passthrough.Bound(host, [%r], lambda text: None):
        print("bound", flush=True)
        time.sleep(60)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP])
def test_signals_give_back(tmp_path, number):
    code = textwrap.dedent(WAITER % (str(Path(__file__).parent), A, A))
    child = subprocess.Popen([sys.executable, "-c", code, str(tmp_path)],
                             stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "bound\n"
    driver = tmp_path / "sys/bus/pci/devices" / A / "driver"
    assert os.readlink(driver).endswith("vfio-pci")
    child.send_signal(number)
    assert child.wait(120) == 128 + number
    assert os.readlink(driver).endswith("i40e")


# ---- what QEMU is told ----

def test_each_function_gets_a_root_port_of_its_own():
    args = passthrough.qemu_arguments([A, B])
    assert args.count("-device") == 4
    assert "vfio-pci,host=%s,bus=pt1,rombar=0" % B in args


def test_run_says_what_does_not_go_together():
    done = subprocess.run([TREE / "tools" / "run", "--passthrough", A,
                           "--wire", "wire=sink"], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 1
    assert "--wire are for the model's ports" in done.stderr
