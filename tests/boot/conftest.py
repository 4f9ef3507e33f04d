"""Fixtures of the boot tests: one machine, two ports, a way to boot.

A boot counts when frames have crossed both ports as the configuration says
that came along: it has arrived, it is in force, and the NIC obeys.

`--table FILE` writes how long each way took into that document.
"""

import shutil
import sys
import tempfile
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
for folder in (TESTS.parent / "tools", TESTS / "conformance",
               TESTS / "conformance" / "ipxe"):
    sys.path.insert(0, str(folder))

from media import Media  # noqa: E402
from stand import root  # noqa: E402
from station import Station  # noqa: E402
from table import Table  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--table", metavar="FILE", type=Path,
                     help="write the times of this run into FILE")


@pytest.fixture(scope="session")
def table(request):
    """Rows of (way, seconds, microseconds)."""
    t = Table()
    yield t
    if request.config.getoption("--table"):
        t.write(request.config.getoption("--table"))


@pytest.fixture(scope="session")
def media(tmp_path_factory):
    """What machines boot from, and with which firmware."""
    return Media(tmp_path_factory.mktemp("media"),
                 root(Path(__file__).parent / "packages"))


def ipxe_root(release):
    """Debian's builds of iPXE."""
    folder = root(TESTS / "conformance" / "ipxe" / "packages")
    return folder / release / "usr" / "lib" / "ipxe"


@pytest.fixture(scope="session")
def ipxe():
    return ipxe_root("1.21")


@pytest.fixture(scope="session")
def old_ipxe():
    return ipxe_root("1.0")


@pytest.fixture
def station(table):
    """The names of sockets must be short, so no tmp_path."""
    s = Station(Path(tempfile.mkdtemp(prefix="millrace-boot-")), table)
    yield s
    bad = s.judge()
    s.stop()
    shutil.rmtree(s.work)
    assert not bad


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """When a test failed, show the end of what the machine wrote."""
    report = (yield).get_result()
    if report.failed and "station" in item.funcargs:
        report.sections += list(item.funcargs["station"].logs())
