"""Swept file: what was swept so far, `docs/sweep.json`: read strictly, written with one difference a line, merged."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from readfirst.harness.compare.verdict import LEVELS
from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.source.kept import reading
from readfirst.harness.suite.contracts import order
from readfirst.harness.versions.sweep import Difference, Swept

FILE = "sweep.json"
_REASONS = ("unasked", "explained")
_DIFFERENCE = ("asked", "step", "tool", "level", "what", "made", "said")


class MergeError(ReadfirstError):
    """Two files hold different results for one version; the message names it."""


def load_swept(path: Path) -> dict[str, Swept]:
    """Read the file, by version; empty where there is none. Raises KeptError."""
    if not path.exists():
        return {}
    with reading(path, "readfirst product sweep") as data:
        return {version: _swept(version, fields) for version, fields in data["versions"].items()}


def _swept(version: str, fields: Mapping[str, Any]) -> Swept:
    """Return a version. Raises ValueError, KeyError, TypeError."""
    if order(version)[0].release == (0,):
        raise ValueError(f"{version!r} is not a version")
    if ("failed" in fields) == ("scenarios" in fields):
        raise ValueError(f"{version} has neither scenarios nor failed, or both")
    differences = tuple(map(_difference, fields.get("differences", ())))
    return Swept(version, **{**fields, "differences": differences})


def _difference(fields: Mapping[str, Any]) -> Difference:
    if fields["level"] not in LEVELS:
        raise ValueError(f"{fields['level']!r} is no level")
    (made, of_product), (said, by_product) = fields["made"], fields["said"]
    return Difference(**{**fields, "made": (made, of_product), "said": (said, by_product)})


def swept_text(found: Iterable[Swept]) -> str:
    """Return the file for these versions, oldest first."""
    entries = sorted(found, key=lambda each: order(each.version))
    lines = ",\n".join(f"    {_json(each.version)}: {_entry(each)}" for each in entries)
    return f'{{\n  "versions": {{\n{lines}\n  }}\n}}\n' if entries else '{\n  "versions": {}\n}\n'


def _entry(each: Swept) -> str:
    """Return a version on one line, but for its differences, which have a line each."""
    if each.failed:
        return _json({"inputs": each.inputs, "failed": each.failed})
    counts: dict[str, object] = {
        "inputs": each.inputs,
        "scenarios": each.scenarios,
        "sequences": each.sequences,
    }
    for key in _REASONS:
        if reasons := getattr(each, key):
            counts[key] = dict(sorted(reasons.items()))
    text = _json(counts)
    if not each.differences:
        return text
    rows = ",\n".join(f"      {_json(_fields(found))}" for found in each.differences)
    return f'{text[:-1]}, "differences": [\n{rows}\n    ]}}'


def _fields(found: Difference) -> Mapping[str, object]:
    return {key: getattr(found, key) for key in _DIFFERENCE}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def merged(files: Iterable[Mapping[str, Swept]]) -> dict[str, Swept]:
    """Return what several files hold together. What was swept wins over what failed.

    Raises MergeError where two have swept one version with different inputs or results.
    """
    together: dict[str, Swept] = {}
    for version, each in _all(files):
        there = together.get(version)
        if there is None or there.failed or there == each:
            together[version] = each
        elif not each.failed:
            raise MergeError(
                f"{version} was swept twice, with different results. Sweep it once more: "
                f"`readfirst product sweep {version} --again`, or leave one of the files out."
            )
    return together


def _all(files: Iterable[Mapping[str, Swept]]) -> Iterator[tuple[str, Swept]]:
    for each in files:
        yield from each.items()
