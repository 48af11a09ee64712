import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.runners.verdicts import JUDGING_RUNNERS, PRINTING_RUNNERS, REFERENCE, plain_export, write_lines
from tests.security.test_terminals import HOSTILE, complaints

FILE = {"type": "file", "utf8": "made", "mode": "0644", "mtime_ns": 0}
LINK = {"type": "symlink", "target": "OUT"}
"""OUT is replaced by a directory outside the workspace."""
GIVEN: dict[str, dict[str, object]] = {
    "up": {"../../../made.txt": FILE},
    "up after a name": {"a/../../../../made.txt": FILE},
    "absolute": {"OUT/made.txt": FILE},
    "through a link": {"l": LINK, "l/made.txt": FILE},
    "far through a link": {"l": LINK, "l/a/made.txt": FILE},
    "a folder": {"../../../made.txt": {"type": "directory", "mode": "0755"}},
    "a folder through a link": {"l": LINK, "l/made.txt": {"type": "directory", "mode": "0755"}},
    "a link": {"../../../made.txt": {"type": "symlink", "target": "x"}},
    "another name": {"f": FILE, "../../../made.txt": {"type": "hardlink", "to": "f"}},
    "another name of it": {"f": {"type": "hardlink", "to": "OUT/keep.txt"}},
    "another name through a link": {"l": LINK, "f": FILE, "l/made.txt": {"type": "hardlink", "to": "f"}},
}
EVENTS: dict[str, dict[str, object]] = {
    "modify": {"event": "modify", "path": "../../../keep.txt", "entry": FILE},
    "modify by a link": {"event": "modify", "path": "l/keep.txt", "entry": FILE},
    "make by a link": {"event": "modify", "path": "l/a/made.txt", "entry": FILE},
    "delete": {"event": "delete", "path": "l/keep.txt"},
    "chmod": {"event": "chmod", "path": "../../../keep.txt", "mode": "0777"},
    "touch": {"event": "touch", "path": "l/keep.txt", "mtime_shift_ns": 5},
    "rename": {"event": "rename", "path": "f", "to": "../../../made.txt"},
    "rename by a link": {"event": "rename", "path": "f", "to": "l/made.txt"},
    "mkdir": {"event": "mkdir", "path": "../../../made.txt", "entry": {"type": "directory"}},
    "symlink": {"event": "symlink", "path": "l/made.txt", "entry": LINK},
}


def scenarios() -> Iterator[dict[str, object]]:
    header, plain, end = plain_export()
    yield header
    for name, files in GIVEN.items():
        yield {**plain, "id": f"given/{name}", "given": {**plain["given"], "files": files}}
    for name, event in EVENTS.items():
        steps = [{"kind": "event", "mtime_shift_ns": 0, "line": 1, **event}, *plain["steps"]]
        given = {**plain["given"], "files": {"l": LINK, "f": FILE}}
        yield {**plain, "id": f"events/{name}", "given": given, "steps": steps}
    yield {**end, "scenarios": len(GIVEN) + len(EVENTS)}


@JUDGING_RUNNERS
def test_a_stranger_s_export_writes_nothing_outside(
    runner: Callable[..., object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hostile export cannot make a runner write outside the workspace."""
    out = tmp_path / "out"
    out.mkdir()
    (out / "keep.txt").write_text("kept")
    (out / "keep.txt").chmod(0o600)
    monkeypatch.setenv("TMPDIR", str(out))  # three levels above a workspace
    suite = write_lines(tmp_path / "suite.jsonl", scenarios())
    suite.write_text(suite.read_text().replace("OUT", str(out)))
    verdicts = runner(REFERENCE, suite, tmp_path / "verdicts.jsonl")
    assert len(verdicts) == len(GIVEN) + len(EVENTS)
    left = sorted(each.name for each in out.iterdir() if not each.name.startswith(("go-build", "readfirst")))
    assert left == ["keep.txt"]
    kept = (out / "keep.txt").stat()
    assert ((out / "keep.txt").read_text(), kept.st_mode & 0o777, kept.st_nlink) == ("kept", 0o600, 1)


@PRINTING_RUNNERS
def test_a_runner_prints_text(runner: Callable[..., str], tmp_path: Path) -> None:
    """The runners print hostile texts of an export as plain text."""
    header, plain, end = plain_export()
    step = {**plain["steps"][-1], "expect": {**plain["steps"][-1]["expect"], "text": HOSTILE}}
    deletion = {"kind": "event", "event": "delete", "path": HOSTILE, "line": 1}
    streamed = [
        {**plain, "id": f"wrong/{HOSTILE}", "title": HOSTILE, "steps": [*plain["steps"][:-1], step]},
        {**plain, "id": "disputed/x", "title": HOSTILE, "disputed": HOSTILE},
        {**plain, "id": "unsupported/x", "needs": [HOSTILE]},
        {**plain, "id": "given/x", "given": {**plain["given"], "files": {f"../{HOSTILE}": FILE}}},
        {**plain, "id": "event/x", "steps": [deletion]},
    ]
    suite, verdicts = tmp_path / "suite.jsonl", tmp_path / "verdicts.jsonl"
    write_lines(suite, (header, *streamed, {**end, "scenarios": len(streamed)}))
    printed = runner(REFERENCE, suite, verdicts)
    assert printed.count("owned") >= len(streamed) - 1
    assert complaints(printed) == []
    program = tmp_path / "program.py"
    program.write_text("import sys; sys.stderr.write(sys.argv[1]); sys.exit(3)")
    printed = runner([sys.executable, str(program), HOSTILE.replace(" ", "_")], suite, verdicts)
    assert complaints(printed) == []
    suite.write_text(f"{HOSTILE}\n")
    assert complaints(runner(REFERENCE, suite, verdicts)) == []


UNKNOWN: dict[str, tuple[dict[str, object], dict[str, object]]] = {
    "this runner reads format 4, not 5": ({"format": 5}, {"kind": "event", "event": "touch", "path": "f"}),
    "this runner reads format 4, not 3": ({"format": 3}, {"kind": "event", "event": "touch", "path": "f"}),
    'no event "melt"': ({}, {"kind": "event", "event": "melt", "path": "f", "entry": FILE}),
    'no event of a session "dream"': ({}, {"kind": "session", "event": "dream"}),
    'no step "dance"': ({}, {"kind": "dance"}),
}
"""The expected messages, each with the changed keys of the header and the step that cause it."""


@pytest.mark.parametrize("said", UNKNOWN)
@PRINTING_RUNNERS
def test_a_runner_refuses_an_unknown_format(runner: Callable[..., str], said: str, tmp_path: Path) -> None:
    beside, step = UNKNOWN[said]
    header, plain, end = plain_export()
    given = {**plain["given"], "files": {**plain["given"]["files"], "f": FILE}}
    changed = {**plain, "given": given, "steps": [{"mtime_shift_ns": 0, "line": 1, **step}, *plain["steps"]]}
    suite, verdicts = tmp_path / "suite.jsonl", tmp_path / "verdicts.jsonl"
    write_lines(suite, ({**header, **beside}, changed, end))
    assert said in runner(REFERENCE, suite, verdicts).replace("\\", "")
    assert not verdicts.exists() or verdicts.read_text() == ""


@JUDGING_RUNNERS
def test_a_scenario_with_an_unknown_event_is_an_error(
    runner: Callable[..., dict[str, tuple[str, ...]]], tmp_path: Path
) -> None:
    header, plain, end = plain_export()
    step = {"kind": "event", "event": "mount", "path": "notes.txt", "line": 1}
    lines = (header, {**plain, "steps": [step, *plain["steps"]]}, end)
    suite = write_lines(tmp_path / "suite.jsonl", lines)
    verdicts = runner(REFERENCE, suite, tmp_path / "verdicts.jsonl")
    assert verdicts == {"gate/edit-unread": ("error",)}
