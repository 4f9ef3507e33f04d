"""A boot server as old as they come: DHCP, and TFTP with hardly an option.

Blocks have 512 bytes. Only the size of images is told beforehand, without which
OVMF does not begin. The server is named by its own DHCP identifier alone (no
next-server). It may keep silent about some files. Frames come and go through a
hub (lab.hub).

Formats: RFC 826 (ARP), 791, 768, 2131 (DHCP), 1350 (TFTP), 2347 and 2349
(options).
"""

import socket
import struct
import threading

MAC = b"\x02\x00\x00\x00\x00\xfe"
SERVER = bytes((10, 9, 0, 2))
CLIENT = bytes((10, 9, 0, 15))
BLOCK = 512
DISCOVER, OFFER, REQUEST, ACK = 1, 2, 3, 5


def checksum(data):
    total = sum(struct.unpack(">%dH" % (len(data) // 2), data))
    total = (total & 0xFFFF) + (total >> 16)
    return ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF


class OldServer:
    """`files`: {name: bytes}. `silent(name)`: not even "no such file".

    `script`: the boot file of who says that it is iPXE (option 77), which wants
    a next-server, too, and waits 10 s for others unless we are PXE's (60).
    """

    def __init__(self, hub_path, bootfile, files, silent=lambda name: False,
                 script=""):
        self.bootfile = bootfile
        self.script = script
        self.files = files
        self.silent = silent
        self.asked = []      # names, in order, repeats too
        self.transfers = {}  # client's port: bytes
        self.end = socket.socket(socket.AF_UNIX)
        self.end.connect(str(hub_path))
        threading.Thread(target=self.run, daemon=True).start()

    def close(self):
        self.end.shutdown(socket.SHUT_RDWR)
        self.end.close()

    # ---- frames ----

    def read(self, n):
        data = b""
        while len(data) < n:
            more = self.end.recv(n - len(data))
            if not more:
                raise ConnectionError
            data += more
        return data

    def run(self):
        try:
            while True:
                self.frame(self.read(struct.unpack(">I", self.read(4))[0]))
        except OSError:
            pass  # the hub or we have gone

    def send(self, to, ethertype, body):
        data = (to + MAC + struct.pack(">H", ethertype) + body).ljust(60, b"\0")
        self.end.sendall(struct.pack(">I", len(data)) + data)

    def frame(self, data):
        ethertype = struct.unpack_from(">H", data, 12)[0]
        if ethertype == 0x0806 and data[20:22] == b"\0\1" \
                and data[38:42] == SERVER:
            self.send(data[6:12], 0x0806, data[14:20] + b"\0\2" + MAC + SERVER
                      + data[22:32])
        if ethertype == 0x0800 and data[23] == 17:
            head = 14 + 4 * (data[14] & 15)
            source, target, length = struct.unpack_from(">HHH", data, head)
            self.datagram(data[6:12], source, target,
                          data[head + 8:head + length])

    def udp(self, mac, to, source, target, body):
        length = 20 + 8 + len(body)
        ip = struct.pack(">BBHHHBBH4s4s", 0x45, 0, length, 0, 0, 64, 17, 0,
                         SERVER, to)
        ip = ip[:10] + struct.pack(">H", checksum(ip)) + ip[12:]
        self.send(mac, 0x0800, ip + struct.pack(
            ">HHHH", source, target, 8 + len(body), 0) + body)

    def datagram(self, mac, source, target, body):
        if target == 67:
            self.dhcp(mac, body)
        elif target == 69:
            self.begin(mac, source, body)
        elif target == 6900 and body[:2] == b"\0\4":
            self.block(mac, source, struct.unpack_from(">H", body, 2)[0] + 1)

    # ---- DHCP ----

    def dhcp(self, mac, body):
        options = body[240:]
        kind = name = None
        next_server, more = bytes(4), b""
        while options and options[0] != 255:
            if options[0] == 53:
                kind = options[2]
            if options[0] == 77 and options[2:6] == b"iPXE":
                name = self.script.encode()
                next_server, more = SERVER, b"\x3c\x09PXEClient"
            options = options[1:] if options[0] == 0 \
                else options[2 + options[1]:]
        answer = {DISCOVER: OFFER, REQUEST: ACK}.get(kind)
        if answer is None:
            return
        name = name or self.bootfile.encode()
        reply = (b"\2" + body[1:4] + body[4:8] + body[8:12] + bytes(4) + CLIENT
                 + next_server + body[24:44] + bytes(192) + body[236:240]
                 + bytes((53, 1, answer, 54, 4)) + SERVER
                 + b"\x33\4\0\0\x0e\x10\1\4\xff\xff\xff\0"
                 + bytes((67, len(name))) + name + more + b"\xff")
        self.udp(mac, b"\xff\xff\xff\xff", 67, 68, reply)

    # ---- TFTP ----

    def begin(self, mac, port, body):
        if body[:2] != b"\0\1":
            return
        name = body[2:].split(b"\0")[0].decode()
        self.asked.append(name)
        if self.silent(name):
            return
        if name not in self.files:
            self.udp(mac, CLIENT, 6900, port, b"\0\5\0\1File not found\0")
            return
        self.transfers[port] = self.files[name]
        if b"\0tsize\0" in body and name.endswith(".efi"):
            self.udp(mac, CLIENT, 6900, port, b"\0\6tsize\0%d\0"
                     % len(self.files[name]))
        else:
            self.block(mac, port, 1)

    def block(self, mac, port, number):
        data = self.transfers.get(port, b"")
        at = (number - 1) * BLOCK
        if port in self.transfers and at <= len(data):
            self.udp(mac, CLIENT, 6900, port, struct.pack(">HH", 3, number)
                     + data[at:at + BLOCK])
