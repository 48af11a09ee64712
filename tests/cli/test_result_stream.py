import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.harm.harm import Harm
from readfirst.harness.report.contents import EXCERPT_CHARS
from readfirst.harness.report.jsonl import JsonlReport, StreamError, UnreadableStreamError, read_stream
from tests.rows import rows
from tests.verdicts import verdict, write_report_of

from .test_reports import facts

LEVELS = {"effects": True, "reason": True, "text": False, "verbatim": False}
HEADER: dict[str, Any] = {
    "type": "header",
    "format": 3,
    "readfirst": "0.1.0",
    "target": "python:module:Tools",
    "contracts": ["2.1.7"],
    "level": "text",
    "scenarios": 2,
}
DIFFERENCE = {"step": 2, "call": 1, "level": "text", "what": "text", "expected": "a\r\n", "got": "b\udc80"}


def verdict_line(scenario: str, status: str = "passed", **parts: Any) -> dict[str, Any]:
    line = {"type": "verdict", "scenario": scenario, "requirement": "should", "contract": "2.1.7"}
    judged = {"level": "text", "status": status, "conformant": status == "passed", "levels": LEVELS}
    return {**line, **judged, "calls": 2, "steps": 2, "milliseconds": 1.5, **parts}


def footer(**parts: Any) -> dict[str, Any]:
    names = ("failed", "error", "unsupported", "unspecified", "accepted", "stale")
    line = {"type": "footer", "verdicts": 2, "passed": 2, **dict.fromkeys(names, 0)}
    return {**line, "interrupted": False, "exit_code": 0, **parts}


WHOLE = [HEADER, verdict_line("a/one"), verdict_line("a/two"), footer()]


Write = Callable[[list[dict[str, Any]]], Path]


@pytest.fixture
def stream(tmp_path: Path) -> Write:
    def write(lines: list[dict[str, Any]]) -> Path:
        path = tmp_path / "results.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="ascii")
        return path

    return write


def test_the_former_status_name_broken_is_read_as_error(stream: Write) -> None:
    counts = {**footer(passed=1), "broken": 1}
    del counts["error"]
    broken = verdict_line("a/two", "broken", blame="adapter", reason="it hung", levels={})
    (run,) = read_stream(stream([HEADER, verdict_line("a/one"), broken, counts]))
    assert [judged.status for judged, _ in run.judged] == ["passed", "error"]


def test_the_verdicts_of_a_complete_run_are_read_from_its_json_lines(stream: Write) -> None:
    found = [{**DIFFERENCE, "blame": "implementation"}]
    failed = verdict_line("a/two", "failed", differences=found, accepted="known", blame="implementation")
    lines = [HEADER, verdict_line("a/one"), failed, footer(passed=1, failed=1, accepted=1)]
    (run,) = read_stream(stream(lines))
    about = (run.target, run.contract, run.level, run.version)
    assert about == ("python:module:Tools", "2.1.7", "text", "0.1.0")
    judged, ruling = run.verdicts["a/two"]
    assert (judged.status, ruling.accepted, ruling.conformant) == ("failed", "known", False)
    assert judged.requirement == "should"
    (found,) = judged.differences
    assert (found.step, found.call, found.expected, found.got) == (1, 0, "a\r\n", "b\udc80")


@rows(
    ("lines", "line", "message"),
    [
        (WHOLE[:-1], 3, "without its footer: the run was cut off"),
        (WHOLE[:1], 1, "without its footer"),
        (WHOLE[1:], 1, "does not begin with a header"),
        ([], 1, "does not begin with a header"),
        ([*WHOLE[:2], *WHOLE], 3, "a header in the middle"),
        ([HEADER, *WHOLE[1:3], footer(), footer()], 4, "a footer in the middle"),
        ([*WHOLE[:3], footer(verdicts=3)], 4, "counts 3 verdicts, but there are 2"),
        ([*WHOLE[:3], footer(passed=1, failed=1)], 4, "counts 1 passed, but there are 2"),
        ([{**HEADER, "scenarios": 3}, *WHOLE[1:]], 4, "announces 3 verdicts, but there are 2"),
        ([HEADER, WHOLE[1], WHOLE[1], footer()], 3, "a second verdict on a/one"),
        ([HEADER, WHOLE[1], {**WHOLE[2], "contract": "9"}, footer()], 3, "does not name the contract '9'"),
        ([{**HEADER, "format": 2}, *WHOLE[1:]], 1, "$.format"),
        ([HEADER, {**WHOLE[1], "status": "fine"}, *WHOLE[2:]], 2, "$.status"),
        ([HEADER, {"type": "remark"}, *WHOLE[2:]], 2, "not a line of a result stream"),
    ],
)
def test_an_incomplete_file_of_json_lines_is_refused_with_the_number_of_the_wrong_line(
    stream: Write, lines: list[dict[str, Any]], line: int, message: str
) -> None:
    path = stream(lines)
    with pytest.raises(StreamError) as refused:
        read_stream(path)
    assert str(refused.value).startswith(f"{path}:{line}: ")
    assert message in str(refused.value)


@rows("tail", [b'{"type": "footer", "verd', b"\xff\xfe", b"[]", b"3", b"[" * 100_000])
def test_json_lines_with_a_damaged_last_line_are_refused(stream: Write, tail: bytes) -> None:
    path = stream(WHOLE[:-1])
    path.write_bytes(path.read_bytes() + tail)
    with pytest.raises(StreamError, match=r":4: this (line is incomplete JSON|is not a line)"):
        read_stream(path)


def test_a_missing_file_of_json_lines_is_reported(tmp_path: Path) -> None:
    with pytest.raises(UnreadableStreamError, match=r"nowhere\.jsonl cannot be read: No such file"):
        read_stream(tmp_path / "nowhere.jsonl")


def stream_of(*verdicts: Verdict) -> str:
    report = partial(JsonlReport, facts=facts(scenarios=len(verdicts)), version="1")
    return write_report_of(report, [(each, BaselineResult(False)) for each in verdicts])


def make_failure(name: str, expected: str, got: str) -> Verdict:
    found = Difference(0, 0, "text", "text", expected, got)
    return verdict(f"a/{name}", "failed", found, requirement="must")


def read_differences(text: str, tmp_path: Path) -> list[Difference]:
    file = tmp_path / "results.jsonl"
    file.write_text(text)
    (run,) = read_stream(file)
    return [found.differences[0] for found, _ in run.judged]


def test_a_long_text_is_written_once_and_read_unchanged(tmp_path: Path) -> None:
    long = "line\n" * 400
    text = stream_of(make_failure("one", long, "short"), make_failure("two", long, long + "\udc80"))
    assert len(text) < 3 * len(json.dumps(long))
    assert [json.loads(line)["type"] for line in text.splitlines()].count("content") == 2
    read = [(each.expected, each.got) for each in read_differences(text, tmp_path)]
    assert read == [(long, "short"), (long, long + "\udc80")]


def test_a_difference_that_repeats_a_harm_is_written_without_texts_and_read_with_them(tmp_path: Path) -> None:
    harm = Harm(0, 0, "lost", "notes.txt", "line 2 of notes.txt", "before", "after")
    found = Difference(0, 0, "safe", harm.line, harm.before, harm.after)
    other = Difference(0, 0, "safe", harm.line, "before", "another", blame="harness")
    text = stream_of(verdict("a/b", "failed", found, other, requirement="must", harms=(harm,)))
    written = json.loads(text.splitlines()[1])["differences"]
    assert written[0] == {"step": 1, "call": 1, "level": "safe", "what": harm.line}
    assert (written[1]["got"], written[1]["blame"]) == ("another", "harness")
    file = tmp_path / "results.jsonl"
    file.write_text(text)
    assert read_stream(file)[0].judged[0][0].differences == (found, other)
    file.write_text(text.replace('"what":"line 2', '"what":"line 3', 1))
    with pytest.raises(StreamError, match=r":2: no harm of this verdict has the line 'lost: line 2"):
        read_stream(file)


def test_only_the_different_part_of_a_very_long_text_is_written(tmp_path: Path) -> None:
    same = "0123456789abcdef" * 200_000
    text = stream_of(make_failure("one", same + "X" + same, same + "Y" + same))
    assert len(text) < 3 * EXCERPT_CHARS
    (found,) = read_differences(text, tmp_path)
    start = len(same) - 500
    assert found.expected.startswith(f"[{start:,} characters that both have]\n")
    assert found.expected.replace("X", "Y", 1) == found.got
    assert found.expected.endswith(f"\n[{2 * len(same) + 1 - start - EXCERPT_CHARS:,} characters more]")


@pytest.mark.parametrize(
    ("pattern", "new", "message"),
    [
        ("word word", "word wOrd", "does not have the digest"),
        ('"characters": 1500', '"characters": 1400', "does not have the digest"),
        ('"type": "content"', '"type": "contents"', "not a line of a result stream"),
        ('"sha256": "', '"sha256": "0', "does not have the expected format"),
        (r'\{"type": "content".*\n', "", "no content before this verdict"),
    ],
)
def test_a_damaged_or_missing_text_is_refused(tmp_path: Path, pattern: str, new: str, message: str) -> None:
    lines = stream_of(make_failure("one", "word " * 300, "")).splitlines()
    text = "".join(json.dumps(json.loads(each)) + "\n" for each in lines)
    damaged, count = re.subn(pattern, new, text, count=1)
    assert count == 1
    with pytest.raises(StreamError, match=rf"results\.jsonl:2: .*{message}"):
        read_differences(damaged, tmp_path)
