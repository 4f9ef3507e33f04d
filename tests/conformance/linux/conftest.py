"""Checks of one kernel share a booted guest; a check that fails leaves a
fresh one to the next."""

from pathlib import Path

import pytest

import pair as pair_module
from pair import Pair
from stand import Stand, root

KERNELS = ["linux-6.1", "linux-6.12"]
SHORT = ["linux-6.12"]


def pytest_generate_tests(metafunc):
    if "kernel" in metafunc.fixturenames:
        short = metafunc.config.getoption("--short")
        metafunc.parametrize("kernel", SHORT if short else KERNELS,
                             scope="session")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    """One kernel after the other: each change of kernel costs a boot."""
    items.sort(key=lambda item: item.callspec.params.get("kernel", "")
               if hasattr(item, "callspec") else "")


@pytest.fixture(scope="session")
def packages():
    """Debian's kernels and programs, unpacked."""
    return root(Path(__file__).parent / "packages")


class Shared:
    """At most one guest at a time; another kernel takes its place."""

    def __init__(self, packages_, folders):
        self.packages = packages_
        self.folders = folders
        self.kernel = None
        self.pair = None

    def get(self, kernel):
        if self.kernel != kernel:
            self.drop()
        if self.pair is None:
            stand = Stand(self.folders.mktemp(kernel))
            try:
                self.pair = Pair(stand, pair_module.image(self.packages,
                                                          kernel))
            except BaseException as error:
                stand.stop()
                logs = "".join("\n--- %s\n%s" % log for log in stand.logs())
                raise AssertionError("%s%s" % (error, logs)) from None
            self.kernel = kernel
        return self.pair

    def drop(self):
        if self.pair is not None:
            self.pair.stand.stop()
        self.pair = self.kernel = None


@pytest.fixture(scope="session")
def shared(packages, tmp_path_factory):
    s = Shared(packages, tmp_path_factory)
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
    if bad or request.session.testsfailed != failures:
        shared.drop()
    assert not bad
