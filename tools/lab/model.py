"""The NIC model as a process: start it, ask it, stop it."""

import json
import socket
import subprocess
import time
from pathlib import Path


class ModelError(Exception):
    """The model did not start, died, or refused a command."""


class Model:
    """One model process in folder `work`; port n listens on pf<n>.sock."""

    def __init__(self, binary, work, wires, mode="polled", options=()):
        self.work = Path(work)
        self.log = self.work / "model.log"
        self.args = [str(binary), "--socket-dir", str(self.work),
                     "--mode", mode]
        for wire in wires:
            self.args += ["--port", wire]
        self.args += list(options)
        self.process = None
        self.ports = len(wires)

    def start(self, timeout=10):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.args, stdout=log,
                                            stderr=subprocess.STDOUT)
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise ModelError("the model ended at once:\n" + self.output())
            if "ready" in self.output():
                return self
            time.sleep(0.01)
        raise ModelError("the model said nothing for %d s" % timeout)

    def output(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def socket(self, port):
        return self.work / ("pf%d.sock" % port)

    def ask(self, command, timeout=10):
        """Send one control command; the reply is one line of JSON."""
        with socket.socket(socket.AF_UNIX) as s:
            s.settimeout(timeout)
            s.connect(str(self.work / "ctl.sock"))
            s.sendall(command.encode() + b"\n")
            data = b""
            while not data.endswith(b"\n"):
                got = s.recv(65536)
                if not got:
                    break
                data += got
        reply = json.loads(data)
        if isinstance(reply, dict) and "error" in reply:
            raise ModelError("%s: %s" % (command, reply["error"]))
        return reply

    def stop(self):
        """End it; returns its exit status (non-zero after complaints)."""
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        return self.process.returncode
