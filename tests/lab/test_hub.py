"""The hub speaks QEMU's stream format and joins whoever comes."""

import socket
import struct
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from lab.hub import FRAME_MAX, Hub  # noqa: E402

PATIENCE_S = 20


@pytest.fixture
def hub(tmp_path):
    h = Hub(tmp_path / "s")
    h.path = tmp_path / "s"
    yield h
    h.close()


def client(hub):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(PATIENCE_S)
    s.connect(str(hub.path))
    return s


def framed(frame):
    return struct.pack(">I", len(frame)) + frame


def take(s, frame):
    """The next frame that comes must be this one."""
    want = framed(frame)
    got = b""
    while len(got) < len(want):
        data = s.recv(len(want) - len(got))
        assert data, "the hub hung up"
        got += data
    assert got == want


def introduce(hub, a, b):
    """Until both are known to the hub: it accepts in its own time."""
    for s in (a, b):
        s.sendall(framed(b"hello"))
    assert len(hub.wait_for(lambda f: len(f) == 2, PATIENCE_S)) == 2
    hub.say([b"now"])
    for s in (a, b):
        take_until(s, b"now")
    hub.forget()


def take_until(s, frame):
    """Skip what the introduction of the other one brought."""
    while True:
        size = struct.unpack(">I", s.recv(4, socket.MSG_WAITALL))[0]
        if s.recv(size, socket.MSG_WAITALL) == frame:
            return


def test_what_one_sends_the_others_get(hub):
    a, b = client(hub), client(hub)
    introduce(hub, a, b)
    a.sendall(framed(b"x" * 60) + framed(b"y" * 1514))
    take(b, b"x" * 60)
    take(b, b"y" * 1514)
    b.sendall(framed(b"z" * 60))
    take(a, b"z" * 60)
    assert hub.heard() == [b"x" * 60, b"y" * 1514, b"z" * 60]


def test_split_frames_stay_whole(hub):
    a, b = client(hub), client(hub)
    introduce(hub, a, b)
    for byte in framed(b"slowly" * 12):
        a.sendall(bytes([byte]))
    take(b, b"slowly" * 12)


def test_it_speaks_itself(hub):
    a, b = client(hub), client(hub)
    introduce(hub, a, b)
    hub.say([b"one", b"two"])
    for s in (a, b):
        take(s, b"one")
        take(s, b"two")
    assert hub.heard() == []


def test_a_client_that_does_not_read_holds_nobody_up(hub):
    a, b = client(hub), client(hub)
    introduce(hub, a, b)
    frames = [bytes([n % 256]) * 9000 for n in range(500)]
    for frame in frames:
        a.sendall(framed(frame))
    assert len(hub.wait_for(lambda f: len(f) == 500, PATIENCE_S)) == 500
    for frame in frames:
        take(b, frame)


@pytest.mark.parametrize("size", [0, FRAME_MAX + 1, 0xffffffff])
def test_garbage_ends_the_connection_only(hub, size):
    a, b = client(hub), client(hub)
    introduce(hub, a, b)
    a.sendall(struct.pack(">I", size))
    assert a.recv(1) == b""
    hub.say([b"still here"])
    take(b, b"still here")


def test_one_may_leave(hub):
    a, b = client(hub), client(hub)
    introduce(hub, a, b)
    a.close()
    hub.say([b"alone"])
    take(b, b"alone")
