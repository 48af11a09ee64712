"""Search for `readfirst fuzz`: print each finding, write its scenario file, and sum up."""

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
from readfirst.harness.suite.scenario_writer import scenario_text, scenario_values
from readfirst.harness.terminal import console, say, say_lines, stderr
from readfirst.harness.yaml_io.atomic_write import write_all
from readfirst.observatory.fuzz.differential import Finding, Tally
from readfirst.observatory.fuzz.disagreement import Disagreement
from readfirst.observatory.fuzz.search import SearchRequest, search

_NO_RULE = "no rule"
_SHOWN_BY_NONE = "none of the scenarios that are most like it shows it"


def by_rule(findings: Sequence[Finding], rules: Rules | None) -> Iterator[str]:
    """Yield lines that list the rules that the findings probably break: by class, each with the number of findings and
    a scenario of the suite that shows the same fault.

    Rules are in the order of the suite. Findings without a rule are last.
    """
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
            too = f"the suite shows it, too: {shown}" if shown else _SHOWN_BY_NONE
            yield f"  {'':{wide}}  {name}; {too}"
    if "" in found:
        yield _NO_RULE
        yield f"  {len(found['']):{wide}}  Nothing in the suite is like it"


_ACCEPTED, _OTHER = "that the baseline accepts", "of no rule of the classes asked for"
_SHOWN = 300
_REPORT_EVERY = 1000
"""Number of steps between two progress lines of a search without a terminal."""


def perform(request: SearchRequest) -> ExitCode:
    """Search, print the findings, and return the exit code.

    Raises ConnectError, AdapterError or SuiteError. When the function ends, no process of a target is running.
    """
    suite = request.suite
    baseline = None
    if request.baseline is not None:
        baseline = load_baseline(request.baseline, suite.ids(), suite.contracts, suite.rule_ids)
    result = _Result(request, baseline)
    try:
        with result.progress, search(request) as campaign:
            result.made, result.has_started = campaign.made, True
            for finding in campaign.perform(result.report):
                result.take(finding)
            result.report()
    finally:  # an interrupted search reports its progress
        if request.level != "safe":
            say_lines(by_rule(result.findings, request.suite.rules))
        if result.agreement:
            say(result.agreement, err=True)
        if result.has_started:
            say(result.summary, err=True)
    for file in result.made.gone:
        say(f"{file}: no longer a disagreement; remove it from {request.known}")
        result.all_well = False
    if result.refused_all:
        say(f"{result.refused_all} This shows nothing about its safety.")
        result.all_well = False
    if not result.all_well:
        return ExitCode.NOT_CONFORMANT
    return ExitCode.CONFORMANT if result.made.steps else ExitCode.NOTHING


class _Result:
    """The results of a search so far: findings, counts and progress. Writes the files of findings and prints them."""

    def __init__(self, request: SearchRequest, baseline: Baseline | None) -> None:
        self._request = request
        self._baseline = baseline
        self._left_out = Counter[str]()
        self.findings: list[Finding] = []
        self.made = Tally()
        self.all_well = True
        self.has_started = False
        self.progress = _Progress(request)

    @property
    def refused_all(self) -> str:
        """A message for the level `safe` if the target refused every call that would change a file. Otherwise empty."""
        if not self.made.asked or self.made.answered:
            return ""
        asked = pluralize(self.made.asked, "call")
        return f"{self._request.target} refused each of {asked} that would change a file."

    @property
    def agreement(self) -> str:
        """A line with the share of calls whose results are equal on both sides. Empty at the level `safe`, which
        compares nothing.
        """
        calls, effects, answers = self.made.calls, self.made.other_effects, self.made.other_texts
        if not calls:
            return ""
        alike = f"{(calls - effects) / calls:.2%} agree in effects"
        if self._request.level != "effects":
            alike += f", {(calls - effects - answers) / calls:.2%} also in {self._request.level}"
        return f"Of {pluralize(calls, 'call')} {alike}."

    def report(self) -> None:
        """Show the progress of the search."""
        self.progress.made(self.made.steps, self.made.disagreed)

    def take(self, finding: Finding) -> None:
        """Write the scenario file of a finding and print the finding, unless the options exclude it."""
        if why := self._why_left_out(finding):
            self._left_out[why] += 1
        else:
            self.all_well = False
            self.findings.append(finding)
            path = _write(self._request, finding, len(self.findings))
            say_lines(_describe(finding, path, self._request.beside))

    def _why_left_out(self, finding: Finding) -> str:
        """Return the reason why a finding is not reported: the baseline accepts it, or its rule is not in a requested
        class. Empty if it is reported.
        """
        request, rules = self._request, self._request.suite.rules
        if request.classes:
            known = rules is not None and finding.rule in rules
            if not (known and rules is not None and rules[finding.rule].class_ in request.classes):
                return _OTHER
        accepted = self._baseline is not None and any(
            (subject, request.contract) in self._baseline.accepted
            for subject in (finding.shown_by, finding.rule)
        )
        return _ACCEPTED if accepted else ""

    @property
    def summary(self) -> str:
        """One line with the size of the search and the numbers of disagreements and findings."""
        request, made = self._request, self.made
        return (
            f"{made.steps} steps in {pluralize(made.scenarios, 'scenario')} "
            f"on {request.target} {'with' if request.level == 'safe' else 'and'} {request.beside}, "
            f"level {request.level}, seed {request.seed}: "
            f"{pluralize(made.disagreed, _word(request))}, "
            f"{made.explained} of them known, {pluralize(len(self.findings), 'new cause')}"
            + "".join(
                f", {pluralize(self._left_out[why], 'cause')} {why}"
                for why in (_ACCEPTED, _OTHER)
                if self._left_out[why]
            )
        )


def _word(request: SearchRequest) -> str:
    return "harmful scenario" if request.level == "safe" else "disagreement"


class _Progress(ProgressBar):
    """A progress bar on a terminal: of steps, or of seconds if the steps have no limit. Without a terminal, a line
    every 1,000 steps.
    """

    def __init__(self, request: SearchRequest) -> None:
        self._word = _word(request)
        self._steps = request.steps
        self._seconds = round(60 * request.minutes) if request.minutes is not None else 0
        self._started = time.monotonic()
        self._reported = 0
        super().__init__(console(err=True), self._seconds if self._steps is None else self._steps)

    def made(self, steps: int, disagreed: int) -> None:
        """Show the number of steps, and of scenarios with a disagreement."""
        if self._steps is None:
            self.at(min(int(time.monotonic() - self._started), self._seconds), self._seconds)
        else:
            self.at(min(steps, self._steps), self._steps)
        if not stderr().isatty() and steps // _REPORT_EVERY > self._reported:
            self._reported = steps // _REPORT_EVERY
            say(f"{steps} steps, {pluralize(disagreed, self._word)}", err=True)


def _write(request: SearchRequest, finding: Finding, number: int) -> Path:
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


def _describe(finding: Finding, path: Path, beside: str) -> Sequence[str]:
    found = finding.disagreement
    again = "" if finding.again else " (not seen a second time, so not shrunk)"
    place = f"  step {found.step + 1} of {len(finding.scenario.steps)}"
    if found.cause.level == "safe":
        return (
            f"{path}: {visible(found.cause.tool)}, {visible(found.what)}{again}",
            place,
            f"    was     {_shorten_text(found.reference)}",
            f"    is now  {_shorten_text(found.target)}",
        )
    sides = ("target", beside.removeprefix("the "))
    wide = max(map(len, sides))
    shown = f"; so does {finding.shown_by}" if finding.shown_by else ""
    return (
        f"{path}: {found.cause.in_words(beside)}{again}",
        f"{place}, {found.what}",
        f"  breaks {finding.rule}, probably{shown}" if finding.rule else "  breaks no rule that is known",
        f"    {sides[0].ljust(wide)}  {_shorten_text(found.target)}",
        f"    {sides[1].ljust(wide)}  {_shorten_text(found.reference)}",
    )


def _shorten_text(text: str) -> str:
    shown = visible(text) or "(empty)"
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}… ({len(text)} characters)"
