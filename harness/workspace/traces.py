"""Traces: what was done to files beside their bytes and modes: their times, and which names share one file."""

from collections.abc import Mapping
from typing import NamedTuple

from readfirst.harness.suite.entry import Entry, RegularFile


class Trace(NamedTuple):
    """A file with the bytes and mode that it had, which was written, touched or replaced all the same.

    The times are in nanoseconds since 1970. `replaced`: another file (inode) is there now.
    """

    before_ns: int
    after_ns: int
    replaced: bool


def traces(before: Mapping[str, Entry], after: Mapping[str, Entry]) -> dict[str, Trace]:
    """Return each path that holds an equal file in two snapshots, and was not left alone between them."""
    found: dict[str, Trace] = {}
    if before is after:
        return found
    for path, entry in after.items():
        if type(entry) is RegularFile:
            former = before.get(path)
            if type(former) is not RegularFile or former.stamp is None or entry.stamp is None:
                continue
            (inode, _, time), (former_inode, _, former_time) = entry.stamp, former.stamp
            if (inode != former_inode or time != former_time) and former == entry:
                found[path] = Trace(former_time, time, inode != former_inode)
    return found


def names_of(entries: Mapping[str, Entry]) -> dict[str, tuple[str, ...]]:
    """Return all names of each file that has several in a snapshot, by each of them; sorted."""
    groups: dict[int, list[str]] = {}
    for path, entry in entries.items():
        if type(entry) is RegularFile and entry.stamp is not None and entry.stamp.names > 1:
            groups.setdefault(entry.stamp.inode, []).append(path)
    return {
        path: names
        for group in groups.values()
        if len(group) > 1
        for names in (tuple(sorted(group)),)
        for path in names
    }
