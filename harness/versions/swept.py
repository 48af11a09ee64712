"""Swept: what was swept so far, docs/sweep.json, read strictly and written with one difference a line; its page."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from readfirst.harness.compare.verdict import LEVELS
from readfirst.harness.counted import counted
from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.report.markup import code, document, prose, scenario_link, table
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


_NAMED = 6
"""Versions that a row names before it counts the rest."""

_Class = tuple[str, str, str, tuple[str, str]]


def sweep_page(found: Mapping[str, Swept]) -> str:
    """Return the page of what was swept."""
    return document(_page(sorted(found.values(), key=lambda each: order(each.version))))


def _page(found: Sequence[Swept]) -> Iterator[str]:
    compared = [each for each in found if not each.failed]
    yield "# Every version"
    yield (
        "Some versions of Claude Code are contracts, recorded with every scenario. What the reference does in the"
        " versions between them follows from the changes in [history.md](history.md). The sweep puts that to the test:"
        " it installs a published version, replays scenarios that show every known change and random sequences on the"
        " product and on the reference at the same version, and compares files and words after every step."
    )
    yield (
        "This page and [sweep.json](sweep.json) are written by `readfirst product sweep`;"
        " [recording.md](recording.md#every-version) says how to continue."
    )
    agree = sum(each.agrees for each in compared)
    asked = [one.asked for each in compared for one in each.differences]
    random = sum(map(_is_random, asked))
    scenarios = sum(each.scenarios for each in compared)
    sequences = sum(each.sequences for each in compared)
    yield (
        f"{counted(len(compared), 'version')} swept,"
        f" {counted(scenarios, 'scenario')} and {counted(sequences, 'sequence')} compared:"
        f" {agree} agree in everything, {len(compared) - agree} differ somewhere,"
        f" in {counted(len(asked) - random, 'scenario')} and {counted(random, 'sequence')}."
        f" {counted(len(found) - len(compared), 'more version')} could not be asked."
    )
    yield from _differences(compared)
    yield from _reasons(compared)
    yield from _versions(compared)
    yield from _failures([each for each in found if each.failed])


def _differences(compared: Sequence[Swept]) -> Iterator[str]:
    classes: dict[_Class, list[tuple[str, Difference]]] = {}
    for each in compared:
        for one in each.differences:
            what = "answer" if one.what == "answer" else "file"
            classes.setdefault((one.level, one.tool, what, one.made), []).append((each.version, one))
    if not classes:
        return
    yield "## What differs"
    yield (
        "Differences with the same tool and the same outcome on both sides, the worst level first. `done` is a success;"
        " else it is the name of the error. The example is the oldest one. Versions before the oldest contract are"
        " held to what the reference does there; what they do otherwise is not followed."
    )
    rows = []
    for (level, tool, what, made), members in sorted(
        classes.items(), key=lambda item: (_rank(item[0][0]), -len(item[1]), item[0])
    ):
        version, first = members[0]
        said = [code(text, escaped=True) for text in first.said]
        sides = f"reference {said[0]}<br>product {said[1]}"
        where = f"{version}, {_asked(first.asked)}, step {first.step}"
        names = list(dict.fromkeys(name for name, _ in members))
        outcome = made[0] if made[0] == made[1] else f"{made[0]} → {made[1]}"
        rows.append([level, f"{tool}, {what}", outcome, _named(names), f"{where}<br>{sides}"])
    yield table(["level", "differs", "reference → product", "versions", "for example"], rows)


def _reasons(compared: Sequence[Swept]) -> Iterator[str]:
    explained: dict[str, list[str]] = {}
    for each in compared:
        for asked, why in sorted(each.explained.items()):
            explained.setdefault(why, []).append(f"{each.version}, {_asked(asked)}")
    if not explained:
        return
    yield "## Why"
    yield "What somebody found out about differences that are left, each by an experiment of its own."
    yield table(["why", "where"], [[prose(why), "<br>".join(where)] for why, where in explained.items()])


def _rank(level: str) -> int:
    return [*LEVELS].index(level)  # type: ignore[arg-type]


def _versions(compared: Sequence[Swept]) -> Iterator[str]:
    if not compared:
        return
    yield "## What was swept"
    rows = []
    for each in compared:
        asked = [one.asked for one in each.differences]
        random = [name for name in asked if _is_random(name)]
        rows.append(
            [
                each.version,
                str(each.scenarios),
                ", ".join(_asked(name) for name in asked if name not in random) or "none",
                str(each.sequences),
                ", ".join(name.removeprefix("sequence ") for name in random) or "none",
                ", ".join(f"{_asked(name)} ({prose(why)})" for name, why in sorted(each.unasked.items())),
            ]
        )
    heads = ["version", "scenarios", "of them differ", "sequences", "of them differ", "not compared"]
    yield table(heads, rows)


def _failures(failed: Sequence[Swept]) -> Iterator[str]:
    if not failed:
        return
    yield "## What could not be asked"
    reasons: dict[str, list[str]] = {}
    for each in failed:
        reasons.setdefault(each.failed.replace(each.version, "VERSION"), []).append(each.version)
    yield table(
        ["versions", "why"],
        [[", ".join(versions), prose(why)] for why, versions in reasons.items()],
    )


def _is_random(name: str) -> bool:
    return name.startswith("sequence ")


def _asked(name: str) -> str:
    return name if _is_random(name) else scenario_link(name)


def _named(versions: Sequence[str]) -> str:
    shown = ", ".join(versions[:_NAMED])
    rest = len(versions) - _NAMED
    return f"{shown} and {rest} more up to {versions[-1]}" if rest > 0 else shown
