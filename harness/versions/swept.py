"""Swept: what was swept so far, docs/sweep.json, read strictly and written with one difference a line; its page."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from readfirst.harness.compare.verdict import LEVELS, Level
from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.report.markup import code, markdown, prose, scenario_link
from readfirst.harness.source.kept import reading
from readfirst.harness.suite.contracts import order
from readfirst.harness.versions.sweep import Difference, Swept

FILE = "sweep.json"
_REASONS = ("unasked", "explained")


class MergeError(ReadfirstError):
    """Two files hold different results for one version; the message names it."""


def load_swept(path: Path) -> dict[str, Swept]:
    """Read the file, by version; empty where there is none. Raises KeptError."""
    if not path.exists():
        return {}
    found = {}
    with reading(path, "readfirst product sweep") as data:
        for version, fields in data["versions"].items():
            if order(version)[0].release == (0,):
                raise ValueError(f"{version!r} is not a version")
            if ("failed" in fields) == ("scenarios" in fields):
                raise ValueError(f"{version} has neither scenarios nor failed, or both")
            differences = tuple(map(_difference, fields.get("differences", ())))
            found[version] = Swept(version, **{**fields, "differences": differences})
    return found


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
    fields = asdict(each)
    names = ("inputs", "failed") if each.failed else ("inputs", "scenarios", "sequences")
    reasons = {name: dict(sorted(fields[name].items())) for name in _REASONS if fields[name]}
    text = _json({**{name: fields[name] for name in names}, **reasons})
    if not each.differences:
        return text
    rows = ",\n".join(f"      {_json(found)}" for found in fields["differences"])
    return f'{text[:-1]}, "differences": [\n{rows}\n    ]}}'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def merged(files: Iterable[Mapping[str, Swept]]) -> dict[str, Swept]:
    """Return what several files hold together. What was swept wins over what failed.

    Raises MergeError where two have swept one version with different inputs or results.
    """
    together: dict[str, Swept] = {}
    for version, each in (pair for file in files for pair in file.items()):
        there = together.get(version)
        if there is None or there.failed or there == each:
            together[version] = each
        elif not each.failed:
            raise MergeError(
                f"{version} was swept twice, with different results. Sweep it once more: "
                f"`readfirst product sweep {version} --again`, or leave one of the files out."
            )
    return together


_NAMED = 6
"""Versions that a row names before it counts the rest."""


def sweep_page(found: Mapping[str, Swept]) -> str:
    """Return the page of what was swept."""
    every = sorted(found.values(), key=lambda each: order(each.version))
    compared = [each for each in every if not each.failed]
    asked = [one.asked for each in compared for one in each.differences]
    random = sum(map(_is_random, asked))
    failures, reasons = defaultdict(list), defaultdict(list)
    failed = [each for each in every if each.failed]
    for each in failed:
        failures[each.failed.replace(each.version, "VERSION")].append(each.version)
    for each in compared:
        for name, why in sorted(each.explained.items()):
            reasons[why].append(f"{each.version}, {_asked(name)}")
    return markdown(
        "docs/sweep",
        compared=compared,
        agree=sum(each.agrees for each in compared),
        differing=len(asked) - random,
        random=random,
        differences=[*_differences(compared)],
        reasons=[[prose(why), "<br>".join(where)] for why, where in reasons.items()],
        versions=[*map(_version, compared)],
        failed=failed,
        failures=[[", ".join(versions), prose(why)] for why, versions in failures.items()],
    )


def _differences(compared: Sequence[Swept]) -> Iterator[list[str]]:
    """Yield a row for each level, tool and outcome, the worst level first, with the oldest example."""
    classes = defaultdict[tuple[Level, str, str, tuple[str, str]], list[tuple[str, Difference]]](list)
    for each in compared:
        for one in each.differences:
            what = "answer" if one.what == "answer" else "file"
            classes[one.level, one.tool, what, one.made].append((each.version, one))
    for (level, tool, what, made), members in sorted(
        classes.items(), key=lambda item: (LEVELS.index(item[0][0]), -len(item[1]), item[0])
    ):
        version, first = members[0]
        said = [code(text, escaped=True) for text in first.said]
        sides = f"reference {said[0]}<br>product {said[1]}"
        where = f"{version}, {_asked(first.asked)}, step {first.step}"
        names = list(dict.fromkeys(name for name, _ in members))
        rest = len(names) - _NAMED
        named = ", ".join(names[:_NAMED]) + (f" and {rest} more up to {names[-1]}" if rest > 0 else "")
        outcome = made[0] if made[0] == made[1] else f"{made[0]} → {made[1]}"
        yield [level, f"{tool}, {what}", outcome, named, f"{where}<br>{sides}"]


def _version(swept: Swept) -> list[str]:
    asked = [one.asked for one in swept.differences]
    random = [name.removeprefix("sequence ") for name in asked if _is_random(name)]
    return [
        swept.version,
        str(swept.scenarios),
        ", ".join(_asked(name) for name in asked if not _is_random(name)) or "none",
        str(swept.sequences),
        ", ".join(random) or "none",
        ", ".join(f"{_asked(name)} ({prose(why)})" for name, why in sorted(swept.unasked.items())),
    ]


def _is_random(name: str) -> bool:
    return name.startswith("sequence ")


def _asked(name: str) -> str:
    return name if _is_random(name) else scenario_link(name)
