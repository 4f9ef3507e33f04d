"""Fixtures of the system tests: a guest on the model, in a folder of its own.

The model is the build with ASan and UBSan, and its examiner is on: a test in
which our driver drew a complaint fails, whatever else it shows.
"""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from lab import kvm, paths  # noqa: E402
from lab.console import Console  # noqa: E402
from lab.model import Model  # noqa: E402
from lab.qemu import Machine  # noqa: E402

BOOT_S = 120
AUTO = "-- --forward-mode=io --auto-start"


class Bench:
    """A booted guest, its console, and the model behind its ports."""

    def __init__(self, work, log):
        self.work = work
        self.log = log
        self.model = None
        self.machine = None
        self.console = None
        self.expect_complaints = False

    def model_start(self, wires, options=()):
        self.model = Model(paths.MODEL_ASAN, self.work, wires,
                           options=["--strict=log", *options])
        self.model.start()
        return self.model

    def boot(self, wires=("wire=sink", "wire=sink"), cmdline=AUTO,
             prompt=True, faults=(), model_options=(), **machine):
        """Start model and guest; returns the console, at its prompt."""
        if wires and self.model is None:
            self.model_start(wires, model_options)
        for fault in faults:
            self.model.ask("fault " + fault)
        nics = [self.model.socket(i) for i in range(len(wires))]
        self.machine = Machine(self.work, cmdline=cmdline, nics=nics,
                               accel=kvm.choose("auto", paths.EFI), **machine)
        self.console = Console(self.machine.start(), echo=self.log,
                               timeout=BOOT_S)
        if prompt:
            self.banner = self.console.wait_prompt(timeout=BOOT_S)
        return self.console

    def quit(self):
        """Leave by the console's own way; returns QEMU's exit status."""
        self.console.send("quit\r")
        return self.machine.wait(30)

    def close(self):
        complaints = []
        if self.machine is not None:
            self.machine.stop()
        if self.model is not None:
            if self.model.process.poll() is None:
                complaints = self.model.ask("complaints")["complaints"]
            self.model.stop()
            assert "ERROR: AddressSanitizer" not in self.model.output()
            assert "runtime error" not in self.model.output()
        if not self.expect_complaints:
            assert not complaints


@pytest.fixture
def bench(tmp_path):
    with open(tmp_path / "console.log", "w") as log:
        b = Bench(tmp_path, log)
        yield b
        b.close()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    """When a test failed, show the end of the three logs."""
    report = (yield).get_result()
    if report.when == "call" and report.failed and "bench" in item.funcargs:
        work = item.funcargs["bench"].work
        item.funcargs["bench"].log.flush()
        for name in ("console.log", "model.log", "qemu.log"):
            path = work / name
            if path.exists():
                tail = path.read_text(errors="replace")[-3000:]
                report.sections.append((name, tail))
