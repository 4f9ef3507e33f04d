"""What machines boot from: a disk with one EFI system partition, and a CD.

The partition is FAT, with the image at the place where firmware looks on any
removable medium, the configuration beside it, and the licences.

  D1  the disk's partition is FAT32, so that it may also be a disk's own ESP
  D2  the CD is one for El Torito and a disk for who finds it on a USB stick
"""

import os
import shutil

from . import made

LABEL = "MILLRACE"
ESP_TYPE = "C12A7328-F81F-11D2-BA4B-00A0C93EC93B"
SECTOR = 512
MIB = 1 << 20
DISK_ESP, DISK_FAT = 36 * MIB, 32   # as small as FAT32 may be, and some room
CD_ESP, CD_FAT = 5 * MIB, 16
DISK_LEAD = MIB                     # where partitions usually begin


def contents(efi, config, licences):
    """{path on the medium: bytes}, folders before what is in them."""
    return {"EFI": None, "EFI/BOOT": None, "EFI/BOOT/BOOTX64.EFI": efi,
            "millrace.conf": config, "LICENSES.TXT": licences}


def identity(files):
    """One hash of all that is on the medium."""
    return made.sha256("".join("%s %s\n" % (name, made.sha256(data or b""))
                               for name, data in files.items()).encode())


def environment(seconds):
    return dict(os.environ, SOURCE_DATE_EPOCH=str(seconds), TZ="UTC",
                LC_ALL="C", MTOOLSRC="/dev/null", MTOOLS_SKIP_CHECK="1")


def write_folder(top, files, seconds):
    """The same files as a folder, all with one time."""
    top.mkdir()
    top.chmod(0o755)
    for name, data in files.items():
        path = top / name
        path.mkdir() if data is None else path.write_bytes(data)
        path.chmod(0o755 if data is None else 0o644)
    for path in [top, *top.rglob("*")]:
        os.utime(path, (seconds, seconds))


def make_esp(path, folder, files, size, fat, seconds):
    env = environment(seconds)
    with open(path, "wb") as f:
        f.truncate(size)
    made.run("/sbin/mkfs.fat", "--invariant", "-F", fat, "-s", 1, "-n", LABEL,
             "-i", identity(files)[:8], path, env=env)
    for name, data in files.items():
        if data is None:
            made.run("mmd", "-i", path, "::/" + name, env=env)
        else:
            made.run("mcopy", "-m", "-i", path, folder / name, "::/" + name,
                     env=env)


def make_disk(path, work, files, seconds):
    """A raw disk: GPT, and the ESP."""
    folder, esp = work / "disk", work / "disk.esp"
    write_folder(folder, files, seconds)
    make_esp(esp, folder, files, DISK_ESP, DISK_FAT, seconds)
    with open(path, "wb") as f:
        f.truncate(DISK_LEAD + DISK_ESP + MIB)  # the last MiB: GPT's copy
    made.run("/sbin/sfdisk", "-q", path, env=environment(seconds), input=(
        "label: gpt\nlabel-id: %s\nfirst-lba: 34\n"
        "start=%d, size=%d, type=%s, uuid=%s, name=%s\n" % (
            made.make_uuid("disk", identity(files)), DISK_LEAD // SECTOR,
            DISK_ESP // SECTOR, ESP_TYPE,
            made.make_uuid("esp", identity(files)), LABEL)))
    with open(path, "r+b") as disk, open(esp, "rb") as part:
        disk.seek(DISK_LEAD)
        shutil.copyfileobj(part, disk)


def make_cd(path, work, files, seconds):
    """An ISO 9660 image whose El Torito entry is the ESP behind it."""
    folder, esp = work / "cd", work / "cd.esp"
    write_folder(folder, files, seconds)
    make_esp(esp, folder, files, CD_ESP, CD_FAT, seconds)
    made.run("xorriso", "-no_rc", "-as", "mkisofs", "-quiet", "-o", path,
             "-V", LABEL, "--gpt_disk_guid",
             made.make_uuid("cd", identity(files)),
             "-append_partition", 2, ESP_TYPE, esp, "-appended_part_as_gpt",
             "-e", "--interval:appended_partition_2:all::", "-no-emul-boot",
             "-iso_mbr_part_type", "EE", folder, env=environment(seconds))
