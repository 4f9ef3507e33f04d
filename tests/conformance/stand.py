"""The model, guests on it, and what the model holds against them."""

import contextlib
import subprocess
from pathlib import Path

from lab import paths
from lab.guest import Guest
from lab.model import Model

SANITIZERS = ("ERROR: AddressSanitizer", "runtime error:",
              "ERROR: LeakSanitizer")


def root(recipe):
    """The folder of a recipe's unpacked packages; makes it when missing."""
    script = paths.TREE / "tools" / "conformance-root"
    subprocess.run([script, recipe], check=True)
    path = subprocess.run([script, "--path", recipe], check=True,
                          capture_output=True, text=True).stdout.strip()
    return Path(path)


class Stand:
    """A model in a folder of its own, and the guests started on it.

    A check that draws complaints on purpose puts into `declared` the beginning
    of each rule's text that it expects.
    """

    def __init__(self, work):
        self.work = work
        self.model = None
        self.guests = []
        self.declared = []

    def model_start(self, wires, options=(), mode="polled"):
        """The build with sanitizers, its examiner on."""
        self.model = Model(paths.MODEL_ASAN, self.work, wires, mode=mode,
                           options=["--strict=log", *options])
        return self.model.start()

    def nics(self):
        return [self.model.socket(n) for n in range(self.model.ports)]

    def linux(self, image, **options):
        """A started Linux (lab.guest) on all ports of the model."""
        options.setdefault("nics", self.nics())
        guest = Guest(self.work, image, **options)
        self.guests.append(guest)
        return guest.start()

    def judge(self):
        """What the model holds against the check: a list of lines."""
        if self.model is None:
            return []
        bad = [line for line in self.model.output().splitlines()
               if any(word in line for word in SANITIZERS)]
        if self.model.process.poll() is not None:
            return bad + ["the model ended by itself, status %d"
                          % self.model.process.returncode]
        for complaint in self.model.ask("complaints clear")["complaints"]:
            text = str(complaint)
            if not any(word in text for word in self.declared):
                bad.append("the examiner: " + text)
        return bad

    def stop(self):
        for guest in self.guests:
            guest.stop()
        self.guests = []
        if self.model is not None:
            self.model.stop()

    def logs(self):
        """(name, end of it) of what all processes wrote."""
        for name in ("kernel.log", "shell.log", "model.log", "qemu.log"):
            path = self.work / name
            if path.exists():
                yield name, path.read_text(errors="replace")[-4000:]


@contextlib.contextmanager
def starting(stand):
    """What does not come up is taken down, and its logs are shown."""
    try:
        yield
    except BaseException as error:
        stand.stop()
        logs = "".join("\n--- %s\n%s" % log for log in stand.logs())
        raise AssertionError("%s%s" % (error, logs)) from None


class Shared:
    """A started guest that is kept for the next check that wants the same.

    In a whole run at most one is there: another one takes its place, and an
    idle guest takes the processor from nobody.
    """

    _holder = None

    def __init__(self, start):
        """`start(key)` returns what is to be shared; close() ends that."""
        self.start = start
        self.key = None
        self.it = None

    def get(self, key):
        if Shared._holder is not self or self.key != key:
            if Shared._holder is not None:
                Shared._holder.drop()
        if self.it is None:
            self.it = self.start(key)
            self.key = key
            Shared._holder = self
        return self.it

    def drop(self):
        it, self.it, self.key = self.it, None, None
        if Shared._holder is self:
            Shared._holder = None
        if it is not None:
            it.close()
