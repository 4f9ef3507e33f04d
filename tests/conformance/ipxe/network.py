"""What is at the other end of a port's cable: a server, mostly behind a hub.

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


class Server:
    """Network 10.0.`number`.0/24; the server is 10.0.`number`.2. `netdev` are
    QEMU's words for its end of the cable."""

    def __init__(self, work, number, folder, bootfile, netdev):
        self.log = work / ("net%d.log" % number)
        self.args = [
            paths.tool_root() / "bin" / "qemu-system-x86_64",
            "-machine", "none", "-nodefaults", "-display", "none",
            "-netdev", "user,id=user,net=10.0.%d.0/24,tftp=%s,bootfile=%s"
            % (number, folder, bootfile),
            "-netdev", netdev + ",id=wire",
            "-netdev", "hubport,id=h0,hubid=0,netdev=user",
            "-netdev", "hubport,id=h1,hubid=0,netdev=wire"]
        self.process = None

    def open(self):
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(self.args, stdout=log, stderr=log,
                                            stdin=subprocess.DEVNULL)

    def close(self):
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


class Network:
    """A hub with a server on it. The model's words for it are in `wire`."""

    def __init__(self, work, number, folder, bootfile):
        path = work / ("net%d.sock" % number)
        self.wire = "wire=stream,connect=%s" % path
        self.hub = Hub(path)
        self.server = Server(work, number, folder, bootfile,
                             "stream,server=off,addr.type=unix,addr.path=%s"
                             % path)
        self.server.open()

    def close(self):
        self.server.close()
        self.hub.close()
