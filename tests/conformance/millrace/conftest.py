"""All checks share one boot: a fault that leaves something behind is found by
the check that comes next. One that fails leaves a fresh boot to the next."""

import re

import pytest

from appliance import Appliance
from stand import Stand


class Kept:
    """The appliance that is there, started when somebody wants it."""

    def __init__(self, folders):
        self.folders = folders
        self.it = None

    def get(self):
        if self.it is None:
            stand = Stand(self.folders.mktemp("millrace"))
            try:
                self.it = Appliance(stand)
            except BaseException as error:
                stand.stop()
                logs = "".join("\n--- %s\n%s" % log for log in stand.logs())
                raise AssertionError("%s%s" % (error, logs)) from None
        return self.it

    def drop(self):
        it, self.it = self.it, None
        if it is not None:
            it.close()


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """It polls, so it goes as soon as nobody needs it."""
    k = Kept(tmp_path_factory)
    yield k
    k.drop()


@pytest.fixture
def appliance(kept, request):
    """Well before the check and after it: every buffer is accounted for, the
    console answers, and the examiner had nothing to say."""
    a = kept.get()
    a.begin()
    failures = request.session.testsfailed
    yield a
    bad = a.stand.judge()
    if request.session.testsfailed == failures and not bad:
        a.model.ask("fault clear")
        assert a.is_started()
        assert a.lost_buffers() == 0
        assert re.search(r"Millrace", a.console.run("show version"))
        return
    kept.drop()
    assert not bad
