"""What all conformance checks share: the model, guests on it, the verdict.

A check is a pytest function. It passes when it passes, and when also the
examiner had nothing to say and no sanitizer found anything. Each prints

    conformance: linux-6.1 ping4: ok

The subject (linux-6.1) is the first parameter that begins with the folder's
name, or the folder's name; the rest is the function's name without test_, and
its other parameters.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from stand import Stand  # noqa: E402


@pytest.fixture
def stand(tmp_path):
    """A stand for one check."""
    s = Stand(tmp_path)
    yield s
    bad = s.judge()
    s.stop()
    assert not bad


# ---- short runs ----

def pytest_addoption(parser):
    parser.addoption("--short", action="store_true",
                     help="only the checks marked short, and fewer rounds")


def pytest_collection_modifyitems(config, items):
    if not config.getoption("--short"):
        return
    kept = [item for item in items if item.get_closest_marker("short")]
    config.hook.pytest_deselected(
        items=[item for item in items if item not in kept])
    items[:] = kept


# ---- one line a check ----

_outcome = pytest.StashKey()


def pytest_configure(config):
    config.addinivalue_line("markers", "short: part of conformance-short")


def _name(item):
    """The line's words for a check."""
    folder = Path(item.path).parent.name
    call = getattr(item, "callspec", None)
    values = [str(v) for v in call.params.values()] if call else []
    subject = next((v for v in values if v.startswith(folder)), folder)
    rest = call.id.replace(subject, "", 1).strip("-") if call else ""
    words = [item.originalname[len("test_"):].replace("_", "-"),
             rest.replace(" ", "-")]
    return "%s %s" % (subject, " ".join(words).strip())


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """A check ends with its teardown, which holds the examiner's verdict."""
    report = (yield).get_result()
    if not report.passed:
        word = "skipped" if report.skipped else "FAILED"
        item.stash.setdefault(_outcome, word)
    if report.failed:
        for value in item.funcargs.values():
            at = getattr(value, "stand", value)
            if isinstance(at, Stand):
                report.sections += list(at.logs())
                break
    if report.when == "teardown":
        report.line = "conformance: %s: %s" % (_name(item),
                                               item.stash.get(_outcome, "ok"))


@pytest.hookimpl(tryfirst=True)
def pytest_report_teststatus(report):
    """No dots: the lines tell it."""
    if report.failed:
        return "failed" if report.when == "call" else "error", "", ""
    if report.when == "call" and report.passed:
        return "passed", "", ""
    return None


class Lines:
    """Prints the line of each check when it has ended."""

    def __init__(self, terminal):
        self.terminal = terminal

    def pytest_runtest_logreport(self, report):
        if hasattr(report, "line"):
            self.terminal.ensure_newline()
            self.terminal.write_line(report.line)


def pytest_sessionstart(session):
    plugins = session.config.pluginmanager
    plugins.register(Lines(plugins.get_plugin("terminalreporter")))
