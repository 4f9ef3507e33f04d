"""Over the network: by the firmware's own PXE and HTTP, and by iPXE.

The servers are QEMU's user networking (DHCP, TFTP) and a web server of ours on
the loopback.
"""

import shutil

import pytest
from network import Network, Web
from oldserver import OldServer
from station import FORWARD_S, FRAMES, MACSWAP, macswap
from test_disk import BUSES, UUID, drive

from lab import paths
from lab.hub import Hub

OTHER = b"version 1\nset fwd rxonly\n"
MAC = "52:54:00:12:34:56"
MAC_CONF = "millrace-52-54-00-12-34-56.conf"

IPXE_SCRIPT = """#!ipxe
dhcp
imgfetch --name millrace.conf %(conf)s
chain %(image)s
"""


@pytest.fixture
def srv(tmp_path):
    """A server's folder with the image in a folder of its own."""
    folder = tmp_path / "srv"
    (folder / "lab").mkdir(parents=True)
    shutil.copyfile(paths.EFI, folder / "lab" / "millrace.efi")
    return folder


@pytest.fixture
def web(srv):
    w = Web(srv)
    yield w
    w.close()


def nic(srv, bootfile="", boots=True):
    """A NIC that the firmware itself can drive, and the servers behind it."""
    return ["-netdev", "user,id=net,tftp=%s,bootfile=%s" % (srv, bootfile),
            "-device", "virtio-net-pci,netdev=net,romfile=,mac=%s%s"
            % (MAC, ",bootindex=1" if boots else "")]


def test_pxe(station, srv):
    """The port's own configuration comes before that of all machines."""
    (srv / "lab" / "millrace.conf").write_bytes(OTHER)
    (srv / "lab" / MAC_CONF).write_bytes(MACSWAP)
    station.boot(extra=nic(srv, "lab/millrace.efi"))
    station.came_by("tftp 10.0.2.2:lab/" + MAC_CONF, MACSWAP)
    station.forwards(macswap, "PXE (TFTP)")


@pytest.fixture
def old(station):
    """Starts old servers; `nic` are QEMU's words for their other end."""
    path = station.work / "old.sock"
    hub = Hub(path)
    servers = []

    def start(files, bootfile="lab/millrace.efi", **options):
        image = {"lab/millrace.efi": paths.EFI.read_bytes()}
        servers.append(OldServer(path, bootfile, {**image, **files},
                                 **options))
        return servers[0]

    start.nic = ["-netdev", "stream,id=net,server=off,addr.type=unix,"
                 "addr.path=%s" % path, "-device",
                 "virtio-net-pci,netdev=net,romfile=,bootindex=1,mac=" + MAC]
    yield start
    for server in servers:
        server.close()
    hub.close()


def test_pxe_from_a_server_without_options(station, old):
    """Blocks of 512 bytes, no sizes, and only DHCP's own name for the server:
    the firmware cannot tell the size, so the file is read without it."""
    server = old({"lab/millrace.conf": MACSWAP})
    station.boot(extra=old.nic)
    station.came_by("tftp 10.9.0.2:lab/millrace.conf", MACSWAP)
    assert server.asked[-1] == "lab/millrace.conf"
    station.forwards(macswap, "PXE (TFTP, blocks of 512 bytes)")


def test_a_server_that_falls_silent_leaves_nothing_configured(station, old):
    """It has sent the image, but says nothing about the configuration. The
    options that are there may not be acted upon either."""
    server = old({}, silent=lambda name: name.endswith(".conf"))
    station.boot(wires=["wire=sink"], extra=old.nic)
    errors = [line for line in station.banner.splitlines() if "error:" in line]
    assert len(errors) == 1, station.banner
    assert "no answer about lab/%s" % MAC_CONF in errors[0]
    # The firmware has asked more than once, and about no other name then.
    asked = [name for name in server.asked if name.endswith(".conf")]
    assert len(asked) > 1 and set(asked) == {"lab/" + MAC_CONF}


def test_http(station, media, srv, web):
    """Two names are not there, the third one is."""
    (srv / "lab" / "millrace.conf").write_bytes(MACSWAP)
    url = "http://10.0.2.2:%d/lab/" % web.port
    station.boot(
        variables=media.variables("--set-boot-uri", url + "millrace.efi"),
        extra=["-uuid", UUID] + nic(srv, boots=False))
    station.came_by("http %smillrace.conf" % url, MACSWAP)
    station.forwards(macswap, "UEFI HTTP boot")
    assert web.got[-3:] == [
        ("/lab/" + MAC_CONF, 404),
        ("/lab/millrace-%s.conf" % UUID, 404),
        ("/lab/millrace.conf", 200)]


def test_a_web_server_that_answers_otherwise_is_one_error(station, media, srv,
                                                          web):
    """A folder in the configuration's place: the server sends us elsewhere."""
    (srv / "lab" / MAC_CONF).mkdir()
    (srv / "lab" / "millrace.conf").write_bytes(MACSWAP)
    url = "http://10.0.2.2:%d/lab/" % web.port
    station.boot(
        wires=["wire=sink"], extra=nic(srv, boots=False),
        variables=media.variables("--set-boot-uri", url + "millrace.efi"))
    errors = [line for line in station.banner.splitlines() if "error:" in line]
    assert len(errors) == 1, station.banner
    assert "http %s%s: the server answers 301" % (url, MAC_CONF) in errors[0]


def test_ipxe_from_a_disk(station, media, ipxe, srv, web):
    """iPXE fetches the configuration under our name, and the image by HTTP."""
    (srv / "lab" / "dut.conf").write_bytes(MACSWAP)
    url = "http://10.0.2.2:%d/lab/" % web.port
    script = IPXE_SCRIPT % {"conf": url + "dut.conf",
                            "image": url + "millrace.efi"}
    contents = media.contents((ipxe / "ipxe-amd64.efi").read_bytes(),
                              **{"autoexec.ipxe": script.encode()})
    # iPXE asks all ports for a lease, in order: this one before ours.
    station.boot(before=nic(srv, boots=False), extra=drive(
        media.disk(contents), BUSES["disk on virtio-blk"][1]))
    station.came_by("file \\millrace.conf", MACSWAP)
    station.forwards(macswap, "iPXE from a disk, HTTP")


def test_ipxe_over_pxe(station, ipxe, srv):
    """Nothing was fetched by name: TFTP is asked, and options say the rest."""
    shutil.copyfile(ipxe / "snponly.efi", srv / "lab" / "snponly.efi")
    (srv / "lab" / "millrace.conf").write_bytes(b"version 1\nset burst 16\n")
    script = ("#!ipxe\ndhcp\nchain tftp://${next-server}/lab/millrace.efi "
              "-- --forward-mode=macswap --auto-start\n")
    for place in (srv, srv / "lab"):
        (place / "autoexec.ipxe").write_text(script)
    console = station.boot(extra=nic(srv, "lab/snponly.efi"))
    assert "loader: options: -- --forward-mode=macswap" in station.banner
    station.came_by("tftp 10.0.2.2:lab/millrace.conf",
                    b"version 1\nset burst 16\n")
    assert "packets/burst=16" in console.run("show config rxtx")
    station.forwards(macswap, "iPXE over PXE, TFTP")


def test_an_ipxe_that_knows_no_sizes(station, old, old_ipxe):
    """The iPXE of 2019 has no GET_FILE_SIZE, and says that it has read as much
    as there was room. Its boot file is a script beside the configuration."""
    old({"snponly.efi": (old_ipxe / "snponly.efi").read_bytes(),
         "lab/boot.ipxe": b"#!ipxe\nchain millrace.efi\n",
         "lab/millrace.conf": MACSWAP},
        bootfile="snponly.efi", script="lab/boot.ipxe")
    station.boot(extra=old.nic)
    station.came_by("tftp 10.9.0.2:lab/millrace.conf", MACSWAP)
    station.forwards(macswap, "iPXE of 2019 over PXE, TFTP")


def test_ipxe_over_the_port_that_we_take(station, ipxe, srv):
    """Its own driver for the XL710 brings us in; then the port is ours."""
    (srv / "boot.ipxe").write_text(IPXE_SCRIPT % {
        "conf": "tftp://${next-server}/lab/dut.conf",
        "image": "tftp://${next-server}/lab/millrace.efi"})
    (srv / "lab" / "dut.conf").write_bytes(MACSWAP)
    net = Network(station.work, 2, srv, "boot.ipxe")
    far = Hub(station.work / "far.sock")
    try:
        station.boot(efi=ipxe / "ipxe-amd64.efi", wires=[
            net.wire, "wire=stream,connect=%s" % (station.work / "far.sock")])
        station.came_by("file \\millrace.conf", MACSWAP)
        net.server.close()
        for here, there in ((net.hub, far), (far, net.hub)):
            there.forget()
            here.say(FRAMES)
            want = macswap(FRAMES)
            got = there.wait_for(lambda heard: heard[-len(want):] == want,
                                 FORWARD_S)
            assert got[-len(want):] == want
        station.note("iPXE over a port of the NIC itself")
    finally:
        net.close()
        far.close()
