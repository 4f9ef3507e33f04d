"""Frames as the chip's parser and counters see them, told again."""

import ipaddress
import struct
from dataclasses import dataclass

from toeplitz import toeplitz

TAGS = (0x8100, 0x88a8)
IPV4, IPV6 = 0x0800, 0x86dd
TCP, UDP, SCTP = 6, 17, 132
HOP, ROUTING, FRAGMENT, OPTIONS = 0, 43, 44, 60
FCS = 4
SIZE_CLASSES = {"64": 64, "65_to_127": 127, "128_to_255": 255,
                "256_to_511": 511, "512_to_1023": 1023, "1024_to_1522": 1522,
                "1523_to_max": 1 << 16}


@dataclass(frozen=True)
class Flow:
    version: int
    source: bytes
    target: bytes
    proto: int
    sport: int = 0
    dport: int = 0
    is_fragment: bool = False

    def pattern(self):
        """The flow in the words of testpmd's `flow create`."""
        return "ipv%d src is %s dst is %s / %s src is %d dst is %d" % (
            self.version, ipaddress.ip_address(self.source),
            ipaddress.ip_address(self.target),
            {TCP: "tcp", UDP: "udp"}[self.proto], self.sport, self.dport)


def ethertype(frame):
    """(The last ethertype, where its payload begins)."""
    at = 12
    while struct.unpack_from("!H", frame, at)[0] in TAGS:
        at += 4
    return struct.unpack_from("!H", frame, at)[0], at + 2


def of(frame):
    """The flow of an IP frame, or None."""
    kind, at = ethertype(frame)
    if kind == IPV4:
        return _ports(frame, at + (frame[at] & 15) * 4, Flow(
            4, frame[at + 12:at + 16], frame[at + 16:at + 20], frame[at + 9],
            is_fragment=bool(struct.unpack_from("!H", frame, at + 6)[0]
                             & 0x3fff)))
    if kind == IPV6:
        source, target = frame[at + 8:at + 24], frame[at + 24:at + 40]
        proto, l4, is_fragment = frame[at + 6], at + 40, False
        while proto in (HOP, ROUTING, FRAGMENT, OPTIONS) and l4 < len(frame):
            is_fragment = is_fragment or proto == FRAGMENT
            length = 8 if proto == FRAGMENT else 8 + 8 * frame[l4 + 1]
            proto, l4 = frame[l4], l4 + length
        return _ports(frame, l4, Flow(6, source, target, proto,
                                      is_fragment=is_fragment))
    return None


def _ports(frame, l4, flow):
    if (flow.is_fragment or flow.proto not in (TCP, UDP)
            or l4 + 4 > len(frame)):
        return flow
    return Flow(flow.version, flow.source, flow.target, flow.proto,
                *struct.unpack_from("!HH", frame, l4))


def cast(frame):
    if frame[:6] == b"\xff" * 6:
        return "broadcast"
    return "multicast" if frame[0] & 1 else "unicast"


def size_class(frame):
    return next(name for name, most in SIZE_CLASSES.items()
                if len(frame) + FCS <= most)


def queue(frame, key, table):
    """Where receive side scaling sends a frame, all kinds of it being on."""
    flow = of(frame)
    if flow is None:
        data = struct.pack("!H", ethertype(frame)[0])
    else:
        data = flow.source + flow.target
        if flow.proto in (TCP, UDP) and not flow.is_fragment:
            data += struct.pack("!HH", flow.sport, flow.dport)
    return table[toeplitz(key, data) % len(table)]
