"""Store evidence of failures: for each safety rule that a target breaks, its answers in a short failing scenario."""

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
from readfirst.harness.compare.level_reached import level_of, reach_holds_at
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
from readfirst.observatory.survey.compatibility import RuleScenario, json_with_cell_lines, known_scenarios
from readfirst.observatory.survey.packed_results import unpack_results
from readfirst.observatory.targets.install import cache_root

FILE = "evidence.json"
"""The name of the file that contains the evidence. It is stored next to implementations.json."""
FORMAT = 1
_MAX_REPLAYS = 10
"""A nondeterministic scenario is replayed at most this many times, until it fails."""
_RANDOM_DIRECTORIES = re.compile(r"(?<=\$TMPDIR)(?:/(?:readfirst-|tmp)[^/\s'\"]+)+")
"""Matches the names of temporary directories, which are removed from stored answers because they differ in each run."""
_MAX_STORED_CHARS = 2000
"""Maximum length of an answer or of the content of a file in evidence.json. Longer texts are cut."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a target to one call. In `text`, the path of the workspace is replaced by `$WS`."""

    text: str
    refused: bool


@dataclass(frozen=True, slots=True)
class Mismatch:
    """A difference at a step. `what` names its subject: `refused` or `file notes.txt`. `got` is the actual value."""

    what: str
    expected: str
    got: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """The answers of a target in a failing scenario, and the differences at the failing step."""

    scenario: str
    inputs: str  # digest of the scenario, which shows whether the evidence is outdated
    step: int  # number of the failing step, from 1
    answers: tuple[tuple[Answer, ...], ...]  # the answers of each step until the failing step
    found: tuple[Mismatch, ...]
    error: str = ""  # the reason if the target ended early


def failing_scenarios(
    rules: Iterable[Rule], known: Iterable[RuleScenario], result: Mapping[str, Any]
) -> dict[str, list[str]]:
    """Return the failing `known` scenarios in a target's entry `result`, by rule id, shortest first."""
    reach = unpack_results(next(iter(result.get("reach", {}).values()), {}))
    levels = {rule.id: level_of(rule.class_) for rule in rules}
    found: dict[str, list[RuleScenario]] = {rule_id: [] for rule_id in levels}
    for each in known:
        if (
            each.rule in found
            and each.id in reach
            and reach_holds_at(reach[each.id], levels[each.rule]) is False
        ):
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
    """Replay one failing scenario of each safety rule that the target `name@version` breaks, and store the answers in
    evidence.json. Stored answers are reused, except for scenarios in `again` (None: replay all). Removes answers of
    targets that are not in `order`. Raises JsonFileError, and the errors of `gather_evidence`.
    """
    with reading(
        folder / "implementations.json", f"readfirst targets implementations --write {target}"
    ) as data:
        result: Mapping[str, Any] = {each["target"]: each for each in data["targets"]}[target]
    wanted = failing_scenarios(
        suite.rules.of("safety") if suite.rules else (), known_scenarios(suite), result
    )
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
        found |= gather_evidence(suite, target, left, options)
    known = {**before, target: found}
    write_all({folder / FILE: evidence_text(known, order).encode()})
    return found


def gather_evidence(
    suite: Suite, target: str, wanted: Mapping[str, Sequence[str]], options: RunOptions
) -> dict[str, Evidence]:
    """Replay scenarios (`wanted`: ids by rule id) on a target, which is installed if necessary. Return the evidence of
    one failing scenario for each rule. Raises AdapterError, SuiteError.
    """
    found = {}
    adapter = connect(f"target:{target}", suite, options)
    with closing(traits_of(adapter)), WorkspacePool() as pool:
        for rule_id, scenario_ids in wanted.items():
            kept = _find_evidence(suite, rule_id, scenario_ids, adapter, pool)
            if kept is not None:
                found[rule_id] = kept
    return found


def _find_evidence(
    suite: Suite, rule_id: str, scenario_ids: Sequence[str], adapter: Adapter, pool: WorkspacePool
) -> Evidence | None:
    contract = suite.contracts[suite.contracts.default]
    rule = suite.rules[rule_id] if suite.rules is not None else None
    level = "effects" if rule is None else level_of(rule.class_)
    first = None
    for scenario_id in scenario_ids:
        scenario = suite.scenario(scenario_id, contract)
        for _ in range(_MAX_REPLAYS if scenario.is_nondeterministic else 1):
            outcome = replay(scenario, adapter, pool)
            judgement = judge(scenario, outcome) if scenario.invariant else None
            verdict = compare(
                scenario,
                outcome,
                contract,
                level,
                suite.vocabulary,
                None,
                judgement,
                suite.with_full_contents,
            )
            if (each := evidence_from_outcome(scenario, outcome, verdict)) is not None:
                step = scenario.steps[each.step - 1]
                if rule is None or (isinstance(step, ToolCall) and step.tool in rule.tools):
                    return each
                first = first or each
                break
    return first


def evidence_from_outcome(scenario: Scenario, outcome: Outcome, verdict: Verdict) -> Evidence | None:
    """Return the answers up to the first failing step, and the differences at this step. None if no step fails."""
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
            tuple(Answer(_storable_text(result.text), result.is_error) for result in each.results)
            for each in outcome.steps[: step + 1]
        ),
        tuple(
            Mismatch(each.what, _storable_text(each.expected), _storable_text(each.got))
            for each in differing
            if each.step == step
        ),
        "" if differing else _storable_text(verdict.reason),
    )


def _storable_text(text: str) -> str:
    """Return a text with placeholders such as `$TMPDIR` for paths of this machine, and with long texts cut."""
    for folder, name in (
        (str(cache_root()), "$INSTALL"),
        (tempfile.gettempdir(), "$TMPDIR"),
        (str(Path.home()), "~"),
    ):
        text = text.replace(folder + "/", f"{name}/")
    text = _RANDOM_DIRECTORIES.sub("", text)
    if "\0" in text and "$TMPDIR" in text:
        return "Bytes that contain paths of this machine."
    if len(text) <= _MAX_STORED_CHARS:
        return text
    return f"{text[:_MAX_STORED_CHARS]} [{len(text) - _MAX_STORED_CHARS:,} more characters]"


def load_evidence(file: Path) -> dict[str, dict[str, Evidence]]:
    """Return the evidence by target and rule id. Empty if the file is missing. Raises JsonFileError."""
    if not file.exists():
        return {}

    def evidence(answers: Any, found: Any, **fields: Any) -> Evidence:
        steps = tuple(tuple(Answer(**answer) for answer in step) for step in answers)
        return Evidence(answers=steps, found=tuple(Mismatch(**each) for each in found), **fields)

    with reading(file, "readfirst targets implementations --evidence", FORMAT) as data:
        return {
            target: {rule: evidence(**fields) for rule, fields in rules.items()}
            for target, rules in data["targets"].items()
        }


def evidence_text(known: Mapping[str, Mapping[str, Evidence]], order: Iterable[str]) -> str:
    """Return the text of evidence.json: the evidence of the targets in `order`, with one line for each rule."""
    targets = {
        target: {
            rule: {name: value for name, value in asdict(each).items() if name != "error" or value}
            for rule, each in sorted(known[target].items())
        }
        for target in order
        if target in known
    }
    return json_with_cell_lines({"format": FORMAT, "targets": targets}, json.dumps)
