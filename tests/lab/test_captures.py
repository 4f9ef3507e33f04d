"""The verdict must be able to say no."""

import struct
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from lab import captures  # noqa: E402


def frame(n, size=64):
    return n.to_bytes(4, "big") * (size // 4)


def test_equal_frames_in_order_are_intact():
    sent = [frame(i) for i in range(10)]
    v = captures.compare(sent, sent)
    assert v.ok() and v.intact == 10


def test_a_missing_frame_is_lost():
    sent = [frame(i) for i in range(10)]
    v = captures.compare(sent, sent[:4] + sent[5:])
    assert not v.ok() and (v.lost, v.altered, v.intact) == (1, 0, 9)


def test_a_changed_byte_is_altered_and_located():
    sent = [frame(i) for i in range(10)]
    got = list(sent)
    got[3] = got[3][:17] + b"\xff" + got[3][18:]
    v = captures.compare(sent, got)
    assert (v.lost, v.altered, v.intact) == (0, 1, 9)
    assert "frame 3" in v.first[0] and "byte 17" in v.first[0]


def test_a_duplicate_is_unexpected():
    sent = [frame(i) for i in range(3)]
    v = captures.compare(sent, sent + sent[:1])
    assert not v.ok() and v.extra == 1


def test_swapped_frames_are_out_of_order():
    sent = [frame(i) for i in range(3)]
    v = captures.compare(sent, [sent[1], sent[0], sent[2]])
    assert not v.ok() and v.reordered == 2 and v.lost == 0


def test_short_frames_come_back_padded_with_zeros():
    assert captures.compare([b"\x01" * 14], [b"\x01" * 14 + b"\0" * 46]).ok()
    assert not captures.compare([b"\x01" * 14], [b"\x01" * 60]).ok()


def test_frames_that_cannot_go_on_the_wire_are_named(tmp_path):
    path = tmp_path / "odd.pcap"
    sizes = (13, 14, 9728, 9729)
    captures.write(path, [b"\x02" * n for n in sizes])
    frames, refused = captures.read(path)
    assert [len(f) for f in frames] == [14, 9728]
    assert refused == {"shorter than 14 bytes": 1, "longer than 9728 bytes": 1}


def test_a_frame_cut_by_the_snap_length_is_refused(tmp_path):
    path = tmp_path / "cut.pcap"
    header = struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 64, 1)
    path.write_bytes(header + struct.pack("<IIII", 0, 0, 64, 100) + b"\3" * 64)
    frames, refused = captures.read(path)
    assert frames == []
    assert refused == {"cut short by the capture's snap length": 1}


def test_big_endian_and_nanosecond_stamps_are_read(tmp_path):
    for magic, order in ((0xA1B2C3D4, ">"), (0xA1B23C4D, "<"),
                         (0xA1B23C4D, ">")):
        path = tmp_path / "stamp.pcap"
        path.write_bytes(
            struct.pack(order + "IHHIIII", magic, 2, 4, 0, 0, 65535, 1)
            + struct.pack(order + "IIII", 1, 999, 60, 60) + b"\4" * 60)
        assert captures.read(path) == ([b"\4" * 60], {})


def test_pcapng_is_read(tmp_path):
    def block(kind, body):
        size = 12 + len(body)
        return struct.pack("<II", kind, size) + body + struct.pack("<I", size)

    path = tmp_path / "a.pcapng"
    path.write_bytes(
        block(0x0A0D0D0A, struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1))
        + block(1, struct.pack("<HHI", 1, 0, 0))
        + block(6, struct.pack("<IIIII", 0, 0, 0, 60, 60) + b"\5" * 60))
    assert captures.read(path) == ([b"\5" * 60], {})


def test_a_file_that_is_no_capture_is_refused(tmp_path):
    path = tmp_path / "text"
    path.write_text("no capture at all, just words")
    with pytest.raises(captures.CaptureError):
        captures.read(path)


def test_other_link_types_are_refused(tmp_path):
    path = tmp_path / "raw.pcap"
    path.write_bytes(struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 64, 101)
                     + struct.pack("<IIII", 0, 0, 60, 60) + b"\3" * 60)
    frames, refused = captures.read(path)
    assert frames == [] and refused == {"link type 101 is not Ethernet": 1}
