"""Run the search of `readfirst fuzz`, print each finding, and write the scenario file of each finding."""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from readfirst.harness.compare.baseline import Baseline, load_baseline
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.report.escape import visible
from readfirst.harness.report.progress import ProgressBar
from readfirst.harness.suite.rule_classes import CLASSES
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.scenario_writer import scenario_text
from readfirst.harness.terminal import console, say, say_lines, stderr
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.observatory.fuzz.differential import Finding, Tally
from readfirst.observatory.fuzz.disagreement import Disagreement
from readfirst.observatory.fuzz.scenario_values import scenario_values
from readfirst.observatory.fuzz.search import SearchRequest, search

_NO_RULE = "no rule"
_NO_SIMILAR_SCENARIO = "no similar scenario of the suite shows it"


def probable_rules(findings: Sequence[Finding], rules: Rules | None) -> Iterator[str]:
    """Yield lines about the probably broken rules: numbers of findings, and a scenario with the same fault."""
    if not findings:
        return
    known = {rule.id: rule for rule in rules} if rules is not None else {}
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.rule if finding.rule in known else "", []).append(finding)
    total = len(found) - ("" in found)
    yield f"Rules that are probably broken, worst first: {total}"
    wide = max(len(str(len(each))) for each in found.values())
    for class_ in CLASSES:
        names = [name for name, rule in known.items() if rule.class_ == class_ and name in found]
        if names:
            yield class_
        for name in names:
            yield f"  {len(found[name]):{wide}}  {known[name].title}"
            shown = min((each.shown_by for each in found[name] if each.shown_by), default="")
            too = f"the suite shows it, too: {shown}" if shown else _NO_SIMILAR_SCENARIO
            yield f"  {'':{wide}}  {name}; {too}"
    if "" in found:
        yield _NO_RULE
        yield f"  {len(found['']):{wide}}  No scenario of the suite is similar"


_ACCEPTED, _OTHER_CLASS = "that the baseline accepts", "whose rule is not in the requested classes"
_MAX_SHOWN_CHARS = 300
_STEPS_PER_PROGRESS_LINE = 1000
"""If the output is not a terminal, the search prints a progress line after each of this many steps."""


def perform(request: SearchRequest) -> ExitCode:
    """Run the search of `readfirst fuzz`, and print the findings. Raises ConnectError, AdapterError, SuiteError."""
    suite = request.suite
    baseline = None
    if request.baseline is not None:
        baseline = load_baseline(request.baseline, suite.ids(), suite.contracts, suite.rule_ids)
    result = _SearchResult(request, baseline)
    try:
        with result.progress, search(request) as campaign:
            result.tally, result.has_started = campaign.tally, True
            for finding in campaign.perform(result.report):
                result.add_finding(finding)
            result.report()
    finally:  # an interrupted search reports its progress
        if request.level != "safe":
            say_lines(probable_rules(result.findings, request.suite.rules))
        if result.agreement:
            say(result.agreement, err=True)
        if result.has_started:
            say(result.summary, err=True)
    for file in result.tally.gone:
        say(f"{file}: no longer a disagreement; remove it from {request.known}")
        result.all_well = False
    if result.refused_all:
        say(f"{result.refused_all} This shows nothing about its safety.")
        result.all_well = False
    if not result.all_well:
        return ExitCode.NOT_CONFORMANT
    return ExitCode.CONFORMANT if result.tally.steps else ExitCode.NOTHING


class _SearchResult:
    """Collects the findings and counts of a search, writes the files of findings, and prints the findings."""

    def __init__(self, request: SearchRequest, baseline: Baseline | None) -> None:
        self._request = request
        self._baseline = baseline
        self._omitted = Counter[str]()
        self.findings: list[Finding] = []
        self.tally = Tally()
        self.all_well = True
        self.has_started = False
        self.progress = _Progress(request)

    @property
    def refused_all(self) -> str:
        """A message if the target refused every call that would change a file (level `safe`), otherwise empty."""
        if not self.tally.changing_calls or self.tally.accepted_calls:
            return ""
        asked = pluralize(self.tally.changing_calls, "call")
        return f"{self._request.target} refused each of {asked} that would change a file."

    @property
    def agreement(self) -> str:
        """A line with the agreement of both implementations, as a share of calls. Empty at the level `safe`."""
        calls, effects, answers = self.tally.calls, self.tally.other_effects, self.tally.other_texts
        if not calls:
            return ""
        alike = f"{(calls - effects) / calls:.2%} agree in effects"
        if self._request.level != "effects":
            alike += f", {(calls - effects - answers) / calls:.2%} also in {self._request.level}"
        return f"Of {pluralize(calls, 'call')} {alike}."

    def report(self) -> None:
        """Show the numbers of steps and disagreements so far. Called after each scenario."""
        self.progress.show(self.tally.steps, self.tally.disagreed)

    def add_finding(self, finding: Finding) -> None:
        """Write and print a finding. If the baseline or the requested classes exclude it, only count it."""
        if why := self._reason_to_omit(finding):
            self._omitted[why] += 1
        else:
            self.all_well = False
            self.findings.append(finding)
            path = _write_scenario(self._request, finding, len(self.findings))
            say_lines(_finding_lines(finding, path, self._request.reference_name))

    def _reason_to_omit(self, finding: Finding) -> str:
        """Return the reason why a finding must not be reported. Empty if the finding must be reported."""
        request, rules = self._request, self._request.suite.rules
        if request.classes:
            known = rules is not None and finding.rule in rules
            if not (known and rules is not None and rules[finding.rule].class_ in request.classes):
                return _OTHER_CLASS
        accepted = self._baseline is not None and any(
            (subject, request.contract) in self._baseline.accepted
            for subject in (finding.shown_by, finding.rule)
        )
        return _ACCEPTED if accepted else ""

    @property
    def summary(self) -> str:
        """The last line of the output: the numbers of steps, scenarios, disagreements and findings."""
        request, tally = self._request, self.tally
        return (
            f"{tally.steps} steps in {pluralize(tally.scenarios, 'scenario')} "
            f"on {request.target} {'with' if request.level == 'safe' else 'and'} {request.reference_name}, "
            f"level {request.level}, seed {request.seed}: "
            f"{pluralize(tally.disagreed, _disagreement_word(request))}, "
            f"{tally.explained} of them known, {pluralize(len(self.findings), 'new cause')}"
            + "".join(
                f", {pluralize(self._omitted[why], 'cause')} {why}"
                for why in (_ACCEPTED, _OTHER_CLASS)
                if self._omitted[why]
            )
        )


def _disagreement_word(request: SearchRequest) -> str:
    return "harmful scenario" if request.level == "safe" else "disagreement"


class _Progress(ProgressBar):
    """On a terminal, a progress bar of steps or of seconds. Otherwise, a line every 1,000 steps."""

    def __init__(self, request: SearchRequest) -> None:
        self._word = _disagreement_word(request)
        self._steps = request.steps
        self._seconds = round(60 * request.minutes) if request.minutes is not None else 0
        self._started = time.monotonic()
        self._reported = 0
        super().__init__(console(err=True), self._seconds if self._steps is None else self._steps)

    def show(self, steps: int, disagreed: int) -> None:
        """Update the progress: the number of replayed steps, and the number of scenarios with a disagreement."""
        done, total = int(time.monotonic() - self._started), self._seconds
        if self._steps is not None:
            done, total = steps, self._steps
        if self._progress is not None:
            self._progress.update(self._task, completed=min(done, total), total=total)
        if not stderr().isatty() and steps // _STEPS_PER_PROGRESS_LINE > self._reported:
            self._reported = steps // _STEPS_PER_PROGRESS_LINE
            say(f"{steps} steps, {pluralize(disagreed, self._word)}", err=True)


def _write_scenario(request: SearchRequest, finding: Finding, number: int) -> Path:
    cause = finding.disagreement.cause
    words = re.sub(r"[^a-z0-9]+", "-", f"{cause.tool} {cause.reference} {cause.target}".lower()).strip("-")
    path = request.output / f"{words}-{number}.yaml"
    found = finding.disagreement
    scenario = replace(
        finding.scenario,
        id=f"fuzz/{path.stem}",
        rule=finding.rule,
        title=f"Generated sequence of {pluralize(len(finding.scenario.steps), 'step')} about {cause.tool}",
        about=_about(request, found),
    )
    write_all({path: scenario_text(scenario_values(scenario)).encode()})
    return path


def _about(request: SearchRequest, found: Disagreement) -> str:
    if found.cause.level == "safe":
        return f"Step {found.step + 1}, {_shorten_text(found.what)}. The target {request.target} does it."
    return (
        f"Step {found.step + 1}, {found.what}. The {request.against}: {_shorten_text(found.reference)} "
        f"The target {request.target}: {_shorten_text(found.target)}"
    )


def _finding_lines(finding: Finding, path: Path, reference_name: str) -> Sequence[str]:
    found, cause = finding.disagreement, finding.disagreement.cause
    again = "" if finding.again else " (a second replay did not show it, so it is not shrunk)"
    place = f"  step {found.step + 1} of {len(finding.scenario.steps)}"
    if cause.level == "safe":
        return (
            f"{path}: {visible(cause.tool)}, {visible(found.what)}{again}",
            place,
            f"    was     {_shorten_text(found.reference)}",
            f"    is now  {_shorten_text(found.target)}",
        )
    sides = ("target", reference_name.removeprefix("the "))
    wide = max(map(len, sides))
    shown = f"; so does {finding.shown_by}" if finding.shown_by else ""
    return (
        f"{path}: {cause.tool}: {cause.target} by the target, "
        f"{cause.reference} by {reference_name} ({cause.level}){again}",
        f"{place}, {found.what}",
        f"  probably breaks {finding.rule}{shown}" if finding.rule else "  breaks no known rule",
        f"    {sides[0].ljust(wide)}  {_shorten_text(found.target)}",
        f"    {sides[1].ljust(wide)}  {_shorten_text(found.reference)}",
    )


def _shorten_text(text: str) -> str:
    shown = visible(text) or "(empty)"
    return (
        shown if len(shown) <= _MAX_SHOWN_CHARS else f"{shown[:_MAX_SHOWN_CHARS]}… ({len(text)} characters)"
    )
