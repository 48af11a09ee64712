"""Compatibility page: docs/compatibility.md, the map of harm, then which rules hold, by class."""

from collections.abc import Iterator, Mapping
from typing import Any

from readfirst.harness.report.markup import document, fenced, prose, table
from readfirst.harness.suite.rules import CLASSES

COMMAND = "readfirst field compatibility --write"
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
    return document(_page(data))


def _page(data: _DATA) -> Iterator[str]:
    yield "# Compatibility: harm, then likeness"
    yield _picture("map", "In how many sessions each implementation and version did which harm")
    yield (
        "The most harmful come first. [implementations.md](implementations.md) has the figures of implementations with"
        " the worst that each does, [harm.md](harm.md) those of Claude Code with each cause in a sentence, and what the"
        " kinds mean. `blind` edits and `overcautious` refusals lose nothing. What Claude Code refuses not every"
        " contract answers, so it is never overcautious."
    )
    yield f"## Likeness to {data['likeness']}"
    yield (
        f"Of the rules that were judged, those that hold: where an implementation does what Claude Code"
        f" {data['likeness']} does in all scenarios of the rule. `safety` is what harms whatever a tool's design,"
        " `contract` what another design may do otherwise, `fidelity` the words of answers, `product` habits that no"
        " other implementation needs. There is no overall number, because the classes differ in weight."
    )
    yield table(
        ["implementation", *CLASSES],
        [
            [prose(name), *(counted(each["classes"][class_]) for class_ in CLASSES)]
            for name, each in data["implementations"].items()
        ],
    )
    yield "## Versions"
    yield (
        f"The same of Claude Code's own versions, compared with {data['contract']}. One that falls short behaves"
        " differently, not worse: where a newer version recovers what 2.1.7 refuses, the rule no longer holds. A change"
        " belongs to a version between the last one without it and the first one with it; [history.md](history.md)"
        " counts them. `+gated` is a version with an older model, which must read before it edits."
    )
    yield _picture("versions", "Each rule of the class safety as a bar over the versions")
    yield table(
        ["version", *CLASSES],
        [
            [prose(name), *(counted(each["classes"][class_]) for class_ in CLASSES)]
            for name, each in data["versions"].items()
        ],
    )
    yield "## Rule by rule"
    yield (
        "`readfirst rules RULE` shows everything about one. As a page to filter, of two implementations side by side,"
        " and as this page for the newest version:"
    )
    yield fenced(
        "console",
        "$ readfirst field compatibility --format html --output table.html\n"
        "$ readfirst field compatibility --compare deepagents@0.6.12 deepagents@0.7.32\n"
        "$ readfirst field compatibility --like latest --output like-latest.md",
    )
    yield (
        "[compatibility.json](compatibility.json) has everything as data, described by"
        " `fixtures/schema/compatibility.schema.json`; [the site](site.md) has a page for each rule, implementation and"
        f" version. All of it is made by `{COMMAND}` from the recordings and of implementations.json. Do not edit it:"
        " `--check` and a test fail when it is stale."
    )


def _picture(name: str, alt: str) -> str:
    """Return a picture of docs/, which is another one where there is little room."""
    narrow = f'<source media="(max-width: 600px)" srcset="{name}-narrow.svg">'
    return f'<picture>\n  {narrow}\n  <img alt="{alt}" src="{name}.svg">\n</picture>'


def short_cell(each: _DATA) -> str:
    """Return one cell in short."""
    count = f"{each['holding']}/{each['judged']}"
    match each["holds"]:
        case "yes":
            return f"✓ {each['judged']}"
        case "partly":
            return count
        case "no":
            return f"✗ {count}"
        case "not claimed":
            return "–"
        case _:
            return "?"


def counted(counts: Mapping[str, int]) -> str:
    """Return how many rules hold of those that were judged, and how many were not: `31/34 (1 not claimed)`."""
    judged = counts["yes"] + counts["partly"] + counts["no"]
    rest = [f"{counts[name]} {name}" for name in ("not claimed", "unknown") if counts[name]]
    return (f"{counts['yes']}/{judged}" if judged else "-") + (f" ({', '.join(rest)})" if rest else "")
