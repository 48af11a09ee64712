"""Recordings keep every byte, once where contracts agree, and damage is reported."""

import json
import time
from pathlib import Path
from random import Random

import pytest
import yaml
from jsonschema import Draft202012Validator

from readfirst.harness.source import strict_yaml
from readfirst.harness.suite.entry import Directory, RegularFile, Symlink
from readfirst.harness.suite.recording_file import decode, encode
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.seal import all_sealed, entry_of, is_sealed, sealed
from readfirst.harness.suite.suite import default_root
from readfirst.harness.suite.theme_recordings import replaced
from readfirst.harness.suite.transcript import (
    Heading,
    RecordedResult,
    Recording,
    RecordingError,
    Transcript,
    TranscriptStep,
)
from tests.rows import rows

AWKWARD = "a\r\nb\rc\x00d\ufeffe\u2028f\u0085g \ud800 end"


def transcript(text: str = AWKWARD, data: bytes = b"\xff\xfe\x00\r\n\xef\xbb\xbf") -> Transcript:
    changes = {
        "bytes.bin": RegularFile(data, 0o600),
        "folder": Directory(0o755),
        "gone.txt": None,
        "large.txt": RegularFile(b"line\r\n" * 5000),
        "link": Symlink("$WS/bytes.bin"),
        "plain.txt": RegularFile(b"alpha\n"),
    }
    result = RecordedResult(text, "not_read", True, "\n\n<system-reminder>\nx \ud800\n</system-reminder>\n")
    return Transcript((TranscriptStep(("Edit",), (result,), changes, {"plain.txt": 0o600}, struck=True),))


def plain(text: str) -> Transcript:
    return Transcript((TranscriptStep(("Read",), (RecordedResult(text),)),))


def recording(**texts: str) -> Recording:
    """Return a recording in which each contract answers with a text; `v2_1_7` is 2.1.7, `v2_1_8_gated` 2.1.8+gated."""
    names = {name: name.removeprefix("v").replace("_gated", "+gated").replace("_", ".") for name in texts}
    return Recording("0" * 16, {names[name]: plain(text) for name, text in texts.items()})


def test_every_byte_comes_back() -> None:
    group = TranscriptStep(("Read", "Edit"), (RecordedResult("one"), RecordedResult("two", "not_read")))
    several = Transcript((*transcript("x" * 10_000 + AWKWARD).steps,))
    whole = Recording("digest", {"2.1.7": transcript(), "2.0.0": several})
    data = encode(whole)
    assert decode(data) == whole
    assert not [character for character in "\r\x00\ufeff\u2028\x85" if character in data.decode("utf-8")]
    grouped = Recording("digest", {"2.1.7": Transcript((group,))})
    assert decode(encode(grouped)) == grouped


@rows("text", ["", " ", "\n", "a\n\n", "  a\n b", "null", "1.0", "a: b", "# no", "\ta\n\tb\n", "'\"" * 9])
def test_every_text_comes_back(text: str) -> None:
    assert decode(encode(recording(v2_1_7=text))) == recording(v2_1_7=text)


def test_a_beginning_is_kept_with_the_digest_of_the_whole() -> None:
    raw = "<tool_use_error>Wrong.\n\nFull schema:\n{}</tool_use_error>"
    result = RecordedResult.of(raw, "invalid_settings", "Wrong.\n\nFull schema:")
    other = RecordedResult.of(raw.replace("{}", "[]"), "invalid_settings", "Wrong.\n\nFull schema:")
    assert (result.text, result.wrapped) == ("Wrong.\n\nFull schema:", True)
    assert result.cut is not None
    assert result.cut != other.cut
    kept = Recording("", {"2.1.7": Transcript((TranscriptStep(("Edit",), (result,)),))})
    data = encode(kept)
    assert decode(data) == kept
    assert b"{}" not in data


@rows(
    "raw",
    [
        "plain",
        "<tool_use_error>no</tool_use_error>",
        "a\n\n<system-reminder>\nx\n</system-reminder>\n",
        "<tool_use_error>no</tool_use_error>\n\n<system-reminder>x</system-reminder>\n<system-reminder>y</system-reminder>",
    ],
)
def test_what_the_host_adds_is_kept_apart_and_comes_back(raw: str) -> None:
    assert RecordedResult.of(raw, None).raw == raw
    assert "system-reminder" not in RecordedResult.of(raw, None).text


def test_equal_answers_of_a_step_stand_once_with_the_versions_they_begin_in() -> None:
    whole = recording(v1_0_0="old", v2_0_0="old", v2_1_7="new", v2_1_8="old", v2_1_9="old")
    assert decode(encode(whole)) == whole
    (step,) = yaml.safe_load(encode(whole))["steps"]
    assert step["answers"] == [
        {"since": ["1.0.0", "2.1.8"], "text": "old"},
        {"since": "2.1.7", "text": "new"},
    ]


@pytest.mark.slow
def test_recordings_keep_their_schema() -> None:
    root = default_root()
    check = Draft202012Validator(json.loads((root / "schema/recording.schema.json").read_text()))
    check.validate(
        yaml.safe_load(encode(Recording("0" * 16, {"2.1.7": transcript(), "2.0.0": transcript("x" * 9999)})))
    )
    for family in ("parallel", "settings", "creation", "race"):
        for path in sorted((root / "recordings" / family).glob("*.yaml")):
            check.validate(yaml.safe_load(path.read_bytes()))
    for theme in ("sizes", "notebooks"):
        for value in json.loads((root / "recordings" / "crossed" / f"{theme}.json").read_bytes()).values():
            check.validate(value)
    assert not check.is_valid(
        {"inputs": "0" * 16, "contracts": ["2.1.7"], "steps": [{"call": "Read", "answers": []}]}
    )


@rows("change", [(b"text: one", b"text: two"), (b"text: one", b"text: 'one'"), (b"# What", b"# What,")])
def test_a_change_by_hand_is_seen_though_it_has_the_form_of_what_the_recorder_writes(
    tmp_path: Path, change: tuple[bytes, bytes]
) -> None:
    recordings = Recordings(tmp_path)
    ((path, data),) = recordings.written("gate/x", recording(v2_1_7="one")).items()
    assert data.count(change[0]) == 1
    path.parent.mkdir(exist_ok=True)
    for written in (data, data.replace(*change)):
        path.write_bytes(written)
        found = recordings.find("gate/x")
        assert found.is_as_written == (written == data)
        assert found.heading == Heading("0" * 16, ("2.1.7",))


def test_of_several_recordings_in_a_file_the_one_that_was_changed_by_hand_is_seen() -> None:
    data = b"{}"
    for name, text in {"one": "first", "three": "third", "two": "second"}.items():
        data = replaced(data, name, recording(v2_1_7=text))
    assert data == all_sealed(data)
    changed = data.replace(b"third", b"other")
    assert [each for each in ("one", "two", "three") if not is_sealed(entry_of(changed, each))] == ["three"]
    again = replaced(changed, "two", recording(v2_1_7="anew"))
    assert [each for each in ("one", "two", "three") if not is_sealed(entry_of(again, each))] == ["three"]
    assert all_sealed(changed) == replaced(data, "three", recording(v2_1_7="other"))
    assert not is_sealed(entry_of(data, "on"))
    assert (sealed(b"inputs: x\n"), is_sealed(b"inputs: x\n")) == (b"inputs: x\n", False)


@pytest.mark.parametrize("every", [80, pytest.param(1, marks=pytest.mark.slow)])
def test_recordings_are_in_the_form_that_the_recorder_writes(every: int) -> None:
    recordings = Recordings(default_root() / "recordings")
    sample = [*recordings.ids()][::every]
    assert {recordings.path(each).suffix for each in sample} == {".yaml", ".json"}
    for each in sample:
        found = recordings.find(each)
        assert found.is_as_written, each
        assert recordings.written(each, found.recording) == {found.path: found.data}, each
        whole = found.recording
        assert found.heading == Heading(whole.inputs, tuple(whole.transcripts), whole.unrecorded), each


@rows(
    "data",
    [
        "",
        "[]",
        "{",
        "inputs: x\nversions: [2.1.7]\nsteps: [{}]\n",
        "inputs: x\nversions: [2.1.7, 2.1.8]\nsteps:\n- call: Read\n  answers: [{text: a, since: 2.1.8}, {text: b}]\n",
        "inputs: x\ncontracts: [1.0.0]\nsteps:\n- {call: Read, answers: [{text: a}, {text: b, since: 9}]}\n",
        "inputs: x\nversions: [2.1.7]\nsteps: [{calls: [Read, Read], answers: [{results: [{text: a}]}]}]\n",
        "inputs: x\nversions: [2.1.7]\nsteps: [{call: Read, answers: [{text: {base64: '%'}}]}]\n",
        "inputs: x\nversions: [2.1.7]\nsteps: [{call: Read, answers: [{text: {packed: x}}]}]\npacked: {x: QUJD}\n",
        "inputs: x\nversions: [2.1.7]\nsteps: [{call: Read, answers: [{text: a, files: {x: {pipe: 1}}}]}]\n",
        "inputs: x\nversions: [2.1.7]\nsteps: [{call: Read, answers: [{text: a, error: {not: read}}]}]\n",
    ],
)
def test_damage_is_reported_with_the_file_and_the_remedy(tmp_path: Path, data: str) -> None:
    (tmp_path / "gate").mkdir(exist_ok=True)
    (tmp_path / "gate" / "x.yaml").write_text(data)
    with pytest.raises(
        RecordingError, match=r"not a readable recording .*record the scenario again"
    ) as caught:
        Recordings(tmp_path).recording("gate/x").transcripts.get("2.1.7")
    assert "gate/x.yaml" in str(caught.value)


def test_damage_that_somebody_sealed_is_named_when_it_is_met(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path)
    ((path, data),) = recordings.written("gate/x", recording(v2_1_7="one", v2_1_40="two")).items()
    path.parent.mkdir()
    path.write_bytes(sealed(data.replace(b"text: two", b"text: {packed: two}")))
    transcripts = recordings.recording("gate/x").transcripts
    assert list(transcripts) == ["2.1.7", "2.1.40"]
    assert transcripts["2.1.7"] == plain("one")
    with pytest.raises(RecordingError, match=r"gate/x\.yaml: not a readable recording .*record the scenario"):
        transcripts["2.1.40"]
    with pytest.raises(KeyError):
        transcripts["2.1.8"]


def test_a_file_that_is_written_again_at_once_is_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Recordings(tmp_path / "recordings")
    file = kept.path("gate/edit")
    file.parent.mkdir(parents=True)
    file.write_bytes(encode(recording(v2_1_7="one")))
    status = file.lstat()
    monkeypatch.setattr(Path, "lstat", lambda _: status)  # as a file system with a slow clock says
    monkeypatch.setattr(time, "time_ns", lambda: status.st_ctime_ns)
    for text in ("one", "two"):
        file.write_bytes(encode(recording(v2_1_7=text)))
        assert kept.recording("gate/edit").transcripts.get("2.1.7") == plain(text)


def test_a_long_reminder_is_compressed_and_a_recording_that_nobody_could_read_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    result = RecordedResult("short", after="long " * 5_000)
    long = Recording("digest", {"2.1.7": Transcript((TranscriptStep(("Read",), (result,)),))})
    assert len(encode(long)) < 2_000
    assert decode(encode(long)) == long
    monkeypatch.setattr(strict_yaml, "MAX_BYTES", 2**16)  # more noise takes seconds to compress
    noise = Random(0).randbytes(50_000).hex()
    with pytest.raises(RecordingError, match="at most 65,536 are read again"):
        encode(recording(v2_1_7=noise))
