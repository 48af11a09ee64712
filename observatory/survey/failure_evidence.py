"""Record the answers of a target in the shortest scenario of each rule of safety that it breaks."""

import json
import re
import tempfile
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.level_reached import holds_at, level_of, unpack_results
from readfirst.harness.compare.verdict import Verdict, up_to
from readfirst.harness.harm.judge import judge
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.run.connect import connect
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.rules import Rule
from readfirst.harness.suite.scenario import Scenario, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.harness.yaml_io.json_file import reading
from readfirst.observatory.survey.compatibility import RuleScenario, known_scenarios, line_for_each
from readfirst.observatory.targets.install import cache_root

FILE = "evidence.json"
"""The name of the file with the evidence, next to implementations.json."""
FORMAT = 1
_TRIES = 10
"""Maximum number of replays of a nondeterministic scenario until it fails."""
_RANDOM = re.compile(r"(?<=\$TMPDIR)(?:/(?:readfirst-|tmp)[^/\s'\"]+)+")
"""Matches temporary directories of programs, which have a different name each time."""
_LONGEST = 2000
"""Maximum number of stored characters of an answer or of a file."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to one call of a step. `$WS` stands for the path of the workspace."""

    text: str
    refused: bool


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One difference after the failing step: its subject `what` (`refused`, `file notes.txt`), the expected value and
    the actual value (`got`).
    """

    what: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answers of a target in a failing scenario, up to the first step that fails.

    `step` is the number of that step, from 1. `answers` contains the answers of each step up to it; they are empty for
    steps without calls. `found` are the differences at that step. `error` is the reason if the target ended early.
    `inputs` is the digest of the replayed scenario.
    """

    scenario: str
    inputs: str
    step: int
    answers: tuple[tuple[Answer, ...], ...]
    found: tuple[Mismatch, ...]
    error: str = ""


def failing(
    rules: Iterable[Rule], known: Iterable[RuleScenario], result: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return the failing scenarios of a target by rule, the shortest first. Rules without a failing scenario are
    omitted.

    `result` is the target's entry in docs/implementations.json.
    """
    reach = unpack_results(next(iter(result.get("reach", {}).values()), {}))
    levels = {rule.id: level_of(rule.class_) for rule in rules}
    found: dict[str, list[RuleScenario]] = {rule_id: [] for rule_id in levels}
    for each in known:
        if each.rule in found and each.id in reach and holds_at(reach[each.id], levels[each.rule]) is False:
            found[each.rule].append(each)
    return {
        rule: [each.id for each in sorted(scenarios, key=lambda each: (each.length, each.id))]
        for rule, scenarios in found.items()
        if scenarios
    }


def keep_evidence(
    suite: Suite,
    folder: Path,
    target: str,
    order: Sequence[str],
    options: RunOptions,
    again: Container[str] | None = None,
) -> dict[str, Evidence]:
    """Replay the scenarios of safety rules that fail on the target `name@version`, store the answers in evidence.json,
    and return them by rule.

    The failing scenarios are those in implementations.json in `folder`. Stored answers are kept for scenarios that
    still fail and were not run `again` since then; None means that all were run again. The file then contains only the
    targets in `order`. Raises JsonFileError for a target without results, and the errors of `gather`.
    """
    with reading(
        folder / "implementations.json", f"readfirst targets implementations --write {target}"
    ) as data:
        result: Mapping[str, Any] = {each["target"]: each for each in data["targets"]}[target]
    wanted = failing(suite.rules.of("safety") if suite.rules else (), known_scenarios(suite), result)
    before = load_evidence(folder / FILE)
    found = {
        rule: each
        for rule, each in before.get(target, {}).items()
        if again is not None
        and each.scenario in wanted.get(rule, ())
        and each.scenario not in again
        and each.inputs == suite.scenario(each.scenario).inputs
    }
    if left := {rule: ids for rule, ids in wanted.items() if rule not in found}:
        found |= gather(suite, target, left, options)
    known = {**before, target: found}
    write_all({folder / FILE: evidence_text(known, order).encode()})
    return found


def gather(
    suite: Suite, target: str, wanted: Mapping[str, Sequence[str]], options: RunOptions
) -> dict[str, Evidence]:
    """Replay scenarios of each rule on the target `name@version`, and return one failing scenario per rule with its
    answers.

    This is the first scenario that fails in a call of a tool of the rule, otherwise the first failing scenario. A rule
    is omitted if none of its scenarios fails now. Installs the target. Raises AdapterError, SuiteError.
    """
    found = {}
    adapter = connect(f"target:{target}", suite, options)
    with closing(traits_of(adapter)), WorkspacePool() as place:
        for rule_id, scenario_ids in wanted.items():
            kept = _first(suite, rule_id, scenario_ids, adapter, place)
            if kept is not None:
                found[rule_id] = kept
    return found


def _first(
    suite: Suite, rule_id: str, scenario_ids: Sequence[str], adapter: Adapter, place: WorkspacePool
) -> Evidence | None:
    contract = suite.contracts[suite.contracts.default]
    rule = suite.rules[rule_id] if suite.rules is not None else None
    level = "effects" if rule is None else level_of(rule.class_)
    first = None
    for scenario_id in scenario_ids:
        scenario = suite.scenario(scenario_id, contract)
        for _ in range(_TRIES if scenario.is_nondeterministic else 1):
            outcome = replay(scenario, adapter, place)
            judgement = judge(scenario, outcome) if scenario.invariant else None
            verdict = compare(
                scenario, outcome, contract, level, suite.vocabulary, None, judgement, suite.in_full
            )
            if (each := evidence_of(scenario, outcome, verdict)) is not None:
                step = scenario.steps[each.step - 1]
                if rule is None or (isinstance(step, ToolCall) and step.tool in rule.tools):
                    return each
                first = first or each
                break
    return first


def evidence_of(scenario: Scenario, outcome: Outcome, verdict: Verdict) -> Evidence | None:
    """Return the answers up to the first step that fails, with the differences at that step. None if no step fails."""
    asked = up_to(verdict.level)
    differing = [each for each in verdict.differences if each.level in asked]
    if verdict.status == "passed" or (not differing and verdict.status != "error"):
        return None
    step = differing[0].step if differing else outcome.error.step if outcome.error is not None else 0
    return Evidence(
        scenario.id,
        scenario.inputs,
        step + 1,
        tuple(
            tuple(Answer(_shorten_evidence(result.text), result.is_error) for result in each.results)
            for each in outcome.steps[: step + 1]
        ),
        tuple(
            Mismatch(each.what, _shorten_evidence(each.expected), _shorten_evidence(each.got))
            for each in differing
            if each.step == step
        ),
        "" if differing else _shorten_evidence(verdict.reason),
    )


def _shorten_evidence(text: str) -> str:
    """Return the text with placeholders instead of the directories of this machine, cut to the maximum length."""
    for folder, name in (
        (str(cache_root()), "$INSTALL"),
        (tempfile.gettempdir(), "$TMPDIR"),
        (str(Path.home()), "~"),
    ):
        text = text.replace(folder + "/", f"{name}/")
    text = _RANDOM.sub("", text)
    if "\0" in text and "$TMPDIR" in text:
        return "Bytes that name folders of the machine."
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]} [{len(text) - _LONGEST:,} more characters]"


def load_evidence(file: Path) -> dict[str, dict[str, Evidence]]:
    """Return the stored evidence by target and rule. Empty if the file is missing. Raises JsonFileError."""
    if not file.exists():
        return {}
    with reading(file, "readfirst targets implementations --evidence", FORMAT) as data:
        return {
            target: {rule: _evidence_from(**fields) for rule, fields in rules.items()}
            for target, rules in data["targets"].items()
        }


def _evidence_from(answers: Any, found: Any, **fields: Any) -> Evidence:
    said = tuple(tuple(Answer(**answer) for answer in step) for step in answers)
    return Evidence(answers=said, found=tuple(Mismatch(**each) for each in found), **fields)


def evidence_text(known: Mapping[str, Mapping[str, Evidence]], order: Iterable[str]) -> str:
    """Return the evidence of the targets in `order` as JSON with one line for each rule."""
    targets = {
        target: {
            rule: {name: value for name, value in asdict(each).items() if name != "error" or value}
            for rule, each in sorted(known[target].items())
        }
        for target in order
        if target in known
    }
    return line_for_each({"format": FORMAT, "targets": targets}, json.dumps)
