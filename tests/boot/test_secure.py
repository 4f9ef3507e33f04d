"""Secure Boot with the owner's own key: what is signed starts, else nothing."""

import pytest
from station import MACSWAP, macswap
from test_disk import BUSES, drive

from lab import paths

# As OVMF's secboot builds want it: their variables are SMM's alone.
SMM = ["-global", "driver=cfi.pflash01,property=secure,value=on",
       "-global", "ICH9-LPC.disable_s3=1"]


def medium(media, efi):
    path = media.disk(media.contents(efi, **{"millrace.conf": MACSWAP}))
    return SMM + drive(path, BUSES["disk on virtio-blk"][1])


@pytest.fixture(scope="module")
def signed(media):
    return media.sign(paths.EFI).read_bytes()


@pytest.mark.parametrize("way, code", [
    ("Secure Boot", "OVMF_CODE_4M.secboot.fd"),
    ("Secure Boot, firmware with strict NX",
     "OVMF_CODE_4M.secboot.strictnx.fd"),
])
def test_a_signed_image_boots(station, media, signed, way, code):
    station.boot(extra=medium(media, signed), **media.secure(code))
    station.came_by("file \\millrace.conf", MACSWAP)
    station.forwards(macswap, way)


def refused(station, media, efi):
    console = station.machine(wires=["wire=sink"], extra=medium(media, efi),
                              **media.secure())
    console.wait_for("failed to load [^\r]*: Access Denied")
    console.wait_for("No bootable option or device was found")


def test_an_unsigned_image_is_refused(station, media):
    refused(station, media, paths.EFI.read_bytes())


def test_a_signed_image_with_one_other_bit_is_refused(station, media, signed):
    altered = bytearray(signed)
    altered[len(altered) // 2] ^= 1
    refused(station, media, bytes(altered))
