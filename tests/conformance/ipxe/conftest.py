"""Checks of one release share a boot; each judges the step it is named after."""

import shutil
import tempfile
from pathlib import Path

import pytest

from boot import EFI, Boot
from stand import Shared, Stand, root

RELEASES = list(EFI)
SHORT = ["ipxe-1.21"]

# What the examiner says about a driver that is known to work on silicon, and
# why it is no fault of the driver's.
DECLARED = {
    # Its rings have 8 and 16 descriptors: "In PXE mode (i.e. able to post
    # single receive descriptors), 8 descriptors is the only permitted value
    # covering all possible numbers of PFs" (iPXE intelxl.h before commit
    # 92b46b785, which left PXE mode and took 32). All others leave PXE mode
    # first, so the rule is right for them.
    "ipxe-1.0": ["ring length is no multiple of 32"],
    "ipxe-1.21": [],
}


def pytest_generate_tests(metafunc):
    if "release" in metafunc.fixturenames:
        short = metafunc.config.getoption("--short")
        metafunc.parametrize("release", SHORT if short else RELEASES,
                             scope="session")


def short_folder():
    """The names of sockets must be short."""
    return Path(tempfile.mkdtemp(prefix="millrace-ipxe-"))


@pytest.fixture(scope="session")
def packages():
    """Debian's builds of iPXE, unpacked."""
    return root(Path(__file__).parent / "packages")


@pytest.fixture(scope="session")
def shared(packages):
    def start(release):
        stand = Stand(short_folder())
        stand.declared = DECLARED[release]
        boot = Boot(stand, packages / EFI[release])
        try:
            boot.start()
        except BaseException:
            boot.close()
            raise
        return boot

    s = Shared(start)
    yield s
    s.drop()


@pytest.fixture
def boot(release, shared):
    b = shared.get(release)
    yield b
    b.log.flush()
    bad = b.stand.judge()
    assert not bad


@pytest.fixture
def ipxe_stand():
    """A model of a check's own."""
    s = Stand(short_folder())
    yield s
    bad = s.judge()
    s.stop()
    shutil.rmtree(s.work)
    assert not bad
