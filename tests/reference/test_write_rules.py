"""Write: creating and replacing files, and the line endings of new ones."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from readfirst.reference_impl import Refusal
from readfirst.reference_impl.files.sampling import usual_line_ending

UPDATED = "The file a.txt has been updated. Here's the result of running `cat -n` on a snippet of the edited file:\n"


def refusal(tools, *arguments):
    with pytest.raises(Refusal) as refused:
        tools.write(*arguments)
    return refused.value.name, refused.value.code


def test_write_refuses_a_path_that_a_rule_denies(make_tools):
    assert refusal(make_tools(deny=("Edit(secret/**)",)), "secret/a.txt", "x") == ("permission_denied", 1)


def test_write_refuses_to_overwrite_an_unread_file(tools, put):
    path = put("a.txt")
    assert refusal(tools, "a.txt", "x") == ("not_read", 2)
    assert path.read_text() == "alpha\nbeta\n"


def test_write_refuses_to_overwrite_a_changed_file(tools, put):
    put("a.txt")
    tools.read("a.txt")
    put("a.txt", "gamma\n", later=2)
    assert refusal(tools, "a.txt", "x") == ("modified_since_read", 3)


@pytest.mark.parametrize("contract", ["2.1.7", "documented"])
def test_a_touched_file_is_refused_even_if_it_reads_the_same(make_tools, put, contract):
    path, tools = str(put("a.txt")), make_tools(contract)
    tools.read(path)
    put("a.txt", later=2)
    assert refusal(tools, path, "x") == ("modified_since_read", 3)


def test_a_new_file_is_created_with_its_directories(tools, root):
    assert tools.write("new/deep/a.txt", "x\n") == "File created successfully at: new/deep/a.txt"
    assert (root / "new/deep/a.txt").read_text() == "x\n"


def test_a_replaced_file_is_shown(tools, put):
    put("a.txt")
    tools.read("a.txt")
    assert tools.write("a.txt", "x\ny\n") == UPDATED + "     1→x\n     2→y\n     3→"


def test_filling_an_empty_file_says_created(tools, put):
    put("a.txt", "")
    tools.read("a.txt")
    assert tools.write("a.txt", "x") == "File created successfully at: a.txt"


def test_blanks_at_the_ends_of_lines_are_cut_except_by_the_documents(tools, make_tools, root):
    tools.write("a.txt", "x  \n \t\ny\u00a0")
    make_tools("documented").write(f"{root}/b.txt", "x  \n")
    assert (root / "a.txt").read_text() == "x\n\ny"
    assert (root / "b.txt").read_text() == "x  \n"


@pytest.mark.parametrize(("contract", "written"), [("2.1.7", b"x\r\ny\r\n"), ("documented", b"x\ny\n")])
def test_write_takes_line_endings_over_except_by_the_documents(make_tools, put, contract, written):
    path, tools = put("a.txt", b"a\r\nb\r\n"), make_tools(contract)
    tools.read(str(path))
    tools.write(str(path), "x\ny\n")
    assert path.read_bytes() == written


@pytest.mark.parametrize(
    ("before", "content", "after"),
    [
        (b"a\r\nb\r\n", "x\ny\n", b"x\r\ny\r\n"),
        (b"a\r\nb\r\n", "x\r\ny\r\n", b"x\r\r\ny\r\r\n"),
        (b"a\nb\n", "x\r\ny\n", b"x\r\ny\n"),
        (b"\xef\xbb\xbfa\n", "x\n", b"x\n"),
        (b"\xff\xfea\0", "x", b"x\0"),
        (b"a", "x\ry", b"x\ry"),
    ],
)
def test_the_old_line_endings_and_encoding_are_kept_and_the_mark_is_not(tools, put, before, content, after):
    path = put("a.txt", before)
    tools.read("a.txt")
    tools.write("a.txt", content)
    assert path.read_bytes() == after


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("a.txt/x", "ENOTDIR: not a directory, open '{}/a.txt/x'"),
        ("a.txt/x/y", "ENOTDIR: not a directory, mkdir '{}/a.txt/x'"),
        ("new/", "EISDIR: illegal operation on a directory, open '{}/new/'"),
        ("n" * 256, "ENAMETOOLONG: name too long, open '{}/" + "n" * 256 + "'"),
    ],
)
def test_what_the_system_refuses_is_said_in_its_words(tools, put, root, path, message):
    put("a.txt")
    with pytest.raises(Refusal) as refused:
        tools.write(path, "x")
    assert refused.value.message == message.format(root)
    assert [entry.name for entry in root.iterdir()] == ["a.txt"]


def test_a_name_of_255_bytes_can_be_written(tools, root):
    tools.write("n" * 255, "x")
    assert (root / ("n" * 255)).read_text() == "x"


def test_the_mode_stays(tools, put):
    path = put("a.txt")
    path.chmod(0o750)
    tools.read("a.txt")
    tools.write("a.txt", "x")
    tools.edit("a.txt", "x", "y")
    assert stat.S_IMODE(path.stat().st_mode) == 0o750


def test_another_hard_link_keeps_the_old_content(tools, put, root):
    path = put("a.txt")
    os.link(path, root / "b.txt")
    tools.read("a.txt")
    tools.write("a.txt", "x")
    assert (path.read_text(), (root / "b.txt").read_text()) == ("x", "alpha\nbeta\n")


def test_a_link_is_written_through_and_a_link_to_nothing_is_replaced(tools, put, root):
    path = put("a.txt")
    (root / "link").symlink_to("a.txt")
    (root / "dangling").symlink_to("nowhere")
    tools.read("link")
    tools.write("link", "x")
    tools.write("dangling", "y")
    assert (root / "link").is_symlink()
    assert path.read_text() == "x"
    assert not (root / "dangling").is_symlink()
    assert not (root / "nowhere").exists()


def test_of_links_to_links_the_second_becomes_a_file(tools, put, root):
    path = put("a.txt")
    (root / "second").symlink_to("a.txt")
    (root / "first").symlink_to("second")
    tools.read("first")
    tools.write("first", "x")
    assert (root / "first").is_symlink()
    assert not (root / "second").is_symlink()
    assert path.read_text() == "alpha\nbeta\n"


def test_a_write_that_fails_half_way_loses_nothing(tools, put, root, monkeypatch):
    path = put("a.txt")
    tools.read("a.txt")

    def broken(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(Refusal, match=r"EIO: input/output error, open '.*a\.txt'") as refused:
        tools.write("a.txt", "x")
    assert refused.value.name == "os_error"
    assert path.read_text() == "alpha\nbeta\n"
    assert [entry.name for entry in root.iterdir()] == ["a.txt"]


CRLF, LF = b"a\r\nb\r\n", b"a\nb\n"


@pytest.mark.parametrize(
    ("files", "ending"),
    [
        ({f"{n}.txt": CRLF for n in range(3)}, "\n"),
        ({f"{n}.txt": CRLF for n in range(4)}, "\r\n"),
        ({f"{n}.txt": CRLF if n < 4 else LF for n in range(15)}, "\r\n"),
        ({f"{n:02}.txt": LF if n < 12 else CRLF for n in range(16)}, "\n"),
        ({f"s/t/{n}.txt": CRLF for n in range(4)}, "\r\n"),
        ({f".{n}.txt": CRLF for n in range(4)}, "\n"),
        ({".ignore": b"*.txt\n", **{f"{n}.txt": CRLF for n in range(4)}}, "\n"),
        ({".gitignore": b"*.txt\n", **{f"{n}.txt": CRLF for n in range(4)}}, "\r\n"),
        ({".git/HEAD": b"", ".gitignore": b"*.txt\n", **{f"{n}.txt": CRLF for n in range(4)}}, "\n"),
        ({f"{n}.txt": b"a\r\nb\n" for n in range(9)}, "\n"),
    ],
)
def test_new_files_get_crlf_if_more_than_three_of_fifteen_have_it(put, root, files, ending):
    for name, data in files.items():
        put(name, data)
    assert usual_line_ending(str(root)) == ending


def test_links_do_not_count_for_the_line_ending(put, root):
    for number in range(4):
        put(f"../outside/{number}.txt", CRLF)
        (root / f"{number}.txt").symlink_to(f"../outside/{number}.txt")
    assert usual_line_ending(str(root)) == "\n"


def test_the_line_ending_of_new_files_is_found_out_once(tools, put, root):
    for number in range(4):
        put(f"{number}.txt", CRLF)
    tools.edit("edited.txt", "", "x\n")
    tools.write("first.txt", "x\n")
    for number in range(4):
        (root / f"{number}.txt").unlink()
    tools.write("second.txt", "x\n")
    endings = [(root / f"{name}.txt").read_bytes() for name in ("edited", "first", "second")]
    assert endings == [b"x\n", b"x\r\n", b"x\r\n"]


def test_a_file_in_a_directory_that_takes_no_new_file_is_written_in_place(tools, put, root, monkeypatch):
    path = put("a.txt", "a long old content\n")
    number = path.stat().st_ino
    tools.read("a.txt")
    plain_open = open

    def closed_directory(name, mode="r", *more, **options):
        if not Path(name).exists():
            raise PermissionError(13, "Permission denied")
        return plain_open(name, mode, *more, **options)

    monkeypatch.setattr("builtins.open", closed_directory)
    monkeypatch.setattr("io.open", closed_directory)
    tools.write("a.txt", "new\n")
    with pytest.raises(Refusal, match=f"EACCES: permission denied, open '{root}/b.txt'"):
        tools.write("b.txt", "new\n")
    monkeypatch.undo()
    assert (path.read_text(), path.stat().st_ino) == ("new\n", number)
    assert [entry.name for entry in root.iterdir()] == ["a.txt"]
