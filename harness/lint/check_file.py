"""Lint checks that need only one scenario file, and the data to compare it with other files."""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

from readfirst.harness.lint.check import (
    Documented,
    LintContext,
    RuleEvidence,
    Stated,
    documented_in,
    position_or_start,
    stated_in,
)
from readfirst.harness.lint.check_metadata import (
    SCHEMA_COMMENT,
    check_former_keys,
    check_metadata,
    check_schema_comment,
)
from readfirst.harness.lint.check_recording import check_recording, read_recording, unrecorded_contracts
from readfirst.harness.lint.rule_coverage import check_rule_of_scenario, rule_evidence
from readfirst.harness.lint.scenario_effects import check_effects, fingerprint
from readfirst.harness.suite.case_table import CASES, placeholders_in, read_cases, strings_in, unused_values
from readfirst.harness.suite.contract_expectations import with_expectations_of
from readfirst.harness.suite.file_entry import RegularFile, TextContent
from readfirst.harness.suite.scenario import Clause, ToolCall
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.tool_schemas import find_unknown_argument
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError
from readfirst.harness.yaml_io.strict_yaml import Document
from readfirst.harness.yaml_io.yaml_validation import did_you_mean
from readfirst.harness.yaml_io.yaml_writer import is_ambiguous

_TABLE_SCHEMA_COMMENT = "# yaml-language-server: $schema=../../schema/cases.schema.json"


def check_table(suite: Suite, file: Path) -> Iterator[Finding]:
    """Yield findings about a file that contains several scenarios (`*.cases.yaml`)."""
    try:
        document = read_cases(strict_yaml.read(file, suite=suite.root), file)
    except SuiteError as error:
        yield from error.findings
        return
    if suite.has_own("schema"):
        yield from check_schema_comment(document, _TABLE_SCHEMA_COMMENT)
    yield from check_source_text(document)
    yield from check_former_keys(document)
    for name, path in unused_values(document).items():
        others = placeholders_in(document) - set(document.value[CASES][path[1]])
        fix = did_you_mean(name, others, f"Write <{name}> where the value belongs, or remove it.")
        message = f"nothing above says <{name}>"
        yield Finding("unused-value", document.position(path, key=True), message, fix)


# Characters that some YAML readers normalise, or that are invisible. Includes a carriage return before \n.
_INVISIBLE_PATTERN = re.compile("[\r\x85\u2028\u2029\ufeff]")
_TRAILING_SPACE_PATTERN = re.compile(r"[ \t](?:\n|\Z)")
_CHARACTER_NAMES = {"\r": "a carriage return", "\ufeff": "a byte order mark"}
_YAML_ESCAPES = {"\r": r"\r", "\x85": r"\N", "\u2028": r"\L", "\u2029": r"\P", "\ufeff": r"\uFEFF"}


def check_source_text(document: Document) -> Iterator[Finding]:
    """Yield findings about the text of a scenario file: invisible bytes, spaces at line ends, and ambiguous scalars."""
    text = document.data.decode("utf-8")
    for match in _INVISIBLE_PATTERN.finditer(text):
        character = match[0]
        before = text[: match.start()]
        position = Position(
            document.file, before.count("\n") + 1, match.start() - (before.rfind("\n") + 1) + 1
        )
        name = _CHARACTER_NAMES.get(character, f"the line break U+{ord(character):04X}")
        fix = f"Write it as {_YAML_ESCAPES[character]} in a double-quoted string; end lines with \\n alone."
        yield Finding("invisible-bytes", position, f"{name} is not escaped here", fix)
    if _TRAILING_SPACE_PATTERN.search(text) or any(map(is_ambiguous, set(strings_in(document.value)))):
        yield from _check_scalars(document, text.split("\n"))


def _check_scalars(document: Document, lines: Sequence[str]) -> Iterator[Finding]:
    """Yield findings about the style of strings. Parses the file again, to find the positions of the strings."""
    for scalar in document.scalars():
        if scalar.style in ("|", ">"):
            for number in range(scalar.first_line + 1, scalar.last_line + 1):
                line = lines[number - 1] if number <= len(lines) else ""
                if line.strip() and line != line.rstrip(" \t"):
                    position = Position(document.file, number, len(line.rstrip(" \t")) + 1)
                    fix = "Write the text in double quotes, with \\n for line ends."
                    yield Finding("trailing-spaces", position, "this line of a block ends in spaces", fix)
        elif scalar.style == "" and is_ambiguous(scalar.value):
            position = Position(document.file, scalar.first_line, scalar.column)
            message = f"other YAML readers do not read {scalar.value} as a string"
            yield Finding("ambiguous-scalar", position, message, f'Quote it: "{scalar.value}".')


_Check = Callable[[LintContext], Iterator[Finding]]
_CHECKS_WITHOUT_EXPECTATIONS: tuple[_Check, ...] = (check_metadata, check_rule_of_scenario, check_effects)


@dataclass(frozen=True, slots=True)
class ComparableValues:
    """The values of a scenario that lint compares with other scenarios, with rules and with claims."""

    title: str
    title_at: Position
    fingerprint: str
    steps_at: Position
    rule: str
    evidence: RuleEvidence
    stated: Stated
    documented: Documented


@dataclass(frozen=True, slots=True)
class FileFindings:
    """The findings about one scenario, and the data for checks that compare several scenarios."""

    scenario_id: str
    findings: tuple[Finding, ...]
    values: ComparableValues | None = None
    contracts: frozenset[str] | None = None
    """The contracts in the recording of the scenario. None if the recording was not read."""
    unrecorded_contracts: tuple[str, ...] = ()
    """The contracts that the recording should contain, but lacks."""


Ids = tuple[str, ...]
"""The ids of the scenarios in one file."""


@dataclass(frozen=True, slots=True)
class CheckFileJob:
    """The job of checking scenario files, in worker processes or in this process. Each file is read only once."""

    suite: Suite

    def open(self) -> AbstractContextManager[Callable[[Ids], tuple[FileFindings, ...]]]:
        """Return a context manager that yields a function, which checks the scenarios `ids` of one file."""
        return nullcontext(self._check_file)

    def result_for_crash(self, ids: Ids, reason: str) -> tuple[FileFindings, ...]:
        """Return the findings about a file if the worker process crashed while it checked the file."""
        position = Position(self.suite.path(ids[0]), 1, 1)
        finding = Finding("unreadable", position, reason, "Lint only this file, and report the result.")
        return tuple(FileFindings(scenario_id, (finding,)) for scenario_id in ids)

    def _check_file(self, ids: Ids) -> tuple[FileFindings, ...]:
        """Check the scenarios of one file. Findings about the whole file are added to its first scenario."""
        suite = self.suite.suite_containing(ids[0])
        location = suite.location(ids[0])
        first, *others = (_check_scenario(suite, scenario_id) for scenario_id in ids)
        findings = check_table(suite, location.file) if location.case else ()
        return replace(first, findings=(*findings, *first.findings)), *others


def _check_scenario(suite: Suite, scenario_id: str) -> FileFindings:
    """Run all checks of one scenario. The scenario and its recording are read only once."""
    location = suite.location(scenario_id)
    findings: list[Finding] = []
    try:
        document = suite.document(scenario_id)
        if not location.case:
            if suite.has_own("schema"):
                findings += check_schema_comment(document, SCHEMA_COMMENT)
            findings += check_source_text(document)
            findings += check_former_keys(document)
    except SuiteError as error:
        return FileFindings(scenario_id, (*findings, *error.findings))

    try:
        scenario = suite.parse_scenario(document, scenario_id, require_expect=True)
    except SuiteError as error:
        findings += error.findings
        try:
            scenario = suite.parse_scenario(document, scenario_id, require_expect=False)
        except SuiteError:
            return FileFindings(scenario_id, tuple(findings))
        case = LintContext(scenario, document, suite)
        findings += (finding for check in _CHECKS_WITHOUT_EXPECTATIONS for finding in check(case))
        return FileFindings(scenario_id, tuple(findings), _comparable_values_of(case))
    case = LintContext(scenario, document, suite)
    recording_or_finding = read_recording(case)
    checks = (*_CHECKS_WITHOUT_EXPECTATIONS, check_expectations)
    if isinstance(recording_or_finding, Finding):
        findings += (*(finding for check in checks for finding in check(case)), recording_or_finding)
        return FileFindings(scenario_id, tuple(findings), _comparable_values_of(case), frozenset())
    recording = recording_or_finding.recording
    if location.composed and recording.inputs == case.scenario.inputs:
        name = case.scenario.contract
        transcript = recording.transcripts.get(name)
        case = replace(case, scenario=with_expectations_of(case.scenario, name, transcript))
        checks = _CHECKS_WITHOUT_EXPECTATIONS
    findings += (finding for check in checks for finding in check(case))
    findings += check_recording(case, recording_or_finding)
    return FileFindings(
        scenario_id,
        tuple(findings),
        _comparable_values_of(case),
        frozenset(recording.transcripts),
        unrecorded_contracts(case, recording),
    )


def _comparable_values_of(case: LintContext) -> ComparableValues:
    scenario, position = case.scenario, case.document.position
    return ComparableValues(
        scenario.title,
        position(("title",)),
        fingerprint(scenario),
        position(("steps",), key=True),
        scenario.rule,
        rule_evidence(scenario),
        stated_in(scenario),
        documented_in(case),
    )


_MAX_CLAUSE_CHARS = 4096
_INVALID_ARGUMENTS = "invalid_arguments"
_MACHINE_PATH_PATTERN = re.compile(r"(?<![\w./$])/(?:tmp|home|root|Users|private|var/folders)/[^\s'\"]+")


def _check_arguments(case: LintContext) -> Iterator[Finding]:
    """Yield a finding for each unknown argument in an invariant, or in a call that must be refused although its
    arguments are valid. Otherwise, a tool that refuses all unknown arguments would pass.
    """
    for call in case.scenario.calls() if not case.scenario.composed else ():
        errors = {clause.error for clause in call.expect.clauses()}
        if errors & {None, _INVALID_ARGUMENTS} or not (errors or case.scenario.invariant):
            continue
        unknown = find_unknown_argument(call.tool, call.arguments)
        if unknown is not None:
            message, suggestion = unknown
            fix = f"{suggestion} If the argument is the point, expect {_INVALID_ARGUMENTS}."
            yield Finding("unknown-argument", position_or_start(call.position, case), message, fix)


def check_expectations(case: LintContext) -> Iterator[Finding]:
    """Yield findings about expected results: unknown arguments and errors, repetitions, missing or long texts."""
    yield from _check_arguments(case)
    yield from _check_equal_clauses(case)
    vocabulary = case.suite.vocabulary
    for clause, step in case.clauses():
        position = position_or_start(clause.position, case)
        if clause.error is not None:
            if clause.error not in vocabulary:
                fix = did_you_mean(clause.error, vocabulary)
                message = f"errors.yaml has no name {clause.error!r}"
                yield Finding("unknown-error-name", position, message, fix)
            if clause.files and clause is not step.expect.recorded:
                # Recorded clauses are exempt: some versions do change a file.
                fix = "Remove files: a refused call changes nothing, and world events are known."
                yield Finding("refused-call-changes-files", position, "a refused call changes files", fix)
        is_recorded = case.suite.needs_recordings and clause is step.expect.recorded
        if isinstance(step, ToolCall) and is_recorded and clause.text is None:
            fix = "Let `readfirst product record` fill it in."
            yield Finding("missing-text", position, "a recorded clause does not state the text", fix)
        yield from _check_texts(case, clause)


def _check_equal_clauses(case: LintContext) -> Iterator[Finding]:
    """Yield a finding for each call whose `documented` result is the same as its recorded result."""
    for _, part in case.scenario.parts():
        documented, recorded = part.expect.documented, part.expect.recorded
        if documented is None or recorded is None or documented is recorded:
            continue
        values = (documented.error, documented.text, documented.files)
        if values == (recorded.error, recorded.text, recorded.files):
            line = position_or_start(documented.position, case).line
            message = f"this clause states the same as the clause in line {line}"
            fix = "Merge them, and keep documented:."
            yield Finding("same-clauses", position_or_start(recorded.position, case), message, fix)


def _check_texts(case: LintContext, clause: Clause) -> Iterator[Finding]:
    """Yield findings about texts that are too long, or that contain paths of the author's machine."""
    position = position_or_start(clause.position, case)
    texts = {"text": clause.text} if isinstance(clause.text, str) else {}
    if isinstance(clause.text, str) and len(clause.text) > _MAX_CLAUSE_CHARS:
        fix = "Write {sha256, lines, starts, ends}, as `readfirst product record` does."
        yield Finding("long-text", position, f"text has {len(clause.text):,} characters", fix)
    for path, entry in clause.files.items():
        if not isinstance(entry, RegularFile):
            continue
        content = entry.content
        if isinstance(content, TextContent):
            texts[path] = content.text
        size = len(content.text) if isinstance(content, TextContent) else len(entry.data)
        if size > _MAX_CLAUSE_CHARS:
            fix = "Write {sha256, size}, or {repeat, times}."
            yield Finding("long-text", position, f"the content of {path!r} has {size:,} characters", fix)
    for name, text in texts.items():
        match = _MACHINE_PATH_PATTERN.search(text)
        if match is not None:
            fix = "Write $WS for the workspace; record again if the product printed another path."
            yield Finding("machine-path", position, f"{name} contains the path {match[0][:60]!r}", fix)
