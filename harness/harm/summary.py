"""Summary: the files that a conversation knows after a compaction."""

from collections.abc import Collection, Mapping

from readfirst.harness.suite.file_entry import NANOSECONDS, OLD_TIME, Entry, RegularFile, data_of

_MOST = 5
"""Files that the product shows again beside a summary, as recordings of `sessions` show."""
_LATE = 1 << 62


def shown_again(
    met: Collection[str], state: Mapping[str, Entry], given: Mapping[str, Entry], touched: Collection[str]
) -> set[str]:
    """Return the five of the files that a session met which were changed last; more, if some changed at one time.

    `touched` are those that it changed.
    """
    times = {path: _time(path, state, given, touched) for path in met}
    latest = sorted(times.values(), reverse=True)[:_MOST]
    return {path for path, time in times.items() if time >= latest[-1]}


def _time(path: str, state: Mapping[str, Entry], given: Mapping[str, Entry], touched: Collection[str]) -> int:
    """Return when a file was changed last, in nanoseconds since 1970; a recording has only the given times."""
    entry, former = state[path], given.get(path)
    if isinstance(entry, RegularFile) and entry.stamp is not None and entry.stamp.mtime_ns:
        return entry.stamp.mtime_ns
    if path in touched or not isinstance(former, RegularFile) or data_of(entry) != former.data:
        return _LATE
    return int((OLD_TIME if former.mtime is None else former.mtime) * NANOSECONDS)
