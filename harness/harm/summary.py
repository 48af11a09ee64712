"""Select the files that a conversation still knows after a compaction."""

from collections.abc import Collection, Mapping

from readfirst.harness.suite.file_entry import NANOSECONDS, OLD_TIME, Entry, RegularFile, data_of

_MOST = 5
"""Number of files that the product shows again after a summary, according to recordings of `sessions`."""
_LATE = 1 << 62


def shown_again(
    met: Collection[str], state: Mapping[str, Entry], given: Mapping[str, Entry], touched: Collection[str]
) -> set[str]:
    """Return the five known files that were changed last. More if some have the same time.

    `touched` contains the files that the session changed.
    """
    times = {path: _time(path, state, given, touched) for path in met}
    latest = sorted(times.values(), reverse=True)[:_MOST]
    return {path for path, time in times.items() if time >= latest[-1]}


def _time(path: str, state: Mapping[str, Entry], given: Mapping[str, Entry], touched: Collection[str]) -> int:
    """Return the time of a file's last change, in nanoseconds since 1970. A recording has only the given times."""
    entry, former = state[path], given.get(path)
    if isinstance(entry, RegularFile) and entry.stamp is not None and entry.stamp.mtime_ns:
        return entry.stamp.mtime_ns
    if path in touched or not isinstance(former, RegularFile) or data_of(entry) != former.data:
        return _LATE
    return int((OLD_TIME if former.mtime is None else former.mtime) * NANOSECONDS)
