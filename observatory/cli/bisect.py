"""Command `readfirst product bisect`."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from math import ceil, log2

import typer
from packaging.version import Version

from readfirst.harness.agents.claude_code.install import PACKAGE
from readfirst.harness.cli.error_handling import UsageError
from readfirst.harness.cli.options import (
    FEW_SELECTION_OPTIONS,
    Fixtures,
    Ids,
    LevelName,
    Selected,
    TakesDirectory,
    open_own_suite,
    open_suite,
    running,
    selecting,
)
from readfirst.harness.errors import ExitCode
from readfirst.harness.pluralize import pluralize
from readfirst.harness.record.record import accept_replays
from readfirst.harness.record.recording_worker import Product, ReplayProgress, replay_seconds
from readfirst.harness.record.replay_samples import StoredReplays, default_takes
from readfirst.harness.report.escape import visible
from readfirst.harness.report.progress import duration
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.selection import select
from readfirst.harness.suite.transcript import Transcript
from readfirst.harness.terminal import say
from readfirst.observatory.versions.bisect import (
    AnswerChange,
    VersionReplays,
    compared_parts,
    find_changes,
    versions_between,
)
from readfirst.observatory.versions.npm_versions import InstalledVersions, published_versions

_MAX_ANSWER_CHARS = 100
"""Maximum length of a printed answer, in characters. Longer answers are cut."""


@selecting(FEW_SELECTION_OPTIONS)
@running("time_limit")
def bisect(
    ids: Ids = None,
    oldest: str | None = typer.Option(
        None, "--from", help="The oldest version.", show_default="the oldest contract's"
    ),
    newest: str | None = typer.Option(
        None, "--to", help="The newest version.", show_default="the newest published"
    ),
    level: LevelName = typer.Option("text", help="The level of the comparison."),
    gated: bool = typer.Option(
        False, "--gated", help="Use an older model, which must read a file before it edits the file."
    ),
    keep: int | None = typer.Option(
        None, min=1, help="Maximum number of versions that stay installed.", show_default="all"
    ),
    record: bool = typer.Option(
        False,
        "--record",
        help="Also record each scenario on the versions directly before and after each change.",
    ),
    *,
    selection: Selected,
    takes: TakesDirectory = None,
    options: RunOptions,
    fixtures: Fixtures = None,
) -> int:
    """Find the published versions that changed the answers to scenarios. Needs npm; see `readfirst docs recording`."""
    suite = (open_own_suite if record else open_suite)(fixtures)
    selected = select(suite, replace(selection, ids=tuple(ids or ())))
    if not selected:
        say("no scenario is selected")
        return ExitCode.NOTHING
    needs = frozenset[str]().union(*(suite.scenario(name, require_expect=False).needs for name in selected))
    contract = next((each for each in suite.contracts.recorded if needs <= each.capabilities), None)
    if contract is None:
        raise UsageError(
            f"The selected scenarios need {', '.join(sorted(needs))}. No contract supports all of them."
        )
    published = published_versions(contract.package or PACKAGE)
    kept = StoredReplays(takes or default_takes())
    replays = VersionReplays(suite, kept, partial(Product, suite, options), "+gated" if gated else "")
    kept_versions = InstalledVersions(keep)

    def ask(version: str, asked: Sequence[str]) -> dict[str, tuple[object, ...]]:
        say(f"  {version}: {len(asked)}", err=True)
        kept_versions.make_room(version)
        with ReplayProgress(suite, {replays.contract(version).name: asked}, kept) as progress:
            answers = replays(version, asked, progress)
        return {name: compared_parts(answer, level) for name, answer in answers.items()}

    with kept.held():
        candidates = versions_between(
            published, oldest or contract.version or published[0], newest or published[-1]
        )
        count, time = len(candidates), duration(2 * replay_seconds(suite, selected, None))
        say(
            f"{pluralize(len(selected), 'scenario')}, {count} published versions: tests the first and the last, "
            f"then about {ceil(log2(max(count - 1, 1)))} versions for each change. Each version takes at most about "
            f"{time}, and the time for its installation.",
            err=True,
        )
        found = list(find_changes(candidates, selected, ask))
        unsearched = [
            (name, end)
            for name in selected
            for end in candidates[:: len(candidates) - 1]
            if (name, end) in replays.silent
        ]
        for name, end in unsearched:
            say(f"{name}: not searched, because {end} gives no answer: {replays.silent[name, end]}", err=True)
        refused = False
        for name in selected:
            own_changes = sorted(
                (each for each in found if each.scenario_id == name), key=lambda each: Version(each.after)
            )
            for former, each in zip(
                [candidates[0], *(each.after for each in own_changes)], own_changes, strict=False
            ):
                for line in _describe(each, former, level, replays):
                    say(line)
            if not own_changes and all(name != each for each, _ in unsearched):
                say(f"{name}: {candidates[0]} and {candidates[-1]} give the same answers ({level})")
            if record and own_changes:
                sides = dict.fromkeys(
                    version for each in own_changes for version in (each.before, each.after)
                )
                for result in accept_replays(
                    suite, {replays.contract(side).name: [name] for side in sides}, "create", kept
                ):
                    say(f"{result.status} {result.scenario_id} {result.message}".rstrip())
                    refused = refused or not result.ok
        if refused:
            return ExitCode.NOT_CONFORMANT
        if unsearched:
            return ExitCode.ERROR
        return ExitCode.CONFORMANT if found else ExitCode.NOTHING


def _describe(change: AnswerChange, former: str, level: str, replays: VersionReplays) -> Iterator[str]:
    """Yield lines about a change. `former` is the version of the previous change, or the oldest searched version."""
    where = f"changed in {change.after}" if not change.silent else f"changed in {change.after} or earlier"
    yield f"{change.scenario_id}: {where}; {change.before} still behaves like {former} ({level})"
    for version in change.silent:
        yield f"  {version}  no answer: {replays.silent[change.scenario_id, version]}"
    before, after = (
        replays.confirmed_answer(version, change.scenario_id) for version in (change.before, change.after)
    )
    if before is not None and after is not None:
        yield from (f"  {line}" for line in _changed_answers(before, after, (change.before, change.after)))


def _changed_answers(before: Transcript, after: Transcript, names: tuple[str, str]) -> Iterator[str]:
    """Yield lines about the first step that differs: each version's answers, and the paths with different changes."""
    for old, new in zip(before.steps, after.steps, strict=True):
        if old == new:
            continue
        for tool, *results in zip(old.tools, old.results, new.results, strict=True):
            for name, result in zip(names, results, strict=True):
                shown = visible(result.text.split("\n")[0][:_MAX_ANSWER_CHARS])
                yield f"{name}  {tool}{' refused' if result.is_error else ''}: {shown}"
        for path in sorted({*old.changes, *new.changes}):
            if old.changes.get(path) != new.changes.get(path):
                yield f"{path} has different changes"
        return
