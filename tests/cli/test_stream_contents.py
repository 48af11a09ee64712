import json
import re
from functools import partial
from pathlib import Path

import pytest

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.harm.harm import Harm
from readfirst.harness.report.contents import EXCERPT_CHARS
from readfirst.harness.report.jsonl import JsonlReport, StreamError, read_stream
from tests.verdicts import verdict, write_report_of

from .test_reports import facts


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


def test_a_difference_that_repeats_a_harm_is_written_without_texts_and_read_with_them(
    tmp_path: Path,
) -> None:
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
