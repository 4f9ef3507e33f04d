"""Checks of one release share a booted guest; one that fails leaves a fresh
guest to the next."""

from pathlib import Path

import pytest

from bed import Bed
from stand import Shared, Stand, root, starting

RELEASES = ["dpdk-22.11", "dpdk-24.11"]
SHORT = ["dpdk-22.11"]


def pytest_generate_tests(metafunc):
    if "release" in metafunc.fixturenames:
        short = metafunc.config.getoption("--short")
        metafunc.parametrize("release", SHORT if short else RELEASES)


def pytest_collection_modifyitems(items):
    """One release after the other, each in the order of the file, where
    checks that share a testpmd are neighbours."""
    places = [i for i, item in enumerate(items)
              if "release" in getattr(item, "fixturenames", ())]
    mine = sorted((items[i] for i in places),
                  key=lambda item: item.callspec.params["release"])
    for place, item in zip(places, mine):
        items[place] = item


@pytest.fixture(scope="session")
def linux_packages():
    """Debian's kernels and programs, unpacked."""
    return root(Path(__file__).parents[1] / "linux" / "packages")


@pytest.fixture(scope="session")
def shared(linux_packages, tmp_path_factory):
    def start(release):
        stand = Stand(tmp_path_factory.mktemp(release))
        with starting(stand):
            return Bed(stand, linux_packages, release.split("-")[1])

    s = Shared(start)
    yield s
    s.drop()


@pytest.fixture
def bed(release, shared, request):
    b = shared.get(release)
    failures = request.session.testsfailed
    yield b
    bad = list(b.pmd.complaints) if b.pmd is not None else []
    bad += b.stand.judge()
    if b.pmd is not None:
        b.pmd.complaints = []
    if bad or request.session.testsfailed != failures:
        shared.drop()
    assert not bad
