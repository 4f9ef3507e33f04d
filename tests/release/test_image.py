"""Each file of out/ is what its name says, as other tools see it."""

import gzip
import json
import os
import re
import subprocess
import tarfile

import pytest

from outside import TREE, tool

ESP_TYPE = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"
MEDIA = [".img", ".iso"]


def sha256sums(release):
    return [line.split() for line in
            (release.out / "SHA256SUMS").read_text().splitlines()]


def partitions(path):
    table = json.loads(tool("/sbin/sfdisk", "--json", path))["partitiontable"]
    assert table["label"] == "gpt"
    return table["partitions"]


def esp_of(path):
    """Where the one EFI system partition is, as mtools says it."""
    found = [p for p in partitions(path) if p["type"] == ESP_TYPE]
    assert len(found) == 1
    return "%s@@%d" % (path, found[0]["start"] * 512), found[0]


def file_on(path, name):
    done = subprocess.run(["mtype", "-i", esp_of(path)[0], "::/" + name],
                          capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files_in(path):
    """{name without the top folder: bytes}, and all entries."""
    with tarfile.open(path) as t:
        entries = t.getmembers()
        return {e.name.split("/", 1)[1]: t.extractfile(e).read()
                for e in entries}, entries


def test_every_file_has_its_checksum_and_none_is_left_over(release):
    tool("sha256sum", "--strict", "-c", "SHA256SUMS", cwd=release.out)
    named = {name for _, name in sha256sums(release)} | {"SHA256SUMS"}
    assert named == {p.name for p in release.out.iterdir()}
    endings = {n.removeprefix(release.name) for n in named} - {"SHA256SUMS"}
    assert endings == {".efi", ".img", ".iso", ".spdx.json", "-debug.tar.gz",
                       "-netboot.tar.gz", "-hosttools.tar.gz"}


def test_the_efi_is_the_one_that_the_tests_boot(release):
    assert release.file(".efi").read_bytes() == \
        (TREE / "build" / "millrace.efi").read_bytes()


@pytest.mark.parametrize("kind", MEDIA)
def test_a_medium_has_the_image_where_firmware_looks(release, kind):
    path = release.file(kind)
    assert file_on(path, "EFI/BOOT/BOOTX64.EFI") == \
        release.file(".efi").read_bytes()
    assert file_on(path, "millrace.conf").startswith(b"version 1\n")
    assert b"Redistribution" in file_on(path, "LICENSES.TXT")


@pytest.mark.parametrize("kind, fat", [(".img", "FAT32"), (".iso", "FAT16")])
def test_its_file_system_is_sound(release, tmp_path, kind, fat):
    path = release.file(kind)
    _, part = esp_of(path)
    with open(path, "rb") as f:
        f.seek(part["start"] * 512)
        data = f.read(part["size"] * 512)
    (tmp_path / "esp").write_bytes(data)
    tool("/sbin/fsck.fat", "-n", "-v", tmp_path / "esp")
    assert fat.encode() in data[:512]


def test_the_disk_has_both_partition_tables(release):
    said = tool("/sbin/sfdisk", "--verify", release.file(".img"))
    assert "No errors detected" in said


def test_the_cd_has_one_way_to_boot_and_it_is_uefi(release):
    said = tool("xorriso", "-no_rc", "-indev", release.file(".iso"),
                "-report_el_torito", "plain")
    images = re.findall(r"^El Torito boot img : +\d+ +(\S+)", said, re.M)
    assert images == ["UEFI"], said


def test_archives_depend_on_nobody(release):
    for kind in ("netboot", "debug", "hosttools"):
        path = release.file("-%s.tar.gz" % kind)
        entries = files_in(path)[1]
        names = [e.name for e in entries]
        assert names == sorted(names)
        assert {n.split("/")[0] for n in names} == {
            "%s-%s" % (release.name, kind)}
        assert {(e.uid, e.gid, e.uname, e.gname) for e in entries} == {
            (0, 0, "", "")}
        assert len({e.mtime for e in entries}) == 1
        assert {e.mode for e in entries} <= {0o644, 0o755}
        with gzip.open(path) as z:
            z.read(1)
            assert z.mtime == entries[0].mtime


def test_netboot_has_all_that_a_server_needs(release):
    files, _ = files_in(release.file("-netboot.tar.gz"))
    assert set(files) == {"millrace.efi", "millrace.conf", "boot.ipxe",
                          "millrace-02-00-00-00-00-01.conf", "dnsmasq.conf",
                          "dhcpd.conf", "kea-dhcp4.json", "LICENSES.TXT"}
    assert files["millrace.efi"] == release.file(".efi").read_bytes()
    assert files["boot.ipxe"].startswith(b"#!ipxe\n")
    json.loads(files["kea-dhcp4.json"])


def test_the_samples_are_taken_with_every_line_that_they_offer(release,
                                                               tmp_path):
    files, _ = files_in(release.file("-netboot.tar.gz"))
    samples = [name for name in files if name.startswith("millrace")
               and name.endswith(".conf")]
    assert len(samples) == 2
    for name in samples:
        text = files[name].decode()
        offered = re.sub(r"^#(?=\S)", "", text, flags=re.M)
        for words in (text, offered):
            (tmp_path / name).write_text(words)
            tool(TREE / "build" / "hosttools" / "millrace-check",
                 tmp_path / name)


def test_the_debug_archive_knows_its_build(release, tmp_path):
    files, _ = files_in(release.file("-debug.tar.gz"))
    elf = tmp_path / "kernel.elf"
    elf.write_bytes(files["kernel.elf"])
    (tmp_path / "symbolize").write_bytes(files["symbolize"])
    assert "Build ID: " + files["build-id"].decode().strip() in \
        tool("readelf", "-n", elf)
    assert b"kernel_entry" in files["kernel.map"]
    where = re.search(r"^([0-9a-f]{16}) T kmain$", tool("nm", elf), re.M)[1]
    dump = "build %s\nrip %s\n"
    (tmp_path / "dump").write_text(dump % (files["build-id"].decode().strip(),
                                           where))
    said = tool("/usr/bin/python3", tmp_path / "symbolize", "-e", elf,
                tmp_path / "dump")
    assert re.search(r"^ +kmain kernel/main\.c:\d+$", said, re.M), said

    (tmp_path / "dump").write_text(dump % ("0" * 40, where))
    done = subprocess.run(["/usr/bin/python3", tmp_path / "symbolize", "-e",
                           elf, tmp_path / "dump"], capture_output=True,
                          text=True, timeout=300)
    assert done.returncode == 1
    assert "the dump is of build 0000" in done.stderr
    assert "kmain" not in done.stdout


def test_no_folder_of_this_machine_is_in_the_kernel(release):
    files, _ = files_in(release.file("-debug.tar.gz"))
    assert str(TREE).encode() not in files["kernel.elf"]
    assert not re.search(rb"/cc\w{6}\.", files["kernel.map"])


def test_the_host_tools_run(release, tmp_path):
    files, entries = files_in(release.file("-hosttools.tar.gz"))
    for e in entries:
        path = tmp_path / e.name.split("/", 1)[1]
        path.write_bytes(files[path.name])
        path.chmod(e.mode)
    assert "--socket" in tool(tmp_path / "xl710-model", "--help")
    for name in ("model-ctl", "symbolize", "netboot-server"):
        done = subprocess.run([tmp_path / name, "--help"], text=True,
                              capture_output=True, timeout=300)
        assert "usage" in (done.stdout + done.stderr).lower()


def test_the_bill_of_materials_is_whole(release):
    bill = json.loads(release.file(".spdx.json").read_text())
    assert bill["spdxVersion"] == "SPDX-2.3"
    assert bill["dataLicense"] == "CC0-1.0"
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ",
                        bill["creationInfo"]["created"])
    packages = {p["SPDXID"]: p for p in bill["packages"]}
    assert len(packages) == len(bill["packages"])
    for p in packages.values():
        assert re.fullmatch(r"SPDXRef-[A-Za-z0-9.-]+", p["SPDXID"])
        for field in ("name", "versionInfo", "downloadLocation",
                      "licenseDeclared", "licenseConcluded", "copyrightText"):
            assert p[field]
    for r in bill["relationships"]:
        assert {r["spdxElementId"], r["relatedSpdxElement"]} <= \
            {"SPDXRef-DOCUMENT", *packages}
    used = set(re.findall(r"LicenseRef-[\w.-]+", " ".join(
        p["licenseDeclared"] for p in packages.values())))
    assert used == {e["licenseId"] for e in
                    bill["hasExtractedLicensingInfos"]}


def test_the_bill_names_what_is_linked_in_its_version(release):
    bill = json.loads(release.file(".spdx.json").read_text())
    packages = {p["name"]: p for p in bill["packages"]}
    for name, binary in (("newlib", "newlib-source"), ("gnu-efi", "gnu-efi")):
        assert packages[name]["versionInfo"] == tool(
            "dpkg-query", "-W", "-f", "${Version}", binary)
    assert "memcpy.o" in packages["newlib"]["comment"]
    sums = {name: digest for digest, name in sha256sums(release)}
    assert packages["millrace"]["checksums"] == [
        {"algorithm": "SHA256",
         "checksumValue": sums[release.name + ".efi"]}]


# ---- make-image itself ----

def make_image(*words, **env):
    build = TREE / "build"
    return subprocess.run(
        [TREE / "tools" / "make-image", "--version", "1.2.3",
         "--efi", build / "millrace.efi", "--kernel", build / "kernel.elf",
         "--map", build / "bare" / "kernel.map",
         "--model", build / "model" / "xl710-model",
         "--checker", build / "hosttools" / "millrace-check", *words],
        capture_output=True, text=True, timeout=600,
        env=dict(os.environ, **env))


def test_a_config_of_ones_own_is_on_disk_and_cd(tmp_path):
    config = tmp_path / "mine.conf"
    config.write_text("version 1\nset fwd macswap\nstart\n")
    out = tmp_path / "out"
    done = make_image("--config", config, "--out", out,
                      SOURCE_DATE_EPOCH="1700000000")
    assert done.returncode == 0, done.stderr
    for kind in MEDIA:
        assert file_on(out / ("millrace-1.2.3" + kind), "millrace.conf") == \
            config.read_bytes()
    assert (out / "SHA256SUMS").stat().st_mtime == 1700000000


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    done = make_image("--out", tmp_path)
    assert done.returncode == 1
    assert "no release of ours" in done.stderr
    assert (tmp_path / "thesis.txt").exists()


@pytest.mark.parametrize("words, env, complaint", [
    (["--config", "/nowhere/x.conf"], {}, "/nowhere/x.conf"),
    ([], {"SOURCE_DATE_EPOCH": "today"}, "expected seconds since 1970"),
    (["--map", "/dev/null"], {}, "names nothing of libc.a"),
])
def test_what_cannot_be_is_said_and_leaves_nothing(tmp_path, words, env,
                                                   complaint):
    done = make_image("--out", tmp_path / "out", *words, **env)
    assert done.returncode == 1
    assert complaint in done.stderr
    assert not list(tmp_path.iterdir())
