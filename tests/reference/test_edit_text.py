"""Edit: which text is replaced, by what, and what the answer shows."""

from __future__ import annotations

import pytest

from readfirst.reference_impl import Refusal

UPDATED = (
    "The file {} has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n"
)


def edited(tools, put, content, old, new, name="a.txt", **more):
    path = put(name, content)
    tools.read(name)
    tools.edit(name, old, new, **more)
    return path.read_bytes().decode()


@pytest.mark.parametrize(
    ("content", "old", "new", "after"),
    [
        ("a.c abc\n", "a.c", "R", "R abc\n"),
        ("a b c\n", "b", "$& $1 $$ $` $'", "a $& $1 $$ $` $' c\n"),
        ("a b\n", "b", r"\1 \g<0> \n", "a \\1 \\g<0> \\n\n"),
        ("aaa\n", "aa", "b", "ba\n"),
        ("a\nb", "b", "c", "a\nc"),
    ],
)
def test_both_texts_are_literal(tools, put, content, old, new, after):
    assert edited(tools, put, content, old, new) == after


@pytest.mark.parametrize(
    ("content", "old", "after"),
    [
        ("a\nb\nc\n", "b", "a\nc\n"),
        ("a\nb\nc\n", "b\n", "a\nc\n"),
        ("keep this x\nnext\n", " x", "keep thisnext\n"),
        ("a x b", "x ", "a b"),
        ("a\nb", "b", "a\n"),
        ("ab", "ab", ""),
    ],
)
def test_a_deletion_takes_the_line_end_after_the_text(tools, put, content, old, after):
    assert edited(tools, put, content, old, "") == after


def test_a_deletion_everywhere_leaves_what_is_not_followed_by_a_line_end(tools, put):
    assert edited(tools, put, "x y\nfoo x\nx\nx z\n", "x", "", replace_all=True) == "x y\nfoo x z\n"


@pytest.mark.parametrize(
    ("new", "inserted"),
    [
        ("one \t \ntwo  \n  three", "one\ntwo\n  three"),
        ("one\r\ntwo  \r\nthree", "one\r\ntwo\r\nthree"),
        ("one \r two ", "one\r two"),
        ("one\u00a0\ntwo\u3000\v\f", "one\ntwo"),
        ("one\u200b", "one\u200b"),
        ("one\u0085", "one\u0085"),
    ],
)
@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_blanks_at_the_ends_of_new_lines_are_cut(tools, put, name, new, inserted):
    assert edited(tools, put, "old\n", "old", new, name) == f"{inserted}\n"


def test_blanks_alone_are_a_deletion(tools, put):
    assert edited(tools, put, "a\nb\n", "a", "  ") == "b\n"


def test_blanks_are_kept_in_a_new_file_and_by_the_documents(tools, make_tools, put, root):
    tools.edit("new.txt", "", "a  \n b\t")
    assert (root / "new.txt").read_text() == "a  \n b\t"
    documented, path = make_tools("documented"), put("a.txt", "a\n")
    documented.read(str(path))
    documented.edit(str(path), "a", "b  ")
    assert path.read_text() == "b  \n"


@pytest.mark.parametrize(
    ("content", "old", "after"),
    [
        ("say “hi” now\n", 'say "hi"', "N now\n"),
        ("it’s\n", "it's", "N\n"),
        ("it's\n", "it’s", "N\n"),
        ('“a” "a"\n', '"a"', "“a” N\n"),
        ("”x“ ‘y’\n", '"x"', "N ‘y’\n"),
    ],
)
def test_curly_and_straight_quotes_match_if_the_exact_text_is_not_there(tools, put, content, old, after):
    assert edited(tools, put, content, old, "N") == after


@pytest.mark.parametrize(
    ("content", "old"), [("„b”\n", '"b"'), ("café\n", "cafe\u0301"), ("a\u00a0b\n", "a b"), ("a–b\n", "a-b")]
)
def test_nothing_else_is_taken_for_the_same(tools, put, content, old):
    put("a.txt", content)
    tools.read("a.txt")
    with pytest.raises(Refusal, match="String to replace not found in file"):
        tools.edit("a.txt", old, "x")


def test_the_match_by_quotes_is_counted_as_the_file_spells_it(tools, put):
    put("a.txt", "“a” “a”\n")
    tools.read("a.txt")
    with pytest.raises(Refusal, match=r'Found 2 matches .*\nString: "a"'):
        tools.edit("a.txt", '"a"', "b")
    answer = tools.edit("a.txt", '"a"', "b", replace_all=True)
    assert (
        answer
        == "The file a.txt has been updated. All occurrences of '“a”' were successfully replaced with 'b'."
    )


def test_by_the_documents_replace_all_shows_the_first_change_alone(make_tools, put):
    path, documented = put("a.txt", "x y x\n"), make_tools("documented")
    documented.read(str(path))
    assert documented.edit(str(path), "x", "z", replace_all=True).endswith(":\n     1→z y x\n     2→")
    assert path.read_text() == "z y z\n"


def test_a_text_replaced_by_itself_after_the_match_by_quotes_fails_in_the_execution(tools, put):
    put("a.txt", "“a”\n")
    tools.read("a.txt")
    with pytest.raises(Refusal, match=r"String not found in file\. Failed to apply edit\.") as refused:
        tools.edit("a.txt", '"a"', "“a”")
    assert (refused.value.name, refused.value.code) == ("edit_not_applied", None)


def lines(start, stop):
    return "".join(f"l{n}\n" for n in range(start, stop))


def numbers(first, last):
    return "\n".join(f"{n:>6}→l{n}" for n in range(first, last + 1))


@pytest.mark.parametrize(
    ("old", "new", "snippet"),
    [
        ("l6\n", "L\n", numbers(2, 5) + "\n     6→L\n" + numbers(7, 11)),
        ("l6", "L", numbers(2, 5) + "\n     6→L\n" + numbers(7, 10)),
        ("l1\n", "L\n", "     1→L\n" + numbers(2, 6)),
        ("l12\n", "L", numbers(8, 11) + "\n    12→L"),
    ],
)
def test_the_snippet_shows_four_lines_around(tools, put, old, new, snippet):
    put("a.txt", lines(1, 13))
    tools.read("a.txt")
    assert tools.edit("a.txt", old, new) == UPDATED.format("a.txt") + snippet


def test_the_snippet_of_an_emptied_file_is_empty(tools, put):
    put("a.txt", "a\n")
    tools.read("a.txt")
    assert tools.edit("a.txt", "a\n", "") == UPDATED.format("a.txt")


def test_the_snippet_of_a_filled_file_shows_what_was_there_as_well(tools, put):
    path = put("a.txt", "  \n\n")
    tools.read("a.txt")
    assert (
        tools.edit("a.txt", "", "new\n")
        == UPDATED.format("a.txt") + "     1→new\n     2→  \n     3→\n     4→"
    )
    assert path.read_text() == "new\n"


def test_the_answer_names_the_path_as_it_was_given(tools, put, root):
    put("a.txt")
    tools.read("a.txt")
    assert tools.edit(f"{root}/./a.txt", "alpha", "x").startswith(
        f"The file {root}/./a.txt has been updated."
    )


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (b"a\r\nb\r\n", "a\nb", "x\ny", b"x\r\ny\r\n"),
        (b"a\r\nb\r\n", "b", "x\r\ny", b"a\r\nx\r\r\ny\r\n"),
        (b"a\r\nb\nc\n", "b", "x\ny", b"a\nx\ny\nc\n"),
        (b"a\r\nb\n", "b", "c", b"a\nc\n"),
        (b"a\r\nb", "b", "x\ny", b"a\r\nx\r\ny"),
        (b"a\rb\r", "b", "x\ny", b"a\rx\ny\r"),
        (b"a\r\r\nb\n", "b", "c", b"a\r\nc\n"),
        (b"a\r\n" + b"x" * 5000 + b"\nb\nc\nQ", "Q", "d", b"a\r\n" + b"x" * 5000 + b"\r\nb\r\nc\r\nd"),
        (b"\xef\xbb\xbfa\nb\n", "a", "c", b"\xef\xbb\xbfc\nb\n"),
        (b"\xff\xfea\0\n\0b\0", "b", "\u00e9\U0001f600", b"\xff\xfea\0\n\0\xe9\0\x3d\xd8\x00\xde"),
        (b"\xff\xfea\0\r\0\n\0b\0", "b", "c\nd", b"\xff\xfea\0\n\0c\0\n\0d\0"),
        (b"\xff\xfea\0b", "a", "c", b"\xff\xfec\0"),
        (b"caf\xe9 x\n", "x", "y", b"caf\xef\xbf\xbd y\n"),
    ],
)
def test_encoding_and_line_endings_are_written_back(tools, put, before, old, new, after):
    path = put("a.txt", before)
    tools.read("a.txt")
    tools.edit("a.txt", old, new)
    assert path.read_bytes() == after


def test_the_documents_keep_the_line_endings_of_utf_16(make_tools, put):
    path, documented = put("a.txt", "\ufeffa\r\nb\r\n".encode("utf-16-le")), make_tools("documented")
    documented.read(str(path))
    documented.edit(str(path), "b", "c\nd")
    assert path.read_bytes().decode("utf-16-le") == "\ufeffa\r\nc\r\nd\r\n"


def test_carriage_returns_in_old_string_do_not_match_a_crlf_file(tools, put):
    put("a.txt", b"a\r\nb\r\n")
    tools.read("a.txt")
    with pytest.raises(Refusal, match="String to replace not found"):
        tools.edit("a.txt", "a\r\nb", "x")


def test_half_of_a_surrogate_pair_is_replaced(tools, put):
    path = put("a.txt", "x\n")
    tools.read("a.txt")
    tools.edit("a.txt", "x", "\ud800y")
    assert path.read_bytes() == b"\xef\xbf\xbdy\n"
