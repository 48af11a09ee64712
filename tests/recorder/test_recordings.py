import json
import time
from pathlib import Path
from random import Random

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.suite import recording_file
from readfirst.harness.suite.file_entry import Directory, RegularFile, Symlink
from readfirst.harness.suite.recording_file import (
    encode_recording,
    format_entries,
    format_recording,
    has_valid_digest,
    parse_recording,
    read_entries,
    with_digest,
)
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario_index import ScenarioLocation
from readfirst.harness.suite.suite import default_root
from readfirst.harness.suite.transcript import (
    RecordedResult,
    Recording,
    RecordingError,
    Transcript,
    TranscriptStep,
)
from tests.rows import rows
from tests.small_suites import transcript_of_read

AWKWARD = "a\r\nb\rc\x00d\ufeffe\u2028f\u0085g \ud800 end"


def transcript(text: str = AWKWARD, data: bytes = b"\xff\xfe\x00\r\n\xef\xbb\xbf") -> Transcript:
    """Return a transcript of one refused call that nevertheless changed files of all types."""
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


def recording(**texts: str) -> Recording:
    """Return a recording with a text for each contract. `v2_1_7` means 2.1.7, `v2_1_8_gated` 2.1.8+gated."""
    names = {name: name.removeprefix("v").replace("_gated", "+gated").replace("_", ".") for name in texts}
    return Recording("0" * 16, {names[name]: transcript_of_read(text) for name, text in texts.items()})


def test_a_recording_is_read_back_exactly() -> None:
    whole = Recording("digest", {"2.1.7": transcript(), "2.0.0": transcript("x" * 10_000 + AWKWARD)})
    data = format_recording(whole)
    assert parse_recording(data) == whole
    assert not [character for character in "\r\x00\ufeff\u2028\x85" if character in data.decode("utf-8")]
    group = TranscriptStep(("Read", "Edit"), (RecordedResult("one"), RecordedResult("two", "not_read")))
    grouped = Recording("digest", {"2.1.7": Transcript((group,))})
    assert parse_recording(format_recording(grouped)) == grouped


@rows("text", ["", " ", "\n", "a\n\n", "null", "'\"" * 9, "\\u0041", "\ud83d", "\ude00", "😀", "\x85\xad"])
def test_the_text_of_an_answer_is_read_back_exactly(text: str) -> None:
    assert parse_recording(format_recording(recording(v2_1_7=text))) == recording(v2_1_7=text)


def test_variable_data_in_an_answer_is_stored_only_as_a_digest() -> None:
    raw = "<tool_use_error>Wrong.\n\nFull schema:\n{}</tool_use_error>"
    result = RecordedResult.of(raw, "invalid_settings", "Wrong.\n\nFull schema:")
    other = RecordedResult.of(raw.replace("{}", "[]"), "invalid_settings", "Wrong.\n\nFull schema:")
    assert (result.text, result.wrapped) == ("Wrong.\n\nFull schema:", True)
    assert result.cut is not None
    assert result.cut != other.cut
    kept = Recording("", {"2.1.7": Transcript((TranscriptStep(("Edit",), (result,)),))})
    data = format_recording(kept)
    assert parse_recording(data) == kept
    assert b"{}" not in data


@rows(
    "raw",
    [
        *("plain", "<tool_use_error>no</tool_use_error>", "a\n\n<system-reminder>\nx\n</system-reminder>\n"),
        "<tool_use_error>no</tool_use_error>\n\n<system-reminder>x</system-reminder>\n<system-reminder>y</system-reminder>",
    ],
)
def test_text_that_the_product_adds_around_an_answer_is_stored_separately(raw: str) -> None:
    assert RecordedResult.of(raw, None).raw == raw
    assert "system-reminder" not in RecordedResult.of(raw, None).text


def test_equal_answers_of_several_versions_are_stored_once() -> None:
    whole = recording(v1_0_0="old", v2_0_0="old", v2_1_7="new", v2_1_8="old", v2_1_9="old")
    assert parse_recording(format_recording(whole)) == whole
    (step,) = encode_recording(whole)["steps"]
    old = {"since": ["1.0.0", "2.1.8"], "text": "old"}
    assert step["answers"] == [old, {"since": "2.1.7", "text": "new"}]


def test_the_example_in_recording_md_has_the_form_in_which_recordings_are_written() -> None:
    page = (Path(__file__).parents[2] / "docs/recording.md").read_text("utf-8")
    example = page.partition("```json recording\n")[2].partition("```")[0]
    (name,) = json.loads(example)
    assert format_recording(parse_recording(example.encode(), name), name).decode() == example


@pytest.mark.slow
def test_recordings_match_their_schema() -> None:
    root = default_root()
    check = Draft202012Validator(json.loads((root / "schema/recording.schema.json").read_text()))
    awkward = Recording("0" * 16, {"2.1.7": transcript(), "2.0.0": transcript("x" * 9999)})
    check.validate(json.loads(format_recording(awkward)))
    families = ("parallel", "settings", "creation", "race")
    files = (file for family in families for file in (root / "recordings" / family).glob("*.json"))
    for file in (*files, *((root / f"recordings/crossed/{theme}.json") for theme in ("sizes", "notebooks"))):
        check.validate(json.loads(file.read_bytes()))
    steps = [{"call": "Read", "answers": []}]
    wrong = {"inputs": "0", "digest": "0" * 16, "versions": ["2.1.7"], "steps": steps}
    assert not check.is_valid({"recording": wrong})


@rows("change", [(b'"one"', b'"two"'), (b'"call"', b'"calls"'), (b'"inputs": "0', b'"inputs": "1')])
def test_a_manual_change_of_a_recording_is_detected(tmp_path: Path, change: tuple[bytes, bytes]) -> None:
    recordings = Recordings(tmp_path)
    ((path, data),) = recordings.written("gate/x", recording(v2_1_7="one")).items()
    assert data.count(change[0]) == 1
    path.parent.mkdir(exist_ok=True)
    for written in (data, data.replace(*change)):
        path.write_bytes(written)
        assert recordings.find("gate/x").is_as_written == (written == data)


def test_a_manual_change_of_one_recording_in_a_shared_file_is_detected_and_kept() -> None:
    texts = {"one": "first", "three": "third", "two": "second"}
    entries = {name: encode_recording(recording(v2_1_7=text)) for name, text in texts.items()}
    changed = read_entries(format_entries(entries).replace(b"third", b"other"))
    for each in (changed, read_entries(format_entries({**changed, "two": entries["one"]}))):
        assert [name for name in texts if not has_valid_digest(each[name])] == ["three"]
    assert not has_valid_digest({})


@pytest.mark.parametrize("every", [80, pytest.param(1, marks=pytest.mark.slow)])
def test_bundled_recordings_have_the_form_in_which_recordings_are_written(every: int) -> None:
    recordings = Recordings(default_root() / "recordings")
    sample = [scenario_id for scenario_id, _ in recordings.located()][::every]
    for each in sample:
        found = recordings.find(each)
        assert found.is_as_written, each
        assert recordings.written(each, found.recording) == {found.path: found.data}, each


def read(*answers: object) -> list[object]:
    return [{"call": "Read", "answers": [*answers]}]


def format_recording_of(steps: object, *versions: str) -> str:
    value = {"inputs": "x", "versions": ["2.1.7", *versions], "steps": steps, "packed": {"x": "QUJD"}}
    return json.dumps({"x": value})


@rows(
    "data",
    [
        *("", "[]", "{", '{"x": {}, "x": {}}', format_recording_of([{}])),
        format_recording_of(read({"text": "a", "since": "2.1.8"}, {"text": "b"}), "2.1.8"),
        format_recording_of(read({"text": "a"}, {"text": "b", "since": "9"})),
        format_recording_of(read(*[{"text": "a", "since": "2.1.7"}] * 2)),
        format_recording_of([{"calls": ["Read", "Read"], "answers": [{"results": [{"text": "a"}]}]}]),
        format_recording_of(read({"text": {"base64": "%"}})),
        format_recording_of(read({"text": {"packed": "x"}})),
        format_recording_of(read({"text": "a", "files": {"x": {"pipe": 1}}})),
        format_recording_of(read({"text": "a", "error": {"not": "read"}})),
    ],
)
def test_a_damaged_recording_is_reported_with_its_file_and_a_remedy(tmp_path: Path, data: str) -> None:
    (tmp_path / "gate").mkdir(exist_ok=True)
    (tmp_path / "gate" / "x.json").write_text(data)
    message = r"not a readable recording .*record (the scenario|its scenarios) again"
    with pytest.raises(RecordingError, match=message) as caught:
        Recordings(tmp_path).recording("gate/x").transcripts.get("2.1.7")
    assert "gate/x.json" in str(caught.value)


def test_a_damaged_file_is_replaced_unless_it_contains_several_recordings(tmp_path: Path) -> None:
    table, new = ScenarioLocation(tmp_path / "scenarios/gate/x.yaml", "x"), recording(v2_1_7="one")
    (tmp_path / "recordings/gate").mkdir(parents=True)
    file = tmp_path / "recordings/gate/x.json"
    file.write_text('{"x": ')
    with pytest.raises(RecordingError, match="remove the file and record its scenarios again"):
        Recordings(tmp_path / "recordings", lambda _: table).written("gate/x", new)
    own = Recordings(tmp_path / "recordings", lambda _: None)
    assert own.written("gate/x", new) == {file: format_recording(new, "x")}
    file.write_bytes(format_recording(recording(v2_1_7="two"), "y"))
    assert [*read_entries(own.written("gate/x", new)[file])] == ["x", "y"]


def test_damage_in_one_transcript_is_reported_when_this_transcript_is_used(tmp_path: Path) -> None:
    recordings = Recordings(tmp_path)
    ((path, data),) = recordings.written("gate/x", recording(v2_1_7="one", v2_1_40="two")).items()
    path.parent.mkdir()
    entry = json.loads(data.replace(b'"two"', b'{"packed": "two"}'))["x"]
    path.write_bytes(format_entries({"x": with_digest(entry)}))
    transcripts = recordings.recording("gate/x").transcripts
    assert list(transcripts) == ["2.1.7", "2.1.40"]
    assert transcripts["2.1.7"] == transcript_of_read("one")
    with pytest.raises(RecordingError, match=r"gate/x\.json: not a readable recording .*record the scenario"):
        transcripts["2.1.40"]
    with pytest.raises(KeyError):
        transcripts["2.1.8"]


def test_a_file_is_read_again_even_if_it_was_rewritten_within_the_resolution_of_file_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = Recordings(tmp_path / "recordings")
    file = kept.path("gate/edit")
    file.parent.mkdir(parents=True)
    file.write_bytes(format_recording(recording(v2_1_7="one"), "edit"))
    status = file.lstat()
    monkeypatch.setattr(Path, "lstat", lambda _: status)  # like a file system with a slow clock
    monkeypatch.setattr(time, "time_ns", lambda: status.st_ctime_ns)
    for text in ("one", "two"):
        file.write_bytes(format_recording(recording(v2_1_7=text), "edit"))
        assert kept.recording("gate/edit").transcripts.get("2.1.7") == transcript_of_read(text)


def test_a_recording_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    result = RecordedResult("short", after="long " * 5_000)
    long = Recording("digest", {"2.1.7": Transcript((TranscriptStep(("Read",), (result,)),))})
    assert len(format_recording(long)) < 2_000
    assert parse_recording(format_recording(long)) == long
    monkeypatch.setattr(recording_file, "MAX_FILE_BYTES", 2**16)  # more noise takes seconds to compress
    noise = Random(0).randbytes(50_000).hex()
    with pytest.raises(RecordingError, match="at most 65,536 are read again"):
        format_recording(recording(v2_1_7=noise))
