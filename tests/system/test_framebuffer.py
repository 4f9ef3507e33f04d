"""The firmware's screen: what is on it, read back as a person would.

QEMU writes the picture to a file (PPM); a cell is the character whose glyph,
as kernel/font.c has it, is exactly what stands there.
"""

import re
import time

import pytest

from lab import captures, paths

from test_forward import ethernet, settle

WIDTH, HEIGHT = 8, 16
FIRST = 0x20


def font():
    """Glyph -> character, a glyph being its 16 rows as bytes."""
    text = (paths.TREE / "kernel" / "font.c").read_text()
    table = re.sub(r"/\*.*?\*/", "", text[text.index("= {"):])
    data = bytes(int(x, 16) for x in re.findall(r"0x([0-9a-f]{2})", table))
    return {data[i:i + HEIGHT]: chr(FIRST + i // HEIGHT)
            for i in range(0, len(data), HEIGHT)}


class Picture:
    """A screen dump: lines of text and the colours in use."""

    def __init__(self, ppm):
        magic, size, depth, rest = ppm.split(b"\n", 3)
        assert (magic, depth) == (b"P6", b"255")
        self.width, self.height = map(int, size.split())
        self.rgb = rest
        assert len(rest) == 3 * self.width * self.height

    def row(self, x, y):
        """Eight pixels as a byte; what is not black is a dot."""
        at = 3 * (y * self.width + x)
        bits = 0
        for i in range(at, at + 3 * WIDTH, 3):
            bits = bits << 1 | (self.rgb[i:i + 3] != b"\0\0\0")
        return bits

    def lines(self):
        glyphs = font()
        left = self.width % WIDTH // 2
        top = self.height % HEIGHT // 2

        def cell(r, c):
            rows = bytes(self.row(left + c * WIDTH, top + r * HEIGHT + y)
                         for y in range(HEIGHT))
            return glyphs.get(rows, "\N{REPLACEMENT CHARACTER}")

        return ["".join(cell(r, c) for c in range(self.width // WIDTH)).rstrip()
                for r in range(self.height // HEIGHT)]

    def colours(self):
        return {self.rgb[i:i + 3] for i in range(0, len(self.rgb), 3)}


def look(bench, **which):
    path = bench.work / "screen.ppm"
    bench.machine.qmp("screendump", filename=str(path), **which)
    return Picture(path.read_bytes())


def wait_for_text(bench, pattern, timeout=30, **which):
    """Wait until the screen's lines match; returns them."""
    deadline = time.monotonic() + timeout
    while True:
        lines = look(bench, **which).lines()
        if re.search(pattern, "\n".join(lines), re.MULTILINE):
            return lines
        assert time.monotonic() < deadline, "\n".join(lines)
        time.sleep(0.1)


@pytest.mark.parametrize("device, size", [
    ("bochs-display", (1280, 800)),
    ("VGA", (1280, 800)),
    ("ramfb", (800, 600)),
])
def test_the_screen_shows_what_the_console_shows(bench, device, size):
    bench.boot(wires=(), cmdline="", extra=["-device", device])
    lines = wait_for_text(bench, r"^millrace>$")
    assert "screen: %ux%u" % size in bench.banner
    said = [x.rstrip() for x in bench.banner.splitlines()]
    said = said[said.index(next(x for x in said if "screen: " in x)):]
    shown = [x for x in lines if x != ""]
    wanted = [x for x in said if x != ""] + ["millrace>"]
    assert shown == fold(wanted, size[0] // WIDTH)
    picture = look(bench)
    assert picture.colours() == {b"\0\0\0", b"\xcc\xd0\xd8"}


def fold(lines, columns):
    """Lines as a screen breaks them."""
    return [x[i:i + columns].rstrip() for x in lines
            for i in range(0, len(x), columns)]


def test_a_full_screen_scrolls_and_ends_with_the_prompt(bench):
    console = bench.boot(wires=(), cmdline="", extra=["-device", "ramfb"])
    text = ""
    for _ in range(4):
        text = console.run("help all")
    console.run("show version")
    # Right above it stands the end of the help, as the serial line had it. The
    # screen is drawn in slices, so a picture may show half of a scroll.
    said = [x for x in fold(text.splitlines(), 100) if x != ""]

    def settled(lines):
        if lines[-1] != "millrace>" or lines[-3] != "millrace> show version":
            return False
        above = [x for x in lines[:-3] if x != ""]
        return above == said[-len(above):]

    deadline = time.monotonic() + 30
    while not settled(lines := look(bench).lines()):
        assert time.monotonic() < deadline, "\n".join(lines)
        time.sleep(0.1)
    assert len(lines) == 600 // HEIGHT


def test_a_dump_is_on_the_screen(bench):
    console = bench.boot(wires=(), cmdline="panic=0",
                         extra=["-device", "bochs-display"])
    console.send("debug fault divide\r")
    console.wait_for("halted")
    lines = wait_for_text(bench, r"^halted$")
    assert any("*** panic on core 0: " in x for x in lines)
    assert "*** end of dump" in lines


def test_the_screen_serves_without_any_serial_port(bench):
    bench.boot(wires=(), cmdline="console=none", prompt=False,
               extra=["-device", "bochs-display"])
    lines = wait_for_text(bench, r"^millrace>$", timeout=60)
    assert any(x.startswith("Millrace ") for x in lines)


# The firmware draws on virtio-gpu by commands: there are no pixels in memory.
BY_COMMANDS = ["-device", "virtio-gpu-pci,romfile="]
IN_MEMORY = ["-device", "bochs-display,id=pixels"]


@pytest.mark.parametrize("devices", [BY_COMMANDS + IN_MEMORY,
                                     IN_MEMORY + BY_COMMANDS])
def test_of_two_screens_the_one_with_pixels_in_memory_is_used(bench, devices):
    bench.boot(wires=(), cmdline="", extra=devices)
    wait_for_text(bench, r"^millrace>$", device="pixels")


def test_a_screen_without_pixels_in_memory_is_left_alone(bench):
    bench.boot(wires=(), cmdline="", extra=BY_COMMANDS)
    assert "screen" not in bench.banner


def test_a_scrolling_screen_loses_no_packet(bench):
    frames = [ethernet(n, 60 + n % 1455) for n in range(5000)]
    source = bench.work / "in.pcap"
    captures.write(source, frames)
    outs = [bench.work / ("out%d.pcap" % i) for i in range(2)]
    console = bench.boot(["wire=pcap,in=%s,out=%s,loop=4" % (source, out)
                          for out in outs], extra=["-device", "VGA"])
    for _ in range(4):
        console.run("help all")
    settle(bench.model)
    bench.model.ask("flush")
    for out in outs:
        v = captures.compare(frames * 4, captures.read(out)[0])
        assert v.ok(), v
    # Forwarding goes on, and the screen has caught up nevertheless.
    console.run("show version")
    wait_for_text(bench, r"^millrace> show version$")


def test_without_a_screen_nothing_is_said_about_one(bench):
    bench.boot(wires=(), cmdline="")
    assert "screen" not in bench.banner
