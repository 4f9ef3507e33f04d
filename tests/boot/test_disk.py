"""From a disk or a CD: what is written to it is what starts."""

import pytest
from station import MACSWAP, macswap

DISK = ["-drive", "if=none,id=boot,format=raw,readonly=on,file=%s"]
XHCI = ["-device", "qemu-xhci"]
UUID = "00112233-4455-6677-8899-aabbccddeeff"

BUSES = {
    "disk on virtio-blk": ("disk", ["-device",
                                    "virtio-blk-pci,drive=boot,bootindex=1"]),
    "disk on USB": ("disk", XHCI + ["-device",
                                    "usb-storage,drive=boot,bootindex=1"]),
    "CD": ("cd", ["-device", "ide-cd,drive=boot,bootindex=1"]),
    "CD image on USB": ("cd", XHCI + ["-device",
                                      "usb-storage,drive=boot,bootindex=1"]),
}


def drive(path, device):
    return [word.replace("%s", str(path)) for word in DISK] + device


@pytest.fixture(scope="module")
def made(media):
    """One disk and one CD for all buses."""
    contents = media.contents(**{"millrace.conf": MACSWAP})
    return {"disk": media.disk(contents), "cd": media.cd(contents)}


@pytest.mark.parametrize("way", list(BUSES))
def test_it_boots_with_the_configuration_beside(station, made, way):
    kind, device = BUSES[way]
    station.boot(extra=drive(made[kind], device))
    station.came_by("file \\millrace.conf", MACSWAP)
    station.forwards(macswap, way)


def test_of_several_the_machines_own_counts(station, media):
    """In the image's own folder, before the root, and by the machine's UUID."""
    contents = media.contents(**{
        "millrace.conf": b"version 1\nset fwd mac\n",
        "EFI/BOOT/millrace.conf": b"version 1\nset fwd rxonly\n",
        "EFI/BOOT/millrace-%s.conf" % UUID: MACSWAP,
    })
    station.boot(extra=["-uuid", UUID] + drive(media.disk(contents), [
        "-device", "nvme,drive=boot,serial=boot,bootindex=1"]))
    station.came_by("file \\EFI\\BOOT\\millrace-%s.conf" % UUID, MACSWAP)
    station.forwards(macswap, "disk on NVMe")


@pytest.mark.parametrize("text, words", [
    (b"", r"\millrace.conf is empty"),
    (b"# " + b"x" * 65536, r"\millrace.conf exceeds 64 KiB"),
    (b"version 1\nset fwd sideways\n", r"\millrace.conf:2:9: "),
], ids=["empty", "too-large", "wrong"])
def test_a_wrong_configuration_is_one_error(station, media, text, words):
    contents = media.contents(**{"millrace.conf": text})
    station.boot(wires=["wire=sink"],
                 extra=drive(media.disk(contents), BUSES["disk on virtio-blk"][1]))
    errors = [line for line in station.banner.splitlines() if "error:" in line]
    assert len(errors) == 1 and words in errors[0], station.banner
