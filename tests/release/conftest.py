"""What the tests of a release share: where its files are."""

import pytest

from outside import TREE


class Release:
    """The files in out/, by their kind."""

    def __init__(self, out):
        self.out = out
        efi = list(out.glob("millrace-*.efi"))
        assert len(efi) == 1, "`make image` fills out/"
        self.name = efi[0].name.removesuffix(".efi")

    def file(self, ending):
        return self.out / (self.name + ending)


@pytest.fixture(scope="session")
def release():
    return Release(TREE / "out")
