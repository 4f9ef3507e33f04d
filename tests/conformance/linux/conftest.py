"""Checks of one kernel share a booted guest; a check that fails leaves a
fresh one to the next."""

from pathlib import Path

import pytest

from pair import Pair, image
from stand import Shared, Stand, root, starting

KERNELS = ["linux-6.1", "linux-6.12"]
SHORT = ["linux-6.12"]


def pytest_configure(config):
    config.addinivalue_line("markers", "spoils: the guest serves no other check")


def pytest_generate_tests(metafunc):
    if "kernel" in metafunc.fixturenames:
        short = metafunc.config.getoption("--short")
        metafunc.parametrize("kernel", SHORT if short else KERNELS,
                             scope="session")


def turn(item):
    """One kernel after the other, each with the checks that spoil the guest
    last: each change costs a boot."""
    call = getattr(item, "callspec", None)
    return (call.params.get("kernel", "") if call else "",
            item.get_closest_marker("spoils") is not None)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    items.sort(key=turn)


@pytest.fixture(scope="session")
def packages():
    """Debian's kernels and programs, unpacked."""
    return root(Path(__file__).parent / "packages")


@pytest.fixture(scope="session")
def shared(packages, tmp_path_factory):
    def start(kernel):
        stand = Stand(tmp_path_factory.mktemp(kernel))
        with starting(stand):
            return Pair(stand, kernel, image(packages, kernel))

    s = Shared(start)
    yield s
    s.drop()


@pytest.fixture
def pair(kernel, shared, request):
    p = shared.get(kernel)
    p.expected = []
    p.stand.declared = []
    failures = request.session.testsfailed
    yield p
    bad = []
    try:
        bad = p.trouble() + p.stand.judge()
    except Exception as error:  # a guest that does not answer any more
        bad = [str(error)]
    if (bad or request.session.testsfailed != failures
            or request.node.get_closest_marker("spoils")):
        shared.drop()
    assert not bad
