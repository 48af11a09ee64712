"""Read: what is shown, how it is numbered, and what is refused."""

from __future__ import annotations

import pytest

from readfirst.reference_impl import Refusal

MALFORMED = b"caf\xe9 \xed\xa0\x80\n"


def test_lines_are_numbered_in_six_columns_with_an_arrow(tools, put):
    put("a.txt", "alpha\nbeta\n")
    assert tools.read("a.txt") == "     1→alpha\n     2→beta\n     3→"


def test_a_file_without_final_newline_has_no_empty_last_line(tools, put):
    put("a.txt", "alpha\nbeta")
    assert tools.read("a.txt") == "     1→alpha\n     2→beta"


@pytest.mark.parametrize(
    ("part", "shown"),
    [
        ({"offset": 2}, "     2→b\n     3→c\n     4→"),
        ({"limit": 1}, "     1→a"),
        ({"offset": 2, "limit": 1}, "     2→b"),
        ({"offset": 0}, "     0→a\n     1→b\n     2→c\n     3→"),
        ({"offset": -1}, "    -1→c\n     0→"),
        ({"offset": 1.5}, "   1.5→a\n   2.5→b\n   3.5→c\n   4.5→"),
        ({"limit": 1.5}, "     1→a"),
        ({"limit": -1}, "     1→a\n     2→b\n     3→c"),
        ({"offset": 2.5, "limit": 2.5}, "   2.5→b\n   3.5→c\n   4.5→"),
    ],
)
def test_a_part_is_counted_from_offset(tools, put, part, shown):
    put("a.txt", "a\nb\nc\n")
    assert tools.read("a.txt", **part) == shown


@pytest.mark.parametrize(
    ("content", "part", "numbers"),
    [
        ("", {}, (1, 1)),
        ("a\n", {"offset": 2}, (2, 2)),
        ("a\n", {"offset": 9}, (9, 2)),
        ("a\n", {"limit": 0}, (1, 2)),
    ],
)
def test_a_warning_stands_in_for_an_empty_answer(tools, put, content, part, numbers):
    put("a.txt", content)
    offset, lines = numbers
    assert tools.read("a.txt", **part) == (
        "<system-reminder>Warning: the file exists but is shorter than the provided offset "
        f"({offset}). The file has {lines} lines.</system-reminder>"
    )


def test_numbers_above_six_digits_take_more_columns(tools, put):
    put("a.txt", "\n" * 1_000_001)
    assert tools.read("a.txt", offset=999_999, limit=2) == "999999→\n1000000→"


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"a\r\nb\r\n", "     1→a\n     2→b\n     3→"),
        (b"a\rb\n", "     1→a\rb\n     2→"),
        (b"a\r\r\nb\n", "     1→a\n     2→b\n     3→"),
        (b"\xef\xbb\xbfa\n", "     1→\ufeffa\n     2→"),
        (b"\xff\xfea\0\n\0", "     1→��a\0\n     2→\0"),
        (MALFORMED, "     1→caf� ���\n     2→"),
        (b"a\0b\n", "     1→a\0b\n     2→"),
    ],
)
def test_bytes_are_shown_as_text(tools, put, data, shown):
    put("a.txt", data)
    assert tools.read("a.txt") == shown


def test_a_directory_is_refused(tools, root):
    (root / "sub").mkdir()
    with pytest.raises(Refusal, match="EISDIR: illegal operation on a directory, read") as refused:
        tools.read("sub")
    assert refused.value.name == "is_directory"


@pytest.mark.parametrize("name", ["missing.txt", "sub/missing.txt", "a.txt/x"])
def test_a_missing_file_is_refused(tools, put, name):
    put("a.txt")
    with pytest.raises(Refusal) as refused:
        tools.read(name)
    assert (refused.value.name, refused.value.message) == ("file_not_found", "File does not exist.")


@pytest.mark.parametrize(
    ("asked", "meant"), [("a.py", "a.txt"), ("a", "a.txt"), ("a.txt/", "a.txt"), ("a.txt ", "a.txt")]
)
def test_a_missing_file_is_taken_for_one_with_another_extension(tools, put, asked, meant):
    put("a.txt")
    with pytest.raises(Refusal, match=f"File does not exist. Did you mean {meant}?"):
        tools.read(asked)


def test_a_file_of_262144_bytes_passes_and_one_more_is_refused(tools, put):
    put("fits.txt", "\n" * 1000 + "x" * (262_144 - 1000))
    put("large.txt", "\n" * 262_145)
    with pytest.raises(Refusal) as refused:
        tools.read("fits.txt")
    assert refused.value.name == "too_many_tokens"
    with pytest.raises(Refusal, match=r"File content \(256KB\) exceeds maximum allowed size \(256KB\)"):
        tools.read("large.txt")


def test_a_large_file_can_be_read_in_parts(tools, put):
    put("large.txt", "x\n" * 150_000)
    assert tools.read("large.txt", offset=2, limit=1) == "     2→x"
    assert tools.read("large.txt", limit=1) == "     1→x"


@pytest.mark.parametrize("part", [{"offset": 2}, {"limit": 140_000}])
def test_a_part_may_be_too_large_too(tools, put, part):
    put("large.txt", "x\n" * 150_000)
    with pytest.raises(Refusal) as refused:
        tools.read("large.txt", **part)
    assert refused.value.name == "too_large"


def test_more_than_25000_tokens_are_refused(tools, put):
    put("fits.txt", "x" * 100_000)
    put("long.txt", "x" * 100_001)
    assert tools.read("fits.txt").startswith("     1→xx")
    with pytest.raises(
        Refusal, match=r"File content \(25001 tokens\) exceeds maximum allowed tokens \(25000\)"
    ):
        tools.read("long.txt")


@pytest.mark.parametrize("name", ["a.zip", "a.EXE", "a.woff2"])
def test_binary_names_are_refused(tools, put, name):
    put(name, "text\n")
    extension = name[1:].lower()
    with pytest.raises(Refusal, match=f"The file appears to be a binary {extension} file") as refused:
        tools.read(name)
    assert refused.value.name == "unsupported_file"


@pytest.mark.parametrize(
    ("name", "data", "shown"),
    [
        ("a.png", b"\x89PNG", "[image image/png 8]"),
        ("a.PNG", b"text", "[image image/png 8]"),
        ("a.png", b"\xff\xd8\xff\xe0", "[image image/jpeg 8]"),
        ("a.jpg", b"GIF89a", "[image image/gif 8]"),
        ("a.gif", b"RIFF....WEBP", "[image image/webp 16]"),
    ],
)
def test_an_image_stands_as_its_type_and_size(tools, put, name, data, shown):
    put(name, data)
    assert tools.read(name) == shown


def test_a_pdf_stands_as_its_size(tools, put):
    put("a.pdf", "%PDF-1.4\n")
    assert tools.read("a.pdf") == "PDF file read: a.pdf (9 bytes)"


@pytest.mark.parametrize(
    ("name", "message"),
    [("a.png", "Empty image files cannot be processed."), ("a.pdf", "PDF file is empty: a.pdf")],
)
def test_empty_media_are_refused(tools, put, name, message):
    put(name, b"")
    with pytest.raises(Refusal) as refused:
        tools.read(name)
    assert (refused.value.name, refused.value.message) == ("unsupported_file", message)


@pytest.mark.parametrize(
    ("contract", "told"),
    [("2.1.7", "is shorter than the provided offset"), ("documented", "contents are empty")],
)
def test_the_documents_tell_that_a_file_is_empty(make_tools, put, contract, told):
    assert told in make_tools(contract).read(str(put("a.txt", "")))


def test_the_documents_cut_at_2000_lines_and_2000_characters(make_tools, put):
    put("lines.txt", "".join(f"{n}\n" for n in range(1, 2502)))
    put("wide.txt", "x" * 2500)
    documented = make_tools("documented")
    path = put("lines.txt", "".join(f"{n}\n" for n in range(1, 2502)))
    assert documented.read(str(path)).endswith("\n  2000→2000")
    assert documented.read(str(path.with_name("wide.txt"))) == "     1→" + "x" * 2000
    assert make_tools().read("lines.txt").endswith("\n  2501→2501\n  2502→")
