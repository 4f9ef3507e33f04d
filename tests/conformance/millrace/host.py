"""A Linux guest that is itself a host: QEMU, Python and `tools/run` in it, the
model's ports behind an IOMMU, their driver the kernel's i40e.
"""

import re
import subprocess
from pathlib import Path

from lab import paths
from lab.guest import Image, Kernel, libraries

TOOLS = "/tree/tools"
IOMMU = ("-device", "intel-iommu,intremap=on,caching-mode=on")
# Pages of the inner guest's memory are pinned one by one; as large ones they
# are few enough for the kernel's table of mappings.
HUGE = "echo always >/sys/kernel/mm/transparent_hugepage/shmem_enabled"
# What QEMU loads for -kernel, whatever the firmware is.
ROMS = ("kvmvapic.bin", "linuxboot_dma.bin")
PYTHON_LEFT_OUT = re.compile(r"/(test|idlelib|lib2to3|ensurepip|pydoc_data|"
                             r"config-[^/]*|__pycache__|tkinter|distutils)/")


def add_qemu(image):
    """The private root's QEMU, at its own place, with what it links to."""
    root = paths.tool_root()
    for name in ("ready", "bin/qemu-system-x86_64", "OVMF_CODE_4M.fd",
                 "OVMF_VARS_4M.fd"):
        image.add(str(root / name), root / name, mode=0o755)
    usr = root / "root" / "usr"
    folder = usr / "lib" / "x86_64-linux-gnu"
    loader = usr / "lib64" / "ld-linux-x86-64.so.2"
    program = usr / "bin" / "qemu-system-x86_64"
    listing = subprocess.run([loader, "--library-path", folder, "--list",
                              program], check=True, capture_output=True,
                             text=True).stdout
    for name in re.findall(r"^\s*(\S+) => ", listing, re.M):
        image.add(str(folder / Path(name).name), folder / Path(name).name,
                  mode=0o755)
    for path in (loader, program):
        image.add(str(path), path, mode=0o755)
    for folder in ("qemu", "seabios"):
        for name in ROMS:
            path = usr / "share" / folder / name
            if path.exists():
                image.add(str(path), path)


def add_python(image):
    """Debian's Python and pexpect, as this machine has them."""
    program = Path("/usr/bin/python3").resolve()
    image.add("/usr/bin/python3", program, mode=0o755)
    home = Path("/usr/lib") / program.name
    modules = [p for p in sorted(home.rglob("*")) if p.is_file()
               and not PYTHON_LEFT_OUT.search(str(p))]
    for path in modules:
        image.add(str(path), path)
    for needs in [program, *[p for p in modules if p.suffix == ".so"]]:
        for name, path in libraries("/", needs):
            image.add(name, path, mode=0o755)
    for package in ("pexpect", "ptyprocess"):
        for path in Path("/usr/lib/python3/dist-packages",
                         package).glob("*.py"):
            image.add(str(path), path)


def add_tree(image):
    """What a passthrough needs of the tree."""
    tools = paths.TREE / "tools"
    for path in [tools / "run", tools / "toolroot", tools / "cached.sh",
                 *(tools / "lab").glob("*.py")]:
        image.add("%s/%s" % (TOOLS, path.relative_to(tools)), path, mode=0o755)
    image.add("/tree/build/millrace.efi", paths.EFI)
    # Only captures need scapy, and no passthrough reads one.
    image.add(home_of_python() + "/scapy/utils.py",
              "RawPcapReader = RawPcapWriter = None\n")


def home_of_python():
    return "/usr/lib/" + Path("/usr/bin/python3").resolve().name


def image(packages):
    made = Image(Kernel(packages / "linux-6.12"), packages / "user")
    made.programs(packages / "user", "/sbin/ip")
    made.load("vfio_iommu_type1", "vfio-pci", "i40e")
    add_qemu(made)
    add_python(made)
    add_tree(made)
    return made
