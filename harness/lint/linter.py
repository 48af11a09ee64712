"""Run all lint checks of a suite: check each scenario file, and compare the scenarios with each other."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.extension import extensions
from readfirst.harness.lint.check import Check, RuleEvidence, Stated
from readfirst.harness.lint.check_file import CheckFileJob, FileFindings, Ids
from readfirst.harness.lint.check_recording import check_orphans, recording_finding
from readfirst.harness.lint.rule_coverage import check_rules
from readfirst.harness.run.process_pool import work_in_processes
from readfirst.harness.suite.scenario_index import MAX_DEPTH
from readfirst.harness.suite.schema import schema_findings
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordingError
from readfirst.harness.yaml_io.finding import Finding, Position
from readfirst.harness.yaml_io.yaml_validation import Inspection

_SHARED_FILES = ("contracts", "errors", "rules", "suite", "tags")
_MIN_SCENARIOS_PER_PROCESS = 200
"""Minimum number of scenarios per worker process. For fewer, starting the process takes longer than the checks."""


@dataclass(frozen=True, slots=True)
class LintResult:
    """The result of `readfirst lint`: all findings, sorted by scenario id and line. `unrecorded` contains the contracts
    without a recording, by scenario id. `scenarios` is the number of checked scenarios.
    """

    findings: tuple[Finding, ...]
    unrecorded: Mapping[str, Sequence[str]]
    scenarios: int


def lint_suite(suite: Suite, ids: Iterable[str] | None = None, jobs: int = 1) -> LintResult:
    """Check the scenarios `ids` of a suite (None: all scenarios), using `jobs` processes if there are enough scenarios.
    With `ids`, only these scenarios are read and compared with each other. Recordings, rules and claims are checked
    only if all scenario files can be read. Raises SuiteError for a damaged shared file, such as rules.yaml.
    """
    suite.check_shared_files()
    readable_ids, problems = suite.readable()
    checked_ids = readable_ids if ids is None else sorted(set(ids))
    with _check_files(suite, _group_by_file(suite, checked_ids), jobs) as files:
        extension_checks: list[Check] = [check(suite) for check in extensions("checks").values()]
        recorded, damaged = _find_recordings(suite) if ids is None else ({}, ())
        shared_findings = (
            [] if ids is not None else [*_check_shared_files(suite), *_check_misplaced_files(suite)]
        )
        results = {result.scenario_id: result for file in files for result in file}
    findings = [*problems, *damaged]
    unique_by_suite: dict[Path, tuple[dict[str, str], dict[str, str]]] = {}
    shown: dict[str, list[RuleEvidence]] = {}
    for result in map(results.__getitem__, checked_ids):
        # The same steps with another expectation are the purpose of a suite above another one.
        unique = unique_by_suite.setdefault(suite.suite_containing(result.scenario_id).root, ({}, {}))
        own_findings = [*_check_duplicates(result, *unique), *result.findings]
        if result.values is not None:
            for check in extension_checks:
                own_findings += check.check_scenario(result.values.documented)
            shown.setdefault(result.values.rule, []).append(result.values.evidence)
        findings += sorted(own_findings, key=_sort_key)
    if ids is None:
        findings += (*shared_findings, *(finding for check in extension_checks for finding in check.findings))
    if ids is None and not problems and not damaged:
        contracts = {result.scenario_id: result.contracts for result in results.values()}
        for part, located in recorded.items():
            findings.extend(check_orphans(part, located, contracts))

        def stated_calls(scenario_id: str) -> Stated | None:
            suite.location(scenario_id)
            values = results[scenario_id].values
            return None if values is None else values.stated

        for part in suite.parts:
            if part.rules is not None and part.has_own("rules.yaml"):
                copied = Suite().rules if part.is_cut_copy else None
                own = [rule for rule in part.rules if rule.position.file == part.root / "rules.yaml"]
                own = [rule for rule in own if copied is None or rule.id not in copied]
                findings.extend(check_rules(part, own, shown))
        # Rules and claims of a copy refer to scenarios that the copy may lack on purpose.
        for check in extension_checks if not suite.is_cut_copy else ():
            findings.extend(check.check_suite(stated_calls, shown))
    contracts_by_id = {name: results[name].unrecorded_contracts for name in checked_ids}
    unrecorded = {name: contracts for name, contracts in contracts_by_id.items() if contracts}
    # A finding about a whole table occurs for each of its cases.
    return LintResult(tuple(dict.fromkeys(findings)), unrecorded, len(checked_ids))


def _group_by_file(suite: Suite, ids: Iterable[str]) -> list[Ids]:
    """Group scenarios by their file. Return the ids of each group. Files are in the order of their first scenario."""
    files: dict[Path, list[str]] = {}
    for scenario_id in ids:
        files.setdefault(suite.path(scenario_id), []).append(scenario_id)
    return [*map(tuple, files.values())]


@contextmanager
def _check_files(
    suite: Suite, files: Sequence[Ids], jobs: int
) -> Iterator[Iterable[tuple[FileFindings, ...]]]:
    """Check each file, and yield the results. Worker processes start immediately, while the caller continues."""
    job = CheckFileJob(suite)
    jobs = min(jobs, sum(map(len, files)) // _MIN_SCENARIOS_PER_PROCESS)
    if jobs <= 1:
        with job.open() as check_file:
            yield map(check_file, files)
        return
    with work_in_processes(job, files, jobs) as results:
        yield results


def _check_duplicates(
    result: FileFindings, titles: dict[str, str], fingerprints: dict[str, str]
) -> Iterator[Finding]:
    """Yield findings if an earlier scenario has the same title or fingerprint as the scenario of `result`. Otherwise
    add its title and fingerprint to the mappings.
    """
    if result.values is None:
        return
    scenario_id, values = result.scenario_id, result.values
    first = titles.setdefault(values.title.casefold(), scenario_id)
    if first != scenario_id:
        fix = "Say how this one differs, or remove one of the two."
        yield Finding("duplicate-title", values.title_at, f"{first} has the same title", fix)
    first = fingerprints.setdefault(values.fingerprint, scenario_id)
    if first != scenario_id:
        message = f"{first} has the same files and the same steps"
        yield Finding("duplicate-scenario", values.steps_at, message, "Remove one of the two.")


_Located = Sequence[tuple[str, Path]]


def _find_recordings(suite: Suite) -> tuple[dict[Suite, _Located], tuple[Finding, ...]]:
    """Return the id and the file of each recording, by suite, and findings about unreadable directories and files."""
    try:
        return {part: part.recordings.located() for part in suite.parts}, ()
    except RecordingError as error:
        fix = "Undo the change, or run `readfirst product record --fix` with its scenarios."
        return {}, (recording_finding(error, fix),)


def _check_shared_files(suite: Suite) -> Iterator[Finding]:
    """Yield findings about shared files, such as rules.yaml, that do not match their schema."""
    for part in suite.parts:
        for name in _SHARED_FILES:
            if part.has_own(f"{name}.yaml"):
                yield from schema_findings(Inspection.of(part.root / f"{name}.yaml").document, name)


def _check_misplaced_files(suite: Suite) -> Iterator[Finding]:
    """Yield findings about files in scenario directories that readfirst ignores, because of their name or depth."""
    roots = (root / name for root in suite.roots for name in ("scenarios", "corpus"))
    walked = ((root, *entry) for root in roots for entry in os.walk(root))
    for root, directory, subdirectories, names in walked:
        subdirectories[:] = sorted(name for name in subdirectories if not name.startswith("."))
        if len(Path(directory).relative_to(root).parts) == MAX_DEPTH - 1:
            for name in subdirectories:
                fix = "Move its scenarios to <family>/<slug>.yaml."
                message = "files in this directory are not read: it is too deep"
                yield Finding("misplaced-file", Position(Path(directory, name), 1, 1), message, fix)
            subdirectories.clear()
        for name in sorted(names):
            if not name.startswith(".") and not name.endswith(".yaml"):
                position = Position(Path(directory, name), 1, 1)
                fix = "Rename it to <family>/<slug>.yaml, or move it elsewhere."
                yield Finding("misplaced-file", position, "this file is not read as a scenario", fix)


def _sort_key(finding: Finding) -> tuple[int, int, str]:
    return finding.position.line, finding.position.column, finding.rule
