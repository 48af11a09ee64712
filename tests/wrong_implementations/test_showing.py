"""Readable forms of shown lines make no difference at the level `effects`. If `effects` holds, `safe` holds, too."""

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
AMBIGUOUS = "all indented"
"""A form that indents all lines.

If an answer shows only one line, it is impossible to tell whether the line itself is indented.
"""
UNREADABLE = frozenset({"crossed/places-5", "encodings/utf-32-read"})
"""Scenarios whose files contain half characters or no text, so that no form is readable."""
ALIKE = frozenset(
    f"opaque-content/{slug}"
    for slug in (
        *(
            "code-fences",
            "control-characters",
            "curly-quotes",
            "emoji-and-planes",
            "indentation",
            "look-alikes",
        ),
        *("markdown", "patches", "quoted-texts", "replacement-patterns", "shell-texts", "variables"),
    )
) | {
    *("crossed/denied-18", "quotes/backtick-is-not-folded", "read-output/escape-sequences"),
    "reported/long-text-of-many-kinds",
}
"""Scenarios whose texts contain the same characters that a form adds or removes."""
_SAMPLE = 60
"""A test checks one of this number of scenarios."""
_FAULTS_AT_ONCE = 3


@cache
def transcripts(scenario_id: str) -> dict[str, Transcript]:
    found = SUITE.recordings.of(scenario_id, SUITE.scenario(scenario_id).inputs).transcripts
    return {each.name: found[each.name] for each in SUITE.contracts if each.name in found}


def views(scenario_id: str) -> Iterator[tuple[Scenario, Contract]]:
    """Yield a scenario for each contract whose result differs from those of the contracts before."""
    seen: set[int] = set()
    for name, transcript in transcripts(scenario_id).items():
        if id(transcript) not in seen:
            seen.add(id(transcript))
            yield SUITE.scenario(scenario_id, SUITE.contracts[name]), SUITE.contracts[name]


def shown_so(scenario: Scenario, outcome: Outcome, shown: Fault) -> Outcome | None:
    """Return an outcome whose Reads show the lines in a different form. None if the outcome shows no line."""
    steps = []
    found = False
    for step, happened in zip(scenario.steps, outcome.steps, strict=True):
        results = []
        for call, result in zip(calls_of(step), happened.results, strict=True):
            lines = lines_in(result.text) if call.tool == "Read" and not result.is_error else None
            found = found or lines is not None
            results.append(result if lines is None else replace(result, text=shown(*lines)))
        steps.append(replace(happened, results=tuple(results)))
    return replace(outcome, steps=tuple(steps)) if found else None


def verdict_on(scenario: Scenario, contract: Contract, outcome: Outcome) -> Verdict:
    judgement = judge(scenario, outcome)
    refused = check_overcautious(scenario, outcome, transcripts(scenario.id).values())
    judgement = replace(judgement, harms=(*judgement.harms, *refused))
    return compare(scenario, outcome, contract, "text", SUITE.vocabulary, None, judgement, SUITE.in_full)


def levels_that_differ(verdict: Verdict) -> set[str]:
    return {each.level for each in verdict.differences}


def in_their_own_words(scenario_ids: Sequence[str]) -> list[str]:
    """Return the differences at `effects` that appear if files are shown in other readable forms.

    There should be none.
    """
    wrong = []
    for scenario_id in scenario_ids:
        scenario = SUITE.in_full(SUITE.scenario(scenario_id, CONTRACT))
        unjudged = scenario.invariant or CONTRACT.name not in transcripts(scenario_id)
        if unjudged or scenario_id in UNREADABLE | ALIKE:
            continue
        own = own_outcome(scenario, CONTRACT)
        decoded = any("\ufffd" in result.text for step in own.steps for result in step.results)
        for name, form in FORMS.items():
            # The form shows bytes, which can no longer be computed from the contract's answer.
            if decoded and name.startswith("cat -"):
                continue
            outcome = shown_so(scenario, own, form)
            if outcome is None:
                break
            verdict = verdict_on(scenario, CONTRACT, outcome)
            if {"safe", "effects"} & levels_that_differ(verdict) and not (
                name == AMBIGUOUS
                and all(
                    re.fullmatch(r"line \d+", each.expected)
                    for each in verdict.differences
                    if each.level == "effects"
                )
            ):
                wrong.append(f"{scenario_id}, {name}: {verdict.differences[0]}")
    return wrong


def in_safe_alone(scenario_ids: Sequence[str], faults: int) -> tuple[list[str], int]:
    """Return the faults in shown lines that make a difference at `safe` but not at `effects`, and the number of
    faults that make one at `effects`.
    """
    wrong, differing = [], 0
    for scenario_id in scenario_ids:
        start = zlib.crc32(scenario_id.encode())
        for scenario, contract in views(scenario_id):
            scenario = SUITE.in_full(scenario)
            if scenario.invariant:
                continue
            own = own_outcome(scenario, contract)
            names = [*FAULTS]
            for name in [names[(start + at) % len(names)] for at in range(faults)]:
                outcome = shown_so(scenario, own, FAULTS[name].shown)
                if outcome is None:
                    break
                levels = levels_that_differ(verdict_on(scenario, contract, outcome))
                differing += "effects" in levels
                if "safe" in levels and "effects" not in levels:
                    wrong.append(f"{scenario_id} on {contract.name}: {name}")
    return wrong, differing


def sample(*, of: int, salt: str = "") -> list[str]:
    return [each for each in SUITE.ids() if zlib.crc32(f"{salt}{each}".encode()) % of == 0]


def test_a_form_that_a_person_can_read_differs_in_no_effect() -> None:
    assert len(FORMS) >= 60
    assert in_their_own_words(sample(of=4 * _SAMPLE)) == []


@pytest.mark.slow
def test_no_form_differs_in_any_scenario() -> None:
    assert in_their_own_words([*SUITE.ids()]) == []


def test_where_safe_differs_effects_does_too() -> None:
    wrong, differing = in_safe_alone(sample(of=_SAMPLE), _FAULTS_AT_ONCE)
    assert wrong == []
    assert differing > 20


@pytest.mark.slow
def test_so_it_is_on_every_contract_in_every_scenario() -> None:
    wrong, differing = in_safe_alone([*SUITE.ids()], 2)
    assert wrong == []
    assert differing > 5000


def test_an_order_that_does_not_hold_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("readfirst.harness.compare.compare.unseen", lambda *_: iter(()))
    wrong, _ = in_safe_alone(["write/over-latin-1", "reported/what-was-written-is-there"], len(FAULTS))
    assert wrong


def test_a_form_that_hides_something_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(FORMS, "without the first line", lambda lines, _: "\n".join(lines[1:]))
    (found,) = in_their_own_words(["gate/write-after-read"])
    assert found.startswith("gate/write-after-read, without the first line: ")
