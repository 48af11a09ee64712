"""Sweep commands: `readfirst product sweep`; the command line registers it."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

import typer

from readfirst.harness.agents.claude_code.package import PACKAGE
from readfirst.harness.cli.exits import UsageError
from readfirst.harness.cli.options import Fixtures, Minutes, Shard, TimeLimit, open_suite, shard_of
from readfirst.harness.cli.pages import keep_pages, page_file
from readfirst.harness.counted import counted
from readfirst.harness.exit_code import ExitCode
from readfirst.harness.printed import say
from readfirst.harness.run.connect import connect
from readfirst.harness.session import TIME_LIMIT, Adapter
from readfirst.harness.source.atomic import write_all
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.releases import load_releases, releases_file
from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions.history import change_points
from readfirst.harness.versions.published import KeptVersions
from readfirst.harness.versions.sweep import Sweep, Swept, followed, spread
from readfirst.harness.versions.swept import FILE, load_swept, merged, sweep_page, swept_text
from readfirst.reference_impl.contract import histories


def sweep(
    versions: list[str] | None = typer.Argument(
        None,
        metavar="VERSION...",
        help="Published versions (default: all), also `2.1.300+gated`; with --merge, files.",
    ),
    again: bool = typer.Option(False, "--again", help="Ask versions in the file again."),
    shard: Shard = None,
    limit: int | None = typer.Option(None, min=1, help="Ask at most this many versions.", show_default="all"),
    minutes: Minutes = None,
    quick: bool = typer.Option(
        False, "--quick", help="Leave out scenarios that need a session of their own."
    ),
    sequences: int = typer.Option(50, min=0, max=10_000, help="Random sequences for each version."),
    keep: int | None = typer.Option(1, min=1, help="Keep at most this many of the versions it installs."),
    merge: bool = typer.Option(
        False, "--merge", help="Ask nothing: add what these files of other sweeps hold."
    ),
    check: bool = typer.Option(False, "--check", help="Ask nothing: exit code 1 if the page is stale."),
    explain: str | None = typer.Option(
        None,
        metavar="ASKED=REASON",
        help="Ask nothing: say why a scenario or `sequence N` differs in these versions.",
    ),
    output: Path | None = typer.Option(
        None, help="The file of what was swept.", show_default="docs/sweep.json, with its page"
    ),
    time_limit: TimeLimit = TIME_LIMIT,
    fixtures: Fixtures = None,
) -> int:
    """Compare the reference with the product in all published versions; exit code 0 if they agree. Needs npm.

    See `readfirst docs recording`.
    """
    suite = open_suite(fixtures)
    file = output or page_file(suite, FILE)
    if file is None:
        raise UsageError("The bundled suite has no docs/ folder: name the file with --output FILE.")
    if file.suffix != ".json":
        raise UsageError(f"{file}: the file's name must end with .json; the page beside it ends with .md.")
    kept = _Kept(file)
    if check or merge:
        if (check and merge) or bool(versions) != merge:
            raise UsageError("Write --merge and the --output of each shard, or --check without any word.")
        return kept.merge([Path(each) for each in versions or []]) if merge else kept.check()
    if explain is not None:
        return kept.explain(versions or [], *explain.partition("=")[::2])

    known = histories()
    asked = Sweep(
        suite,
        known,
        change_points(suite, known),
        _connection(suite, time_limit),
        sequences,
        quick,
    )
    wanted = _wanted(suite, versions or [])
    if shard is not None:
        part, parts = shard_of(shard)
        wanted = wanted[part - 1 :: parts]
    if not wanted:
        say("no version is selected", err=True)
        return ExitCode.NOTHING
    room = KeptVersions(keep, package=suite.contracts[suite.contracts.default].package or PACKAGE)
    deadline = None if minutes is None else time.monotonic() + 60 * minutes
    fresh: list[Swept] = []
    for version in _due(asked, wanted, kept.found, again=again):
        if len(fresh) == limit or (deadline is not None and time.monotonic() >= deadline):
            break
        contract = suite.contracts.find(version)
        room.make_room(contract.version or contract.name)
        swept = asked(version)
        kept.add(swept)
        fresh.append(swept)
        for line in _lines(swept):
            say(line)
    left = sum(version not in kept.found for version in wanted)
    say(f"{len(fresh)} swept, {len(wanted) - left} of {len(wanted)} are in {kept.file}", err=True)
    if not fresh:
        return ExitCode.NOTHING
    return ExitCode.CONFORMANT if all(each.agrees for each in fresh) else ExitCode.NOT_CONFORMANT


class _Kept:
    """The file, and the page beside it: written together."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.found = load_swept(file)

    @property
    def _files(self) -> dict[Path, bytes]:
        return {
            self.file: swept_text(self.found.values()).encode(),
            self.file.with_suffix(".md"): sweep_page(self.found).encode(),
        }

    def add(self, swept: Swept) -> None:
        """Take in one version, and write both files. Raises OSError."""
        before = self.found.get(swept.version)
        known = before.explained if before else {}
        self.found[swept.version] = swept.with_reasons({**known, **swept.explained})
        write_all(self._files)

    def explain(self, versions: Sequence[str], asked: str, why: str) -> int:
        """Say why something differs in some versions, and write both files. UsageError: it does not differ there."""
        for version in versions:
            found = self.found.get(version)
            if not why or found is None or asked not in {each.asked for each in found.differences}:
                raise UsageError(
                    f"{asked} does not differ on {version}. Write --explain 'sequence 7=REASON'."
                )
            self.add(found.with_reasons({asked: why}))
        return ExitCode.CONFORMANT if versions else ExitCode.NOTHING

    def merge(self, files: Sequence[Path]) -> int:
        """Take in what other files hold, and write both; newer results of those win over what was there."""
        missing = [str(each) for each in files if not each.is_file()]
        if missing:
            raise UsageError(f"{', '.join(missing)}: no such file. Name the --output of each shard.")
        before = dict(self.found)
        new = merged(
            {version: each for version, each in load_swept(file).items() if before.get(version) != each}
            for file in files
        )
        self.found.update(new)
        write_all(self._files)
        say(f"{len(new)} new of {len(self.found)} in {self.file}", err=True)
        return ExitCode.CONFORMANT

    def check(self) -> int:
        """Compare both files with what this version would write."""
        pages = {file: data.decode() for file, data in self._files.items()}
        return keep_pages(pages, f"product sweep --merge {self.file}", check=True)


def _wanted(suite: Suite, named: Sequence[str]) -> list[str]:
    """Return the versions, those that tell most first. UsageError for one that is not published."""
    published = load_releases(releases_file(suite.root)).versions
    for name in named:
        if name.removesuffix("+gated") not in published:
            raise UsageError(
                f"{name} is not published, or must not be installed. fixtures/releases.yaml lists the versions; "
                "`readfirst product history --published` asks npm for them."
            )
    return list(dict.fromkeys(named)) or spread(published, suite.contracts)


def _due(asked: Sweep, wanted: Sequence[str], found: Mapping[str, Swept], *, again: bool) -> Iterator[str]:
    """Yield what is to be asked: first what never was, then what failed or was asked something else."""
    there = dict(found)  # as it is before this sweep
    if again:
        yield from wanted
        return
    yield from (version for version in wanted if version not in there)
    for version in wanted:
        if version not in there:
            continue
        # A version may have failed because the machine was busy.
        if there[version].failed or (not asked.quick and there[version].inputs != asked.inputs(version)):
            yield version


def _connection(suite: Suite, time_limit: float) -> Callable[[Contract], tuple[Adapter, Adapter]]:
    """Return what opens both sides in a version, the reference first: what it does not know is not installed."""

    def opened(contract: Contract) -> tuple[Adapter, Adapter]:
        like = followed(contract, suite.contracts)
        return (
            connect("reference", suite, contract=like, time_limit=time_limit),
            connect(f"claude-code:{contract.name}", suite, contract=contract, time_limit=time_limit),
        )

    return opened


def _lines(swept: Swept) -> Iterator[str]:
    """Yield what came of a version: a line, and one for each difference."""
    if swept.failed:
        yield f"{swept.version}: could not be asked: {swept.failed}"
        return
    verdict = f"{len(swept.differences)} differ" if swept.differences else "all agree"
    asked = f"{counted(swept.scenarios, 'scenario')} and {counted(swept.sequences, 'sequence')}"
    yield f"{swept.version}: {asked}, {verdict}"
    for each in swept.differences:
        made = each.made[0] if each.made[0] == each.made[1] else f"{each.made[0]} → {each.made[1]}"
        yield f"  {each.asked}, step {each.step}: {each.tool}, {each.what}, {made} ({each.level})"
    for name, why in sorted(swept.unasked.items()):
        yield f"  {name}: not compared: {why}"
