"""JSON lines: a header, one line per verdict, a footer; described by fixtures/schema/result.schema.json.

A stream without its footer was cut off. Output is ASCII, so every text survives, lone surrogates included.
"""

from collections.abc import Sequence
from typing import IO, Any

from readfirst.harness.compare.baseline import Ruling
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.harm.harm import Harm
from readfirst.harness.printed import harmless_json
from readfirst.harness.report import RunFacts

FORMAT = 1


class JsonlReport:
    """Writes each verdict as it comes; keeps nothing."""

    def __init__(self, stream: IO[str], facts: RunFacts, version: str) -> None:
        self._stream = stream
        self._write(
            {
                "type": "header",
                "format": FORMAT,
                "readfirst": version,
                **({"suite": facts.suite} if facts.suite else {}),
                "target": facts.target,
                "name": facts.name,
                "contracts": list(facts.contracts),
                "level": facts.level,
                **({"design": facts.design} if facts.design else {}),
                "scenarios": facts.scenarios,
            }
        )

    def verdict(self, verdict: Verdict, ruling: Ruling) -> None:
        """Write one line."""
        line: dict[str, Any] = {
            "type": "verdict",
            "scenario": verdict.scenario_id,
            **({"requirement": verdict.requirement} if verdict.requirement else {}),
            **({"rule": verdict.rule} if verdict.rule else {}),
            "length": verdict.length,
            "contract": verdict.contract,
            "level": verdict.level,
            "status": verdict.status,
            "conformant": ruling.conformant,
            "levels": dict(verdict.levels),
            "calls": verdict.calls,
            "steps": verdict.steps,
            "milliseconds": round(verdict.milliseconds, 3),
        }
        if verdict.blame:
            line["blame"] = verdict.blame
        if verdict.reason:
            line["reason"] = verdict.reason
        if ruling.accepted:
            line["accepted"] = ruling.accepted
        if verdict.lacks:
            line["lacks"] = list(verdict.lacks)
        if ruling.unclaimed:
            line["unclaimed"] = ruling.unclaimed
        if ruling.stale:
            line["stale"] = ruling.stale
        if verdict.harms:
            line["harms"] = [_written(harm, OF_A_HARM) for harm in verdict.harms]
        if verdict.differences:
            line["differences"] = [_difference(difference) for difference in verdict.differences]
        self._write(line)

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Write the footer; it counts the verdicts, so a reader can tell that none is missing."""
        total = summary.total
        self._write(
            {
                "type": "footer",
                "verdicts": total.scenarios,
                "passed": total.passed,
                "failed": total.failed,
                "broken": total.broken,
                "unsupported": total.unsupported,
                "unspecified": total.unspecified,
                "accepted": total.accepted,
                "stale": len(summary.stale),
                "interrupted": interrupted,
                "exit_code": 130 if interrupted else int(summary.exit_code),
            }
        )

    def _write(self, line: dict[str, Any]) -> None:
        self._stream.write(f"{harmless_json(line)}\n")
        self._stream.flush()


OF_A_HARM = ("kind", "path", "what", "before", "after")
OF_A_DIFFERENCE = ("level", "what", "expected", "got", "blame")
"""The fields of a harm and of a difference that are written as they are; steps and calls count from 1 in a stream."""


def _written(found: Harm | Difference, names: Sequence[str]) -> dict[str, Any]:
    return {
        "step": found.step + 1,
        "call": found.call + 1,
        **{name: getattr(found, name) for name in names},
    }


def _difference(difference: Difference) -> dict[str, Any]:
    line = _written(difference, OF_A_DIFFERENCE)
    if difference.late:
        line["late"] = True
    if difference.position:
        line["line"] = difference.position.line
        line["column"] = difference.position.column
    return line
