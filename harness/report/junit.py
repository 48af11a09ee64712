"""JUnit: an XML file as CI systems read it; one suite per contract and family, one case per scenario."""

from __future__ import annotations

import tempfile
from typing import IO
from xml.sax.saxutils import escape, quoteattr

from harness.baseline import Ruling
from harness.report import RunFacts
from harness.report.failure import failure_text
from harness.summary import Summary
from harness.verdict import Verdict
from harness.visible import visible

__all__ = ["JunitReport"]

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


class JunitReport:
    """Collects one family at a time and writes the file at the end, because its head counts the cases.

    Everything that XML cannot hold (control characters, lone surrogates) is written as an escape.
    """

    def __init__(self, stream: IO[str], facts: RunFacts) -> None:
        self._stream = stream
        self._facts = facts
        self._suites = tempfile.TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115 - lives until finish
        self._key: tuple[str, str] | None = None
        self._cases: list[str] = []
        self._counts = {"failures": 0, "errors": 0, "skipped": 0}
        self._totals = {"tests": 0, "failures": 0, "errors": 0, "skipped": 0}
        self._seconds = 0.0

    def verdict(self, verdict: Verdict, ruling: Ruling) -> None:
        """Take one case."""
        family, _, slug = verdict.scenario_id.partition("/")
        if self._key != (verdict.contract, family):
            self._end_suite()
            self._key = (verdict.contract, family)
        seconds = verdict.milliseconds / 1000
        self._seconds += seconds
        name = f"classname={_value(f'{verdict.contract}.{family}')} name={_value(slug)}"
        case = f'    <testcase {name} time="{seconds:.6f}"'
        body = self._body(verdict, ruling)
        self._cases.append(f"{case}>\n{body}    </testcase>\n" if body else f"{case}/>\n")

    def _body(self, verdict: Verdict, ruling: Ruling) -> str:
        if ruling.stale:
            return self._element("failure", "baseline entry out of date", visible(ruling.stale))
        if ruling.accepted:
            return self._element("skipped", f"accepted failure: {ruling.accepted}")
        match verdict.status:
            case "failed" | "broken":
                scenario = self._facts.find(verdict.scenario_id)
                text = failure_text(verdict, scenario, self._facts.commands(verdict.contract))
                if verdict.status == "broken":
                    return self._element("error", verdict.reason, text)
                first = verdict.differences[0] if verdict.differences else None
                message = f"step {first.step + 1}: {first.what} differs" if first else verdict.reason
                return self._element("failure", message, text)
            case "unsupported" | "unspecified":
                return self._element("skipped", f"{verdict.status}: {verdict.reason}")
            case _:
                return ""

    def _element(self, name: str, message: str, text: str = "") -> str:
        self._counts[{"failure": "failures", "error": "errors"}.get(name, name)] += 1
        opening = f"      <{name} message={_value(message)}"
        return f"{opening}>{escape(text)}</{name}>\n" if text else f"{opening}/>\n"

    def _end_suite(self) -> None:
        if self._key is None:
            return
        contract, family = self._key
        name = family if len(self._facts.contracts) == 1 else f"{contract} {family}"
        counts = " ".join(f'{key}="{number}"' for key, number in self._counts.items())
        self._suites.write(f'  <testsuite name={_value(name)} tests="{len(self._cases)}" {counts}>\n')
        self._suites.writelines(self._cases)
        self._suites.write("  </testsuite>\n")
        self._totals["tests"] += len(self._cases)
        for key, number in self._counts.items():
            self._totals[key] += number
            self._counts[key] = 0
        self._cases.clear()

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Write the whole file."""
        self._end_suite()
        if interrupted:
            self._key = ("", "readfirst")
            message = f"interrupted after {summary.total.scenarios} scenarios"
            self._cases = [f'    <testcase name="run">\n{self._element("error", message)}    </testcase>\n']
            self._end_suite()
        counts = " ".join(f'{key}="{number}"' for key, number in self._totals.items())
        self._stream.write(f"{_HEAD}<testsuites name={_value(f'readfirst {self._facts.name}')} {counts}")
        self._stream.write(f' time="{self._seconds:.6f}">\n')
        self._suites.seek(0)
        for line in self._suites:
            self._stream.write(line)
        self._suites.close()
        self._stream.write("</testsuites>\n")
        self._stream.flush()


def _value(text: str) -> str:
    return quoteattr(visible(text))
