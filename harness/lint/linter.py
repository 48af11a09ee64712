"""Run all checks on all scenarios of a suite: read each file once, and compare scenarios with each other."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.extension import extensions
from readfirst.harness.lint.check import Check, Stated
from readfirst.harness.lint.check_file import CheckFileJob, FileFindings, Ids
from readfirst.harness.lint.check_recording import broken, check_orphans
from readfirst.harness.lint.rule_coverage import Showing, check_rules
from readfirst.harness.run.process_pool import work_in_processes
from readfirst.harness.suite.scenario_index import DEEPEST
from readfirst.harness.suite.schema import schema_findings
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError
from readfirst.harness.yaml_io.finding import Finding, Position
from readfirst.harness.yaml_io.yaml_validation import Inspection

_DATA = ("contracts", "errors", "rules", "suite", "tags")
_WORTH_A_PROCESS = 200
"""Number of scenarios whose checks take longer than the start of a worker."""


@dataclass(frozen=True, slots=True)
class LintResult:
    """All findings in the order of ids and lines, and the contracts on which each scenario is not recorded yet.

    `scenarios` is the number of checked scenarios.
    """

    findings: tuple[Finding, ...]
    unrecorded: Mapping[str, Sequence[str]]
    scenarios: int


def lint(suite: Suite, ids: Iterable[str] | None = None) -> list[Finding]:
    """Return the findings of `walk`."""
    return list(walk(suite, ids).findings)


def walk(suite: Suite, ids: Iterable[str] | None = None, jobs: int = 1) -> LintResult:
    """Check all scenarios, in `jobs` processes if there are enough scenarios.

    With `ids` only these scenarios are read and compared with each other. Duplicate titles or steps, and rules
    without scenarios, are detected only if all are checked. References of recordings, rules and claims are
    checked only if every table can be read. Raises SuiteError if contracts.yaml, errors.yaml, rules.yaml or
    tags.yaml cannot be read.
    """
    suite.contracts, suite.vocabulary, suite.tags, suite.rules  # noqa: B018 - they must be readable first
    every, problems = suite.readable()
    known = every if ids is None else sorted(set(ids))
    with _looked(suite, _files(suite, known), jobs) as files:
        added: list[Check] = [check(suite) for check in extensions("checks").values()]
        recorded, damaged = _recordings(suite) if ids is None else ({}, ())
        shared = [] if ids is not None else [*_check_shared_files(suite), *_misplaced(suite)]
        looked = {each.scenario_id: each for file in files for each in file}
    findings = [*problems, *damaged]
    titles: dict[str, str] = {}
    prints: dict[str, str] = {}
    shown: dict[str, list[Showing]] = {}
    for each in map(looked.__getitem__, known):
        found = [*_repeated(each, titles, prints), *each.findings]
        if each.comparable is not None:
            found += (it for check in added for it in check.of_scenario(each.comparable.documented))
            shown.setdefault(each.comparable.rule, []).append(each.comparable.showing)
        findings += sorted(found, key=_place)
    if ids is None:
        findings += (*shared, *(each for check in added for each in check.findings))
    if ids is None and not problems and not damaged:
        contracts = {each.scenario_id: each.contracts for each in looked.values()}
        for part, located in recorded.items():
            findings.extend(check_orphans(part, located, contracts))

        def stated(scenario_id: str) -> Stated | None:
            suite.place(scenario_id)
            found = looked[scenario_id].comparable
            return None if found is None else found.stated

        for part in suite.parts:
            if part.rules is not None and part.has_own("rules.yaml"):
                findings.extend(check_rules(part, part.rules, shown))
        for check in added:
            findings.extend(check.of_suite(stated, shown))
    # A finding about a whole table occurs for each of its cases.
    absent = {each: looked[each].absent for each in known if looked[each].absent}
    return LintResult(tuple(dict.fromkeys(findings)), absent, len(known))


def _files(suite: Suite, ids: Iterable[str]) -> list[Ids]:
    """Return the scenarios of each file, in the order of first occurrence."""
    files: dict[Path, list[str]] = {}
    for each in ids:
        files.setdefault(suite.path(each), []).append(each)
    return [*map(tuple, files.values())]


@contextmanager
def _looked(suite: Suite, files: Sequence[Ids], jobs: int) -> Iterator[Iterable[tuple[FileFindings, ...]]]:
    """Yield the results for the scenarios of each file. Workers start immediately, while the caller continues."""
    look = CheckFileJob(suite)
    jobs = min(jobs, sum(map(len, files)) // _WORTH_A_PROCESS)
    if jobs <= 1:
        with look.open() as looked:
            yield map(looked, files)
        return
    with work_in_processes(look, files, jobs) as found:
        yield found


def _repeated(looked: FileFindings, titles: dict[str, str], prints: dict[str, str]) -> Iterator[Finding]:
    """Yield findings about values that a scenario shares with an earlier one. The first is remembered."""
    if looked.comparable is None:
        return
    scenario_id, compared = looked.scenario_id, looked.comparable
    first = titles.setdefault(compared.title.casefold(), scenario_id)
    if first != scenario_id:
        fix = "Say how this one differs, or remove one of the two."
        yield Finding("duplicate-title", compared.title_at, f"{first} has the same title", fix)
    first = prints.setdefault(compared.fingerprint, scenario_id)
    if first != scenario_id:
        message = f"{first} has the same files and the same steps"
        yield Finding("duplicate-scenario", compared.steps_at, message, "Remove one of the two.")


_Located = Sequence[tuple[str, Path]]


def _recordings(suite: Suite) -> tuple[dict[Suite, _Located], tuple[Finding, ...]]:
    """Return the ids and files of all recordings of each part, and findings about files that cannot be read."""
    try:
        return {part: part.recordings.located() for part in suite.parts}, ()
    except RecordingError as error:
        return {}, (
            broken(error, "Undo the change, or run `readfirst product record --fix` with its scenarios."),
        )


def _check_shared_files(suite: Suite) -> Iterator[Finding]:
    """Yield findings about files shared by all scenarios, which a run of the bundled suite does not check."""
    for part in suite.parts:
        for name in _DATA:
            if part.has_own(f"{name}.yaml"):
                yield from schema_findings(Inspection.of(part.root / f"{name}.yaml").document, name)


def _misplaced(suite: Suite) -> Iterator[Finding]:
    """Yield files below scenarios that are never read."""
    roots = (root / name for root in suite.roots for name in ("scenarios", "corpus"))
    below = ((root, *each) for root in roots for each in os.walk(root))
    for root, folder, folders, names in below:
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        if len(Path(folder).relative_to(root).parts) == DEEPEST - 1:
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
