"""Laws of reading: what Read shows, and that it only reads."""

import re
from random import Random

from play import Play, World
from registry import law

from harness.entry import RegularFile, TextContent
from harness.fuzz.generate import any_scenario, single_file
from harness.fuzz.texts import line

STEPS = 8


def body(text: str) -> str:
    """Return what Read shows without the numbers of the lines."""
    return "\n".join(re.sub(r"^ *\d+→", "", shown) for shown in text.split("\n"))


def some_lines(play: Play, random: Random) -> tuple[str, list[str]]:
    path = play.text_file()
    if path is None:
        return "", []
    return path, play.state()[path].view.split("\n")


@law
def reading_changes_nothing(world: World, random: Random) -> None:
    """26. A Read, refused or not, leaves bytes, times and modes of all files alone."""
    with world.play(any_scenario(random, STEPS)) as play:
        for moment in play.moments(wrong=True):
            if moment.tool == "Read":
                assert moment.after == moment.before


@law
def ranges_are_parts_of_the_whole(world: World, random: Random) -> None:
    """26. Lines 1 to k and lines k+1 to the end, read apart, are what Read shows of the whole file."""
    text = "\n".join(f"{number}{line(random)[:80]}" for number in range(random.randint(2, 9)))
    with world.files({"notes.txt": RegularFile(TextContent(text))}) as play:
        lines = text.split("\n")
        cut = random.randint(1, len(lines) - 1)
        whole = play.call("Read", file_path="$WS/notes.txt").result.text
        first = play.call("Read", file_path="$WS/notes.txt", limit=cut).result.text
        rest = play.call("Read", file_path="$WS/notes.txt", offset=cut + 1).result.text
        assert f"{first}\n{rest}" == whole


@law
def a_whole_read_shows_the_whole_text(world: World, random: Random) -> None:
    """26. What a Read without range shows is, without the numbers, the text of the file with `\\n` line ends."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            seen = moment.file(moment.after)
            whole = moment.tool == "Read" and not {"offset", "limit"} & moment.arguments.keys()
            if not whole or moment.refused or seen is None or not seen.data:
                continue
            if seen.is_plain:
                assert body(moment.result.text) == seen.view


@law
def a_line_that_was_read_is_found(world: World, random: Random) -> None:
    """27. A whole line copied from what Read shows, without its number, is found by Edit in the unchanged file."""
    with world.play(single_file(random, STEPS)) as play:
        play.to_the_end()
        path = play.text_file()
        if path is None:
            return
        read = play.call("Read", file_path=f"$WS/{path}")
        if read.refused or not play.state()[path].data:
            return
        old = random.choice(body(read.result.text).split("\n"))
        if old:
            call = {
                "file_path": f"$WS/{path}",
                "old_string": old,
                "new_string": f"~{old}~",
                "replace_all": True,
            }
            assert not play.call("Edit", **call).refused


@law
def a_second_read_shows_the_file_again(world: World, random: Random) -> None:
    """28. Reading an unchanged file again shows all of it again: no answer only refers to an earlier one."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            if moment.tool == "Read" and not moment.refused:
                assert play.call("Read", **moment.arguments).result == moment.result


@law
def a_snippet_shows_the_file_as_it_is_now(world: World, random: Random) -> None:
    """33. Each numbered line in the answer of an Edit is that line of the file after it, and there is one."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            edited = moment.edited
            if edited is None or moment.everywhere or "\r" in moment.new + edited[0].view:
                continue
            lines = edited[1].view.split("\n")
            shown = moment.result.text.partition("\n")[2]
            numbered = re.findall(r"^ *(\d+)→(.*)$", shown, re.MULTILINE)
            assert numbered or not edited[1].view.strip("\n")
            for number, text in numbered:
                assert lines[int(number) - 1] == text
