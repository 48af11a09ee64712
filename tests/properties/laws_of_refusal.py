"""Laws of refusal: what a refused call leaves behind, and when a call may not go through."""

from random import Random

from play import World, leads_somewhere, relative
from registry import law

from harness.entry import RegularFile, TextContent
from harness.fuzz.generate import any_scenario, single_file
from harness.fuzz.texts import argument_text

STEPS = 8


@law
def a_refused_call_changes_nothing(world: World, random: Random) -> None:
    """1. After a refusal every path has the bytes, mode, time and inode it had, and none was added."""
    with world.play(any_scenario(random, STEPS)) as play:
        for moment in play.moments(wrong=True):
            if moment.refused:
                assert moment.after == moment.before


@law
def a_refused_call_is_refused_in_the_same_words_again(world: World, random: Random) -> None:
    """2. A repeated refused call gets the same answer. A stale file is left out: the session takes note of it."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments(wrong=True):
            if moment.refused and not moment.stale:
                again = play.call(moment.tool, **moment.arguments)
                assert again.result == moment.result


@law
def equal_strings_are_refused(world: World, random: Random) -> None:
    """9. An Edit that would replace a text by itself is refused, whatever the file holds or whether it is there."""
    with world.play(single_file(random, STEPS)) as play:
        play.to_the_end()
        text = random.choice(("alpha", "", "a\nb", "“q”", "x y"))
        path = f"$WS/{random.choice((*play.state(), 'missing.txt'))}"
        moment = play.call("Edit", file_path=path, old_string=text, new_string=text)
        assert moment.refused
        assert moment.result.text.startswith("No changes to make")


@law
def only_a_known_file_is_changed(world: World, random: Random) -> None:
    """10. Edit and Write go through on an existing file only after a successful Read, Edit or Write of that path."""
    with world.play(any_scenario(random, STEPS)) as play:
        known = set()
        for moment in play.moments():
            if moment.refused:
                continue
            if moment.tool != "Read" and leads_somewhere(moment.before, moment.path):
                assert moment.path in known
            known.add(moment.path)


@law
def what_happens_to_a_file_never_makes_it_unread(world: World, random: Random) -> None:
    """11. Once a path was read or written, no change on disk makes the session say that it was not read."""
    with world.play(single_file(random, STEPS)) as play:
        known = set()
        for moment in play.moments():
            if not moment.refused:
                known.add(moment.path)
            elif moment.path in known:
                assert not moment.not_read


@law
def an_unread_file_is_named_first(world: World, random: Random) -> None:
    """19. On an unread text file the answer is that it was not read, whether or not the text is in it."""
    text = f"alpha\n{argument_text(random)}"
    with world.files({"notes.txt": RegularFile(TextContent(text))}) as play:
        old = random.choice(("alpha", "not there", "a", "\n"))
        moment = play.call("Edit", file_path="$WS/notes.txt", old_string=old, new_string="other")
        assert moment.not_read


@law
def a_denied_path_stays_as_it_is(world: World, random: Random) -> None:
    """32. No spelling of a denied path gets through, whatever was read or tried before, and nothing changes."""
    files = {
        "secret/notes.txt": RegularFile(TextContent("alpha\n")),
        "open/notes.txt": RegularFile(TextContent("alpha\n")),
    }
    spellings = ("secret/notes.txt", "./secret/notes.txt", "open/../secret/notes.txt", "/secret//notes.txt")
    with world.files(files, deny=("Edit(secret/**)",)) as play:
        for _ in range(random.randint(1, 4)):
            path = f"$WS/{random.choice(spellings)}"
            assert relative(path) == "secret/notes.txt"
            match random.randint(0, 2):
                case 0:
                    moment = play.call("Read", file_path=path)
                case 1:
                    moment = play.call("Write", file_path=path, content=argument_text(random))
                    assert moment.refused
                case _:
                    moment = play.call("Edit", file_path=path, old_string="alpha", new_string="beta")
                    assert moment.refused
            assert moment.after == moment.before


@law
def an_error_says_little_more_than_it_was_asked(world: World, random: Random) -> None:
    """37. A refusal is valid Unicode and at most 1,000 characters longer than what was asked."""
    with world.play(any_scenario(random, STEPS)) as play:
        for moment in play.moments(wrong=True):
            if moment.refused:
                moment.result.text.encode()
                asked = sum(len(str(value)) for value in moment.arguments.values())
                assert len(moment.result.text) <= 1000 + asked
