"""Laws of writing: what a call that goes through does to the file, and to nothing else."""

from moment import Moment, followed, kept
from registry import law


@law
def success_is_on_disk(moment: Moment) -> None:
    """3. After a Write that went through the file holds what was written, and a success is never without effect."""
    if moment.refused or moment.tool not in ("Edit", "Write") or moment.struck is not None:
        return
    before, after = moment.target, followed(moment.after, moment.path)
    assert after is not None
    if moment.tool == "Write" and "\r" not in moment.arguments["content"]:
        if before is None or before.is_plain:
            assert after.data == kept(moment.arguments["content"]).encode()
    elif moment.tool == "Edit" and before is not None:
        assert after.data != before.data


@law
def bytes_around_the_match_stay(moment: Moment) -> None:
    """4. An Edit of one match changes one span: what stands before and after the match stays byte for byte."""
    edited = moment.edited
    if edited is None or moment.everywhere or moment.new == "" or not edited[0].is_plain:
        return
    before, after = edited[0].data or b"", edited[1].data or b""
    start, _, end = before.partition(moment.old.encode())
    assert after.startswith(start)
    assert after[len(start) :].endswith(end)


@law
def new_text_is_written_literally(moment: Moment) -> None:
    """5. What an Edit puts in is `new_string`, character for character but for blanks at the ends of its lines."""
    edited = moment.edited
    if edited is None or moment.everywhere or moment.new == "" or not edited[0].is_plain:
        return
    before, after = edited[0].data or b"", edited[1].data or b""
    start, _, end = before.partition(moment.old.encode())
    assert after[len(start) : len(after) - len(end)] == moment.new.encode()


@law
def one_match_is_needed(moment: Moment) -> None:
    """6. Without replace_all an Edit goes through only where the text occurs once."""
    if moment.edited is not None and not moment.everywhere:
        assert moment.edited[0].view.count(moment.old) == 1


@law
def replace_all_leaves_no_match_out(moment: Moment) -> None:
    """7. With replace_all and a text to put in, every match is replaced, in one pass from the beginning."""
    edited = moment.edited
    if edited is None or not moment.everywhere or moment.new == "" or not edited[0].is_plain:
        return
    parts = (edited[0].data or b"").split(moment.old.encode())
    assert edited[1].data == moment.new.encode().join(parts)


@law
def a_deletion_takes_at_most_one_line_end_more(moment: Moment) -> None:
    """8. A deletion takes the match, and of what follows nothing but the line end directly behind it.

    Matches that overlap are left out: they count as one, and which of them goes depends on the line end.
    """
    edited = moment.edited
    if edited is None or moment.everywhere or moment.new != "" or not edited[0].is_plain:
        return
    if edited[0].view.find(moment.old) == edited[0].view.rfind(moment.old):
        start, _, end = (edited[0].data or b"").partition(moment.old.encode())
        assert edited[1].data in (start + end, start + end.removeprefix(b"\n"))


@law
def uniform_line_ends_stay_uniform(moment: Moment) -> None:
    """20. A file whose lines all end in CRLF, or all in LF, still does after an Edit; CR CR LF never appears."""
    edited = moment.edited
    if edited is None or "\r" in moment.arguments["new_string"] + moment.old:
        return
    before, after = edited[0].data or b"", edited[1].data or b""
    crlf = before.count(b"\r\n")
    if not before.startswith(b"\xff\xfe") and crlf == before.count(b"\n") == before.count(b"\r"):
        ends = after.count(b"\n") if crlf else 0
        assert (after.count(b"\r"), after.count(b"\r\n")) == (ends, ends)


@law
def line_ends_do_not_decide_what_is_found(moment: Moment) -> None:
    """21. The same Edit on a CRLF file and its LF twin is refused alike, and leaves the same text."""
    twin = moment.previous
    if twin is None or {twin.tool, moment.tool} != {"Edit"} or twin.path == moment.path:
        return
    asked = [{**each.arguments, "file_path": ""} for each in (twin, moment)]
    if asked[0] != asked[1] or "\r" in str(asked) or not (moment.is_as_recorded and twin.is_as_recorded):
        return
    lf, crlf = twin.file(twin.before), moment.file(moment.before)
    if lf is None or crlf is None or not lf.is_plain or crlf.data != (lf.data or b"").replace(b"\n", b"\r\n"):
        return
    assert moment.refused == twin.refused
    after = moment.file(moment.after), twin.file(twin.after)
    assert [seen and seen.view for seen in after[:1]] == [seen and seen.view for seen in after[1:]]


@law
def the_final_line_end_stays(moment: Moment) -> None:
    """22. An Edit that does not reach the last character keeps a final newline, or its absence."""
    edited = moment.edited
    if edited is None or "\ufeff" in moment.old:
        return
    view = edited[0].view
    reaches = len(view) - (view.rfind(moment.old) + len(moment.old))
    if reaches > 1 or (reaches == 1 and moment.new != ""):
        assert edited[1].view.endswith("\n") == view.endswith("\n")


@law
def a_byte_order_mark_stays(moment: Moment) -> None:
    """23. An Edit that does not name the byte order mark keeps it, and makes none."""
    edited = moment.edited
    if edited is None or "\ufeff" in moment.old + moment.new:
        return
    for mark in (b"\xef\xbb\xbf", b"\xff\xfe"):
        before, after = ((seen.data or b"").startswith(mark) for seen in edited)
        assert before == after


@law
def valid_text_stays_valid(moment: Moment) -> None:
    """24. An Edit of valid UTF-8 gives valid UTF-8, without U+FFFD where there was none."""
    edited = moment.edited
    if edited is not None and edited[0].is_plain and "\ufffd" not in moment.new:
        text = (edited[1].data or b"").decode()
        assert "\ufffd" not in text or "\ufffd" in edited[0].view


@law
def mode_and_kind_stay(moment: Moment) -> None:
    """25. A call keeps the mode of a file and leaves a link a link; a new file has mode 0644."""
    if moment.refused or moment.path is None or moment.path not in moment.after:
        return
    before, after = moment.before.get(moment.path), moment.after[moment.path]
    if before is None:
        assert (after.kind, after.mode) == ("file", 0o644)
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

    UTF-16 is left out: a Write takes the byte order mark away, by which the second one would know the encoding.
    """
    first = moment.previous
    if moment.tool != "Write" or not moment.repeats or first is None or first.refused:
        return
    before = first.target
    utf_16 = before is not None and (before.data or b"").startswith(b"\xff\xfe")
    if (
        not utf_16
        and "\r" not in moment.arguments["content"]
        and moment.struck is None
        and moment.room is None
    ):
        assert not moment.refused
        after = followed(moment.after, moment.path)
        assert after is not None
        assert moment.target is not None
        assert after.data == moment.target.data


@law
def an_edit_can_be_taken_back(moment: Moment) -> None:
    """35. Where b was not there and a is gone, replacing b by a restores the bytes that were before a became b."""
    there, back = moment.previous, moment
    if there is None or there.edited is None or there.everywhere or back.tool != "Edit" or back.struck:
        return
    before, between = there.edited
    old, new = there.old, there.new
    if not before.is_plain or (back.old, back.arguments["new_string"]) != (new, old) or back.everywhere:
        return
    if new in ("", old) or new in before.view or kept(old) != old or "\r" in new or back.path != there.path:
        return
    if back.follows_at_once and old not in between.view and between.view.count(new) == 1:
        after = back.file(back.after)
        assert after is not None
        assert after.data == before.data


@law
def calls_of_one_message_give_what_some_order_gives(moment: Moment) -> None:
    """29. Edits in one message leave what they leave one after the other, in some order; each gets its result."""
    if moment.tool == "Message":
        together, *possible = moment.orders
        assert together in possible
