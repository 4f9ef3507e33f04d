"""Captures: read pcap and pcapng, judge frames, compare what went in and out."""

import collections
import contextlib
from dataclasses import dataclass, field

from scapy.utils import RawPcapReader, RawPcapWriter

FRAME_MIN = 14    # an Ethernet header
FRAME_MAX = 9728  # the largest frame of the chip, without FCS
WIRE_MIN = 60     # the sender pads up to this
ETHERNET = 1      # DLT_EN10MB


class CaptureError(Exception):
    """The file is no capture that could go on an Ethernet wire."""


def read(path):
    """All frames of a pcap or pcapng file.

    Returns (frames, refused): frames that can go on a wire, and a Counter of
    reasons for those that cannot.
    """
    frames, refused = [], collections.Counter()
    try:
        reader = RawPcapReader(str(path))
    except Exception as error:  # scapy raises its own kinds for bad files
        raise CaptureError("%s: %s" % (path, error)) from None
    with contextlib.closing(reader):
        for data, meta in reader:
            link = getattr(meta, "linktype", None)
            if link is None:
                link = getattr(reader, "linktype", ETHERNET)
            reason = _refusal(len(data), meta.wirelen, link)
            if reason:
                refused[reason] += 1
            else:
                frames.append(bytes(data))
    return frames, refused


def _refusal(captured, wire, link):
    if link != ETHERNET:
        return "link type %d is not Ethernet" % link
    if wire is not None and captured < wire:
        return "cut short by the capture's snap length"
    if captured < FRAME_MIN:
        return "shorter than %d bytes" % FRAME_MIN
    if captured > FRAME_MAX:
        return "longer than %d bytes" % FRAME_MAX
    return None


def write(path, frames):
    """A pcap file of `frames`, one microsecond apart."""
    writer = RawPcapWriter(str(path), linktype=ETHERNET)
    with contextlib.closing(writer):
        writer.write_header(b"")
        for i, frame in enumerate(frames):
            writer.write_packet(frame, sec=i // 1000000, usec=i % 1000000)


def padded(frame):
    """The frame as it is on a wire."""
    return frame.ljust(WIRE_MIN, b"\0")


@dataclass
class Verdict:
    """What became of the frames that were sent one way."""

    sent: int = 0
    intact: int = 0
    lost: int = 0
    altered: int = 0
    extra: int = 0
    reordered: int = 0
    first: list = field(default_factory=list)

    def ok(self):
        return self.intact == self.sent and not (
            self.lost or self.altered or self.extra or self.reordered)

    def __add__(self, other):
        return Verdict(self.sent + other.sent, self.intact + other.intact,
                       self.lost + other.lost, self.altered + other.altered,
                       self.extra + other.extra,
                       self.reordered + other.reordered,
                       self.first + other.first)


def compare(sent, got):
    """Judge `got` against `sent`, byte for byte and in order.

    A sent frame without its equal among the received is altered when an
    unexpected frame came in its stead, otherwise lost.
    """
    want = [padded(f) for f in sent]
    missing = collections.Counter(want)
    unexpected = 0
    for frame in got:
        if missing[frame] > 0:
            missing[frame] -= 1
        else:
            unexpected += 1
    absent = sum(missing.values())
    altered = min(absent, unexpected)
    v = Verdict(sent=len(want), intact=len(want) - absent,
                lost=absent - altered, altered=altered,
                extra=unexpected - altered)
    if absent == 0 and unexpected == 0:
        v.reordered = sum(1 for a, b in zip(want, got) if a != b)
    for i, (a, b) in enumerate(zip(want, got)):
        if a != b:
            v.first.append("frame %d: sent %d bytes, got %d bytes; first "
                           "difference at byte %d"
                           % (i, len(a), len(b), _difference(a, b)))
            break
    return v


def _difference(a, b):
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return i
    return min(len(a), len(b))
