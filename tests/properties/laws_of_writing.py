"""Laws of writing: what a call that goes through does to the file, and to nothing else."""

import resource
from itertools import permutations
from random import Random

from play import Moment, World, kept, leads_somewhere
from registry import law

from harness.entry import RegularFile, TextContent
from harness.fuzz.generate import any_scenario, several_files, single_file
from harness.fuzz.texts import argument_text, line

STEPS = 8


def plain_text(random: Random) -> str:
    """Return a text without carriage returns."""
    return argument_text(random).replace("\r", "")


@law
def success_is_on_disk(world: World, random: Random) -> None:
    """3. After a Write that went through the file holds what was written, and a success is never without effect."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            after = moment.file(moment.after)
            if moment.refused or moment.tool == "Read":
                continue
            assert after is not None
            before = moment.file(moment.before)
            if moment.tool == "Write" and "\r" not in moment.arguments["content"]:
                if before is None or before.is_plain:
                    assert after.data == kept(moment.arguments["content"]).encode()
            elif moment.tool == "Edit" and before is not None:
                assert after.data != before.data


@law
def bytes_around_the_match_stay(world: World, random: Random) -> None:
    """4. An Edit of one match changes one span: what stands before and after the match stays byte for byte."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            edited = moment.edited
            if edited is None or moment.everywhere or moment.new == "" or not edited[0].is_plain:
                continue
            before, after = edited[0].data or b"", edited[1].data or b""
            start, _, end = before.partition(moment.old.encode())
            assert after.startswith(start)
            assert after[len(start) :].endswith(end)


@law
def new_text_is_written_literally(world: World, random: Random) -> None:
    """5. What an Edit puts in is `new_string`, character for character but for blanks at the ends of its lines."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            edited = moment.edited
            if edited is None or moment.everywhere or moment.new == "" or not edited[0].is_plain:
                continue
            before, after = edited[0].data or b"", edited[1].data or b""
            start, _, end = before.partition(moment.old.encode())
            assert after[len(start) : len(after) - len(end)] == moment.new.encode()


@law
def one_match_is_needed(world: World, random: Random) -> None:
    """6. Without replace_all an Edit goes through only where the text occurs once."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            if moment.edited is not None and not moment.everywhere:
                assert moment.edited[0].view.count(moment.old) == 1


@law
def replace_all_leaves_no_match_out(world: World, random: Random) -> None:
    """7. With replace_all and a text to put in, every match is replaced, in one pass from the beginning."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            edited = moment.edited
            if edited is None or not moment.everywhere or moment.new == "" or not edited[0].is_plain:
                continue
            parts = (edited[0].data or b"").split(moment.old.encode())
            assert edited[1].data == moment.new.encode().join(parts)


@law
def a_deletion_takes_at_most_one_line_end_more(world: World, random: Random) -> None:
    """8. A deletion takes the match, and of what follows nothing but the line end directly behind it.

    Matches that overlap are left out: they count as one, and which of them goes depends on the line end.
    """
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            edited = moment.edited
            if edited is None or moment.everywhere or moment.new != "" or not edited[0].is_plain:
                continue
            if edited[0].view.find(moment.old) != edited[0].view.rfind(moment.old):
                continue
            start, _, end = (edited[0].data or b"").partition(moment.old.encode())
            assert edited[1].data in (start + end, start + end.removeprefix(b"\n"))


@law
def uniform_line_ends_stay_uniform(world: World, random: Random) -> None:
    """20. A file whose lines all end in CRLF, or all in LF, still does after an Edit; CR CR LF never appears."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            edited = moment.edited
            if edited is None or "\r" in moment.arguments["new_string"] + moment.old:
                continue
            before, after = edited[0].data or b"", edited[1].data or b""
            crlf = before.count(b"\r\n")
            if before.startswith(b"\xff\xfe") or not crlf == before.count(b"\n") == before.count(b"\r"):
                continue
            ends = after.count(b"\n") if crlf else 0
            assert (after.count(b"\r"), after.count(b"\r\n")) == (ends, ends)


@law
def line_ends_do_not_decide_what_is_found(world: World, random: Random) -> None:
    """21. The same Edits on a CRLF file and its LF twin are refused alike, and leave the same text."""
    lines = [line(random).replace("\r", "") for _ in range(random.randint(1, 5))]
    text = "\n".join(lines) + "\n"
    calls = []
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(text) - 1)
        old = text[start : start + random.randint(1, 20)]
        calls.append((old, random.choice(("", "x", "x\ny", f"{old}\n", plain_text(random)))))
    runs = []
    for eol in ("lf", "crlf"):
        with world.files({"notes.txt": RegularFile(TextContent(text, eol=eol))}) as play:
            play.call("Read", file_path="$WS/notes.txt")
            moments = [
                play.call("Edit", file_path="$WS/notes.txt", old_string=old, new_string=new)
                for old, new in calls
            ]
            runs.append([(moment.refused, moment.after["notes.txt"].view) for moment in moments])
    for lf, crlf in zip(*runs, strict=True):
        assert lf == crlf


@law
def the_final_line_end_stays(world: World, random: Random) -> None:
    """22. An Edit that does not reach the last character keeps a final newline, or its absence."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            edited = moment.edited
            if edited is None or "\ufeff" in moment.old:
                continue
            view = edited[0].view
            reaches = len(view) - (view.rfind(moment.old) + len(moment.old))
            if reaches > 1 or (reaches == 1 and moment.new != ""):
                assert edited[1].view.endswith("\n") == view.endswith("\n")


@law
def a_byte_order_mark_stays(world: World, random: Random) -> None:
    """23. An Edit that does not name the byte order mark keeps it, and makes none."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            edited = moment.edited
            if edited is None or "\ufeff" in moment.old + moment.new:
                continue
            for mark in (b"\xef\xbb\xbf", b"\xff\xfe"):
                before, after = ((seen.data or b"").startswith(mark) for seen in edited)
                assert before == after


@law
def valid_text_stays_valid(world: World, random: Random) -> None:
    """24. An Edit of valid UTF-8 gives valid UTF-8, without U+FFFD where there was none."""
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            edited = moment.edited
            if edited is None or not edited[0].is_plain or "\ufffd" in moment.new:
                continue
            text = (edited[1].data or b"").decode()
            assert "\ufffd" not in text or "\ufffd" in edited[0].view


@law
def mode_and_kind_stay(world: World, random: Random) -> None:
    """25. A call keeps the mode of a file and leaves a link a link; a new file has mode 0644."""
    with world.play(any_scenario(random, STEPS)) as play:
        for moment in play.moments():
            if moment.refused or moment.path is None or moment.path not in moment.after:
                continue
            before, after = moment.before.get(moment.path), moment.after[moment.path]
            if before is None:
                assert (after.kind, after.mode) == ("file", 0o644)
            elif before.target is not None and moment.tool != "Read":
                assert after.kind == "link" or not leads_somewhere(moment.before, moment.path)
            else:
                assert (after.kind, after.mode) == (before.kind, before.mode)


@law
def no_other_file_is_touched(world: World, random: Random) -> None:
    """31. A call changes the file it names, or what a link of that name leads to; every other path stays."""
    with world.play(several_files(random, STEPS)) as play:
        for moment in play.moments():
            mine = {moment.path}
            link = moment.before.get(moment.path or "")
            if link is not None and link.target is not None:
                mine.add(link.target.rpartition("/")[2])
            for path, seen in moment.before.items():
                if path not in mine and seen.kind != "directory":
                    assert moment.after[path] == seen
            new = moment.after.keys() - moment.before.keys() - mine
            assert all((moment.path or "").startswith(f"{path}/") for path in new)


@law
def writing_twice_is_writing_once(world: World, random: Random) -> None:
    """34. A Write repeated at once goes through again and leaves the same bytes.

    UTF-16 is left out: a Write takes the byte order mark away, by which the second one would know the encoding.
    """
    with world.play(single_file(random, STEPS)) as play:
        for moment in play.moments():
            before = moment.file(moment.before)
            if before is not None and (before.data or b"").startswith(b"\xff\xfe"):
                continue
            if moment.tool == "Write" and not moment.refused and "\r" not in moment.arguments["content"]:
                again = play.call("Write", **moment.arguments)
                assert not again.refused
                assert data_of(again) == data_of(moment)


@law
def an_edit_can_be_taken_back(world: World, random: Random) -> None:
    """35. Where b was not there and a is gone, replacing b by a restores the bytes that were before a became b."""
    text = "".join(f"{line(random).rstrip()[:80]}\n" for _ in range(random.randint(1, 5))).replace("\r", "")
    start = random.randint(0, len(text) - 1)
    old, new = text[start : start + random.randint(1, 12)], kept(plain_text(random))
    with world.files({"notes.txt": RegularFile(TextContent(text))}) as play:
        play.call("Read", file_path="$WS/notes.txt")
        there = play.call("Edit", file_path="$WS/notes.txt", old_string=old, new_string=new)
        if there.refused or new == "" or new in text or kept(old) != old:
            return
        if old in there.after["notes.txt"].view or there.after["notes.txt"].view.count(new) != 1:
            return
        back = play.call("Edit", file_path="$WS/notes.txt", old_string=new, new_string=old)
        assert back.after["notes.txt"].data == there.before["notes.txt"].data


@law
def calls_of_one_message_give_what_some_order_gives(world: World, random: Random) -> None:
    """29. Edits in one message leave what they leave one after the other, in some order; each gets its result."""
    text = "alpha\nbeta\ngamma\n"
    files = {"notes.txt": RegularFile(TextContent(text))}
    edits = [
        {
            "file_path": "$WS/notes.txt",
            "old_string": random.choice(("alpha", "beta", "gamma", "delta", "a")),
            "new_string": random.choice(("delta", "alpha\nbeta", "", "x")),
        }
        for _ in range(random.randint(2, 3))
    ]
    with world.files(files) as play:
        play.call("Read", file_path="$WS/notes.txt")
        results = play.session.call_parallel([("Edit", play.site.substituted(edit)) for edit in edits])
        together = (sorted(result.is_error for result in results), play.state()["notes.txt"].data)
    possible = []
    for order in permutations(edits):
        with world.files(files) as play:
            play.call("Read", file_path="$WS/notes.txt")
            moments = [play.call("Edit", **edit) for edit in order]
            possible.append((sorted(moment.refused for moment in moments), play.state()["notes.txt"].data))
    assert together in possible


@law
def a_write_that_fails_leaves_the_old_bytes(world: World, random: Random) -> None:
    """30. Where the system takes no more bytes, the file keeps what it held, and nothing is left beside it."""
    with world.files({"notes.txt": RegularFile(TextContent(f"alpha\n{plain_text(random)}"))}) as play:
        play.call("Read", file_path="$WS/notes.txt")
        before = play.state()
        path = f"{play.site.root}/notes.txt"
        call = random.choice(
            (
                ("Edit", {"file_path": path, "old_string": "alpha", "new_string": "longer than before"}),
                ("Write", {"file_path": path, "content": "mine\n"}),
            )
        )
        soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (random.choice((0, 1, 4)), hard))
        try:
            result = play.session.call(*call)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        assert result.is_error
        assert play.state() == before


def data_of(moment: Moment) -> bytes | None:
    seen = moment.file(moment.after)
    return None if seen is None else seen.data
