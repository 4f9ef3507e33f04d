#!/usr/bin/python3
"""A machine that boots from the network, as far as its first file.

usage: client.py INTERFACE ARCHITECTURE VENDOR [USER-CLASS]

Broadcasts a DHCPDISCOVER as UEFI firmware does (its architecture in option 93,
its vendor class in option 60) and prints the first offer, as JSON. An offer
without an address (proxy-DHCP) is followed by the request to port 4011 that the
PXE specification wants then; for that the interface needs an address of its own.
Ends with 1 when no answer comes in time.
"""

import json
import socket
import sys

from scapy.all import (BOOTP, DHCP, IP, UDP, Ether, conf, get_if_addr,
                       get_if_hwaddr, sendp, sniff)

conf.verb = 0
TRIES, WAIT_S = 12, 5
XID = 0x4D696C6C


def options(kind, arch, vendor, user_class):
    words = [("message-type", kind),
             ("vendor_class_id", "%s:Arch:%05d:UNDI:003000" % (vendor, arch)),
             (93, arch.to_bytes(2, "big")), (94, b"\x01\x03\x00"),
             (97, b"\0" + bytes(range(16))),
             ("param_req_list", [1, 3, 43, 54, 60, 66, 67, 97])]
    if user_class:
        words.append((77, user_class.encode()))
    return DHCP(options=[*words, "end"])


def bootp(mac, **fields):
    return BOOTP(chaddr=bytes.fromhex(mac.replace(":", "")), xid=XID, **fields)


def discover(interface, *who):
    mac = get_if_hwaddr(interface)
    return (Ether(src=mac, dst="ff:ff:ff:ff:ff:ff")
            / IP(src="0.0.0.0", dst="255.255.255.255")
            / UDP(sport=68, dport=67)
            / bootp(mac, flags=0x8000) / options("discover", *who))


def ask_boot_server(interface, server, *who):
    """The second half of proxy-DHCP, from the interface's own address."""
    own = get_if_addr(interface)
    request = bootp(get_if_hwaddr(interface), ciaddr=own) \
        / options("request", *who)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.bind((own, 68))
        s.settimeout(WAIT_S)
        for _ in range(TRIES):
            s.sendto(bytes(request), (server, 4011))
            try:
                return BOOTP(s.recv(4096))
            except TimeoutError:
                pass
    return None


def answer(packet):
    """What an offer says, in words that JSON has."""
    said = {o[0]: o[1] for o in packet[DHCP].options if isinstance(o, tuple)}

    def text(value):
        return value.decode("latin-1").rstrip("\0") \
            if isinstance(value, bytes) else value

    return {"type": said.get("message-type"),
            "address": packet[BOOTP].yiaddr, "next": packet[BOOTP].siaddr,
            "file": text(said.get("boot-file-name"))
            or text(packet[BOOTP].file),
            "vendor": text(said.get("vendor_class_id")),
            "server": said.get("server_id")}


def main():
    interface = sys.argv[1]
    who = int(sys.argv[2]), sys.argv[3], "".join(sys.argv[4:5])
    request = discover(interface, *who)

    def is_offer(packet):
        return DHCP in packet and packet[BOOTP].op == 2 and \
            packet[BOOTP].xid == XID

    for _ in range(TRIES):
        got = sniff(iface=interface, lfilter=is_offer, count=1,
                    timeout=WAIT_S,
                    started_callback=lambda: sendp(request, iface=interface))
        if got:
            said = answer(got[0])
            if said["address"] == "0.0.0.0":
                more = ask_boot_server(interface, said["server"], *who)
                if more is None:
                    return 1
                said = answer(more)
            print(json.dumps(said))
            return 0
    return 1


if __name__ == "__main__":
    sys.exit(main())
