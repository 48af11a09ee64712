"""Laws of writing: what a call that goes through does to the file, and to nothing else."""

from moment import Moment, followed
from registry import goes_by_the_time_of_the_file, law, suppose


@law
def success_is_on_disk(moment: Moment) -> None:
    """3. After a Write that went through the file holds what was written, and a success is never without effect."""
    suppose(not moment.refused and moment.tool in ("Edit", "Write") and moment.struck is None)
    before, after = moment.target, followed(moment.after, moment.path)
    assert after is not None
    if moment.tool == "Write":
        suppose(moment.writes_plainly)
        assert after.data == moment.content.encode()
    else:
        suppose(before is not None)
        assert after.data != before.data


@law
def bytes_around_the_match_stay(moment: Moment) -> None:
    """4. An Edit of one match changes one span: what stands before and after the match stays byte for byte."""
    edited = moment.edited
    suppose(edited is not None and not moment.everywhere and moment.new != "" and edited[0].is_plain)
    before, after = edited[0].data or b"", edited[1].data or b""
    start, _, end = before.partition(moment.old.encode())
    assert after.startswith(start)
    assert after[len(start) :].endswith(end)


@law
def new_text_is_written_literally(moment: Moment) -> None:
    """5. What an Edit puts in is `new_string`, character for character but for blanks at the ends of its lines."""
    edited = moment.edited
    suppose(edited is not None and not moment.everywhere and moment.new != "" and edited[0].is_plain)
    before, after = edited[0].data or b"", edited[1].data or b""
    start, _, end = before.partition(moment.old.encode())
    assert after[len(start) : len(after) - len(end)] == moment.new.encode()


@law
def one_match_is_needed(moment: Moment) -> None:
    """6. Without replace_all an Edit goes through only where the text occurs once."""
    target = moment.file(moment.before)
    suppose(
        moment.tool == "Edit" and moment.fits and moment.old and not moment.everywhere and not moment.struck
    )
    suppose(target is not None and moment.old in target.view and not moment.spells_characters)
    assert moment.refused or target.view.count(moment.old) == 1


@law
def replace_all_leaves_no_match_out(moment: Moment) -> None:
    """7. With replace_all and a text to put in, every match is replaced, in one pass from the beginning."""
    edited = moment.edited
    suppose(edited is not None and moment.everywhere and moment.new != "" and edited[0].is_plain)
    parts = (edited[0].data or b"").split(moment.old.encode())
    assert edited[1].data == moment.new.encode().join(parts)


@law
def a_deletion_takes_at_most_one_line_end_more(moment: Moment) -> None:
    """8. A deletion takes the match, and of what follows nothing but the line end directly behind it.

    Matches that overlap are left out: they count as one, and which of them goes depends on the line end.
    """
    edited = moment.edited
    suppose(edited is not None and not moment.everywhere and moment.new == "" and edited[0].is_plain)
    suppose(edited[0].view.find(moment.old) == edited[0].view.rfind(moment.old))
    start, _, end = (edited[0].data or b"").partition(moment.old.encode())
    assert edited[1].data in (start + end, start + end.removeprefix(b"\n"))


@law
def uniform_line_ends_stay_uniform(moment: Moment) -> None:
    """20. A file whose lines all end in CRLF, or all in LF, still does after an Edit; CR CR LF never appears."""
    edited = moment.edited
    suppose(edited is not None and "\r" not in moment.arguments["new_string"] + moment.old)
    before, after = edited[0].data or b"", edited[1].data or b""
    crlf = before.count(b"\r\n")
    suppose(not before.startswith(b"\xff\xfe") and crlf == before.count(b"\r"))
    suppose(crlf in (0, before.count(b"\n")))
    ends = after.count(b"\n") if crlf else 0
    assert (after.count(b"\r"), after.count(b"\r\n")) == (ends, ends)


@law
def line_ends_do_not_decide_what_is_found(moment: Moment) -> None:
    """21. The same Edit on a CRLF file and its LF twin is refused alike, and leaves the same text."""
    twin = moment.previous
    suppose(twin is not None and {twin.tool, moment.tool} == {"Edit"} and twin.path != moment.path)
    asked = [{**each.arguments, "file_path": ""} for each in (twin, moment)]
    suppose(asked[0] == asked[1] and "\r" not in "".join(map(str, asked[0].values())))
    suppose(moment.is_as_recorded and twin.is_as_recorded)
    lf, crlf = twin.file(twin.before), moment.file(moment.before)
    suppose(lf is not None and crlf is not None and lf.is_plain)
    suppose(crlf.data == (lf.data or b"").replace(b"\n", b"\r\n"))
    assert moment.refused == twin.refused
    after = moment.file(moment.after), twin.file(twin.after)
    assert after[0] is not None
    assert after[1] is not None
    assert after[0].view == after[1].view


@law
def the_final_line_end_stays(moment: Moment) -> None:
    """22. An Edit that does not reach the last character keeps a final newline, or its absence."""
    edited = moment.edited
    suppose(edited is not None and "\ufeff" not in moment.old)
    view = edited[0].view
    reaches = len(view) - (view.rfind(moment.old) + len(moment.old))
    suppose(reaches > 1 or (reaches == 1 and moment.new != ""))
    assert edited[1].view.endswith("\n") == view.endswith("\n")


@law
def a_byte_order_mark_stays(moment: Moment) -> None:
    """23. An Edit that does not name the byte order mark keeps it, and makes none."""
    edited = moment.edited
    suppose(edited is not None and "\ufeff" not in moment.old + moment.new + edited[0].view[1:])
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe"):
        before, after = ((seen.data or b"").startswith(mark) for seen in edited)
        assert before == after


@law
def valid_text_stays_valid(moment: Moment) -> None:
    """24. An Edit of valid UTF-8 gives valid UTF-8, without U+FFFD where there was none."""
    edited = moment.edited
    suppose(edited is not None and edited[0].is_plain and "\ufffd" not in moment.new)
    text = (edited[1].data or b"").decode()
    assert "\ufffd" not in text or "\ufffd" in edited[0].view


@law
def mode_and_kind_stay(moment: Moment) -> None:
    """25. A call keeps the mode of a file and leaves a link a link; a new file has the mode of new files."""
    suppose(not moment.refused and moment.path is not None and moment.path in moment.after)
    before, after = moment.before.get(moment.path), moment.after[moment.path]
    if before is None:
        assert (after.kind, after.mode) == ("file", moment.mode_of_new_files)
    elif before.target is not None and moment.tool != "Read":
        assert after.kind == "link" or moment.target is None
    else:
        assert (after.kind, after.mode) == (before.kind, before.mode)


@law
def no_other_file_is_touched(moment: Moment) -> None:
    """31. A call changes the file it names, or what a link of that name leads to; every other path stays."""
    mine = {moment.path}
    link = moment.before.get(moment.path or "")
    if link is not None:
        mine.add(link.target)
    for path, seen in moment.before.items():
        if path not in mine and seen.kind != "directory":
            assert moment.after.get(path) == seen
    new = moment.after.keys() - moment.before.keys() - mine
    assert all((moment.path or "").startswith(f"{path}/") for path in new)


@law
def writing_twice_is_writing_once(moment: Moment) -> None:
    """34. A Write repeated at once goes through again and leaves the same bytes.

    UTF-16 is left out: a Write may take the byte order mark away, by which the second one would know the encoding.
    """
    first = moment.previous
    suppose(moment.tool == "Write" and moment.repeats and not first.refused and moment.is_usual)
    suppose(first.target is None or not (first.target.data or b"").startswith(b"\xff\xfe"))
    suppose("\r" not in moment.content and moment.can_be_written)
    assert not moment.refused
    after = followed(moment.after, moment.path)
    assert after is not None
    assert moment.target is not None
    assert after.data == moment.target.data


@law
def an_edit_can_be_taken_back(moment: Moment) -> None:
    """35. Where b was not there and a is gone, replacing b by a restores the bytes that were before a became b."""
    there, back = moment.previous, moment
    suppose(there is not None and there.edited is not None and not there.everywhere)
    suppose(back.tool == "Edit" and not back.everywhere and back.is_usual)
    suppose(back.path == there.path and back.follows_at_once and not back.spells_characters)
    before, between = there.edited
    old, new = there.old, there.new
    suppose((back.old, back.arguments["new_string"]) == (new, old) and back.new == old and before.is_plain)
    suppose(new not in ("", old) and new not in before.view and "\r" not in new)
    suppose(old not in between.view and between.view.count(new) == 1)
    suppose(back.can_be_written)
    after = back.file(back.after)
    assert after is not None
    assert after.data == before.data


@law(where=goes_by_the_time_of_the_file)
def calls_of_one_message_give_what_some_order_gives(moment: Moment) -> None:
    """29. Edits in one message leave what they leave one after the other, in some order; each gets its result."""
    suppose(moment.tool == "Message" and moment.can_be_written)
    together, *possible = moment.orders
    assert together in possible
