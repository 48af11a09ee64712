"""Looked: what is wrong with one scenario by itself, and what its comparison with the others needs; a plain value."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from readfirst.harness.claims.check import check_documented
from readfirst.harness.lint.belonging import Showing, check_belonging, showing_of
from readfirst.harness.lint.content import check_content, fingerprint
from readfirst.harness.lint.expectations import check_expectations
from readfirst.harness.lint.recorded import absent, check_recording, recorded
from readfirst.harness.lint.source_text import check_source_text
from readfirst.harness.lint.wording import check_wording
from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import Finding, Position, SuiteError
from readfirst.harness.suite.case import Case
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite

__all__ = ["Comparable", "Look", "Looked", "look_at"]

_Check = Callable[[Case], Iterator[Finding]]
_WITHOUT_EXPECTATIONS: tuple[_Check, ...] = (check_wording, check_belonging, check_content)


@dataclass(frozen=True, slots=True)
class Comparable:
    """What no two scenarios may have in common, with where it stands, and what a rule is shown by."""

    title: str
    title_at: Position
    fingerprint: str
    steps_at: Position
    rule: str
    showing: Showing


@dataclass(frozen=True, slots=True)
class Looked:
    """`contracts` are those of the recording, None where nobody looked; `absent` those that it lacks."""

    scenario_id: str
    findings: tuple[Finding, ...]
    comparable: Comparable | None = None
    contracts: frozenset[str] | None = None
    absent: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Look:
    """Looks at scenarios in a worker process. `sources` are as for `look_at`."""

    fixtures: Path
    sources: Collection[str] | None = field(default=None)

    def open(self) -> AbstractContextManager[Callable[[str], Looked]]:
        """Read the suite once for all scenarios of a worker."""
        suite = Suite(self.fixtures)
        return nullcontext(lambda scenario_id: look_at(suite, scenario_id, self.sources))

    def lost(self, scenario_id: str, reason: str) -> Looked:
        """Return the finding about a file that ends whoever reads it."""
        position = Position(Suite(self.fixtures).path(scenario_id), 1, 1)
        finding = Finding("unreadable", position, reason, "Lint this file alone, and report what happens.")
        return Looked(scenario_id, (finding,))


def look_at(suite: Suite, scenario_id: str, sources: Collection[str] | None) -> Looked:
    """Look at one scenario, reading it and its recording once.

    `sources` are those that claims have; None: nothing is claimed, so that every source may be named.
    """
    path = suite.scenarios_root / f"{scenario_id}.yaml"
    found: list[Finding] = []
    try:
        document = strict_yaml.load(strict_yaml.read(path, suite=suite.root), path)
        found += check_source_text(document)
    except SuiteError as error:
        return Looked(scenario_id, (*found, *error.findings))

    def scenario(*, require_expect: bool) -> Scenario:
        return scenario_from(
            document, scenario_id, suite.contracts, require_expect=require_expect, bundled=suite.bundled
        )

    try:
        case = Case(scenario(require_expect=True), document, suite)
    except SuiteError as error:
        found += error.findings
        try:
            case = Case(scenario(require_expect=False), document, suite)
        except SuiteError:
            return Looked(scenario_id, tuple(found))
        found += (each for check in _WITHOUT_EXPECTATIONS for each in check(case))
        found += () if sources is None else check_documented(case, sources)
        return Looked(scenario_id, tuple(found), _comparable(case))
    recording = recorded(case)
    found += (each for check in (*_WITHOUT_EXPECTATIONS, check_expectations) for each in check(case))
    found += check_recording(case, recording)
    found += () if sources is None else check_documented(case, sources)
    if isinstance(recording, Finding):
        return Looked(scenario_id, tuple(found), _comparable(case), frozenset())
    return Looked(
        scenario_id,
        tuple(found),
        _comparable(case),
        frozenset(recording.transcripts),
        absent(case, recording),
    )


def _comparable(case: Case) -> Comparable:
    scenario, position = case.scenario, case.document.position
    return Comparable(
        scenario.title,
        position(("title",)),
        fingerprint(scenario),
        position(("steps",), key=True),
        scenario.rule,
        showing_of(scenario),
    )
