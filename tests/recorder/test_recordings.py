"""Recordings keep every byte, once where contracts agree, and damage is reported."""

import json
from pathlib import Path

import pytest

from harness.entry import Directory, RegularFile, Symlink
from harness.recordings import (
    Recording,
    RecordingError,
    Recordings,
    Transcript,
    TranscriptStep,
    decode,
    encode,
)
from harness.session import ToolResult

AWKWARD = "a\r\nb\rc\x00d\ufeffe\u2028f\u0085g \ud800 end"


def transcript(text: str = AWKWARD, data: bytes = b"\xff\xfe\x00\r\n\xef\xbb\xbf") -> Transcript:
    changes = {
        "bytes.bin": RegularFile(data, 0o600),
        "folder": Directory(0o755),
        "gone.txt": None,
        "large.txt": RegularFile(b"line\r\n" * 5000, 0o644),
        "link": Symlink("$WS/bytes.bin"),
    }
    calls = (("Edit", {"file_path": "$WS/bytes.bin", "old_string": AWKWARD, "new_string": ""}),)
    return Transcript((TranscriptStep(calls, (ToolResult(text, True),), changes, struck=True),))


def test_every_byte_comes_back() -> None:
    recording = Recording({"2.1.7": transcript(), "2.0.0": transcript("x" * 10_000 + AWKWARD)})
    data = encode(recording)
    assert decode(data) == recording
    assert data.isascii()
    assert b"\r" not in data


def test_equal_transcripts_are_stored_once() -> None:
    file = json.loads(
        encode(Recording({"2.1.7": transcript(), "1.0.0": transcript(), "2.0.0": transcript("other")}))
    )
    assert file["contracts"] == {"1.0.0": 0, "2.0.0": 1, "2.1.7": 0}
    assert len(file["transcripts"]) == 2


def test_contracts_stand_in_release_order() -> None:
    names = ["2.1.328+gated", "2.1.10", "2.1.328", "2.1.7"]
    file = json.loads(encode(Recording({name: transcript() for name in names})))
    assert list(file["contracts"]) == ["2.1.7", "2.1.10", "2.1.328", "2.1.328+gated"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a readable recording"),
        (b"[]", "not a readable recording"),
        (b'{"format": 2}', "format 2 is unknown"),
        (b'{"format": 1, "contracts": {"2.1.7": 3}, "transcripts": []}', "not a readable recording"),
        (b'{"format": 1, "contracts": {}, "transcripts": [{"steps": [{}]}]}', "not a readable recording"),
    ],
)
def test_damage_is_reported_with_the_file_and_the_remedy(tmp_path: Path, data: bytes, message: str) -> None:
    (tmp_path / "gate").mkdir()
    (tmp_path / "gate" / "x.json").write_bytes(data)
    with pytest.raises(RecordingError, match=message) as caught:
        Recordings(tmp_path).load("gate/x", "2.1.7")
    assert "gate/x.json" in str(caught.value)


def test_damaged_base64_and_unknown_entries_are_reported() -> None:
    good = json.loads(encode(Recording({"2.1.7": transcript()})))
    for broken in (
        {"file": {"base64": "%"}, "mode": "0644"},
        {"file": {"zlib": "QUJD"}, "mode": None},
        {"pipe": 1},
    ):
        good["transcripts"][0]["steps"][0]["changes"] = {"x": broken}
        with pytest.raises(RecordingError, match="record the scenario again"):
            decode(json.dumps(good).encode())


def test_what_was_not_recorded_is_none_and_ids_are_listed(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path)
    assert recordings.load("gate/x", "2.1.7") is None
    recordings.path("gate/x").parent.mkdir()
    recordings.path("gate/x").write_bytes(encode(Recording({"2.1.7": transcript()})))
    assert list(recordings.ids()) == ["gate/x"]
    assert recordings.load("gate/x", "2.0.0") is None
    assert recordings.load("gate/x", "2.1.7") == transcript()
