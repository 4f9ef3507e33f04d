"""All checks share one boot: a fault that leaves something behind is found by
the check that comes next. One that fails leaves a fresh boot to the next."""

import re

import pytest

from appliance import Appliance
from stand import Shared, Stand, starting


@pytest.fixture(scope="session")
def shared(tmp_path_factory):
    def start(key):
        stand = Stand(tmp_path_factory.mktemp(key))
        with starting(stand):
            return Appliance(stand)

    s = Shared(start)
    yield s
    s.drop()


@pytest.fixture
def appliance(shared, request):
    """Well before the check and after it: every buffer is accounted for, the
    console answers, and the examiner had nothing to say."""
    a = shared.get("millrace")
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
    shared.drop()
    assert not bad
