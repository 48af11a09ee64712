"""JUnit: an XML file as CI systems read it; one suite per contract and rule, the worst first, one case per scenario."""

import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from typing import IO

from readfirst.harness.compare.baseline import Ruling
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.report import RunFacts
from readfirst.harness.report.by_rule import NO_RULE, RuleResult, RuleTally, rule_title
from readfirst.harness.report.failure import failure_text
from readfirst.harness.report.visible import visible

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_COUNTED = ("failures", "errors", "skipped")
_KINDS = {"failure": "failures", "error": "errors", "skipped": "skipped"}


@dataclass(slots=True)
class _Suite:
    """The cases of one group: where each is in the temporary file, and what they are counted as."""

    places: list[tuple[int, int]] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)


class JunitReport:
    """Keeps the cases in a temporary file until the end, because suites are in the order of their harm.

    Without rules a suite is a family. Everything that XML cannot hold (control characters, lone surrogates) is written
    as an escape.
    """

    def __init__(self, stream: IO[str], facts: RunFacts) -> None:
        self._stream = stream
        self._facts = facts
        self._cases = tempfile.TemporaryFile()  # noqa: SIM115 - lives until finish
        self._suites: dict[str, dict[str, _Suite]] = {contract: {} for contract in facts.contracts}
        self._tallies = {contract: RuleTally(facts.rules) for contract in facts.contracts}
        self._seconds = 0.0

    def verdict(self, verdict: Verdict, ruling: Ruling) -> None:
        """Take one case."""
        tally = self._tallies[verdict.contract]
        tally.add(verdict, ruling)
        rules = self._facts.rules
        family, _, slug = verdict.scenario_id.partition("/")
        if rules is None:
            group, below, name = family, family, slug
        else:
            group, name = tally.rule_of(verdict), verdict.scenario_id
            below = f"{rules[group].class_}.{group}" if group else NO_RULE
        suite = self._suites[verdict.contract].setdefault(group, _Suite())
        seconds = verdict.milliseconds / 1000
        self._seconds += seconds
        attributes = f"classname={_value(f'{verdict.contract}.{below}')} name={_value(name)}"
        case = f'    <testcase {attributes} time="{seconds:.6f}"'
        body = self._body(verdict, ruling, suite) + _harms(verdict)
        self._keep(suite, f"{case}>\n{body}    </testcase>\n" if body else f"{case}/>\n")

    def _keep(self, suite: _Suite, case: str) -> None:
        data = case.encode()
        suite.places.append((self._cases.tell(), len(data)))
        self._cases.write(data)

    def _body(self, verdict: Verdict, ruling: Ruling, suite: _Suite) -> str:
        if ruling.stale:
            return _element(suite, "failure", "baseline entry out of date", visible(ruling.stale))
        if ruling.accepted:
            return _element(suite, "skipped", f"accepted failure: {ruling.accepted}")
        if ruling.unclaimed:
            return _element(suite, "failure", f"not judged, because this is not claimed: {ruling.unclaimed}")
        match verdict.status:
            case "failed" | "broken":
                scenario = self._facts.find(verdict.scenario_id)
                text = failure_text(verdict, scenario, self._facts.commands(verdict.contract))
                if verdict.status == "broken":
                    return _element(suite, "error", verdict.reason, text)
                return _element(suite, "failure", _message(verdict), text)
            case "unsupported" | "unspecified":
                return _element(suite, "skipped", f"{verdict.status}: {verdict.reason}")
            case _:
                return ""

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Write the whole file."""
        cut = _Suite()
        if interrupted:
            message = f"interrupted after {summary.total.scenarios} scenarios"
            body = _element(cut, "error", message)
            self._keep(cut, f'    <testcase name="run">\n{body}    </testcase>\n')
        suites = [suite for groups in self._suites.values() for suite in groups.values()] + [cut]
        totals: Counter[str] = sum((suite.counts for suite in suites), Counter())
        tests = sum(len(suite.places) for suite in suites)
        self._stream.write(f"{_HEAD}<testsuites name={_value(f'readfirst {self._facts.name}')}")
        self._stream.write(f' tests="{tests}" {_counts(totals)} time="{self._seconds:.6f}">\n')
        for contract, groups in self._suites.items():
            for name, suite, properties in self._ordered(contract, groups):
                self._write(
                    f"{contract} {name}" if len(self._facts.contracts) > 1 else name, suite, properties
                )
        if cut.places:
            self._write("readfirst", cut, {})
        self._cases.close()
        self._stream.write("</testsuites>\n")
        self._stream.flush()

    def _ordered(
        self, contract: str, groups: dict[str, _Suite]
    ) -> Iterator[tuple[str, _Suite, dict[str, str]]]:
        """Yield the suites of a contract with their names and properties: rules as they are ranked, or families."""
        if self._facts.rules is None:
            yield from ((family, suite, {}) for family, suite in groups.items())
            return
        for result in self._tallies[contract].results():
            name = rule_title(result)
            if result.rule is not None:
                name = f"{result.rule.class_}: {name}"
            yield name, groups[result.id], self._properties(contract, result)

    def _properties(self, contract: str, result: RuleResult) -> dict[str, str]:
        found: dict[str, str] = {}
        if result.rule is not None:
            rule = result.rule
            found = {"rule": rule.id, "class": rule.class_, "requirement": rule.requirement}
        if self._facts.design:
            found["design"] = self._facts.design
        if result.level is not None and result.shortest is not None:
            found["failing"] = f"{result.fails} of {result.judged} at {result.level}"
            found["shortest"] = result.shortest.scenario_id
            found["command"] = f"{self._facts.commands(contract).run} {result.shortest.scenario_id}"
        return found

    def _write(self, name: str, suite: _Suite, properties: dict[str, str]) -> None:
        write = self._stream.write
        write(f'  <testsuite name={_value(name)} tests="{len(suite.places)}" {_counts(suite.counts)}>\n')
        if properties:
            write("    <properties>\n")
            for key, value in properties.items():
                write(f"      <property name={_value(key)} value={_value(value)}/>\n")
            write("    </properties>\n")
        for start, length in suite.places:
            self._cases.seek(start)
            write(self._cases.read(length).decode())
        write("  </testsuite>\n")


def _message(verdict: Verdict) -> str:
    """Return why a verdict failed in one line: the harm before all other differences."""
    harm = next((each for each in verdict.differences if each.level == "safe"), None)
    first = harm or next(iter(verdict.differences), None)
    if first is None:
        return verdict.reason
    return f"step {first.step + 1}: {first.label}{'' if harm else ' differs'}"


def _harms(verdict: Verdict) -> str:
    """Return what the session harmed, also where the contract does the same, as the output of a case."""
    lines = [f"step {harm.step + 1}: {visible(harm.line)}\n" for harm in verdict.harms]
    return f"      <system-out>{escape(''.join(lines), quote=False)}</system-out>\n" if lines else ""


def _element(suite: _Suite, name: str, message: str, text: str = "") -> str:
    suite.counts[_KINDS[name]] += 1
    opening = f"      <{name} message={_value(message)}"
    return f"{opening}>{escape(text, quote=False)}</{name}>\n" if text else f"{opening}/>\n"


def _counts(counts: Counter[str]) -> str:
    return " ".join(f'{key}="{counts[key]}"' for key in _COUNTED)


def _value(text: str) -> str:
    return f'"{escape(visible(text))}"'
