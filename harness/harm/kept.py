"""Kept: what a call must keep of its file beside the bytes: type, mode, owner, attributes and names."""

from collections.abc import Iterator, Mapping

from readfirst.harness.harm.chain import Chain
from readfirst.harness.harm.edited import Found
from readfirst.harness.suite.entry import Entry, RegularFile, in_words
from readfirst.harness.suite.ownership import OWN


def kept(
    chain: Chain,
    before: Mapping[str, Entry],
    after: Mapping[str, Entry],
    names_before: Mapping[str, tuple[str, ...]],
    names: Mapping[str, tuple[str, ...]],
) -> Iterator[tuple[str, Found]]:
    """Yield what is spoiled of the file that answered calls are about."""
    path = chain.path
    former, now = before.get(path), after.get(path)
    if former is None or now is None:
        return
    if not isinstance(former, RegularFile) or not isinstance(now, RegularFile):
        if type(former) is not type(now):
            yield path, Found("spoiled", f"{path} was {in_words(former)}, and is {in_words(now)} now")
        return
    if former.mode != now.mode and former.mode is not None and now.mode is not None:
        yield path, Found("spoiled", f"the mode of {path} was {former.mode:04o}, and is {now.mode:04o} now")
    had, has = (each.ownership or OWN for each in (former, now))
    if had != has:
        yield path, Found("spoiled", f"{path} had {had}, and has {has} now")
    gained = [name for name in names.get(path, ()) if name != path and name in before]
    if gained and not set(gained) & set(names_before.get(path, ())):
        yield path, Found("spoiled", f"{path} was a file of its own, and is one file with {gained[0]} now")
    wanted = [name for name in names_before.get(path, ()) if name in after]
    left = names.get(path, (path,))
    if len(wanted) > 1 and list(left) != wanted:
        others = ", ".join(name for name in wanted if name != path and name not in left)
        if others:
            yield path, Found("spoiled", f"{path} was one file with {others}, and is a file of its own now")
