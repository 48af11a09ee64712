"""Compatibility page: docs/compatibility.md, harm first, then rules by implementations and versions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from readfirst.harness.harm.harm import KINDS
from readfirst.harness.report.markup import cell, link, prose, scenario_link, table
from readfirst.harness.suite.rules import CLASSES

__all__ = [
    "COMMAND",
    "LEGEND",
    "cells_table",
    "class_line",
    "compatibility_page",
    "counted",
    "harm_table",
    "like",
    "short_cell",
]

COMMAND = "readfirst field compatibility --write"
LEGEND = (
    "- **✓ 12**: the rule holds, in all of its 12 scenarios that were judged.",
    "- **9/12**: partly, in 9 of 12; the link is the shortest scenario that fails.",
    "- **✗ 0/12**: in none.",
    "- **–**: not claimed: it lacks what the scenarios need, a tool or an argument.",
    "- **?**: unknown: none of the scenarios was run.",
)
_DATA = Mapping[str, Any]


def like(data: _DATA, contract: str) -> dict[str, Any]:
    """Return the table with the cells of implementations for one contract alone.

    Raises ValueError for a contract that they were not compared with.
    """
    if contract not in data["likeness"]:
        raise ValueError(f"implementations were compared with {' and '.join(data['likeness'])}")
    return {
        **data,
        "likeness": contract,
        "implementations": {
            name: {**each, "classes": each["classes"][contract]}
            for name, each in data["implementations"].items()
        },
        "rules": {
            name: {**rule, "implementations": rule["implementations"][contract]}
            for name, rule in data["rules"].items()
        },
    }


def compatibility_page(data: _DATA) -> str:
    """Return the page of what `compatibility_data` gives, of which `like` chose a contract."""
    return "\n".join(_page(data)) + "\n"


def _page(data: _DATA) -> Iterator[str]:
    rules = data["rules"]
    yield "# Compatibility: harm, then likeness"
    yield ""
    yield (
        "First: in how many of the sessions that were tried was somebody's work lost, spoiled or touched, whatever the"
        " tool's design ([harm.md](harm.md) says what the kinds mean)? Then, rule by rule: how much does a tool do"
        f" what Claude Code {data['likeness']} does? {len(rules)} rules; `readfirst rules RULE` shows everything"
        " about one. The implementations are those of [targets.md](targets.md)."
    )
    yield ""
    yield "## Harm"
    yield ""
    yield (
        "`blind` edits and `overcautious` refusals lose nothing, and are counted beside harm. Claude Code is judged"
        " as every other tool is; what it refuses itself, not every contract answers, so it is never overcautious."
    )
    yield ""
    implementations = {name: each["harm"] for name, each in data["implementations"].items()}
    yield from harm_table("implementation", implementations, _implementation)
    yield ""
    versions = {name: each["harm"] for name, each in data["versions"].items() if "harm" in each}
    yield from harm_table("Claude Code", versions, prose)
    yield ""
    yield f"## Likeness to {data['likeness']}, rule by rule"
    yield ""
    yield from LEGEND
    yield (
        "- A rule holds at the level `effects`: the same files, and the same calls refused. Rules of `fidelity` are"
        " about the words of answers, and hold at the level `text`; a target that is tested for effects alone does"
        " not claim them."
    )
    yield ""
    yield (
        f"The same as data: [compatibility.json](compatibility.json), described by"
        f" `fixtures/schema/compatibility.schema.json`; as a page to filter:"
        " `readfirst field compatibility --format html`; as this page for the newest version:"
        " `readfirst field compatibility --like latest`."
        f" All files are made by `{COMMAND}` from the recordings and of implementations.json. Do not edit them:"
        f" `readfirst field compatibility --check` and a test fail when they are stale."
    )
    yield ""
    yield "## Implementations"
    yield ""
    yield "Rules that hold, of those that were judged; there is no overall number, because classes differ in weight."
    yield ""
    yield from table(
        ["target", *CLASSES],
        [
            [
                _implementation(name),
                *(counted(each["classes"][class_]) for class_ in CLASSES),
            ]
            for name, each in data["implementations"].items()
        ],
    )
    for class_ in CLASSES:
        yield from _class(data, class_, "implementations")
    yield "## Versions"
    yield ""
    yield (
        f"A version holds a rule if it does in every scenario of the rule what {data['contract']} does, at that level"
        f" (rules of MultiEdit, which {data['contract']} no longer has: what the last version with it does). So a cell"
        " that falls short says that the version behaves differently, not that it is worse: where a newer version"
        " recovers what 2.1.7 refuses, the rule no longer holds. `readfirst diff 2.1.7 2.1.328 --rule RULE` shows how"
        " they differ. Only recorded versions are shown; a change belongs to a version between the last column"
        " without it and the first one with it, and [history.md](history.md) has the versions. `+gated` is a version"
        " with an older model, which must read before it edits. The link is where a row begins to differ in this way."
    )
    yield ""
    yield "![Each rule of the class safety as a bar over the versions](versions.svg)"
    yield ""
    yield from table(
        ["version", *CLASSES],
        [
            [name, *(counted(each["classes"][class_]) for class_ in CLASSES)]
            for name, each in data["versions"].items()
        ],
    )
    for class_ in CLASSES:
        yield from _class(data, class_, "versions")


def harm_table(head: str, columns: Mapping[str, _DATA], shown: Callable[[str], str]) -> Iterator[str]:
    """Yield a table of sessions and of those in which each kind of harm was done, a row for each name, as `shown`."""
    kinds = [kind for kind in KINDS if any(kind in each["counts"] for each in columns.values())]
    yield from table(
        [head, "sessions", *kinds],
        [
            [shown(name), str(each["sessions"]), *(str(each["counts"].get(kind, "-")) for kind in kinds)]
            for name, each in columns.items()
        ],
        numbers=["sessions", *kinds],
    )


def _implementation(name: str) -> str:
    return link(name, f"implementations.md#{_anchor(name)}")


def _class(data: _DATA, class_: str, of: str) -> Iterator[str]:
    yield ""
    yield f"### {class_}, {'by version' if of == 'versions' else 'by implementation'}"
    yield ""
    yield data["classes"][class_]["means"]
    chosen = {name: rule for name, rule in data["rules"].items() if rule["class"] == class_}
    if of == "versions":
        steady = len(chosen)
        chosen = {name: rule for name, rule in chosen.items() if _changes(rule)}
        steady -= len(chosen)
        if steady:
            yield ""
            one = steady == 1
            yield f"{steady} more rule{'' if one else 's'} of this class held in every version that was recorded."
    yield ""
    yield from cells_table(chosen, list(data[of]), of)
    yield ""


def cells_table(rules: Mapping[str, _DATA], columns: Sequence[str], of: str) -> Iterator[str]:
    """Yield the table of these rules `of` implementations or versions."""
    yield from table(
        ["rule", *(column.replace("@", "<br>") for column in columns)],
        [
            [
                f"{cell(rule['title'])} (`{name}`)",
                *(short_cell(rule[of][column], column) for column in columns),
            ]
            for name, rule in rules.items()
        ],
    )


def _changes(rule: _DATA) -> bool:
    """Whether some version does otherwise in a scenario of the rule."""
    return any(each["holding"] < each["judged"] for each in rule["versions"].values())


def short_cell(each: _DATA, column: str = "") -> str:
    """Return one cell; of a version its shortest scenario is linked where the row begins to be so."""
    count = f"{each['holding']}/{each['judged']}"
    linked = "shortest" in each and each.get("since", column) == column
    counted = scenario_link(each["shortest"], count) if linked else count
    match each["holds"]:
        case "yes":
            return f"✓ {each['judged']}"
        case "partly":
            return counted
        case "no":
            return f"✗ {counted}"
        case "not claimed":
            return "–"
        case _:
            return "?"


def class_line(classes: _DATA) -> str:
    """Return what an implementation comes to, class by class: `safety 31/34 rules, contract …`."""
    return ", ".join(
        f"{class_} {counted(classes[class_], ' rules' if class_ == CLASSES[0] else '')}" for class_ in CLASSES
    )


def counted(counts: Mapping[str, int], unit: str = "") -> str:
    """Return how many rules hold of those that were judged, and how many were not: `31/34 (1 not claimed)`."""
    judged = counts["yes"] + counts["partly"] + counts["no"]
    rest = [f"{counts[name]} {name}" for name in ("not claimed", "unknown") if counts[name]]
    return (f"{counts['yes']}/{judged}{unit}" if judged else "-") + (f" ({', '.join(rest)})" if rest else "")


def _anchor(target: str) -> str:
    return "".join(letter for letter in target.lower() if letter.isalnum() or letter in "-_")
