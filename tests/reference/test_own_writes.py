"""What the session wrote after it knew a file counts as newer, also where the clock stood still in between."""

from __future__ import annotations

import os
from pathlib import Path

from readfirst.reference_impl import behaviours_of
from readfirst.reference_impl.session.memory import ReadState
from readfirst.reference_impl.session.permissions import Permissions
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.content import Format


def opened(root: Path) -> Session:
    place = str(root)
    permissions = Permissions((), root=place, home=place)
    return Session(place, place, behaviours_of("2.1.7"), permissions, ReadState())


def test_a_write_under_another_name_in_the_same_tick_counts_as_newer(tmp_path: Path) -> None:
    session = opened(tmp_path)
    target, link, other = (str(tmp_path / name) for name in ("target.txt", "link.txt", "other.txt"))
    for path in (target, other):
        Path(path).write_text("alpha\n")
    Path(link).symlink_to("target.txt")
    for path in (target, other):
        session.remember(path, "alpha\n")
    before, unrelated = session.state.get(target), session.state.get(other)
    assert before is not None
    assert unrelated is not None
    assert not session.is_newer(target, before)
    session.store(link, "beta\n", Format())
    os.utime(target, ns=(before.timestamp, before.timestamp))
    assert session.is_newer(target, before), "the clock stood still, and yet it was written"
    assert not session.is_newer(other, unrelated), "nobody wrote it"
    own = session.state.get(link)
    assert own is not None
    os.utime(target, ns=(own.timestamp, own.timestamp))
    assert not session.is_newer(link, own), "this write is the one that it knows"
    session.remember(target, "beta\n")
    after = session.state.get(target)
    assert after is not None
    assert not session.is_newer(target, after), "it was read again since"
    os.utime(target, ns=(after.timestamp + 10**9, after.timestamp + 10**9))
    assert session.is_newer(target, after), "the clock went on"
