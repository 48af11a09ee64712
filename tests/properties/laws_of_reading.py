"""Laws of reading: what Read shows, and that it only reads."""

import re

from moment import Moment
from registry import law


def body(text: str) -> str:
    """Return what Read shows without the numbers of the lines."""
    return "\n".join(re.sub(r"^ *\d+→", "", shown) for shown in text.split("\n"))


@law
def reading_changes_nothing(moment: Moment) -> None:
    """26. A Read, refused or not, leaves bytes, times and modes of all files alone."""
    if moment.tool == "Read":
        assert moment.after == moment.before


@law
def ranges_are_parts_of_the_whole(moment: Moment) -> None:
    """26. Lines 1 to k and lines k+1 to the end, read apart, are what Read shows of the whole file."""
    first = moment.previous
    whole = first.previous if first is not None else None
    if first is None or whole is None or not whole.is_whole_read or whole.path != moment.path:
        return
    cut = first.arguments.get("limit")
    calls = ({"limit": cut}, {"offset": cut + 1}) if isinstance(cut, int) else ()
    name = {"file_path": moment.arguments.get("file_path")}
    if [(part.tool, part.arguments) for part in (first, moment)] != [("Read", name | call) for call in calls]:
        return
    target = moment.target
    if whole.after == moment.before and target is not None and target.is_plain:
        lines = target.view.split("\n")
        if "" not in (
            "\n".join(lines[:cut]),
            "\n".join(lines[cut:]),
        ):  # of an empty part something else is told
            assert f"{first.result.text}\n{moment.result.text}" == whole.result.text


@law
def a_whole_read_shows_the_whole_text(moment: Moment) -> None:
    """26. What a Read without range shows is, without the numbers, the text of the file with `\\n` line ends."""
    seen = moment.target
    if moment.is_whole_read and seen is not None and seen.data and seen.is_plain:
        assert body(moment.result.text) == seen.view


@law
def a_line_that_was_read_is_found(moment: Moment) -> None:
    """27. A whole line copied from what Read shows, without its number, is found by Edit in the unchanged file."""
    read = moment.previous
    if moment.tool != "Edit" or not moment.asks_for_something or not moment.everywhere or moment.struck:
        return
    if read is None or not read.is_whole_read or read.path != moment.path or not moment.follows_at_once:
        return
    target = moment.target
    if (
        target is not None
        and target.data
        and target.is_text
        and moment.old in body(read.result.text).split("\n")
    ):
        assert not moment.refused


@law
def a_second_read_shows_the_file_again(moment: Moment) -> None:
    """28. Reading an unchanged file again shows all of it again: no answer only refers to an earlier one."""
    if moment.tool == "Read" and moment.repeats and moment.previous is not None:
        assert moment.result == moment.previous.result


@law
def a_snippet_shows_the_file_as_it_is_now(moment: Moment) -> None:
    """33. Each numbered line in the answer of an Edit is that line of the file after it, and there is one."""
    edited = moment.edited
    if edited is None or moment.everywhere or "\r" in moment.new + edited[0].view:
        return
    if "\ufeff" in moment.old + moment.new:  # without its mark the file is in another encoding
        return
    lines = edited[1].view.split("\n")
    shown = moment.result.text.partition("\n")[2]
    numbered = re.findall(r"^ *(\d+)→(.*)$", shown, re.MULTILINE)
    assert numbered or not edited[1].view.strip("\n")
    for number, text in numbered:
        assert lines[int(number) - 1] == text
