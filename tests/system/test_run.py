"""tools/run as a user starts it: the verdict, and that it can be bad."""

import re
import struct
import subprocess

from lab import captures, paths
from test_forward import ethernet

RUN = paths.TREE / "tools" / "run"


def run(*options):
    return subprocess.run(["/usr/bin/python3", str(RUN), "--batch", *options],
                          stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=120)


def verdict(result):
    return re.search(r"forwarded (\d+) of (\d+) packets, (\d+) lost, "
                     r"(\d+) altered", result.stdout).groups()


def test_the_built_in_captures_come_through(tmp_path):
    result = run()
    good, sent, lost, altered = map(int, verdict(result))
    assert good == sent > 10000 and lost == altered == 0
    assert result.returncode == 0


def block(kind, body):
    size = 12 + len(body)
    return struct.pack("<II", kind, size) + body + struct.pack("<I", size)


def test_the_users_own_pcapng_and_what_cannot_go_on_the_wire(tmp_path):
    path = tmp_path / "own.pcapng"
    sizes = (13, 14, 60, 1514, 9728, 9729)
    data = block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
    # The link is said to be at 1 Gb/s; the replay does not care.
    speed = struct.pack("<HHQHH", 8, 8, 10**9, 0, 0)
    data += block(1, struct.pack("<HHI", 1, 0, 0) + speed)
    for n in sizes:
        frame = ethernet(n, n)
        data += block(6, struct.pack("<IIIII", 0, 0, n, n, n)
                      + frame.ljust((n + 3) & ~3, b"\0"))
    path.write_bytes(data)
    result = run("--pcap", str(path))
    assert verdict(result) == ("8", "8", "0", "0"), result.stdout
    assert "1 not sent (shorter than 14 bytes)" in result.stdout
    assert "1 not sent (longer than 9728 bytes)" in result.stdout
    assert result.returncode == 0


def test_altered_packets_are_called_so(tmp_path):
    path = tmp_path / "in.pcap"
    captures.write(path, [ethernet(n, 64) for n in range(50)])
    result = run("--pcap", str(path), "--cmdline",
                 "-- --forward-mode=macswap --auto-start")
    assert verdict(result) == ("0", "100", "0", "100"), result.stdout
    assert result.returncode == 1


def test_lost_packets_are_called_so(tmp_path):
    path = tmp_path / "in.pcap"
    captures.write(path, [ethernet(n, 64) for n in range(50)])
    result = run("--pcap", str(path), "--cmdline",
                 "-- --forward-mode=rxonly --auto-start")
    assert verdict(result) == ("0", "100", "100", "0"), result.stdout
    assert result.returncode == 1


def test_a_file_that_is_no_capture_is_refused(tmp_path):
    path = tmp_path / "words"
    path.write_text("no capture")
    result = run("--pcap", str(path))
    assert result.returncode != 0
    assert "words" in result.stderr
