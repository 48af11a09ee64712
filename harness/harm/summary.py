"""Find the files that a conversation still knows after a summary replaced it (compaction)."""

from collections.abc import Collection, Mapping

from readfirst.harness.suite.file_entry import NANOSECONDS, OLD_TIME, Entry, RegularFile, data_of

_MAX_FILES = 5
"""Number of files that the product shows again after a summary, as the recordings of the family `sessions` show."""
_UNKNOWN_TIME_NS = 1 << 62
"""Time that is used for a file if the session may have changed it at an unknown time: later than every real time."""


def files_shown_after_summary(
    known_paths: Collection[str],
    state: Mapping[str, Entry],
    given: Mapping[str, Entry],
    changed_paths: Collection[str],
) -> set[str]:
    """Return the known files that the product shows after a summary: the latest five, and files as old as the fifth."""
    times = {path: _change_time(path, state, given, changed_paths) for path in known_paths}
    latest = sorted(times.values(), reverse=True)[:_MAX_FILES]
    return {path for path, time in times.items() if time >= latest[-1]}


def _change_time(
    path: str, state: Mapping[str, Entry], given: Mapping[str, Entry], changed_paths: Collection[str]
) -> int:
    """Return a file's time in ns. _UNKNOWN_TIME_NS if the file was changed at an unknown time."""
    entry, initial = state[path], given.get(path)
    if isinstance(entry, RegularFile) and entry.stamp is not None and entry.stamp.mtime_ns:
        return entry.stamp.mtime_ns
    if path in changed_paths or not isinstance(initial, RegularFile) or data_of(entry) != initial.data:
        return _UNKNOWN_TIME_NS
    return int((OLD_TIME if initial.mtime is None else initial.mtime) * NANOSECONDS)
