"""Run an implementation again whenever its files change, failed scenarios first (`readfirst watch`)."""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from readfirst.harness.errors import ExitCode, ReadfirstError
from readfirst.harness.report.escape import visible
from readfirst.harness.terminal import say

_DEBOUNCE_MS = 300
"""Milliseconds without a further change before a run starts. Used because an editor may save several files."""
_POLL_INTERVAL_MS = 50
_OUTPUT_OPTIONS = ("--output", "--keep", "--baseline")
"""Options whose values are files or directories that a run writes. Changes of these files start no new run."""


class WatchError(ReadfirstError):
    """Raised if files cannot be watched for changes. The message says how to fix this."""


def rerun(run: Callable[[Sequence[str]], int], changes: Iterable[Sequence[Path]]) -> None:
    """Run all scenarios. After every change, run the scenarios that failed in the last run, and run all again if they
    pass. `run` executes a run with additional options, and returns its exit code. `changes` yields the changed files.
    """
    run(())
    for files in changes:
        others = f" and {len(files) - 1} more" if len(files) > 1 else ""
        say(f"\nreadfirst: {visible(files[0].name)}{others} changed", err=True)
        if run(("--last-failed",)) in (ExitCode.CONFORMANT, ExitCode.NOTHING):
            run(())


def written_by(options: Sequence[str]) -> list[Path]:
    """Return the absolute paths of the files and directories that a run with these options writes."""
    pairs = [*pairwise(options), *(option.split("=", 1) for option in options if "=" in option)]
    return [Path(value).resolve() for option, value in pairs if option in _OUTPUT_OPTIONS]


def changes_below(paths: Sequence[Path], written: Sequence[Path]) -> Iterable[list[Path]]:
    """Yield the changed files in these directories until Ctrl-C, without the files `written` by the run and without
    directories such as `.git`. Raises WatchError.
    """
    try:
        from watchfiles import DefaultFilter, watch
    except ImportError as error:
        raise WatchError(
            "watching files needs the package watchfiles: python3 -m pip install 'readfirst[watch]'"
        ) from error
    missing = next((path for path in paths if not path.exists()), None)
    if missing is not None:
        raise WatchError(f"there is no {missing} to watch. Name a file or directory with --path.")
    batches = watch(*paths, watch_filter=DefaultFilter(), debounce=_DEBOUNCE_MS, step=_POLL_INTERVAL_MS)
    return _filter_changes(batches, written)


def _filter_changes(
    batches: Iterable[Iterable[tuple[object, str]]], written: Sequence[Path]
) -> Iterable[list[Path]]:
    for batch in batches:
        files = sorted({Path(name).resolve() for _, name in batch})
        changed = [
            path
            for path in files
            # A file with this suffix will replace another file.
            if not any(path.is_relative_to(output_path) for output_path in written)
            and not path.name.endswith(".unfinished")
        ]
        if changed:
            yield changed
