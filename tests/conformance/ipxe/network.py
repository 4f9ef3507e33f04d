"""What is at the other end of a port's cable: a hub, and a server on it.

The server is QEMU's user networking in a machine without a machine: DHCP, TFTP
of one folder, and a way to our HTTP server, which serves the same folder.
"""

import functools
import http.server
import subprocess
import threading

from lab import paths
from lab.hub import Hub


class Web:
    """An HTTP server of one folder; `got` are (path, status) of requests."""

    def __init__(self, folder):
        self.got = got = []

        class Handler(http.server.SimpleHTTPRequestHandler):
            def log_request(self, code="-", size="-"):
                got.append((self.path, int(code)))

            def log_message(self, format, *args):
                pass

        self.server = http.server.ThreadingHTTPServer(
            ("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Network:
    """Network 10.0.`number`.0/24; the server is 10.0.`number`.2."""

    def __init__(self, work, number, folder, bootfile):
        self.path = work / ("net%d.sock" % number)
        self.hub = Hub(self.path)
        self.log = work / ("net%d.log" % number)
        self.user = ("user,id=user,net=10.0.%d.0/24,tftp=%s,bootfile=%s"
                     % (number, folder, bootfile))
        self.process = None
        self.open()

    @property
    def wire(self):
        """The model's words for a port on this network."""
        return "wire=stream,connect=%s" % self.path

    def open(self):
        """The server comes."""
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [paths.tool_root() / "bin" / "qemu-system-x86_64",
                 "-machine", "none", "-nodefaults", "-display", "none",
                 "-netdev", self.user,
                 "-netdev", "stream,id=wire,server=off,addr.type=unix,"
                 "addr.path=%s" % self.path,
                 "-netdev", "hubport,id=h0,hubid=0,netdev=user",
                 "-netdev", "hubport,id=h1,hubid=0,netdev=wire"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def quiet(self):
        """The server leaves: only we speak from here on."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def close(self):
        self.quiet()
        self.hub.close()
