"""Laws of reading: what Read shows, and that it only reads."""

import re

from moment import BLANKS, Moment, body
from registry import goes_by_the_time_of_the_file, law, suppose

from readfirst.reference_impl import Behaviours


def shows_snippets(behaviours: Behaviours) -> bool:
    return behaviours.answers.edit_answer_shows_snippet


@law
def reading_changes_nothing(moment: Moment) -> None:
    """26. A Read, refused or not, leaves bytes, times and modes of all files alone."""
    suppose(moment.tool == "Read")
    assert moment.after == moment.before


@law
def ranges_are_parts_of_the_whole(moment: Moment) -> None:
    """26. Lines 1 to k and lines k+1 to the end, read apart, are what Read shows of the whole file."""
    first = moment.previous
    whole = first.previous if first is not None else None
    suppose(whole is not None and whole.is_whole_read and whole.path == moment.path)
    cut = first.arguments.get("limit")
    calls = ({"limit": cut}, {"offset": cut + 1}) if isinstance(cut, int) else ()
    name = {"file_path": moment.arguments.get("file_path")}
    suppose(
        [(part.tool, part.arguments) for part in (first, moment)] == [("Read", name | call) for call in calls]
    )
    target = moment.target
    suppose(whole.after == moment.before and target is not None and target.is_plain)
    suppose(moment.can_be_written and not any(part.only_refers for part in (first, moment)))
    lines = target.view.split("\n")
    parts = "\n".join(lines[:cut]), "\n".join(lines[cut:])
    suppose("" not in parts)  # of an empty part something else is told
    suppose(lines[cut - 1].strip(BLANKS) == lines[cut - 1] != "")  # an answer may lose the blanks at its end
    assert f"{first.answer.text}\n{moment.answer.text}" == whole.answer.text


@law
def a_whole_read_shows_the_whole_text(moment: Moment) -> None:
    """26. What a Read without range shows is, without the numbers, the text of the file with `\\n` line ends."""
    seen = moment.target
    suppose(moment.is_whole_read and seen is not None and seen.is_plain and moment.can_be_written)
    suppose(moment.shown(seen).strip())
    lines, end, last = moment.shown(seen).rpartition("\n")
    assert body(moment.answer.text) == lines + end + last.rstrip(BLANKS)


@law(where=goes_by_the_time_of_the_file)
def a_line_that_was_read_is_found(moment: Moment) -> None:
    """27. A whole line copied from what Read shows, without its number, is found by Edit in the unchanged file."""
    suppose(moment.tool == "Edit" and moment.asks_for_something and moment.everywhere and not moment.struck)
    suppose(moment.follows_a_whole_read and moment.can_be_written)
    target = moment.target
    suppose(target is not None and target.data and target.is_text)
    suppose(moment.old in body(moment.previous.result.text).split("\n"))
    assert not moment.refused


@law
def a_second_read_shows_the_file_again(moment: Moment) -> None:
    """28. Reading an unchanged file again shows all of it again, or refers to the Read before where that is done."""
    suppose(moment.tool == "Read" and moment.repeats)
    if moment.only_refers:
        assert moment.behaviours.reading.repeated_read_answer
        assert not moment.previous.refused
    else:
        assert moment.answer == moment.previous.answer


@law(where=shows_snippets)
def a_snippet_shows_the_file_as_it_is_now(moment: Moment) -> None:
    """33. Each numbered line in the answer of an Edit is that line of the file after it, and there is one."""
    edited = moment.edited
    suppose(edited is not None and not moment.everywhere and "\r" not in moment.new + edited[0].view)
    suppose("\ufeff" not in moment.old + moment.new)  # without its mark the file is in another encoding
    lines = edited[1].view.split("\n")
    shown = moment.result.text.partition("\n")[2]
    numbered = re.findall(r"^ *(\d+)[→\t](.*)$", shown, re.MULTILINE)
    assert numbered or not edited[1].view.strip("\n")
    for number, text in numbered[:-1]:
        assert lines[int(number) - 1] == text
    for number, text in numbered[-1:]:  # the answer may lose the blanks at its end
        assert lines[int(number) - 1].rstrip(BLANKS) == text.rstrip(BLANKS)
