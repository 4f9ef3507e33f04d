"""The Toeplitz hash of Microsoft's RSS, and the queue that it picks."""

import ipaddress
import re
import struct


def toeplitz(key, data):
    """Bit i of the data, when set, adds (xor) the 32 key bits from i on."""
    whole = int.from_bytes(key, "big")
    bits = len(key) * 8
    result = 0
    for i in range(len(data) * 8):
        if data[i // 8] & (0x80 >> (i % 8)):
            result ^= (whole >> (bits - 32 - i)) & 0xffffffff
    return result


def flow(source, target, source_port=None, target_port=None):
    """The bytes that are hashed: addresses, and ports where there are any."""
    data = (ipaddress.ip_address(source).packed
            + ipaddress.ip_address(target).packed)
    if source_port is not None:
        data += struct.pack("!HH", source_port, target_port)
    return data


class Printed:
    """Key and table as `ethtool -x` printed them."""

    def __init__(self, text):
        table, rest = text.split("RSS hash key:\n")
        rows = re.findall(r"^\s*\d+:((?:\s+\d+)+)$", table, re.M)
        self.table = [int(entry) for row in rows for entry in row.split()]
        self.key = bytes.fromhex(rest.split()[0].replace(":", ""))

    def queue(self, data):
        return self.table[toeplitz(self.key, data) % len(self.table)]
