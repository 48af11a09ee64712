"""Write and read the JSON lines of a run: a header, one line per verdict and a footer, as in
fixtures/schema/result.schema.json. A long text is written once, in a separate line before the first verdict that refers
to it (see `contents.py`). Truncated files, without a footer, and damaged files are refused. The output is ASCII, which
can represent every text, including lone surrogates.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO, Any

from readfirst.harness.compare.baseline import BaselineResult
from readfirst.harness.compare.summary import Summary
from readfirst.harness.compare.verdict import Difference, Verdict
from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.harm.harm import Harm
from readfirst.harness.report import RunFacts
from readfirst.harness.report.contents import ContentReader, ContentWriter
from readfirst.harness.report.results import JudgedScenario, Run
from readfirst.harness.suite.recording_file import StepEncoder
from readfirst.harness.suite.schema import validator
from readfirst.harness.suite.transcript import RecordingError, TranscriptStep
from readfirst.harness.suite.transcript_loader import decode_step
from readfirst.harness.terminal import harmless_json

_MAX_STREAM_BYTES = 512 * 1024 * 1024
_MAX_DIGITS = 15
"""Maximum digits of a number of scenarios or milliseconds. Used to reject damaged files."""
_STATUSES = ("passed", "failed", "error", "unsupported", "unspecified")
_VERDICT_FIELDS = (
    *("contract", "level", "status", "blame", "reason", "milliseconds", "calls", "steps"),
    *("requirement", "rule", "length", "by_hand", "suite"),
)
"""Fields of a verdict that are written to its JSON line unchanged."""
_BASELINE_FIELDS = ("conformant", "accepted", "stale", "unclaimed", "needs_reason")
"""Fields of a baseline result that are written to the JSON line of its verdict unchanged."""


class StreamError(ReadfirstError):
    """Raised for incomplete or damaged JSON lines. The message states the line, and how to repair the file."""

    exit_code = ExitCode.ERROR

    def __init__(self, file: Path, line: int, message: str) -> None:
        super().__init__(f"{file}:{line}: {message}")


class UnreadableStreamError(ReadfirstError):
    """Raised if a file of JSON lines cannot be read, or is too large."""


def read_stream(file: Path) -> tuple[Run, ...]:
    """Return the runs in a file of JSON lines: one per contract, in the order of the file's header. Raises StreamError
    if a line is invalid, or if lines are missing. Raises UnreadableStreamError if the file cannot be opened.
    """
    try:
        with file.open("rb") as stream:
            data = stream.read(_MAX_STREAM_BYTES + 1)
        problem = f"it has more than {_MAX_STREAM_BYTES:,} bytes" if len(data) > _MAX_STREAM_BYTES else ""
    except OSError as error:
        problem = str(error.strerror)
    if problem:
        raise UnreadableStreamError(
            f"{file} cannot be read: {problem}. Name a file that --format jsonl wrote."
        )
    lines = list(_parse_lines(file, data))
    if not lines or lines[0][1]["type"] != "header":
        raise StreamError(file, 1, "this is not a result stream: it does not begin with a header.")
    number, footer = lines[-1]
    if footer["type"] != "footer":
        message = "the stream ends without its footer: the run was cut off. Run it again."
        raise StreamError(file, number, message)
    header = lines[0][1]
    verdicts = []
    contents = ContentReader()
    for number, line in lines[1:-1]:
        match line["type"]:
            case "content":
                if problem := contents.add(line):
                    raise StreamError(file, number, f"{problem}. Run it again.")
            case "verdict":
                verdicts.append((number, _resolve_contents(file, number, line, contents)))
            case other:
                message = f"a {other} in the middle. Write each run to its own file."
                raise StreamError(file, number, message)
    _check_totals(file, header, verdicts, footer, lines[-1][0])
    declared = header.get("design", ""), tuple(header.get("refuses", ()))
    return tuple(
        Run(
            header["target"],
            contract,
            header["level"],
            header["readfirst"],
            tuple(
                _parse_verdict(file, number, line, *declared)
                for number, line in verdicts
                if line["contract"] == contract
            ),
            footer["interrupted"],
            header.get("name", ""),
            suite=header.get("suite", ""),
        )
        for contract in header["contracts"]
    )


def _parse_lines(file: Path, data: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, text in enumerate(data.split(b"\n"), 1):
        if not text:
            continue
        try:
            line = json.loads(text, parse_int=_parse_count)
        except (ValueError, RecursionError) as error:  # includes bytes that are not UTF-8
            raise StreamError(
                file, number, "this line is incomplete JSON: the stream was cut off or damaged. Run it again."
            ) from error
        kind = line.get("type") if isinstance(line, dict) else None
        if kind not in ("header", "content", "verdict", "footer"):
            message = "this is not a line of a result stream (header, content, verdict, footer)."
            raise StreamError(file, number, message)
        _replace_former_status(line)
        for problem in validator("result", kind).iter_errors(line):
            problem_text = f"{problem.json_path}: {problem.message}"
            excerpt = problem_text if len(problem_text) <= 200 else f"{problem_text[:200]} [...]"
            raise StreamError(file, number, f"this {kind} does not have the expected format: {excerpt}")
        yield number, line


def _replace_former_status(line: dict[str, Any]) -> None:
    """Rename the former status `broken` to `error` in a verdict or in the counts of a footer."""
    if line.get("status") == "broken":
        line["status"] = "error"
    if "broken" in line:
        line["error"] = line.pop("broken")


def _resolve_contents(
    file: Path, number: int, line: dict[str, Any], contents: ContentReader
) -> dict[str, Any]:
    """Return a verdict's line with all texts. In the file, long texts and texts of harms are references."""
    harms = {
        (harm["step"], harm["call"], f"{harm['kind']}: {harm['what']}"): (harm["before"], harm["after"])
        for harm in line.get("harms", ())
    }
    differences = []
    for difference in line.get("differences", ()):
        key = (difference["step"], difference["call"], difference["what"])
        try:
            has_texts = all(side in difference for side in _SIDES)
            texts = [contents.text(difference[side]) for side in _SIDES] if has_texts else harms[key]
        except KeyError as error:
            if error.args[0] == key:
                message = f"no harm of this verdict has the line {difference['what']!r}. Run it again."
            else:
                message = f"no content before this verdict has the digest {error.args[0][0]}. Run it again."
            raise StreamError(file, number, message) from None
        differences.append({"blame": "implementation"} | difference | dict(zip(_SIDES, texts, strict=True)))
    return {**line, "differences": differences} if differences else line


def _parse_count(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def _check_totals(
    file: Path,
    header: dict[str, Any],
    verdicts: list[tuple[int, dict[str, Any]]],
    footer: dict[str, Any],
    last_line: int,
) -> None:
    counted = Counter(line["status"] for _, line in verdicts)
    counts = [("footer counts", footer[name], name, counted[name]) for name in _STATUSES]
    counts.insert(0, ("footer counts", footer["verdicts"], "verdicts", len(verdicts)))
    if not footer["interrupted"]:
        expected = header["scenarios"] * len(header["contracts"])
        counts.append(("header announces", expected, "verdicts", len(verdicts)))
    for source, stated, subject, actual in counts:
        if stated != actual:
            message = f"the {source} {stated} {subject}, but there are {actual}. Run it again."
            raise StreamError(file, last_line, message)
    seen: set[tuple[str, str]] = set()
    for number, line in verdicts:
        key = (line["contract"], line["scenario"])
        if key[0] not in header["contracts"]:
            raise StreamError(file, number, f"the header does not name the contract {key[0]!r}.")
        if key in seen:
            raise StreamError(file, number, f"a second verdict on {key[1]} for {key[0]}.")
        seen.add(key)


def _parse_verdict(
    file: Path, number: int, line: dict[str, Any], design: str, refuses: tuple[str, ...]
) -> JudgedScenario:
    differences = [
        Difference(**_located_fields(value, _DIFFERENCE_FIELDS), late=value.get("late", False))
        for value in line.get("differences", ())
    ]
    verdict = Verdict(
        line["scenario"],
        levels=line["levels"],
        differences=tuple(differences),
        harms=tuple(Harm(**_located_fields(value, _HARM_FIELDS)) for value in line.get("harms", ())),
        lacks=tuple(line.get("lacks", ())),
        design=design,
        refuses=refuses,
        answers=_parse_answers(file, number, line),
        **{name: line[name] for name in _VERDICT_FIELDS if name in line},
    )
    return verdict, BaselineResult(**{name: line[name] for name in _BASELINE_FIELDS if name in line})


def _parse_answers(file: Path, number: int, line: dict[str, Any]) -> dict[int, TranscriptStep]:
    packed = line.get("packed", {})
    try:
        return {step["step"] - 1: decode_step(step, packed) for step in line.get("answers", ())}
    except RecordingError as error:
        raise StreamError(file, number, str(error)) from error


def _located_fields(value: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Return the keyword arguments that create a Harm or a Difference from a JSON object: the fields `names`, and the
    numbers of the step and the call, from 0. In JSON, these numbers start from 1.
    """
    fields = {name: value[name] for name in names}
    return {"step": value["step"] - 1, "call": value["call"] - 1, **fields}


FORMAT = 4
"""Version of the JSON lines, which the header contains. Version 3, with the status `broken` for `error`, can be read.
"""
_SIDES = ("expected", "got")


class JsonlReport:
    """Report that writes each verdict as a JSON line immediately, and stores only digests of long texts."""

    def __init__(self, stream: IO[str], facts: RunFacts, version: str) -> None:
        self._stream = stream
        self._contents = ContentWriter()
        self._write_line(
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
                **({"refuses": list(facts.refuses)} if facts.refuses else {}),
                "scenarios": facts.scenarios,
            }
        )

    def verdict(self, verdict: Verdict, ruling: BaselineResult) -> None:
        """Write the JSON line of one verdict. Long texts are written first, in separate lines."""
        line: dict[str, Any] = {
            "type": "verdict",
            "scenario": verdict.scenario_id,
            **({"requirement": verdict.requirement} if verdict.requirement else {}),
            **({"rule": verdict.rule} if verdict.rule else {}),
            **({"by_hand": True} if verdict.by_hand else {}),
            **({"suite": verdict.suite} if verdict.suite else {}),
            **{name: getattr(verdict, name) for name in ("length", "contract", "level", "status")},
            "conformant": ruling.conformant,
            "levels": dict(verdict.levels),
            "calls": verdict.calls,
            "steps": verdict.steps,
            "milliseconds": round(verdict.milliseconds, 3),
        }
        harms = {(harm.step, harm.call, harm.line, harm.before, harm.after) for harm in verdict.harms}
        further: dict[str, Any] = {
            "blame": verdict.blame,
            "reason": verdict.reason,
            "accepted": ruling.accepted,
            "lacks": list(verdict.lacks),
            "unclaimed": ruling.unclaimed,
            "stale": ruling.stale,
            "needs_reason": ruling.needs_reason,
            "harms": [_located_value(harm, _HARM_FIELDS) for harm in verdict.harms],
            "differences": [
                _difference_value(each)
                if (each.step, each.call, each.what, each.expected, each.got) in harms
                else self._write_contents(each)
                for each in verdict.differences
            ],
        }
        if verdict.differences:
            encoder = StepEncoder({})
            steps = verdict.answers.items()
            further["answers"] = [{"step": index + 1, **encoder.step(step)} for index, step in steps]
            further["packed"] = encoder.packed
        line |= {name: value for name, value in further.items() if value}
        self._write_line(line)

    def _write_contents(self, difference: Difference) -> dict[str, Any]:
        """Write a difference's long texts as separate lines. Return the difference as JSON that refers to the lines."""
        line = _difference_value(difference)
        texts, contents = self._contents.reference((difference.expected, difference.got))
        for content in contents:
            self._write_line(content)
        return line | dict(zip(_SIDES, texts, strict=True))

    def finish(self, summary: Summary, *, interrupted: bool = False) -> None:
        """Write the footer. Readers use the number of verdicts in the footer to detect missing verdicts."""
        total = summary.total
        self._write_line(
            {
                "type": "footer",
                "verdicts": total.scenarios,
                **{name: getattr(total, name) for name in (*_STATUSES, "accepted")},
                "stale": len(summary.stale),
                "interrupted": interrupted,
                "exit_code": 130 if interrupted else int(summary.exit_code),
                **_server_use(summary),
            }
        )

    def _write_line(self, line: dict[str, Any]) -> None:
        self._stream.write(f"{harmless_json(line, compact=True)}\n")
        self._stream.flush()


def _server_use(summary: Summary) -> dict[str, Any]:
    """Return the field `servers` of the footer: whether, why and how often scenarios shared servers."""
    if not summary.servers:
        return {}
    isolation = summary.isolation
    decision = {"isolation": isolation.kind, "why": isolation.why} if isolation is not None else {}
    return {"servers": {**decision, "shared": summary.servers[True], "separate": summary.servers[False]}}


_HARM_FIELDS = ("kind", "path", "what", "before", "after")
_DIFFERENCE_FIELDS = ("level", "what", "expected", "got", "blame")
"""Fields of a difference in a JSON line. `_HARM_FIELDS` are the fields of a harm. A difference that describes a harm
contains no texts. A difference without `blame` is the fault of the implementation.
"""


def _located_value(item: Harm | Difference, names: Sequence[str]) -> dict[str, Any]:
    fields = {name: getattr(item, name) for name in names}
    return {"step": item.step + 1, "call": item.call + 1, **fields}


def _difference_value(difference: Difference) -> dict[str, Any]:
    line = _located_value(difference, ("level", "what"))
    if difference.blame != "implementation":
        line["blame"] = difference.blame
    if difference.late:
        line["late"] = True
    if difference.position:
        line["line"] = difference.position.line
        line["column"] = difference.position.column
    return line
