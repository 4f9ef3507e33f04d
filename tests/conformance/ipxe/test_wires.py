"""QEMU's own networking on each kind of socket that a cable can be.

The boot checks connect to a hub; here QEMU is at the other end itself.
"""

import pytest

from boot import BOOT_S, EFI
from lab.console import Console
from lab.qemu import Machine
from network import Server

WIRES = {
    # what the model is told, and what QEMU is told
    "stream": ("wire=stream,listen={0}/a",
               "stream,server=off,reconnect-ms=100,"
               "addr.type=unix,addr.path={0}/a"),
    "dgram": ("wire=dgram,local={0}/a,remote={0}/b",
              "dgram,local.type=unix,local.path={0}/b,"
              "remote.type=unix,remote.path={0}/a"),
}


@pytest.mark.parametrize("wire", list(WIRES))
def test_wire(ipxe_stand, packages, wire):
    """DHCP, and a script by TFTP, with the server started last."""
    stand = ipxe_stand
    folder = stand.work / "srv"
    folder.mkdir()
    (folder / "boot.ipxe").write_text("#!ipxe\necho check script good\n")
    ours, theirs = (words.format(stand.work) for words in WIRES[wire])
    stand.model_start([ours, "wire=sink"])
    server = Server(stand.work, 2, folder, "boot.ipxe", theirs)
    machine = Machine(stand.work, efi=packages / EFI["ipxe-1.21"],
                      nics=stand.nics())
    stand.guests.append(machine)
    with open(stand.work / "shell.log", "w") as log:
        console = Console(machine.start(), echo=log, timeout=BOOT_S)
        try:
            console.wait_for("Configuring .net0")
            server.open()
            console.wait_for(r"net0: 10\.0\.2\.15/255\.255\.255\.0")
            console.wait_for("check script good")
        finally:
            server.close()
