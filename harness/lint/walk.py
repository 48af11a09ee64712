"""Walk: applies every rule to every scenario of a suite, reading each file once."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path

from readfirst.harness.claims.check import check_claims, check_documented
from readfirst.harness.claims.claims import Claims, claims_file, load_claims
from readfirst.harness.lint.belonging import (
    Showing,
    check_belonging,
    check_claimed_rules,
    check_rules,
    showing_of,
)
from readfirst.harness.lint.content import check_content, fingerprint
from readfirst.harness.lint.expectations import check_expectations
from readfirst.harness.lint.recorded import check_orphans, check_recording
from readfirst.harness.lint.source_text import check_source_text
from readfirst.harness.lint.wording import check_wording
from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import Finding, Position, SuiteError
from readfirst.harness.suite.case import Case
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.suite import DEEPEST, Suite

__all__ = ["lint"]

_Check = Callable[[Case], Iterator[Finding]]


def lint(suite: Suite, ids: Iterable[str] | None = None) -> list[Finding]:
    """Return all findings, in the order of ids and lines.

    With `ids` only these scenarios are read, and compared with each other: that another one has the same title or
    steps, or that a rule lacks scenarios, is found where all are looked at.
    Raises SuiteError where contracts.yaml, errors.yaml, rules.yaml or tags.yaml cannot be read: nothing can be judged
    then.
    """
    suite.contracts, suite.vocabulary, suite.tags, suite.rules  # noqa: B018 - they must be readable first
    known = suite.ids() if ids is None else sorted(set(ids))
    findings: list[Finding] = []
    titles: dict[str, str] = {}
    prints: dict[str, str] = {}
    shown: dict[str, list[Showing]] = {}
    claims, unreadable = _claims(suite)
    sources = None if claims is None else claims.sources
    for scenario_id in known:
        findings.extend(sorted(_scenario(suite, scenario_id, titles, prints, shown, sources), key=_place))
    if ids is None:
        findings.extend(_misplaced(suite))
        findings.extend(check_orphans(suite, frozenset(known)))
        findings.extend(unreadable if claims is None else check_claims(suite, claims))
        if suite.rules is not None:
            findings.extend(check_rules(suite, suite.rules, shown))
            findings.extend(() if claims is None else check_claimed_rules(claims, suite.rules, shown))
    return findings


def _claims(suite: Suite) -> tuple[Claims | None, tuple[Finding, ...]]:
    """Return the claims of a suite, or none and what is wrong with them; a suite may have none."""
    file = claims_file(suite.root)
    if not file.exists():
        return None, ()
    try:
        return load_claims(file), ()
    except SuiteError as error:
        return None, error.findings


def _scenario(
    suite: Suite,
    scenario_id: str,
    titles: dict[str, str],
    prints: dict[str, str],
    shown: dict[str, list[Showing]],
    sources: Collection[str] | None,
) -> Iterator[Finding]:
    """Yield what is wrong with one scenario, which is remembered for comparison.

    `sources` are those that claims have; None: nothing is claimed, so that every source may be named.
    """
    path = suite.scenarios_root / f"{scenario_id}.yaml"
    try:
        document = strict_yaml.load(strict_yaml.read(path), path)
        yield from check_source_text(document)
    except SuiteError as error:
        yield from error.findings
        return
    checks: tuple[_Check, ...] = (
        check_wording,
        check_belonging,
        check_content,
        check_expectations,
        check_recording,
    )
    try:
        scenario = scenario_from(document, scenario_id, suite.contracts, bundled=suite.bundled)
    except SuiteError as error:
        yield from error.findings
        try:
            scenario = scenario_from(
                document, scenario_id, suite.contracts, require_expect=False, bundled=suite.bundled
            )
        except SuiteError:
            return
        checks = (check_wording, check_belonging, check_content)  # only expectations are missing
    case = Case(scenario, document, suite)
    shown.setdefault(scenario.rule, []).append(showing_of(scenario))
    first = titles.setdefault(scenario.title.casefold(), scenario_id)
    if first != scenario_id:
        fix = "Say how this one differs, or remove one of the two."
        yield case.finding("duplicate-title", ("title",), f"{first} has the same title", fix)
    first = prints.setdefault(fingerprint(scenario), scenario_id)
    if first != scenario_id:
        message = f"{first} has the same files and the same steps"
        yield case.finding("duplicate-scenario", ("steps",), message, "Remove one of the two.", key=True)
    for check in checks:
        yield from check(case)
    if sources is not None:
        yield from check_documented(case, sources)


def _misplaced(suite: Suite) -> Iterator[Finding]:
    """Yield files below scenarios that nobody reads."""
    for folder, folders, names in os.walk(suite.scenarios_root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if len(Path(folder).relative_to(suite.scenarios_root).parts) == DEEPEST - 1:
            for name in folders:
                fix = "Move its scenarios to <family>/<slug>.yaml."
                message = "what lies in this folder is not read: it is too deep"
                yield Finding("misplaced-file", Position(Path(folder, name), 1, 1), message, fix)
            folders.clear()
        for name in sorted(names):
            if not name.startswith(".") and not name.endswith(".yaml"):
                position = Position(Path(folder, name), 1, 1)
                fix = "Rename it to <family>/<slug>.yaml, or move it elsewhere."
                yield Finding("misplaced-file", position, "this file is not read as a scenario", fix)


def _place(finding: Finding) -> tuple[int, int, str]:
    return finding.position.line, finding.position.column, finding.rule
