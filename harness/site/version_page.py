"""Version page: how the rules stood in each recorded version, with the chart."""

from __future__ import annotations

from collections.abc import Iterator

from readfirst.harness.report.compatibility_page import counted
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
