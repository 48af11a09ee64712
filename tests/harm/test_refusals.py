"""Refusals may be declared as part of a design: their scenarios are `unsupported`; harm is not excused."""

import json
import re
from dataclasses import replace
from pathlib import Path

import designed
import pytest

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.adapter_traits import REFUSALS
from readfirst.harness.compare.refusals import REFUSAL_SCENARIOS, MadeCall, _applies, apply_refusals
from readfirst.harness.compare.verdict import Difference, Level
from readfirst.harness.harm.harm import Harm
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.runner import run
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.scenario import ToolCall
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.command_line import Cli
from tests.judging import CONTRACT, SUITE, judge_scenario
from tests.rows import rows

HERE = Path(__file__).parent
FILLS = "creation/edit-fills-empty-file"
CREATES, ENCODED = "creation/edit-creates", "encodings/cp1251-elsewhere"
READ, LINK = "gate/edit-after-read", "links-and-modes/write-through-symlink"
LINE_FEED, DIRECTORY = "line-endings/lf-old-string-in-crlf-file", "creation/write-creates-parents"
OLDER, CHANGED = "staleness/older-time-other-content-edit", "staleness/edit-after-change"
DELETED, TOUCHED = "staleness/deleted-then-write", "staleness/edit-after-touch-full-read"
PAST_THE_END, NUL = "read-output/offset-past-the-end", "encodings/nul-elsewhere"
LITERAL = [
    *("quotes/straight-finds-curly-double", "read-output/offset-zero-alone", "read-output/limit-zero"),
    *("crossed/allowed-24", "crossings/half-a-pair-inserted"),
]
HASHED = (OLDER, DELETED, PAST_THE_END, NUL)
PASSING = dict.fromkeys((CHANGED, READ), "passed")
BOTH: tuple[Level, ...] = ("safe", "effects")
OUTCOMES: dict[str, tuple[tuple[Level, ...], dict[str, str]]] = {
    "NotStrict": (BOTH, {CREATES: "failed", ENCODED: "failed", READ: "passed"}),
    "Declares": (BOTH, {CREATES: "unsupported", ENCODED: "unsupported", READ: "passed"}),
    "DeclaresAndSpoils": (BOTH, {CREATES: "failed", ENCODED: "failed", READ: "passed"}),
    "DeclaresTooLittle": (BOTH, {CREATES: "unsupported", FILLS: "failed", READ: "failed"}),
    "DeclaresLinks": (("effects",), {LINK: "unsupported"}),
    "Narrow": (("safe",), {LINE_FEED: "failed", DIRECTORY: "failed"}),
    "DeclaresNarrow": (("safe",), {LINE_FEED: "unsupported", DIRECTORY: "unsupported", READ: "passed"}),
    "Literal": (("effects",), dict.fromkeys(LITERAL, "failed")),
    "DeclaresLiteral": (("effects",), {**dict.fromkeys(LITERAL, "unsupported"), READ: "passed"}),
    "Hashes": (("effects",), {**dict.fromkeys((*HASHED, TOUCHED), "failed"), **PASSING}),
    "DeclaresHashes": (BOTH, {**dict.fromkeys(HASHED, "unsupported"), **PASSING}),
}
"""The levels, and the expected status of scenarios, by the name in designed.py."""


pytestmark = pytest.mark.usefixtures("in_process")


@rows(("name", "level"), [(name, level) for name, (levels, _) in OUTCOMES.items() for level in levels])
def test_a_scenario_with_a_declared_refusal_is_unsupported_if_no_harm_occurred(
    name: str, level: Level
) -> None:
    statuses = OUTCOMES[name][1]
    verdicts = [*run(SUITE, f"python:designed:{name}", [CONTRACT.name], level, ids=[*statuses])]
    assert {each.scenario_id: each.status for each in verdicts} == statuses
    for verdict in verdicts:
        if verdict.status == "unsupported":
            assert not any(verdict.levels.values())
            assert not verdict.harms
            assert set(verdict.lacks) <= REFUSALS.keys()


def test_a_declared_refusal_does_not_fail_because_of_harm_that_the_contract_does_too(
    place: WorkspacePool,
) -> None:
    scenario, adapter = SUITE.scenario(ENCODED), designed.Declares
    outcome = replay(scenario, adapter, place)
    verdict = judge_scenario(scenario, adapter, "effects", harm=True, place=place)
    own = Harm(0, 0, "lost", "notes.txt", "line 1 of notes.txt")
    beyond = Difference(0, 0, "safe", own.line, "alpha", "")
    for differences, status in (((), "unsupported"), ((beyond,), "failed")):
        more = {"harms": (own, *verdict.harms), "differences": (*differences, *verdict.differences)}
        judged = apply_refusals(replace(verdict, **more), scenario, CONTRACT, outcome, adapter.refuses)
        assert judged.status == status
        safe = [each.what for each in judged.differences if each.level == "safe"]
        assert safe == [each.what for each in differences], "a declared refusal is no difference at safe"


@rows(
    ("name", "scenario_id", "status", "kinds"),
    [
        ("ComparesBytes", "staleness/same-time-other-content-write", "passed", []),
        ("RefusesWrites", "staleness/same-time-other-content-write", "passed", []),
        ("RefusesWrites", "write/overwrite", "failed", ["overcautious"]),
    ],
)
def test_a_refusal_that_avoids_harm_of_the_contract_is_allowed(
    name: str, scenario_id: str, status: str, kinds: list[str]
) -> None:
    (verdict,) = run(SUITE, f"python:designed:{name}", [CONTRACT.name], "safe", ids=[scenario_id])
    assert (verdict.status, [harm.kind for harm in verdict.harms]) == (status, kinds)


def call(tool: str, path: str, text: str = "", **more: int) -> ToolCall:
    texts = {"Edit": {"old_string": text}, "Write": {"content": text}, "Read": {}}
    return ToolCall(tool, {"file_path": f"$WS/{path}", **texts[tool], **more})


CRLF, LF = "a\r\nb", "a\nb"
CALLS: dict[str, tuple[list[ToolCall], list[ToolCall]]] = {
    "line-feed-for-crlf": (
        [call("Edit", "d/crlf", LF)],
        [call("Edit", "d/crlf", CRLF), call("Edit", "d/lf", LF), call("Write", "d/crlf", LF)],
    ),
    "missing-directory": (
        [call("Write", "e/f/a")],
        [call("Write", "e/../d/c"), call("Write", "c"), call("Edit", "e/a", "x")],
    ),
    "inexact-old-text": (
        [call("Edit", "d/lf", "a b")],
        [
            *(call("Edit", "d/lf", LF), call("Edit", "d/crlf", LF)),
            *(call("Edit", "d/lf", ""), call("Edit", "e", "x")),
        ],
    ),
    "lines-below-one": (
        [call("Read", "d/lf", offset=0), call("Read", "d/lf", limit=-1)],
        [call("Read", "d/lf", offset=1, limit=1), call("Read", "d/lf")],
    ),
    "read-only-file": ([call("Write", "d/closed")], [call("Write", "d/lf"), call("Read", "d/closed")]),
    "half-surrogate": ([call("Write", "c", "a\udc00")], [call("Write", "c", "\U0001f600")]),
    "past-the-end": (
        [call("Read", "d/lf", offset=3), call("Read", "d/nul", offset=2)],
        [call("Read", "d/lf", offset=2), call("Read", "d/closed", offset=1), call("Read", "d/lf")],
    ),
    "binary-file": ([call("Edit", "d/nul", "a")], [call("Edit", "d/lf", "a")]),
    "changed-content": (
        [call("Write", "d/lf")],
        [call("Write", "d/crlf"), call("Write", "d/closed"), call("Read", "d/lf")],
    ),
    "deleted-since-read": ([call("Write", "d/gone")], [call("Write", "d/c"), call("Read", "d/gone")]),
}
"""The calls that a declared refusal covers, and others that it does not cover."""


@rows("name", CALLS)
def test_a_declared_refusal_covers_only_the_calls_that_it_describes(name: str) -> None:
    state = {
        "d/crlf": RegularFile(CRLF.encode()),
        "d/lf": RegularFile(LF.encode(), 0o644),
        "d/closed": RegularFile(b"", 0o444),
        "d/nul": RegularFile(b"a\0\n"),
    }
    known = {"d/crlf": CRLF.encode(), "d/lf": b"former", "d/gone": b"a"}
    covered, others = (
        [_applies(name, MadeCall((0, 0), each, ToolResult(""), state, known)) for each in calls]
        for calls in CALLS[name]
    )
    assert (all(covered), any(others)) == (True, False), (covered, others)


def test_a_difference_before_a_declared_refusal_fails_at_its_level() -> None:
    scenario = SUITE.scenario(OLDER)
    (verdict,) = run(SUITE, "python:designed:Hashes", [CONTRACT.name], "effects", ids=[OLDER])
    assert verdict.failing == ("safe", "effects")
    file_differs = Difference(0, 0, "effects", "file x", "", "")
    earlier = replace(verdict, differences=(file_differs, *verdict.differences))
    with WorkspacePool() as place:
        outcome = replay(scenario, designed.Hashes, place)
    found = apply_refusals(earlier, scenario, CONTRACT, outcome, {"changed-content"})
    assert (found.status, found.failing, found.harms) == ("failed", ("effects",), ())
    assert {each.level for each in found.differences} >= {"effects"}
    assert "safe" not in {each.level for each in found.differences}
    at_safe = replace(earlier, level="safe")
    assert apply_refusals(at_safe, scenario, CONTRACT, outcome, {"changed-content"}).status == "unsupported"


def test_a_needless_refusal_of_changed_content_is_reported_with_a_reason() -> None:
    (verdict,) = run(SUITE, "python:designed:Hashes", [CONTRACT.name], "safe", ids=[OLDER])
    (harm,) = verdict.harms
    reason = "the file changed without a newer time, which the contracts do not notice"
    assert harm.line.startswith(f"overcautious: Edit was refused, which every contract answers ({reason}): ")


@rows(("name", "counted"), [("Declares", False), ("NotStrict", True)])
def test_a_report_counts_only_undeclared_refusals_as_overcautious(
    name: str, counted: bool, readfirst: Cli
) -> None:
    ran = readfirst("run", f"python:designed:{name}", CREATES, READ, "--level", "safe")
    assert ("not harm: overcautious 1" in ran.out, "overcautious" in ran.out) == (counted, counted)
    said = "declared refusals empty-old-text, not-utf-8: 1 scenario not claimed, in 1 rule"
    assert (said in ran.out) == (not counted)


def test_check_adapter_suggests_the_design_and_the_refusals_to_declare(readfirst: Cli) -> None:
    ended = readfirst("check-adapter", "python:designed:Literal")
    assert ended.code == 0, ended.out
    assert "design: content-checked (it edits a file that changed" in ended.out
    assert "Declare it: design = 'content-checked'" in ended.out
    assert "'inexact-old-text', 'lines-below-one', 'read-only-file', 'half-surrogate']" in ended.out
    assert ended.out.endswith("readfirst run 'python:designed:Literal' --level safe\n")
    declared = readfirst("check-adapter", "python:designed:DeclaresLiteral").out
    assert REFUSALS["read-only-file"] not in declared


def test_an_unknown_refusal_is_an_error(readfirst: Cli) -> None:
    ended = readfirst("check-adapter", "python:designed:DeclaresUnknown")
    assert f"not-utf-9. The known ones are: {', '.join(REFUSALS)}." in ended.out + ended.err


def test_the_documentation_and_the_schemas_list_all_names_of_refusals() -> None:
    page = (HERE.parents[1] / "docs" / "targets.md").read_text("utf-8")
    table = page.partition("### Declared refusals")[2].partition("### ")[0]
    assert set(re.findall(r"^\| `([a-z0-9-]+)` \|", table, re.MULTILINE)) == REFUSALS.keys()
    for name in ("target", "result"):
        schema = (SUITE.root / "schema" / f"{name}.schema.json").read_text("utf-8")
        assert json.dumps([*REFUSALS]) in schema
    assert REFUSAL_SCENARIOS.keys() == REFUSALS.keys()
