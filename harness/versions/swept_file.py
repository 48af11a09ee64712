"""Swept file: what was swept so far, `docs/sweep.json`: read strictly, written with one difference a line, merged."""

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from readfirst.harness.compare.verdict import LEVELS
from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.source.inspection import Inspection
from readfirst.harness.source.strict_yaml import YamlPath
from readfirst.harness.suite.contracts import order
from readfirst.harness.versions.sweep import Difference, Swept

FILE = "sweep.json"
_COUNTS = ("scenarios", "sequences")
_REASONS = ("unasked", "explained")
_KEYS = ("inputs", *_COUNTS, "differences", *_REASONS, "failed")
_DIFFERENCE = ("asked", "step", "tool", "level", "what", "made", "said")
_MOST = 1_000_000


class SweptFileError(SuiteError):
    """The file is not in its format."""


class MergeError(ReadfirstError):
    """Two files hold different results for one version; the message names it."""


def load_swept(path: Path) -> dict[str, Swept]:
    """Read the file, by version; empty where there is none. Raises SweptFileError (all problems) or StrictYamlError."""
    if not path.exists():
        return {}
    # JSON is YAML, and a problem then has its line.
    document = strict_yaml.load(strict_yaml.read(path), path)
    look = Inspection(document)
    top = look.mapping(document.value, (), "the file", ("versions",), required=("versions",)) or {}
    entries = look.mapping(top.get("versions", {}), ("versions",), "versions") or {}
    found = {version: _swept(look, version, entry) for version, entry in entries.items()}
    look.finish(SweptFileError)
    return found


def _swept(look: Inspection, version: str, entry: object) -> Swept:
    place = ("versions", version)
    if order(version)[0].release == (0,):
        look.note(place, f"{version!r} is not a version", "Write it as 2.1.7 or 2.1.328+gated.", key=True)
    fields = look.mapping(entry, place, version, _KEYS, ("inputs",)) or {}
    inputs = look.string(fields.get("inputs", ""), (*place, "inputs"), "inputs", empty=True) or ""
    if "failed" in fields:
        for key in fields.keys() & {*_COUNTS, "differences", *_REASONS}:
            look.note((*place, key), f"{version} failed and has {key}", "Remove one of the two.", key=True)
        return Swept(
            version, inputs, failed=look.string(fields["failed"], (*place, "failed"), "failed") or ""
        )
    counts = []
    for key in _COUNTS:
        if key not in fields:
            look.note(place, f"{version} has neither {key!r} nor 'failed'", "Sweep it again.")
        least = 1 if key == "scenarios" else 0
        counts.append(look.integer(fields.get(key, least), (*place, key), key, least=least, most=_MOST) or 0)
    listed = look.sequence(fields.get("differences", []), (*place, "differences"), "differences") or []
    unasked, explained = (look.mapping(fields.get(key, {}), (*place, key), key) or {} for key in _REASONS)
    for key, reasons in zip(_REASONS, (unasked, explained), strict=True):
        for name, why in reasons.items():
            look.string(why, (*place, key, name), f"why {name} is {key}")
    differences = tuple(
        _difference(look, (*place, "differences", number), each) for number, each in enumerate(listed)
    )
    return Swept(version, inputs, counts[0], counts[1], differences, dict(unasked), explained=dict(explained))


def _difference(look: Inspection, place: YamlPath, entry: object) -> Difference:
    fields = look.mapping(entry, place, "a difference", _DIFFERENCE, _DIFFERENCE) or {}

    def text(key: str) -> str:
        return look.string(fields.get(key, "?"), (*place, key), key) or ""

    def pair(key: str) -> tuple[str, str]:
        both = look.sequence(fields.get(key, ["?", "?"]), (*place, key), key) or []
        if len(both) != 2:
            look.note((*place, key), f"{key} must have two items", "Write the reference's first.")
            both = ["?", "?"]
        one, other = (
            look.string(each, (*place, key, number), key, empty=True) or ""
            for number, each in enumerate(both)
        )
        return one, other

    level = look.choice(fields.get("level", LEVELS[0]), (*place, "level"), "level", LEVELS)
    step = look.integer(fields.get("step", 1), (*place, "step"), "step", least=1, most=_MOST)
    return Difference(
        text("asked"),
        step or 1,
        text("tool"),
        cast("Any", level or LEVELS[0]),
        text("what"),
        pair("made"),
        pair("said"),
    )


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
