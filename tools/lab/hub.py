"""A network in a process: a hub of QEMU stream sockets that hears and speaks.

Whoever connects to its socket - the model's `stream` wires, QEMU's
`-netdev stream` - is joined with all others. The hub keeps what went by, and
can say something itself. A client that does not read gets what it missed
later; it holds nobody up.
"""

import selectors
import socket
import struct
import threading
import time

FRAME_MAX = 4096 + 65536  # what QEMU takes for one


class _Client:
    """A connection with what came of an unfinished frame and what waits."""

    def __init__(self, end):
        self.end = end
        self.end.setblocking(False)
        self.came = b""
        self.waits = bytearray()

    def read(self):
        """Whole frames that are here; None when it is gone."""
        try:
            data = self.end.recv(1 << 16)
        except BlockingIOError:
            return []
        except OSError:
            return None
        if not data:
            return None
        self.came += data
        frames = []
        while len(self.came) >= 4:
            size = struct.unpack_from(">I", self.came)[0]
            if not 0 < size <= FRAME_MAX:
                return None
            if len(self.came) < 4 + size:
                break
            frames.append(self.came[4:4 + size])
            self.came = self.came[4 + size:]
        return frames

    def write(self):
        """Send what it takes now. False when it is gone."""
        try:
            del self.waits[:self.end.send(self.waits)]
        except BlockingIOError:
            pass
        except OSError:
            return False
        return True


class Hub:
    """Listens at `path` until close(); frames are bytes without FCS."""

    def __init__(self, path):
        self._lock = threading.Lock()
        self._frames = []  # heard
        self._words = []   # to be said
        self._stopping = False
        self._selector = selectors.DefaultSelector()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._bell, self._ear = socket.socketpair()
        self._selector.register(self._ear, selectors.EVENT_READ)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self):
        with self._lock:
            self._stopping = True
        self._bell.send(b"!")
        self._thread.join()

    def heard(self):
        """All frames that clients sent since the last forget()."""
        with self._lock:
            return list(self._frames)

    def forget(self):
        with self._lock:
            self._frames.clear()

    def say(self, frames):
        """Send frames to everybody, in order; does not wait for it."""
        with self._lock:
            self._words += frames
        self._bell.send(b"!")

    def wait_for(self, condition, timeout):
        """Wait until condition(frames heard) holds; returns those frames."""
        deadline = time.monotonic() + timeout
        while True:
            frames = self.heard()
            if condition(frames) or time.monotonic() > deadline:
                return frames
            time.sleep(0.02)

    # ---- the thread ----

    def _clients(self):
        return [key.data for key in self._selector.get_map().values()
                if key.data is not None]

    def _run(self):
        while not self._stopping:
            for key, events in self._selector.select():
                if key.fileobj is self._ear:
                    self._ear.recv(4096)
                elif key.fileobj is self._listener:
                    client = _Client(self._listener.accept()[0])
                    self._selector.register(client.end, selectors.EVENT_READ,
                                            client)
                elif events & selectors.EVENT_READ:
                    self._read(key.data)
            with self._lock:
                words, self._words = self._words, []
            for frame in words:
                self._spread(None, frame)
            for client in self._clients():
                self._write(client)
        for client in self._clients():
            self._drop(client)
        for end in (self._listener, self._bell, self._ear):
            end.close()
        self._selector.close()

    def _read(self, client):
        frames = client.read()
        if frames is None:
            self._drop(client)
            return
        with self._lock:
            self._frames += frames
        for frame in frames:
            self._spread(client, frame)

    def _spread(self, sender, frame):
        for client in self._clients():
            if client is not sender:
                client.waits += struct.pack(">I", len(frame)) + frame

    def _write(self, client):
        if client.waits and not client.write():
            self._drop(client)
            return
        self._selector.modify(
            client.end, selectors.EVENT_READ |
            (selectors.EVENT_WRITE if client.waits else 0), client)

    def _drop(self, client):
        self._selector.unregister(client.end)
        client.end.close()
