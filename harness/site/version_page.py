"""Version page: what each recorded version harmed, and how the rules stood in it, with the chart."""

from __future__ import annotations

from collections.abc import Iterator

from readfirst.harness.report.compatibility_page import counted, harm_table
from readfirst.harness.report.markup import link, prose, table
from readfirst.harness.site.facts import Facts
from readfirst.harness.suite.rules import CLASSES

__all__ = ["version_page"]


def version_page(facts: Facts) -> str:
    """Return the page."""
    return "\n".join(_page(facts)) + "\n"


def _page(facts: Facts) -> Iterator[str]:
    yield "# Versions of Claude Code"
    yield ""
    yield (
        "In how many of the recorded sessions something was harmed;"
        f" {link('each cause in a sentence', '../docs/harm.md')} is on a page of its own."
    )
    yield ""
    harm = {name: each["harm"] for name, each in facts.table["versions"].items() if "harm" in each}
    yield from harm_table("version", harm, prose)
    yield ""
    yield (
        f"Rules that hold in each recorded version, of those that were judged: where it does what"
        f" {facts.against} does in every scenario."
        f" {link('All changes', '../docs/history.md')} lists what changed between the versions, and when;"
        f" {link('the table', '../docs/compatibility.md#versions')} has every rule."
    )
    yield ""
    yield "![Each rule of the class safety as a bar over the versions](../docs/versions.svg)"
    yield ""
    yield from table(
        ["version", *CLASSES, "what is new in it"],
        [
            [
                name,
                *(counted(each["classes"][class_]) for class_ in CLASSES),
                prose(each["summary"]),
            ]
            for name, each in facts.table["versions"].items()
        ],
    )
