"""List the behaviours of a version, as the reference declares them, and the differences between two versions."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.report.markdown_escape import cell, code, document
from readfirst.harness.suite.contracts import DOCUMENTED, LATEST
from readfirst.observatory.claims.rule_index import changed_in
from readfirst.observatory.template import scenario_link
from readfirst.reference_impl.behaviours.versioned import ByModel, History, version_of
from readfirst.reference_impl.behaviours_by_version import (
    DEFAULT_CONTRACT,
    FIRST_VERSION,
    LAST_VERSION,
    behaviour_groups,
    behaviour_histories,
    behaviours_of,
    history_of,
)

_GATED = "+gated"


class UnknownVersionError(ReadfirstError, LookupError):
    """The reference does not support this version. The message names the supported versions."""


@dataclass(frozen=True, slots=True)
class BehaviourInVersion:
    """A behaviour's value in one version. `since`: the version that introduced the value; None for `documented`."""

    value: Any
    since: str | None


def group_by_subject(names: Iterable[str]) -> Iterator[tuple[str, str, list[str]]]:
    """Group behaviours by subject. Yield each subject's name and description, and the names of its behaviours."""
    wanted = set(names)
    for subject, kind in behaviour_groups().items():
        if found := [each.name for each in fields(kind) if each.name in wanted]:
            yield subject, kind.__doc__ or "", found


def behaviours_in_version(version: str) -> Mapping[str, BehaviourInVersion]:
    """Return the behaviours of a version, `latest` or `documented`, by name. Raises UnknownVersionError."""
    name = LAST_VERSION if version == LATEST else version
    try:
        known = behaviours_of(name)
    except ValueError as error:
        raise UnknownVersionError(f"{error}. `readfirst contracts` lists the supported versions.") from error
    return {
        each: BehaviourInVersion(known.value(each), _value_since(history_of(each), name))
        for _, _, behaviours in group_by_subject(behaviour_histories())
        for each in behaviours
    }


def _value_since(history: History, name: str) -> str | None:
    """Return the version that introduced the value that a behaviour has in version `name`. None for `documented`."""
    if name == DOCUMENTED:
        return None
    version, gated = version_of(name.removesuffix(_GATED)), name.endswith(_GATED)

    def value_for_model(value: Any) -> Any:
        if isinstance(value, ByModel):
            return value.enforced if gated else value.relaxed
        return value

    since, value = FIRST_VERSION, history.first
    for changed, later in history.changes.items():
        # Both classes of models share the versions before their first difference.
        if changed <= version and value_for_model(later) != value_for_model(value):
            since, value = ".".join(map(str, changed)), later
    return since


def compare_behaviours(*versions: str) -> dict[str, tuple[BehaviourInVersion, ...]]:
    """Return the behaviours of one version, or those that differ between two versions. Raises UnknownVersionError."""
    first, *others = map(behaviours_in_version, versions)
    return {
        name: (each, *(other[name] for other in others))
        for name, each in first.items()
        if not others or any(other[name].value != each.value for other in others)
    }


BEGIN_MARK = "<!-- Made by `readfirst product behaviours --write`. -->"
END_MARK = "<!-- Until here. -->"


class PageError(ReadfirstError):
    """The page docs/reference-behaviours.md does not contain the two comments between which the tables are written."""


def as_text(versions: Sequence[str], found: Mapping[str, Sequence[BehaviourInVersion]]) -> Iterator[str]:
    """Yield the lines that `product behaviours` prints about one or two versions. `found`: see `compare_behaviours`."""
    if len(versions) > 1 and not found:
        yield f"{' and '.join(versions)} do the same."
        return
    count = "1 behaviour differs" if len(found) == 1 else f"{len(found)} behaviours differ"
    if len(versions) > 1:
        head = f"From {' to '.join(versions)}: {count}"
    else:
        head = f"Behaviours of {versions[0]}: {len(found)}"
    yield f"{head}. If the value is no, the sentence does not apply."
    for subject, about, names in group_by_subject(found):
        yield ""
        yield f"{subject}: {about}"
        for name in names:
            values = (
                value_text(each.value)
                + (f" (since {each.since})" if each.since not in (None, FIRST_VERSION) else "")
                for each in found[name]
            )
            yield f"  {name}: {' → '.join(values)}"
            yield f"      {history_of(name).meaning}"


def update_tables(page: str) -> str:
    """Return docs/reference-behaviours.md with new tables between two comments. Raises PageError if one is missing."""
    head, begin, rest = page.partition(f"{BEGIN_MARK}\n")
    _, end, tail = rest.partition(END_MARK)
    if not begin or not end:
        raise PageError(
            f"docs/reference-behaviours.md lacks the marks {BEGIN_MARK} and {END_MARK} around its list."
        )
    return f"{head}{BEGIN_MARK}\n\n{document(_tables())}\n{END_MARK}{tail}"


def value_as_markdown(value: Any) -> str:
    """Return the value of a behaviour as Markdown: `yes`, `no`, `none`, a number or code."""
    match value:
        case bool() | None:
            return value_text(value)
        case int():
            return f"{value:,}"
        case _:
            return code(str(value))


def _tables() -> Iterator[str]:
    usual, documented = behaviours_in_version(DEFAULT_CONTRACT), behaviours_in_version(DOCUMENTED)
    for subject, about, names in group_by_subject(usual):
        yield f"## {subject.capitalize()}"
        yield about
        yield "\n\n".join(_list_item(name, usual[name].value, documented[name].value) for name in names)


def _list_item(name: str, value: Any, documented: Any) -> str:
    """Return a behaviour as a Markdown list item: its meaning, values, versions, source and scenarios."""
    history = history_of(name)
    values = f"{DEFAULT_CONTRACT}: {value_as_markdown(value)}; {DOCUMENTED}: {value_as_markdown(documented)}"
    shown_by = ", ".join(map(scenario_link, history.shown_by))
    return (
        f"- {code(name)}: {cell(history.meaning)}<br>\n"
        f"  {values}; changed in: {changed_in(name)}; source: {cell(history.source)}; shown by {shown_by}."
    )


def value_text(value: Any) -> str:
    """Return the value of a behaviour as text: `yes`, `no` or `none` for True, False and None, otherwise JSON."""
    match value:
        case True:
            return "yes"
        case False:
            return "no"
        case None:
            return "none"
    return json.dumps(value, ensure_ascii=False)
