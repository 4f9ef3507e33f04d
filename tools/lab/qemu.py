"""QEMU: any guest with the model's ports behind one root port, and ours."""

import json
import os
import shutil
import socket
import subprocess
import time
from pathlib import Path

from . import paths


class Qemu:
    """One guest in folder `work`. Its serial line is a pair of pipes.

    Who makes one says in `args` what boots, and on which machine; this adds
    RAM that the model can share, the serial line, QMP, and the ports.
    """

    def __init__(self, work, args, memory=512, cores=1, accel="tcg", nics=(),
                 machine="q35", before=(), extra=(), counted=False,
                 serial=True):
        """`before`: devices that must be there when the ports come.

        `serial`: without, the pipes are there, but no UART.

        `counted`: time is instructions, one a nanosecond, and a write to a port
        has done its work when the guest goes on: with a model in mode sync, two
        runs are alike.
        """
        self.work = Path(work)
        self.process = None
        self.log = self.work / "qemu.log"
        self.args = [
            str(paths.tool_root() / "bin" / "qemu-system-x86_64"),
            "-nodefaults", "-display", "none", "-net", "none",
            "-machine", machine + ",memory-backend=ram",
            "-object", "memory-backend-memfd,id=ram,share=on,size=%dM" % memory,
            "-m", "%dM" % memory, "-smp", str(cores), "-accel", accel,
            "-cpu", "host" if accel == "kvm" else "max",
            # A pipe holds 64 KiB of what the guest says; a socket only some
            # hundred single bytes, and a serial line drops what nobody takes.
            "-chardev", "pipe,id=con,path=%s" % self.serial_path,
            "-serial", "chardev:con" if serial else "none",
            "-qmp", "unix:%s,server=on,wait=off" % self.qmp_path,
            *args, *before,
        ]
        if nics:
            self.args += ["-device", "pcie-root-port,id=rp0,chassis=1,slot=1"]
        for function, path in enumerate(nics):
            self.args += ["-device", json.dumps({
                "driver": "vfio-user-pci", "bus": "rp0",
                "addr": "0.%d" % function, "multifunction": len(nics) > 1,
                "x-no-posted-writes": counted,
                "socket": {"type": "unix", "path": str(path)}})]
        if counted:
            self.args += ["-icount", "shift=0,sleep=off"]
        self.args += list(extra)

    @property
    def serial_path(self):
        return self.work / "serial"  # serial.in and serial.out

    @property
    def qmp_path(self):
        return self.work / "qmp.sock"

    def start(self, timeout=20):
        """Start QEMU; returns the ends of its serial line, (read, write)."""
        for end in (".in", ".out"):
            path = Path(str(self.serial_path) + end)
            path.unlink(missing_ok=True)
            os.mkfifo(path)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.args, stdout=log,
                                            stderr=subprocess.STDOUT,
                                            stdin=subprocess.DEVNULL)
        # QEMU opens its character devices in order, so the pipe is open when
        # the QMP socket answers. A pipe opened to be read alone tells by its
        # end that QEMU left.
        self._connect_qmp(timeout).close()
        return (os.open(str(self.serial_path) + ".out", os.O_RDONLY),
                os.open(str(self.serial_path) + ".in", os.O_WRONLY))

    def _connect_qmp(self, timeout):
        deadline = time.monotonic() + timeout
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError("QEMU ended at once:\n" + self.output())
            s = socket.socket(socket.AF_UNIX)
            s.settimeout(10)
            try:
                s.connect(str(self.qmp_path))
                return s
            except OSError:
                s.close()
                time.sleep(0.01)
        raise RuntimeError("QEMU opened no QMP socket in %d s" % timeout)

    def output(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def qmp(self, command, **arguments):
        """One QMP command, e.g. qmp("system_reset")."""
        with self._connect_qmp(10) as s:
            f = s.makefile("rw")
            json.loads(f.readline())
            for execute, args in (("qmp_capabilities", {}),
                                  (command, arguments)):
                f.write(json.dumps({"execute": execute,
                                    "arguments": args}) + "\n")
                f.flush()
                while True:
                    reply = json.loads(f.readline())
                    if "return" in reply or "error" in reply:
                        break
            if "error" in reply:
                raise RuntimeError("QMP %s: %s" % (command, reply["error"]))
            return reply["return"]

    def wait(self, timeout):
        """Wait until the guest left; returns QEMU's exit status."""
        return self.process.wait(timeout)

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Machine(Qemu):
    """A machine with OVMF; it starts our image, or what `extra` has to boot
    when `efi` is None.

    `code` and `variables` are another build of the firmware and another NVRAM
    to begin with, which is copied.
    """

    def __init__(self, work, efi=paths.EFI, cmdline="", config=None,
                 gdb=False, extra=(), code=None, variables=None, **options):
        root = paths.tool_root()
        nvram = Path(work) / "vars.fd"
        shutil.copyfile(variables or root / "OVMF_VARS_4M.fd", nvram)
        # OVMF's NVRAM is the guest's to write.
        nvram.chmod(0o600)
        args = [
            "-drive", "if=pflash,format=raw,unit=0,readonly=on,file=%s"
            % (code or root / "OVMF_CODE_4M.fd"),
            "-drive", "if=pflash,format=raw,unit=1,file=%s" % nvram,
            "-device", "isa-debug-exit,iobase=0xf4,iosize=4",
        ]
        if efi is not None:
            args += ["-kernel", str(efi), "-append", cmdline]
        if config is not None:
            args += ["-fw_cfg",
                     "name=opt/org.millrace/config,file=%s" % config]
        if gdb:
            args += ["-S", "-chardev",
                     "socket,id=gdb,server=on,wait=off,path=%s"
                     % (Path(work) / "gdb.sock"), "-gdb", "chardev:gdb"]
        super().__init__(work, args, extra=extra, **options)

    @property
    def gdb_path(self):
        return self.work / "gdb.sock"
