"""Laws of state: what the session knows of a file, and whether that still holds."""

from random import Random

from play import Moment, Play, World
from registry import law

from harness.entry import OLD_TIME, RegularFile, TextContent
from harness.fuzz.generate import single_file
from harness.fuzz.texts import argument_text
from harness.scenario import WorldEvent

STEPS = 8


def modified(path: str, text: str, seconds: int = 2) -> WorldEvent:
    return WorldEvent("modify", path, RegularFile(TextContent(text)), mtime=seconds)


def edit(play: Play, path: str, old: str, new: str) -> Moment:
    return play.call("Edit", file_path=f"$WS/{path}", old_string=old, new_string=new)


@law
def own_changes_are_never_stale(world: World, random: Random) -> None:
    """12. After a successful Edit or Write, and no change by others, the next call on the file is not stale."""
    with world.play(single_file(random, STEPS)) as play:
        mine = False
        for moment in play.moments():
            if moment.events:
                mine = False
            if mine:
                assert not moment.stale
            if moment.tool != "Read" and not moment.refused:
                mine = True


@law
def a_file_just_read_is_not_stale(world: World, random: Random) -> None:
    """13. After a successful Read, and no change by others, the next call on the file is not stale."""
    with world.play(single_file(random, STEPS)) as play:
        read = False
        for moment in play.moments():
            if moment.events:
                read = False
            if read:
                assert not moment.stale
            if moment.tool == "Read":
                read = not moment.refused


@law
def an_own_file_that_was_only_touched_can_be_edited(world: World, random: Random) -> None:
    """14. A later time alone does not make a file stale whose content the session has written itself."""
    with world.play(single_file(random, STEPS)) as play:
        play.to_the_end()
        assert not play.call("Write", file_path="$WS/own.txt", content="alpha\n").refused
        play.perform(WorldEvent("touch", "own.txt", mtime=random.choice((1, 2, -10, 3600))))
        assert not edit(play, "own.txt", "alpha", "beta").refused


@law
def a_read_file_that_was_touched_is_stale(world: World, random: Random) -> None:
    """14. A later time makes a file stale that was read, whole or in part, even with the same content."""
    with world.files({"notes.txt": RegularFile(TextContent(f"alpha\n{argument_text(random)}"))}) as play:
        part = random.choice(({}, {"limit": 1}, {"offset": 1}, {"offset": 1, "limit": 100}))
        assert not play.call("Read", file_path="$WS/notes.txt", **part).refused
        play.perform(WorldEvent("touch", "notes.txt", mtime=random.choice((1, 2, 3600))))
        assert edit(play, "notes.txt", "alpha", "beta").stale


@law
def a_changed_file_is_not_changed_over(world: World, random: Random) -> None:
    """15. The first Edit or Write after somebody changed a known file, with a later time, is refused and keeps it."""
    with world.play(single_file(random, STEPS)) as play:
        play.to_the_end()
        path = play.text_file()
        if path is None or play.call("Read", file_path=f"$WS/{path}").refused:
            return
        if random.randint(0, 1) and play.call("Write", file_path=f"$WS/{path}", content="own\n").refused:
            return
        play.perform(modified(path, "alpha of somebody else\n"))
        if random.randint(0, 1):
            moment = edit(play, path, "alpha", "beta")
        else:
            moment = play.call("Write", file_path=f"$WS/{path}", content="mine\n")
        assert moment.stale
        assert moment.after == moment.before


@law
def what_strikes_during_a_call_survives(world: World, random: Random) -> None:
    """16. A change between validation and execution, with a later time, is not overwritten by the call."""
    with world.files({"notes.txt": RegularFile(TextContent(f"alpha\n{argument_text(random)}"))}) as play:
        play.call("Read", file_path="$WS/notes.txt")
        path = f"{play.site.root}/notes.txt"
        call = random.choice(
            (
                ("Edit", {"file_path": path, "old_string": "alpha", "new_string": "beta"}),
                ("Write", {"file_path": path, "content": "mine\n"}),
            )
        )
        struck = []

        def strike() -> None:
            play.perform(modified("notes.txt", "alpha of somebody else\n"))
            struck.append(True)

        result = play.session.call_during(*call, strike)
        if struck:
            assert result.is_error
            assert play.state()["notes.txt"].data == b"alpha of somebody else\n"


@law
def a_read_recovers_from_anything(world: World, random: Random) -> None:
    """17. Whatever happened, after a Read of a whole text file an Edit of a text that is there once goes through."""
    with world.play(single_file(random, STEPS)) as play:
        play.to_the_end()
        path = play.text_file()
        if path is None or path.endswith(".ipynb"):
            return
        view = play.state()[path].view
        at = random.randint(0, max(0, len(view) - 1))
        old = view[at : at + random.randint(1, 12)]
        if not old or view.count(old) != 1:
            return
        if play.call("Read", file_path=f"$WS/{path}").refused:
            return
        assert not edit(play, path, old, "~new~").refused


@law
def every_spelling_names_the_same_file(world: World, random: Random) -> None:
    """18. What was read as one spelling of a path can be edited as another; `.`, `..` and `//` make no difference."""
    spellings = (
        "src/a.txt",
        "./src/a.txt",
        "/src//a.txt",
        "src/../src/a.txt",
        "src/./a.txt",
        "x/../src/a.txt",
    )
    with world.files({"src/a.txt": RegularFile(TextContent("alpha\n"))}) as play:
        assert not play.call("Read", file_path=f"$WS/{random.choice(spellings)}").refused
        assert not edit(play, random.choice(spellings), "alpha", "beta").refused
        assert not edit(play, random.choice(spellings), "beta", "gamma").refused


@law
def the_same_steps_give_the_same_answers(world: World, random: Random) -> None:
    """36. The same scenario, played twice from nothing, gives the same texts and the same bytes."""
    scenario = single_file(random, STEPS)
    runs = []
    for _ in range(2):
        with world.play(scenario) as play:
            runs.append(
                [
                    (moment.result, {path: (seen.data, seen.mode) for path, seen in moment.after.items()})
                    for moment in play.moments(wrong=True)
                ]
            )
    assert runs[0] == runs[1]


@law
def an_older_time_is_not_stale(world: World, random: Random) -> None:
    """15. Only a later time counts: a file whose time was set back can be edited."""
    with world.files({"notes.txt": RegularFile(TextContent("alpha\n"), mtime=OLD_TIME)}) as play:
        play.call("Read", file_path="$WS/notes.txt")
        play.perform(WorldEvent("touch", "notes.txt", mtime=-random.randint(1, 5000)))
        assert not edit(play, "notes.txt", "alpha", "beta").refused
