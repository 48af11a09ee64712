"""Structured results: what the product hands a program beside each answer, read from `fixtures/results.json`."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.source.kept import reading

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class StructuredResult:
    """What one call gave: `case` says which call of `tool` it was, `value` is the field `tool_use_result`.

    The workspace is written in it as `$WS`. `value` is None where a version has no such field.
    """

    case: str
    tool: str
    value: Any


def results_file(root: Path) -> Path:
    """Return the file of a suite."""
    return root / "results.json"


def load_results(file: Path) -> dict[str, list[StructuredResult]]:
    """Return what each contract gave, in the order of the calls. Raises KeptError."""
    found: dict[str, list[StructuredResult]] = {}
    with reading(file, "readfirst product record --results", _FORMAT, strict=True) as data:
        for case in data["cases"]:
            for row in case["rows"]:
                for contract in row["contracts"]:
                    found.setdefault(contract, []).append(
                        StructuredResult(case["case"], case["tool"], row["result"])
                    )
    return found


def results_text(known: Mapping[str, Sequence[StructuredResult]], order: Iterable[str]) -> str:
    """Return the file with what these contracts gave, in this order: equal neighbours share a row."""
    cases: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for contract in order:
        for each in known.get(contract, ()):
            rows = cases.setdefault((each.tool, each.case), [])
            if rows and rows[-1]["result"] == each.value:
                rows[-1]["contracts"].append(contract)
            else:
                rows.append({"contracts": [contract], "result": each.value})
    listed = [{"tool": tool, "case": case, "rows": rows} for (tool, case), rows in cases.items()]
    return json.dumps({"format": _FORMAT, "cases": listed}, indent=1) + "\n"


def fields_of(results: Sequence[StructuredResult]) -> dict[str, dict[str, Any]]:
    """Return the fields of each tool's results: their types, and whether each result of the tool has them.

    A field of an object is written as `file.numLines`, one of each item of a list as `structuredPatch[].lines`; the
    result itself is the field without a name. `always` is about those results that have what a field is in.
    """
    found: dict[str, dict[str, Any]] = {}
    for tool in dict.fromkeys(each.tool for each in results):
        values = [each.value for each in results if each.tool == tool and each.value is not None]
        fields: dict[str, Any] = {}
        _describe("", values, fields)
        found[tool] = fields
    return found


def _describe(path: str, values: Sequence[Any], into: dict[str, Any], within: int | None = None) -> None:
    if not values:
        return
    into[path] = {
        "types": sorted({_type(each) for each in values}),
        "always": within is None or len(values) == within,
    }
    objects = [each for each in values if isinstance(each, dict)]
    for name in dict.fromkeys(name for each in objects for name in each):
        below = [each[name] for each in objects if name in each]
        _describe(f"{path}.{name}".lstrip("."), below, into, len(objects))
    _describe(f"{path}[]", [item for each in values if isinstance(each, list) for item in each], into)


def _type(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "integer"
        case float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"
