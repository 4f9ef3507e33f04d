"""tools/netboot-server in a network of its own, asked by clients as real ones ask."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from lan import Lan, why_not
from outside import TREE, tool

SERVER = TREE / "tools" / "netboot-server"
CLIENT = TREE / "tests" / "release" / "client.py"
READY_S = 120
POOL = "192.0.2.100,192.0.2.200"

in_namespaces = pytest.mark.skipif(
    why_not() is not None, reason="no network namespaces: %s" % why_not())


@pytest.fixture
def lan():
    with Lan() as lan:
        lan.run("client", "ip", "address", "add", "192.0.2.50/24", "dev",
                "client")
        yield lan


class Served:
    """The server while it runs; its words are in `log`."""

    def __init__(self, lan, log, archive, *words):
        self.lan, self.log = lan, log
        with open(log, "w") as out:
            self.process = subprocess.Popen(
                lan.words("server", str(SERVER), "--interface", "server",
                          *words, str(archive)),
                stdout=out, stderr=subprocess.STDOUT)
        self.expect("TFTP root is ")

    def expect(self, text):
        deadline = time.monotonic() + READY_S
        while text not in self.log.read_text():
            assert self.process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, self.log.read_text()
            time.sleep(0.02)

    def ask(self, *who):
        """What a client is told, as client.py prints it."""
        return json.loads(self.lan.run("client", "/usr/bin/python3",
                                       str(CLIENT), "client", *who))

    def fetch(self, url, to):
        self.lan.run("client", "curl", "-sSf", "-o", str(to), url)
        return to.read_bytes()

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(READY_S)


@pytest.fixture
def served(lan, release, tmp_path):
    """served(words...) starts the server with the release's archive."""
    started = []

    def start(*words):
        started.append(Served(lan, tmp_path / "log",
                              release.file("-netboot.tar.gz"), *words))
        return started[-1]

    yield start
    for s in started:
        if s.process.poll() is None:
            s.end()


@in_namespaces
def test_another_servers_clients_are_told_where_to_boot(served, release,
                                                        tmp_path):
    lab = served()
    told = lab.ask("7", "PXEClient")
    assert (told["file"], told["next"]) == ("millrace.efi", "192.0.2.1")
    assert told["address"] == "0.0.0.0"     # that is the other server's to give
    told = lab.ask("7", "PXEClient", "iPXE")
    assert told["file"] == "http://192.0.2.1/boot.ipxe"
    for url in ("tftp://192.0.2.1/millrace.efi",
                "http://192.0.2.1/millrace.efi"):
        assert lab.fetch(url, tmp_path / "got") == \
            release.file(".efi").read_bytes()


@in_namespaces
def test_a_lab_of_its_own_gets_addresses_too(served):
    lab = served("--dhcp", POOL, "--http-port", "8080")
    for who, file in ((("7", "PXEClient"), "millrace.efi"),
                      (("9", "PXEClient"), "millrace.efi"),
                      (("7", "PXEClient", "iPXE"),
                       "http://192.0.2.1:8080/boot.ipxe"),
                      (("16", "HTTPClient"),
                       "http://192.0.2.1:8080/millrace.efi")):
        told = lab.ask(*who)
        assert told["file"] == file
        assert 100 <= int(told["address"].split(".")[3]) <= 200
        # UEFI takes an offer for HTTP boot only when it says so.
        assert told["vendor"] == ("HTTPClient" if who[0] == "16" else None)


@in_namespaces
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM,
                                    signal.SIGHUP])
def test_it_ends_with_all_that_it_started(served, number):
    lab = served()
    children = tool("pgrep", "-P", str(lab.process.pid)).split()
    folder = lab.log.read_text().split("TFTP root is ")[1].split()[0]
    assert children and os.path.isdir(folder)
    assert lab.end(number) == 128 + number
    assert not any(os.path.exists("/proc/" + pid) for pid in children)
    assert not os.path.isdir(folder)


@in_namespaces
def test_it_ends_when_dnsmasq_does(served):
    lab = served()
    (child,) = tool("pgrep", "-P", str(lab.process.pid)).split()
    os.kill(int(child), signal.SIGKILL)
    assert lab.process.wait(READY_S) == 1
    assert "dnsmasq ended" in lab.log.read_text()


# ---- refusals, on no network at all ----

def refused(*words, path=None):
    env = dict(os.environ, PATH=path) if path else None
    done = subprocess.run([sys.executable, str(SERVER),
                           *[str(w) for w in words]], env=env, text=True,
                          capture_output=True, timeout=300)
    assert done.returncode != 0
    return done.stderr


def test_without_an_interface_it_serves_nobody():
    assert "--interface" in refused()


def test_what_is_missing_is_named_with_its_cure(tmp_path):
    assert "no interface nic7; `ip -br address`" in refused("--interface",
                                                            "nic7")
    for pool in ("10.0.0.1", "a,b", "10.0.0.1,10.0.0.9",
                 "127.0.0.9,127.0.0.2"):
        assert "--dhcp" in refused("--interface", "lo", "--dhcp", pool)
    assert "has no millrace.efi" in refused("--interface", "lo", tmp_path)


@in_namespaces
def test_an_interface_without_an_address_is_refused_with_the_command():
    with Lan() as lan:
        done = subprocess.run(lan.words("client", str(SERVER), "--interface",
                                        "client"), text=True,
                              capture_output=True, timeout=300)
    assert done.returncode == 1
    assert "ip address add 192.0.2.1/24 dev client" in done.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="an ordinary user stops earlier")
def test_a_folder_that_dnsmasq_cannot_read_is_named(tmp_path):
    folder = tmp_path / "netboot"
    folder.mkdir(mode=0o755)
    for name in ("millrace.efi", "boot.ipxe"):
        (folder / name).write_bytes(b"")
    tmp_path.chmod(0o700)
    assert "chmod o+rx %s" % tmp_path in refused("--interface", "lo", folder)
