"""millrace.efi as a PE file: well as it is, and each fault would be noticed."""

import struct
import subprocess

import pefile
import pytest

from outside import TREE, tool


def check(path):
    done = subprocess.run([TREE / "tools" / "pe", "check", path],
                          capture_output=True, text=True, timeout=300)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def altered(release, tmp_path):
    """altered(change) gives the image's file after change(pe)."""
    def make(change, behind=b""):
        pe = pefile.PE(str(release.file(".efi")), fast_load=True)
        change(pe)
        path = tmp_path / "altered.efi"
        path.write_bytes(pe.write() + behind)
        return path
    return make


@pytest.fixture
def key(tmp_path):
    """A throw-away key: (key file, certificate file)."""
    paths = tmp_path / "key", tmp_path / "crt"
    tool("openssl", "req", "-new", "-x509", "-newkey", "rsa:2048", "-nodes",
         "-subj", "/CN=test/", "-keyout", paths[0], "-out", paths[1])
    return paths


def test_the_image_is_as_strict_firmware_wants_it(release):
    status, said = check(release.file(".efi"))
    assert (status, "ok" in said) == (0, True), said


def no_nx(pe):
    pe.OPTIONAL_HEADER.DllCharacteristics &= ~0x100


def other_machine(pe):
    pe.FILE_HEADER.Machine = 0x14C


def not_efi(pe):
    pe.OPTIONAL_HEADER.Subsystem = 3


def gap_in_memory(pe):
    pe.sections[-1].VirtualAddress += 4096
    pe.OPTIONAL_HEADER.SizeOfImage += 4096


def gap_in_file(pe):
    pe.sections[1].PointerToRawData += 512


def image_longer(pe):
    pe.OPTIONAL_HEADER.SizeOfImage += 4096


def writable_code(pe):
    pe.sections[0].Characteristics |= 0x80000000


def entry_in_data(pe):
    pe.OPTIONAL_HEADER.AddressOfEntryPoint = pe.sections[2].VirtualAddress


def no_relocations(pe):
    pe.OPTIONAL_HEADER.DATA_DIRECTORY[5].Size = 0


def symbols(pe):
    pe.FILE_HEADER.PointerToSymbolTable = 0x400


def wrong_checksum(pe):
    pe.OPTIONAL_HEADER.CheckSum ^= 1


@pytest.mark.parametrize("change, complaint", [
    (no_nx, "DllCharacteristics is 0x60, without the bits 0x100"),
    (other_machine, "Machine is 0x14c, expected 0x8664"),
    (not_efi, "Subsystem is 0x3, expected 0xa"),
    (gap_in_memory, ".reloc is at "),
    (gap_in_file, ".rdata is at "),
    (image_longer, "SizeOfImage is "),
    (writable_code, ".text can be both written and executed"),
    (entry_in_data, "is in no section of code"),
    (no_relocations, "it has no relocations"),
    (symbols, "PointerToSymbolTable is 0x400"),
    (wrong_checksum, "its checksum is "),
], ids=lambda v: getattr(v, "__name__", None))
def test_a_fault_is_named(altered, change, complaint):
    status, said = check(altered(change))
    assert status == 1
    assert complaint in said


def test_bytes_behind_the_sections_are_a_fault(altered):
    status, said = check(altered(lambda pe: None, behind=bytes(8)))
    assert status == 1
    assert "its parts" in said


def test_what_is_no_pe_file_is_said_to_be_none(tmp_path):
    (tmp_path / "x").write_bytes(b"\x7fELF" + bytes(100))
    status, said = check(tmp_path / "x")
    assert status == 1
    assert "no PE file" in said


def test_it_is_signed_and_verified_without_a_warning(release, tmp_path, key):
    signed = tmp_path / "signed.efi"
    said = tool("sbsign", "--key", key[0], "--cert", key[1], "--output",
                signed, release.file(".efi"))
    said += tool("sbverify", "--cert", key[1], signed)
    said += tool("sbverify", "--list", signed)
    assert "warning" not in said.lower() and "gap" not in said.lower(), said
    status, said = check(signed)
    assert status == 0, said


def test_one_altered_bit_breaks_the_signature(release, tmp_path, key):
    signed = tmp_path / "signed.efi"
    tool("sbsign", "--key", key[0], "--cert", key[1], "--output", signed,
         release.file(".efi"))
    data = bytearray(signed.read_bytes())
    at = struct.unpack_from("<I", data, 0x3C)[0] + 0x2000
    data[at] ^= 1
    signed.write_bytes(data)
    done = subprocess.run(["sbverify", "--cert", key[1], signed],
                          capture_output=True, text=True, timeout=300)
    assert done.returncode != 0
