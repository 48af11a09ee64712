"""Behaviours: what one version does, as the reference declares it, and what differs between two."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from readfirst.harness.claims.rule_links import changed_in
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
    histories,
    history_of,
)

_GATED = "+gated"


class UnknownVersionError(ReadfirstError, LookupError):
    """The reference knows no such version; the message says which ones it knows."""


@dataclass(frozen=True, slots=True)
class Standing:
    """What a behaviour is in one version, and the version from which on it is that, at least.

    `since` is None for `documented`, which is no version.
    """

    name: str
    value: Any
    since: str | None


Difference = tuple[Standing, Standing]
"""A behaviour that is not the same in two versions, as it is in each."""


def by_subject(names: Iterable[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield each subject that has one of these behaviours, what it is about, and those, in the reference's order."""
    wanted = set(names)
    for subject, kind in groups().items():
        if found := [each.name for each in fields(kind) if each.name in wanted]:
            yield subject, kind.__doc__ or "", found


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
        for _, _, behaviours in by_subject(histories())
        for each in behaviours
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


def differences(before: str, after: str) -> dict[str, Difference]:
    """Return the behaviours that differ between two versions, in the order of the reference.

    Raises UnknownVersionError.
    """
    one, other = standings(before), standings(after)
    return {name: (one[name], other[name]) for name in one if one[name].value != other[name].value}


BEGIN = "<!-- Made by `readfirst product behaviours --write`. -->"
END = "<!-- Until here. -->"


class PageError(ReadfirstError):
    """The page has no place for the tables."""


def standings_as_text(version: str, found: Mapping[str, Standing]) -> Iterator[str]:
    """Yield the lines that a person reads of one version: each behaviour with its value and what it means."""
    yield f"What {version} does: {len(found)} behaviours. Where the value is no, the sentence does not hold."
    yield from _lines({name: (each,) for name, each in found.items()})


def differences_as_text(before: str, after: str, found: Mapping[str, Difference]) -> Iterator[str]:
    """Yield the lines that a person reads of what differs between two versions."""
    if not found:
        yield f"{before} and {after} do the same."
        return
    count = "1 behaviour differs" if len(found) == 1 else f"{len(found)} behaviours differ"
    yield f"From {before} to {after}: {count}. Where the value is no, the sentence does not hold."
    yield from _lines(found)


def _lines(found: Mapping[str, Sequence[Standing]]) -> Iterator[str]:
    for subject, about, names in by_subject(found):
        yield ""
        yield f"{subject}: {about}"
        for name in names:
            yield f"  {name}: {' → '.join(map(_value_and_since, found[name]))}"
            yield f"      {history_of(name).meaning}"


def standings_as_json(version: str, found: Mapping[str, Standing]) -> str:
    """Return one version as JSON."""
    declared = _declared(found)
    behaviours = [{**declared[name], **_standing(each)} for name, each in found.items()]
    return _json({"version": version, "behaviours": behaviours})


def differences_as_json(before: str, after: str, found: Mapping[str, Difference]) -> str:
    """Return what differs between two versions as JSON."""
    declared = _declared(found)
    behaviours = [
        {**declared[name], "before": _standing(one), "after": _standing(other)}
        for name, (one, other) in found.items()
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
    for subject, about, names in by_subject(usual):
        yield f"### {subject.capitalize()}"
        yield about
        yield table(
            ["behaviour", DEFAULT_CONTRACT, DOCUMENTED, "changed in", "source", "shown by"],
            [_row(name, usual[name].value, documented[name].value) for name in names],
        )


def _row(name: str, usual: Any, documented: Any) -> list[str]:
    history = history_of(name)
    return [
        f"{code(name)} {cell(history.meaning)}",
        value_in_page(usual),
        value_in_page(documented),
        changed_in(name),
        cell(history.source),
        "<br>".join(map(scenario_link, history.shown_by)),
    ]


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


def _declared(names: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Return what is declared of behaviours, by name."""
    return {
        name: {
            "name": name,
            "subject": subject,
            "meaning": history_of(name).meaning,
            "source": history_of(name).source,
            "shown_by": list(history_of(name).shown_by),
        }
        for subject, _, found in by_subject(names)
        for name in found
    }


def _json(data: Mapping[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"
