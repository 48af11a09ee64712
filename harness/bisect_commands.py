"""Bisect commands: `readfirst bisect`; the command line registers it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from harness.guard import UsageError, guarded
from harness.host_text import answer_of
from harness.options import Fixtures, LevelName, open_suite
from harness.summary import ExitCode
from harness.visible import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

    from harness.recordings import Transcript

# Everything else is imported by the command that needs it, as in the command line itself.

__all__ = ["bisect"]

_SHOWN = 100
"""Characters of an answer that are printed."""


@guarded
def bisect(
    scenario: Annotated[str, typer.Argument(metavar="ID", help="The scenario's id or file.")],
    oldest: Annotated[
        str | None, typer.Option("--from", help="The oldest version.", show_default="the oldest contract's")
    ] = None,
    newest: Annotated[
        str | None, typer.Option("--to", help="The newest version.", show_default="the newest published")
    ] = None,
    level: Annotated[LevelName, typer.Option(help="What counts as a change.")] = LevelName.text,
    gated: Annotated[
        bool, typer.Option("--gated", help="With a model for which read-before-edit is still enforced.")
    ] = False,
    keep: Annotated[
        int | None,
        typer.Option(
            min=1, help="Keep at most so many of the versions that it installs.", show_default="all"
        ),
    ] = None,
    record: Annotated[
        bool,
        typer.Option("--record", help="Record the scenario on both versions beside the change, too."),
    ] = False,
    takes: Annotated[
        Path | None,
        typer.Option(help="The folder for takes; a search goes on from it.", show_default="a cache"),
    ] = None,
    time_limit: Annotated[float, typer.Option(min=0.1, help="Seconds that one call may take.")] = 30.0,
    fixtures: Fixtures = None,
) -> int:
    """Find the first published version in which what a scenario gives changed. Needs npm; see docs/history.md."""
    from harness.bisect import BisectError, Bisection, Replayed, between, facts
    from harness.claude_code.package import PACKAGE
    from harness.claude_code.shelf import Shelf
    from harness.product import Product
    from harness.record import bless
    from harness.registry import published
    from harness.selection import Selection, select
    from harness.takes import Takes, default_takes

    suite = open_suite(fixtures)
    (scenario_id,) = select(suite, Selection(ids=(scenario,)))
    chosen = suite.scenario(scenario_id, require_expect=False)
    able = [each for each in suite.contracts.recorded if chosen.needs <= each.capabilities]
    if not able:
        raise UsageError(f"no contract has what {scenario_id} needs.")
    versions = published(able[0].package or PACKAGE)
    kept = Takes(takes if takes is not None else default_takes())
    replayed = Replayed(
        suite,
        chosen,
        kept,
        lambda contract: Product(suite.root, contract.name, time_limit),
        "+gated" if gated else "",
    )
    ends = (oldest or able[0].version or versions[0], newest or versions[-1])
    shelf = Shelf(keep)

    def facts_of(version: str) -> tuple[object, ...]:
        print(f"  {version}", file=sys.stderr)
        shelf.make_room(version)
        return facts(replayed(version), level.value, suite.vocabulary)

    try:
        found = Bisection(between(versions, *ends), facts_of).search()
    except BisectError as error:
        raise UsageError(str(error)) from error
    if found.before is None or found.after is None:
        print(f"{scenario_id}: {ends[0]} and {ends[1]} give the same ({level.value})")
        return ExitCode.NOTHING
    print(f"{scenario_id}: changed in {found.after}; {found.before} is still like {ends[0]} ({level.value})")
    before, after = replayed(found.before), replayed(found.after)
    for line in _changed(before, after, (found.before, found.after)):
        print(f"  {line}")
    if found.again:
        print(f"it changes again: readfirst bisect {scenario_id} --from {found.after} --to {ends[1]}")
    if record:
        pair = [suite.contracts.find(version + replayed.variant) for version in (found.before, found.after)]
        for result in bless(suite, [scenario_id], pair, "create", kept):
            print(f"{result.status} {result.scenario_id} {result.message}".rstrip())
            if not result.ok:
                return ExitCode.NOT_CONFORMANT
    return ExitCode.CONFORMANT


def _changed(before: Transcript, after: Transcript, names: tuple[str, str]) -> Iterator[str]:
    """Yield what the first call that differs said before and after."""
    for old, new in zip(before.steps, after.steps, strict=True):
        if old == new:
            continue
        for (tool, _), *results in zip(old.calls, old.results, new.results, strict=True):
            for name, result in zip(names, results, strict=True):
                shown = visible(answer_of(result.text).split("\n")[0][:_SHOWN])
                yield f"{name}  {tool}{' refused' if result.is_error else ''}: {shown}"
        for path in sorted({*old.changes, *new.changes}):
            if old.changes.get(path) != new.changes.get(path):
                yield f"{path} is written otherwise"
        return
