"""Watch: run an implementation again whenever its files change, what failed first."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.report.escape import visible
from readfirst.harness.terminal import say

_SETTLED = 300
"""Milliseconds that have to pass without a change before a run: an editor saves several files one after the other."""
_STEP = 50
_WRITTEN = ("--output", "--keep", "--baseline")
"""Options of a run that name what it writes itself."""


class WatchError(ReadfirstError):
    """Nothing can be watched; the message says what to do."""


def rerun(run: Callable[[Sequence[str]], int], changes: Iterable[Sequence[Path]]) -> None:
    """Run everything, and again after every change: what failed before first, and everything once that passes.

    `run` gets the options to add and returns the exit code; `changes` yields the files that changed.
    """
    run(())
    for files in changes:
        others = f" and {len(files) - 1} more" if len(files) > 1 else ""
        say(f"\nreadfirst: {visible(files[0].name)}{others} changed", err=True)
        if run(("--last-failed",)) in (ExitCode.CONFORMANT, ExitCode.NOTHING):
            run(())


def written_by(options: Sequence[str]) -> list[Path]:
    """Return the files and folders that a run with these options writes, absolute."""
    named = [value for option, value in pairwise(options) if option in _WRITTEN]
    named += [
        option.partition("=")[2]
        for option in options
        if option.startswith(tuple(f"{each}=" for each in _WRITTEN))
    ]
    return [Path(each).resolve() for each in named]


def changes_below(paths: Sequence[Path], written: Sequence[Path]) -> Iterable[list[Path]]:
    """Yield the files that changed below some paths, until Ctrl-C; files that the run writes do not count.

    Folders that tools keep for themselves (`.git`, `node_modules`, `__pycache__`, ...) do not count. Raises WatchError.
    """
    try:
        from watchfiles import DefaultFilter, watch
    except ImportError as error:
        raise WatchError(
            "watching files needs the package watchfiles: python3 -m pip install 'readfirst[watch]'"
        ) from error
    missing = next((each for each in paths if not each.exists()), None)
    if missing is not None:
        raise WatchError(f"there is no {missing} to watch. Name a file or folder with --path.")
    usual = DefaultFilter()
    return _changes(watch(*paths, watch_filter=usual, debounce=_SETTLED, step=_STEP), written)


def _changes(found: Iterable[Iterable[tuple[object, str]]], written: Sequence[Path]) -> Iterable[list[Path]]:
    for batch in found:
        files = sorted({Path(name).resolve() for _, name in batch})
        kept = [
            each
            for each in files
            # What waits to be put in the place of another is a file of ours.
            if not any(each.is_relative_to(own) for own in written) and not each.name.endswith(".unfinished")
        ]
        if kept:
            yield kept
