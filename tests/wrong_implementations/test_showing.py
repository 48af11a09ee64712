"""Answers may show lines in any readable form at the level `effects`. A failure at `safe` also fails `effects`."""

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import pytest
from faults_of_showing import FAULTS, Fault, lines_in

from readfirst.harness.compare.compare import compare
from readfirst.harness.compare.own_outcome import own_outcome
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.harm.judge import judge
from readfirst.harness.harm.overcautious import check_overcautious
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.scenario import Scenario, calls_of
from readfirst.harness.suite.transcript import Transcript
from tests.harm.ways_to_show import NUMBERED, UNNUMBERED
from tests.judging import CONTRACT, SUITE

FORMS: dict[str, Fault] = {
    **{
        f"{name}, with numbers": lambda lines, first, form=form: form(lines, lambda at: str(at + first))
        for name, form in NUMBERED.items()
    },
    **{name: lambda lines, _first, form=form: form(lines) for name, form in UNNUMBERED.items()},
}
"""Readable forms of an answer, with and without line numbers, by name."""
INDENTED = "all indented"
"""If such an answer shows only one line, the line itself may be the indented one."""
UNREADABLE = frozenset({"crossed/places-5", "encodings/utf-32-read"})
"""Half characters or bytes that are not text. No form is readable for them."""
_OPAQUE = (
    "code-fences control-characters curly-quotes emoji-and-planes indentation look-alikes markdown patches"
)
AMBIGUOUS_TEXTS = frozenset(
    {
        *(f"opaque-content/{slug}" for slug in _OPAQUE.split()),
        *(
            f"opaque-content/{slug}"
            for slug in ("quoted-texts", "replacement-patterns", "shell-texts", "variables")
        ),
        *("crossed/denied-18", "quotes/backtick-is-not-folded", "read-output/escape-sequences"),
        "reported/long-text-of-many-kinds",
    }
)
"""Scenarios whose texts contain the characters that a form adds or removes."""


@cache
def transcripts(scenario_id: str) -> dict[str, Transcript]:
    found = SUITE.recordings.of(scenario_id, SUITE.scenario(scenario_id).inputs).transcripts
    return {each.name: found[each.name] for each in SUITE.contracts if each.name in found}


def expand_contracts(scenario_id: str) -> Iterator[tuple[Scenario, Contract]]:
    """Yield a scenario for each contract whose transcript differs from the earlier ones."""
    seen: set[int] = set()
    for name, transcript in transcripts(scenario_id).items():
        if id(transcript) not in seen:
            seen.add(id(transcript))
            yield SUITE.scenario(scenario_id, SUITE.contracts[name]), SUITE.contracts[name]


def with_form(scenario: Scenario, outcome: Outcome, form: Fault) -> Outcome | None:
    """Return an outcome with this form of every Read. None if no answer shows lines."""
    steps = []
    found = False
    for step, happened in zip(scenario.steps, outcome.steps, strict=True):
        results = []
        for call, result in zip(calls_of(step), happened.results, strict=True):
            lines = lines_in(result.text) if call.tool == "Read" and not result.is_error else None
            found = found or lines is not None
            results.append(result if lines is None else replace(result, text=form(*lines)))
        steps.append(replace(happened, results=tuple(results)))
    return replace(outcome, steps=tuple(steps)) if found else None


def judge_outcome(scenario: Scenario, contract: Contract, outcome: Outcome) -> Verdict:
    judgement = judge(scenario, outcome)
    refused = check_overcautious(scenario, outcome, transcripts(scenario.id).values())
    judgement = replace(judgement, harms=(*judgement.harms, *refused))
    return compare(
        scenario, outcome, contract, "text", SUITE.vocabulary, None, judgement, SUITE.with_full_contents
    )


def failed_levels(verdict: Verdict) -> set[str]:
    return {each.level for each in verdict.differences}


def check_forms(scenario_ids: Sequence[str]) -> list[str]:
    """Return the differences at `effects` if the contract's answers have other readable forms: none expected."""
    wrong = []
    for scenario_id in scenario_ids:
        scenario = SUITE.with_full_contents(SUITE.scenario(scenario_id, CONTRACT))
        unjudged = scenario.invariant or CONTRACT.name not in transcripts(scenario_id)
        if unjudged or scenario_id in UNREADABLE | AMBIGUOUS_TEXTS:
            continue
        own = own_outcome(scenario, CONTRACT)
        decoded = any("\ufffd" in result.text for step in own.steps for result in step.results)
        for name, form in FORMS.items():
            # The form shows bytes, which cannot be computed from the contract's answer.
            if decoded and name.startswith("cat -"):
                continue
            outcome = with_form(scenario, own, form)
            if outcome is None:
                break
            verdict = judge_outcome(scenario, CONTRACT, outcome)
            if {"safe", "effects"} & failed_levels(verdict) and not (
                name == INDENTED
                and all(
                    re.fullmatch(r"line \d+", each.expected)
                    for each in verdict.differences
                    if each.level == "effects"
                )
            ):
                wrong.append(f"{scenario_id}, {name}: {verdict.differences[0]}")
    return wrong


def check_faults(scenario_ids: Sequence[str], faults: int) -> tuple[list[str], int]:
    """Return the faults that fail `safe` but not `effects`, and the number of faults that fail `effects`."""
    wrong, differing = [], 0
    for scenario_id in scenario_ids:
        start = zlib.crc32(scenario_id.encode())
        for scenario, contract in expand_contracts(scenario_id):
            scenario = SUITE.with_full_contents(scenario)
            if scenario.invariant:
                continue
            own = own_outcome(scenario, contract)
            names = [*FAULTS]
            for name in [names[(start + at) % len(names)] for at in range(faults)]:
                outcome = with_form(scenario, own, FAULTS[name].change)
                if outcome is None:
                    break
                levels = failed_levels(judge_outcome(scenario, contract, outcome))
                differing += "effects" in levels
                if "safe" in levels and "effects" not in levels:
                    wrong.append(f"{scenario_id} on {contract.name}: {name}")
    return wrong, differing


def sample_scenarios(number: int) -> list[str]:
    """Return about one of `number` scenarios, independently of the other scenarios."""
    return [each for each in SUITE.ids() if zlib.crc32(each.encode()) % number == 0]


@pytest.mark.parametrize("number", [480, pytest.param(1, marks=pytest.mark.slow)])
def test_showing_lines_in_another_readable_form_does_not_fail_effects(number: int) -> None:
    assert len(FORMS) >= 60
    assert check_forms(sample_scenarios(number)) == []


@pytest.mark.parametrize(
    ("number", "faults", "failed"), [(120, 3, 10), pytest.param(1, 2, 5000, marks=pytest.mark.slow)]
)
def test_a_fault_in_the_shown_lines_that_fails_safe_also_fails_effects(
    number: int, faults: int, failed: int
) -> None:
    wrong, failing = check_faults(sample_scenarios(number), faults)
    assert wrong == []
    assert failing > failed


def test_the_check_reports_a_fault_that_fails_safe_but_not_effects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readfirst.harness.compare.compare.find_missing_lines", lambda *_: iter(()))
    wrong, _ = check_faults(["write/over-latin-1", "reported/what-was-written-is-there"], len(FAULTS))
    assert wrong


def test_the_check_reports_a_form_that_hides_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMS, "without the first line", lambda lines, _: "\n".join(lines[1:]))
    (difference,) = check_forms(["gate/write-after-read"])
    assert difference.startswith("gate/write-after-read, without the first line: ")
