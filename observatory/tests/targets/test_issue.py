"""Texts of issues: there is one for each target and each safety rule that it breaks, and all are complete."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest

from readfirst.harness.adapter_api import NO_ANSWER, AdapterError, ToolResult, Workspace
from readfirst.harness.compare.verdict import LEVELS, Verdict
from readfirst.harness.replay.outcome import Breakage, Outcome, StepOutcome
from readfirst.harness.report.markdown_escape import cell as prose
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.json_file import JsonFileError
from readfirst.observatory.cli import targets as command
from readfirst.observatory.survey import failure_evidence as kept
from readfirst.observatory.survey.compatibility import RuleScenario
from readfirst.observatory.survey.failure_evidence import (
    Answer,
    Mismatch,
    evidence_from_outcome,
    evidence_text,
    failing_scenarios,
    gather_evidence,
    keep_evidence,
    load_evidence,
)
from readfirst.observatory.survey.issue_report import issue_text
from readfirst.observatory.survey.packed_results import pack_results
from readfirst.observatory.survey.page import HarmTally
from readfirst.observatory.survey.survey import Survey
from readfirst.observatory.targets import install
from readfirst.observatory.targets.catalogue import find, targets
from tests.command_line import Cli
from tests.rows import rows

from .issues import (
    CHECKOUT,
    DOCS,
    EVIDENCE,
    RESULTS,
    RULES,
    SUITE,
    broken_rules,
    fences,
    problems,
    report_of,
    scenario_of,
    text_of,
)

ONE_OF_EACH_KIND = ("camel-ai@0.2.90", "codex@0.169.0", "server-filesystem@2026.8.31")
TARGETS = [
    pytest.param(name, marks=() if name in ONE_OF_EACH_KIND else pytest.mark.slow) for name in sorted(RESULTS)
]


@pytest.mark.parametrize("name", TARGETS)
def test_there_is_a_whole_text_for_every_rule_of_safety_that_a_target_breaks(name: str) -> None:
    rules = [rule for target, rule in broken_rules() if target == name]
    safety = {rule for rule in rules if RULES[rule].class_ == "safety"}
    assert {*EVIDENCE[name]} >= safety
    assert {*rules} >= {*EVIDENCE[name]}
    rules = [rule for rule in rules if rule in EVIDENCE[name]]
    for rule in rules:
        text, report = text_of(name, rule), report_of(name, rule)
        assert problems(text) == [], (rule, text)
        assert prose(report.rule.why) in text
        assert all(package in text for package in (*report.target.release.pip, *report.target.release.npm))
        assert report.evidence.inputs == report.scenario.inputs, (
            f"readfirst targets implementations --evidence {name}"
        )
        assert fences(text, "shell") == [f"readfirst run target:{name} {report.scenario.id} --trace\n"]


def test_there_are_texts_of_every_kind_of_target() -> None:
    kinds = {find(name).kind for name, rules in EVIDENCE.items() if rules}
    assert kinds == {"python", "mcp", "agent"} == {find(name).kind for name in ONE_OF_EACH_KIND}


@rows(
    ("wrong", "problem"),
    [
        (lambda text: text.replace("## Expected", "## Hoped"), "its parts are others"),
        (lambda text: text.replace("## Expected", "```\n## Expected"), "it has other headings"),
        (
            lambda text: re.sub(r"(## Why it matters\n).*?(?=\n## )", r"\1", text, flags=re.DOTALL),
            "a part is empty",
        ),
        (lambda text: text.replace("$WS", "/tmp/readfirst-abcdefgh/1/s/w"), "a path of this machine: /tmp/"),
    ],
)
def test_a_text_that_is_not_whole_is_noticed(wrong: Callable[[str], str], problem: str) -> None:
    text = text_of("server-filesystem@2026.8.31", "edit-refuses-changed-file")
    assert problem in problems(wrong(text))


@pytest.fixture
def issues(readfirst: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """A function that runs `readfirst targets implementations` in the checkout, with the given arguments."""
    monkeypatch.chdir(CHECKOUT)
    return partial(readfirst, "targets", "implementations")


def test_the_command_prints_the_text_wherever_its_reader_is(
    issues: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    printed = issues("--issue", "server-filesystem", "edit-refuses-changed-file")
    assert (printed.code, printed.err) == (0, "")
    assert printed.out == text_of("server-filesystem@2026.8.31", "edit-refuses-changed-file")
    assert list(tmp_path.iterdir()) == []


@rows(
    ("words", "code", "message"),
    [
        (("agnus", "modes"), 2, "there is no target 'agnus'. Did you mean agno?"),
        (("agno@0.0.1", "modes"), 2, "agno has no version '0.0.1', only 3.1.10."),
        (("agno", "mode"), 2, "there is no rule 'mode'. Did you mean modes?"),
        (("agno", "ambiguous-match"), 5, "ambiguous-match holds for agno@3.1.10 in all 22 judged scenarios"),
        (
            ("agno", "deny-edit"),
            5,
            "agno@3.1.10 does not claim the capabilities that the scenarios of deny-edit need",
        ),
        (
            ("agno", "multi-edit-all-or-nothing"),
            5,
            "no scenario of multi-edit-all-or-nothing was judged for agno",
        ),
    ],
)
def test_what_cannot_be_reported_is_said(
    issues: Cli, words: tuple[str, str], code: int, message: str
) -> None:
    ended = issues("--issue", *words)
    assert (ended.code, ended.out) == (code, "")
    assert message in ended.err


def test_options_that_do_not_go_together_are_a_usage_error(issues: Cli) -> None:
    assert issues("agno", "--issue", "agno", "modes").code == 2
    assert issues("--write", "--evidence").code == 2


def test_results_that_are_not_there_are_asked_for(issues: Cli, tmp_path: Path) -> None:
    (tmp_path / "compatibility.json").write_text('{"rules": {}}')
    (tmp_path / "implementations.json").write_text('{"targets": []}')
    ended = issues("--issue", "agno", "modes", "--folder", str(tmp_path))
    assert ended.code == 2
    assert (
        "has no results of agno@3.1.10 for modes. Write them: readfirst targets implementations --write"
        in ended.err
    )
    (tmp_path / "compatibility.json").write_text("{")
    assert (
        "is not in the expected format" in issues("--issue", "agno", "modes", "--folder", str(tmp_path)).err
    )


@pytest.fixture
def results_folder(tmp_path: Path) -> Path:
    """A copy of the committed results with an outdated evidence.json: its digest of the scenario is wrong."""
    for name in ("compatibility.json", "implementations.json"):
        (tmp_path / name).write_bytes((DOCS / name).read_bytes())
    old = {"agno@3.1.10": {"modes": replace(EVIDENCE["agno@3.1.10"]["modes"], inputs="0" * 16)}}
    (tmp_path / "evidence.json").write_text(evidence_text(old, old))
    return tmp_path


def test_a_target_that_is_not_installed_is_not_asked(
    issues: Cli, results_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(install, "cache_root", lambda: results_folder / "cache")
    ended = issues("--issue", "agno", "modes", "--folder", str(results_folder))
    assert ended.code == 2
    assert "agno@3.1.10 is not installed. Install it" in ended.err
    assert "readfirst check-adapter target:agno@3.1.10" in ended.err


def test_evidence_of_another_scenario_is_gathered_again(
    issues: Cli, results_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[dict[str, list[str]]] = []
    now = EVIDENCE["agno@3.1.10"]["modes"]
    monkeypatch.setattr(command, "is_installed", lambda *_: True)
    failed = RuleScenario(now.scenario, "modes", 1)
    monkeypatch.setattr(command, "known_scenarios", lambda _: [failed])
    monkeypatch.setattr(
        command,
        "gather_evidence",
        lambda _suite, _name, wanted, _limit: asked.append(wanted) or {"modes": now},
    )
    assert issues("--issue", "agno", "modes", "--folder", str(results_folder)).out == text_of(
        "agno@3.1.10", "modes"
    )
    assert asked == [{"modes": [now.scenario]}]
    monkeypatch.setattr(command, "gather_evidence", lambda *_: {})
    assert (
        "agno@3.1.10 now follows modes"
        in issues("--issue", "agno", "modes", "--folder", str(results_folder)).err
    )


class Wrong:
    """An adapter that edits unread files. Its answers contain the workspace's path, which evidence must not contain."""

    reuses_paths = True

    def open(self, workspace: Workspace) -> Wrong:
        self.root = workspace.root
        return self

    def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        if tool == "Edit":
            file = Path(arguments["file_path"])
            file.write_text(file.read_text().replace(arguments["old_string"], arguments["new_string"]))
        if tool == "Read" and (file := Path(arguments["file_path"])).is_file():
            return ToolResult(file.read_text())
        return ToolResult(f"done in {self.root}")


def test_evidence_is_what_was_answered_up_to_the_step_that_does_not_hold(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(kept, "connect", lambda *_, **__: Wrong())
    monkeypatch.setattr(kept, "known_scenarios", lambda _: [RuleScenario(scenario, rule, 4)])
    scenario, rule = "staleness/edit-after-change", "edit-refuses-changed-file"
    result = {"target": "mine@1", "reach": {"2.1.7": pack_results({scenario: "nothing"})}}
    (tmp_path / "implementations.json").write_text(json.dumps({"targets": [result]}))
    found = keep_evidence(SUITE, tmp_path, "mine@1", ["mine@1"], 5)
    evidence = found[rule]
    assert (evidence.scenario, evidence.step) == (scenario, 3)
    assert evidence.answers == ((Answer("alpha\nbeta\n", False),), (), (Answer("done in $WS", False),))
    assert evidence.found[0] == Mismatch(
        "refused", "refused: modified_since_read", "not refused: done in $WS"
    )
    assert evidence.found[1] == Mismatch("file notes.txt", "alpha\nBETA\n", "gamma\nBETA\n")
    assert load_evidence(tmp_path / "evidence.json") == {"mine@1": {rule: evidence}}
    replayed: list[str] = []
    monkeypatch.setattr(
        kept, "gather_evidence", lambda _suite, _target, wanted, _limit: replayed.extend(wanted) or {}
    )
    assert keep_evidence(SUITE, tmp_path, "mine@1", ["mine@1"], 5, frozenset({"gate/edit-unread"})) == found
    assert replayed == [], "what was not run again is kept"
    keep_evidence(SUITE, tmp_path, "mine@1", ["mine@1"], 5, frozenset({scenario}))
    assert replayed == [rule]


def test_a_scenario_whose_failure_is_about_the_rule_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "connect", lambda *_, **__: Wrong())
    first, second = "staleness/failed-read-keeps-old-record", "staleness/refused-then-retried"
    wanted = {"changed-until-read-again": [first, second]}
    assert gather_evidence(SUITE, "mine@1", wanted, 5)["changed-until-read-again"].scenario == second
    assert gather_evidence(SUITE, "mine@1", {"changed-until-read-again": [first]}, 5).keys() == wanted.keys()
    assert gather_evidence(SUITE, "mine@1", {"modes": []}, 5) == {}


class Sometimes(Wrong):
    """An adapter that fails rarely: the third stopped call empties its file, other stopped calls change nothing."""

    capabilities = frozenset({"Read", "Edit", "Write", "stop"})
    stops = 0

    def call(self, tool: str, arguments: dict[str, Any]) -> ToolResult:
        if tool == "Write":
            Path(arguments["file_path"]).write_text(arguments["content"])
        return super().call(tool, arguments)

    def call_interrupted(self, tool: str, arguments: dict[str, Any], *_: object) -> ToolResult:
        self.stops += 1
        if self.stops == 3:
            Path(arguments["file_path"]).write_text("")
        return NO_ANSWER


def test_what_is_left_to_luck_is_tried_until_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    target = Sometimes()
    monkeypatch.setattr(kept, "connect", lambda *_, **__: target)
    rule = "interrupted-calls-change-nothing"
    found = gather_evidence(SUITE, "mine@1", {rule: ["interrupted/write-stopped"]}, 5)
    assert found[rule].found[0].what == "file notes.txt"
    assert target.stops == 3


def test_evidence_names_no_folder_that_is_called_otherwise_each_time() -> None:
    scenario = scenario_of("staleness/edit-after-change")
    path = f"{gettempdir()}/readfirst-k3_x/tmpab12/package/__pycache__/a.pyc"
    outcome = Outcome(scenario.id, (StepOutcome((ToolResult(f"no {path!r}"),)),), Breakage("adapter", "", 0))
    verdict = Verdict(scenario.id, "2.1.7", "effects", "error", dict.fromkeys(LEVELS, False), reason=path)
    evidence = evidence_from_outcome(scenario, outcome, verdict)
    assert evidence is not None
    assert evidence.answers[0][0].text == "no '$TMPDIR/package/__pycache__/a.pyc'"
    assert evidence.error == "$TMPDIR/package/__pycache__/a.pyc"
    compiled = replace(verdict, reason=f"\0{path}\0")
    assert evidence_from_outcome(scenario, outcome, compiled) == replace(
        evidence, error="Bytes that contain paths of this machine."
    )


def test_what_breaks_is_evidence_and_what_holds_is_none() -> None:
    scenario = scenario_of("staleness/edit-after-change")
    steps = (StepOutcome((ToolResult("x" * 3000),)), StepOutcome())
    outcome = Outcome(scenario.id, steps, Breakage("implementation", "it hung", 2))
    verdict = Verdict(
        scenario.id, "2.1.7", "effects", "error", dict.fromkeys(LEVELS, False), reason="it hung"
    )
    evidence = evidence_from_outcome(scenario, outcome, verdict)
    assert evidence is not None
    assert (evidence.step, evidence.error) == (3, "it hung")
    assert evidence.answers[0][0].text == "x" * 2000 + " [1,000 more characters]"
    text = issue_text(
        replace(report_of("agno@3.1.10", "edit-refuses-changed-file"), scenario=scenario, evidence=evidence),
        SUITE,
    )
    assert problems(text) == []
    assert "It ended early:\n\n```text\nit hung\n```" in text
    assert evidence_from_outcome(scenario, outcome, replace(verdict, status="passed")) is None


def test_the_rules_that_a_target_breaks_are_those_of_its_results() -> None:
    known = [
        RuleScenario("modes/b", "modes", 3),
        RuleScenario("modes/a", "modes", 3),
        RuleScenario("modes/c", "modes", 1),
    ]
    result = {
        "reach": {"2.1.7": pack_results({"modes/a": "nothing", "modes/b": "nothing", "modes/c": "effects"})}
    }
    assert failing_scenarios(RULES, known, result) == {"modes": ["modes/a", "modes/b"]}


def test_evidence_that_is_damaged_or_has_no_results_is_reported(tmp_path: Path) -> None:
    (tmp_path / "evidence.json").write_text('{"format": 7}')
    with pytest.raises(JsonFileError, match=r"evidence\.json has the unknown format 7\. Remove it"):
        load_evidence(tmp_path / "evidence.json")
    with pytest.raises(
        JsonFileError, match=r"cannot be read.*readfirst targets implementations --write mine@1"
    ):
        keep_evidence(SUITE, tmp_path, "mine@1", [], 5)


def test_the_committed_evidence_is_written_as_the_command_writes_it() -> None:
    order = [target.pinned for target in targets()]
    assert (DOCS / "evidence.json").read_text() == evidence_text(EVIDENCE, order)


def test_a_survey_that_is_written_keeps_the_evidence_too(
    issues: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = []
    result = {"judged": 1, "holds": dict.fromkeys(LEVELS, 1), "harm": HarmTally().data(), "unsupported": 0}
    monkeypatch.setattr(Survey, "run_all", lambda *_, **__: iter([("agno@3.1.10", result)]))
    monkeypatch.setattr(Survey, "write", lambda _, order: asked.append(order))
    monkeypatch.setattr(command, "keep_evidence", lambda *arguments: asked.append(arguments[1:3]))
    assert issues("agno", "--folder", str(tmp_path)).code == 0
    assert asked == []
    assert issues("agno", "--write", "--folder", str(tmp_path)).code == 0
    assert asked[1:] == [(tmp_path, "agno@3.1.10")]
    assert "agno@3.1.10" in asked[0]


def test_evidence_alone_is_written_for_those_that_are_named(
    issues: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def keep(_suite: Suite, folder: Path, name: str, _order: list[str], _limit: float) -> dict[str, str]:
        if name.startswith("agno-gated"):
            raise AdapterError("the target cannot be installed")
        return {"modes": str(folder)}

    monkeypatch.setattr(command, "keep_evidence", keep)
    ended = issues("--evidence", "agno", "agno-gated", "--folder", str(tmp_path))
    assert (ended.code, ended.out) == (3, "agno@3.1.10: evidence of 1 rule\n")
    assert ended.err == "agno-gated@3.1.10: the target cannot be installed\n"
