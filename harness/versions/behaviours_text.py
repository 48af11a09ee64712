"""Behaviours as text: for people, as JSON, and as the tables of docs/reference.md."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.report.markup import cell, code, scenario_link, table
from readfirst.harness.suite.contracts import DOCUMENTED
from readfirst.harness.versions.behaviours import Difference, Standing, Subject, standings, subjects
from readfirst.reference_impl.contract import DEFAULT_CONTRACT, FIRST_VERSION, history_of

__all__ = [
    "PageError",
    "differences_as_json",
    "differences_as_text",
    "standings_as_json",
    "standings_as_text",
    "value_in_page",
    "with_tables",
]

BEGIN = "<!-- Made by `readfirst product behaviours --write`. -->"
END = "<!-- Until here. -->"


class PageError(ReadfirstError):
    """The page has no place for the tables."""


def standings_as_text(version: str, found: Mapping[str, Standing]) -> Iterator[str]:
    """Yield the lines that a person reads of one version: each behaviour with its value and what it means."""
    yield f"What {version} does: {len(found)} behaviours. Where the value is no, the sentence does not hold."
    for subject in subjects():
        yield ""
        yield _heading(subject)
        for name in subject.behaviours:
            yield f"  {name}: {_stands(found[name])}"
            yield f"      {history_of(name).meaning}"


def differences_as_text(before: str, after: str, found: Sequence[Difference]) -> Iterator[str]:
    """Yield the lines that a person reads of what differs between two versions."""
    if not found:
        yield f"{before} and {after} do the same."
        return
    count = "1 behaviour differs" if len(found) == 1 else f"{len(found)} behaviours differ"
    yield f"From {before} to {after}: {count}. Where the value is no, the sentence does not hold."
    for subject, group in groupby(found, key=lambda each: _subject_of(each.name)):
        yield ""
        yield _heading(subject)
        for each in group:
            yield f"  {each.name}: {_stands(each.before)} → {_stands(each.after)}"
            yield f"      {history_of(each.name).meaning}"


def standings_as_json(version: str, found: Mapping[str, Standing]) -> str:
    """Return one version as JSON."""
    behaviours = [{**_declared(name), **_standing(each)} for name, each in found.items()]
    return _json({"version": version, "behaviours": behaviours})


def differences_as_json(before: str, after: str, found: Sequence[Difference]) -> str:
    """Return what differs between two versions as JSON."""
    behaviours = [
        {**_declared(each.name), "before": _standing(each.before), "after": _standing(each.after)}
        for each in found
    ]
    return _json({"before": before, "after": after, "differences": behaviours})


def with_tables(page: str) -> str:
    """Return the page with fresh tables between its two marks. Raises PageError."""
    head, begin, rest = page.partition(f"{BEGIN}\n")
    _, end, tail = rest.partition(END)
    if not begin or not end:
        raise PageError(f"docs/reference.md has no place for the tables: put {BEGIN} and {END} into it.")
    return "\n".join([f"{head}{BEGIN}", *_tables(), f"{END}{tail}"])


def value_in_page(value: Any) -> str:
    """Return a value of a behaviour in Markdown."""
    match value:
        case bool() | None:
            return _plain(value)
        case str():
            return code(value)
        case int():
            return f"{value:,}"
        case _:
            return code(str(value))


def _tables() -> Iterator[str]:
    usual, documented = standings(DEFAULT_CONTRACT), standings(DOCUMENTED)
    for subject in subjects():
        yield ""
        yield f"### {subject.name.capitalize()}"
        yield ""
        yield subject.about
        yield ""
        yield from table(
            ["behaviour", DEFAULT_CONTRACT, DOCUMENTED, "changed in", "source", "shown by"],
            [_row(name, usual[name].value, documented[name].value) for name in subject.behaviours],
        )
    yield ""


def _row(name: str, usual: Any, documented: Any) -> list[str]:
    history = history_of(name)
    return [
        f"{code(name)} {cell(history.meaning)}",
        value_in_page(usual),
        value_in_page(documented),
        ", ".join(".".join(map(str, version)) for version in history.changes) or "never",
        cell(history.source),
        "<br>".join(map(scenario_link, history.shown_by)),
    ]


def _heading(subject: Subject) -> str:
    return f"{subject.name}: {subject.about}"


def _subject_of(name: str) -> Subject:
    return next(subject for subject in subjects() if name in subject.behaviours)


def _stands(standing: Standing) -> str:
    since = f" (since {standing.since})" if standing.since not in (None, FIRST_VERSION) else ""
    return f"{_plain(standing.value)}{since}"


def _plain(value: Any) -> str:
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "none"
    return json.dumps(value, ensure_ascii=False)


def _standing(standing: Standing) -> dict[str, Any]:
    return {"value": standing.value, "since": standing.since}


def _declared(name: str) -> dict[str, Any]:
    history = history_of(name)
    return {
        "name": name,
        "subject": _subject_of(name).name,
        "meaning": history.meaning,
        "source": history.source,
        "shown_by": list(history.shown_by),
    }


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
