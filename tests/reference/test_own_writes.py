"""What the session wrote after it knew a file counts as newer, also where the clock stood still in between."""

import os
from pathlib import Path

from readfirst.reference_impl import behaviours_of
from readfirst.reference_impl.session.session import Session


def opened(root: Path) -> Session:
    return Session.opened(behaviours_of("2.1.7"), root=str(root), home=str(root))


def test_a_write_under_another_name_in_the_same_tick_counts_as_newer(tmp_path: Path) -> None:
    session = opened(tmp_path)
    memory = session.memory
    target, link, other = (str(tmp_path / name) for name in ("target.txt", "link.txt", "other.txt"))
    for path in (target, other):
        Path(path).write_text("alpha\n")
    Path(link).symlink_to("target.txt")
    for path in (target, other):
        memory.remember(path, "alpha\n")
    before, unrelated = memory.records.get(target), memory.records.get(other)
    assert before is not None
    assert unrelated is not None
    assert not memory.is_newer(target, before)
    session.storage.write(link, b"beta\n")
    memory.wrote(link, "beta\n")
    os.utime(target, ns=(before.timestamp, before.timestamp))
    assert memory.is_newer(target, before), "the clock stood still, and yet it was written"
    assert not memory.is_newer(other, unrelated), "nobody wrote it"
    own = memory.records.get(link)
    assert own is not None
    os.utime(target, ns=(own.timestamp, own.timestamp))
    assert not memory.is_newer(link, own), "this write is the one that it knows"
    memory.remember(target, "beta\n")
    after = memory.records.get(target)
    assert after is not None
    assert not memory.is_newer(target, after), "it was read again since"
    os.utime(target, ns=(after.timestamp + 10**9, after.timestamp + 10**9))
    assert memory.is_newer(target, after), "the clock went on"


def test_a_write_by_a_sub_agent_in_the_same_tick_counts_as_newer(tmp_path: Path) -> None:
    session = opened(tmp_path)
    path = str(tmp_path / "target.txt")
    Path(path).write_text("alpha\n")
    session.memory.wrote(path, "alpha\n")
    own = session.memory.records.get(path)
    assert own is not None
    agent = session.sub_agent()
    agent.memory.remember(path, "alpha\n")
    read = agent.memory.records.get(path)
    assert read is not None
    assert not agent.memory.is_newer(path, read), "the agent read it after the session wrote it"
    agent.storage.write(path, b"beta\n")
    agent.memory.wrote(path, "beta\n")
    os.utime(path, ns=(own.timestamp, own.timestamp))
    assert session.memory.is_newer(path, own), "the clock stood still, and yet the agent wrote it"
    assert not session.resumed().memory.outdated(), "after a resume it counts as known"
