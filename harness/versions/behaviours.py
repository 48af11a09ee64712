"""Behaviours: what one version does, as the reference declares it, and what differs between two."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import groupby
from typing import Any

from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.report.markup import cell, code, document, scenario_link, table
from readfirst.harness.suite.contracts import DOCUMENTED, LATEST
from readfirst.reference_impl.behaviours.history import ByModel, History, version_of
from readfirst.reference_impl.contract import (
    DEFAULT_CONTRACT,
    FIRST_VERSION,
    LAST_VERSION,
    behaviours_of,
    groups,
    history_of,
)

_GATED = "+gated"


class UnknownVersionError(ReadfirstError, LookupError):
    """The reference knows no such version; the message says which ones it knows."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What some behaviours are about: a word, a sentence, and the names of the behaviours."""

    name: str
    about: str
    behaviours: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Standing:
    """What a behaviour is in one version, and the version from which on it is that, at least.

    `since` is None for `documented`, which is no version.
    """

    name: str
    value: Any
    since: str | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A behaviour that is not the same in two versions."""

    before: Standing
    after: Standing

    @property
    def name(self) -> str:
        """The name of the behaviour."""
        return self.before.name


@cache
def subjects() -> tuple[Subject, ...]:
    """Return the subjects with their behaviours, in the order of the reference."""
    return tuple(
        Subject(group, kind.__doc__ or "", tuple(each.name for each in fields(kind)))
        for group, kind in groups().items()
    )


def standings(version: str) -> Mapping[str, Standing]:
    """Return what every behaviour is in a version, by name. Raises UnknownVersionError.

    A version is three numbers, perhaps with `+gated`; or `latest`, or `documented`, what the documents state.
    """
    name = LAST_VERSION if version == LATEST else version
    try:
        known = behaviours_of(name)
    except ValueError as error:
        raise UnknownVersionError(
            f"{error}. `readfirst contracts` lists the versions of the suite."
        ) from error
    return {
        each: Standing(each, known.value(each), _since(history_of(each), name))
        for subject in subjects()
        for each in subject.behaviours
    }


def _since(history: History, name: str) -> str | None:
    """Return the version from which on a behaviour is what it is in this one."""
    if name == DOCUMENTED:
        return None
    version, gated = version_of(name.removesuffix(_GATED)), name.endswith(_GATED)
    since, value = FIRST_VERSION, history.first
    for changed, later in history.changes.items():
        # Both classes of models share the versions before the first in which they differ.
        if changed <= version and _for(later, gated=gated) != _for(value, gated=gated):
            since, value = ".".join(map(str, changed)), later
    return since


def _for(value: Any, *, gated: bool) -> Any:
    if isinstance(value, ByModel):
        return value.enforced if gated else value.relaxed
    return value


def differences(before: str, after: str) -> list[Difference]:
    """Return the behaviours that differ between two versions, in the order of the reference.

    Raises UnknownVersionError.
    """
    one, other = standings(before), standings(after)
    return [Difference(one[name], other[name]) for name in one if one[name].value != other[name].value]


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
            yield f"  {name}: {_value_and_since(found[name])}"
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
            yield f"  {each.name}: {_value_and_since(each.before)} → {_value_and_since(each.after)}"
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
    return f"{head}{BEGIN}\n\n{document(_tables())}\n{END}{tail}"


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
        yield f"### {subject.name.capitalize()}"
        yield subject.about
        yield table(
            ["behaviour", DEFAULT_CONTRACT, DOCUMENTED, "changed in", "source", "shown by"],
            [_row(name, usual[name].value, documented[name].value) for name in subject.behaviours],
        )


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


def _value_and_since(standing: Standing) -> str:
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
