"""A suite of two rules, recordings of three versions, and a survey of two targets, small enough to count by hand."""

from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript, TranscriptStep
from tests.small_suites import keep_recording, small_suite
from tests.two_rules import two_rules

UNREAD = """\
title: Edit refuses a file that was not read, {about}
requirement: must
rule: read-first
given: {{files: {{notes.txt: "alpha\\n"{more}}}}}
steps:
  - Edit: {{file_path: $WS/notes.txt, old_string: alpha, new_string: gamma}}
    expect: {{error: not_read, text: File has not been read yet. Read it first before writing to it.}}
"""
LINES = """\
title: Read numbers the lines
requirement: must
rule: numbers
given: {files: {notes.txt: "alpha\\n"}}
steps:
  - Read: {file_path: $WS/notes.txt}
    expect: {text: "     1→alpha\\n     2→"}
"""
SCENARIOS = {
    "gate/short": UNREAD.format(about="alone", more=""),
    "gate/long": UNREAD.format(about="beside another", more=', other.txt: "x\\n"'),
    "reading/lines": LINES,
}
ANSWER = "The file has been updated."


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """A suite with made-up recordings. 2.1.228 differs from 2.1.7 in two scenarios: it edits the file of `gate/long`
    without a Read, and it numbers the lines of a Read differently. 2.0.76 was recorded only in `reading/lines`, with
    the same results as 2.1.7.
    """
    root = tmp_path / "checkout" / "fixtures"
    made = small_suite(root, SCENARIOS)
    (root / "rules.yaml").write_text(two_rules("safety"), encoding="utf-8")
    record(made, "gate/short", {"2.1.7": None, "2.1.228": None})
    record(made, "gate/long", {"2.1.7": None, "2.1.228": ANSWER})
    record(made, "reading/lines", {"2.0.76": None, "2.1.7": None, "2.1.228": "1\talpha\n2\t"})
    return made


def record(suite: Suite, scenario_id: str, answers: dict[str, str | None]) -> None:
    """Write the recording of a one-call scenario: each contract's answer, or None for the expected answer."""
    scenario = suite.scenario(scenario_id)
    (call,) = scenario.steps
    assert isinstance(call, ToolCall)
    clause = call.expect.recorded
    assert clause is not None
    assert isinstance(clause.text, str)
    transcripts = {}
    for name, answer in answers.items():
        result = RecordedResult(clause.text, clause.error) if answer is None else RecordedResult(answer)
        transcripts[name] = Transcript((TranscriptStep((call.tool,), (result,)),))
    keep_recording(suite, scenario_id, Recording(scenario.inputs, transcripts))


@pytest.fixture
def survey() -> dict[str, Any]:
    """The results of two targets. For `mine@1.0`, one rule holds in half of its scenarios. `other@2.0` lacks Edit, and
    was run only at the level `effects`.
    """

    def target(name: str, level: str, reach: dict[str, dict[str, str]]) -> dict[str, Any]:
        return {
            "target": name,
            "title": name.title(),
            "home": "https://example.org",
            "about": "",
            "kind": "mcp",
            "level": level,
            "date": "2026-01-02",
            "reach": {"2.1.7": reach},
            "harm": {
                "sessions": 2,
                "counts": {"lost": 1, "altered": 1, "blind": 2},
                "scenarios": {
                    "lost": {"gate": "long"},
                    "altered": {"gate": "long"},
                    "blind": {"gate": "long short"},
                },
                "shortest": {"lost": {"scenario": "gate/long", "line": "lost: line 1 of notes.txt"}},
            },
        }

    return {
        "format": 3,
        "contracts": ["2.1.7"],
        "date": "2026-01-02",
        "targets": [
            target(
                "mine@1.0",
                "reason",
                {"nothing": {"gate": "short"}, "effects": {"gate": "long"}, "reason": {"reading": "lines"}},
            ),
            target(
                "other@2.0",
                "effects",
                {"unsupported": {"gate": "short"}, "text": {"reading": "lines"}},
            ),
        ],
    }
