"""Read state: what a session knows of a file, for how long, and under which name."""

from __future__ import annotations

import os

import pytest

from readfirst.reference_impl import Refusal
from readfirst.reference_impl.session.memory import ReadState, Record

MODIFIED = "modified_since_read"


def touch(path, later):
    os.utime(path, (1_000_000_000 + later, 1_000_000_000 + later))


def outcome(tools, *arguments):
    try:
        tools.edit(*arguments)
    except Refusal as refusal:
        return refusal.name
    return "done"


def test_a_touched_file_is_refused_after_a_read_but_not_by_the_documents(make_tools, put):
    for contract, expected in (("2.1.7", MODIFIED), ("documented", "done")):
        path, tools = put("a.txt"), make_tools(contract)
        tools.read(str(path))
        touch(path, 2)
        assert outcome(tools, str(path), "alpha", "gamma") == expected


@pytest.mark.parametrize("part", [{"offset": 1}, {"limit": 9}])
def test_the_documents_refuse_a_touched_file_after_a_read_of_a_part(make_tools, put, part):
    path, tools = put("a.txt"), make_tools("documented")
    tools.read(str(path), **part)
    touch(path, 2)
    assert outcome(tools, str(path), "alpha", "gamma") == MODIFIED


@pytest.mark.parametrize("own", ["edit", "write"])
def test_a_touched_file_may_be_edited_after_an_own_change(tools, put, own):
    path = put("a.txt")
    tools.read("a.txt")
    if own == "edit":
        tools.edit("a.txt", "alpha", "gamma")
    else:
        tools.write("a.txt", "gamma\nbeta\n")
    os.utime(path, (4_000_000_000, 4_000_000_000))
    assert outcome(tools, "a.txt", "beta", "x") == "done"


def test_an_own_change_with_carriage_returns_does_not_read_the_same(tools, put):
    path = put("a.txt", "a\nb\n")
    tools.read("a.txt")
    tools.edit("a.txt", "a", "x\r\ny")
    os.utime(path, (4_000_000_000, 4_000_000_000))
    assert outcome(tools, "a.txt", "b", "c") == MODIFIED


@pytest.mark.parametrize(
    ("later", "expected"),
    [(0.0009, "done"), (0.001, MODIFIED), (-10, "done")],
    ids=["below 1 ms", "1 ms", "older"],
)
def test_times_are_compared_in_whole_milliseconds_and_only_newer_ones_count(tools, put, later, expected):
    put("a.txt")
    tools.read("a.txt")
    put("a.txt", "alpha\nother\n", later=later)
    assert outcome(tools, "a.txt", "alpha", "gamma") == expected


def test_a_file_changed_after_an_own_change_is_read_again_by_the_session(tools, put, root):
    tools.write("a.txt", "alpha\n")
    (root / "a.txt").write_text("beta\n")
    os.utime(root / "a.txt", (4_000_000_000, 4_000_000_000))
    assert outcome(tools, "a.txt", "beta", "gamma") == MODIFIED
    assert outcome(tools, "a.txt", "beta", "gamma") == "done"


def test_what_the_session_reads_again_counts_as_a_read(tools, put, root):
    put("other.txt")
    tools.write("a.txt", "alpha\n")
    os.utime(root / "a.txt", (4_000_000_000, 4_000_000_000))
    tools.read("other.txt")
    os.utime(root / "a.txt", (4_000_000_002, 4_000_000_002))
    assert outcome(tools, "a.txt", "alpha", "gamma") == MODIFIED
    assert outcome(tools, "a.txt", "alpha", "gamma") == MODIFIED


@pytest.mark.parametrize(("name", "content"), [("a.exe", b"x"), ("a.png", b"x"), ("a.txt", b"x" * 300_000)])
def test_what_read_refuses_is_not_read_again(tools, root, name, content):
    tools.write(name, "alpha\n")
    (root / name).write_bytes(content)
    os.utime(root / name, (4_000_000_000, 4_000_000_000))
    assert outcome(tools, name, "x", "y") == MODIFIED
    assert outcome(tools, name, "x", "y") == MODIFIED


def test_a_denied_file_is_not_read_again(make_tools, root):
    tools = make_tools(deny=("Read(a.txt)",))
    tools.write("a.txt", "alpha\n")
    (root / "a.txt").write_text("beta\n")
    os.utime(root / "a.txt", (4_000_000_000, 4_000_000_000))
    assert outcome(tools, "a.txt", "beta", "x") == MODIFIED
    assert outcome(tools, "a.txt", "beta", "x") == MODIFIED


def test_a_file_changed_after_a_read_is_not_read_again(tools, put):
    put("a.txt")
    tools.read("a.txt")
    put("a.txt", "gamma\n", later=2)
    assert [outcome(tools, "a.txt", "gamma", "x") for _ in range(3)] == [MODIFIED] * 3


def test_a_deleted_file_may_be_created_anew(tools, put, root):
    put("a.txt")
    tools.read("a.txt")
    (root / "a.txt").unlink()
    assert tools.write("a.txt", "x") == "File created successfully at: a.txt"


def test_a_refused_read_is_not_remembered(tools, put):
    put("a.txt", "x" * 300_000)
    with pytest.raises(Refusal):
        tools.read("a.txt")
    assert outcome(tools, "a.txt", "x", "y") == "not_read"


def test_an_image_is_remembered_only_by_the_documents(make_tools, put):
    path = str(put("a.png", b"x"))
    for contract, expected in (("2.1.7", "not_read"), ("documented", "done")):
        tools = make_tools(contract)
        tools.read(path)
        assert outcome(tools, path, "x", "y") == expected


@pytest.mark.parametrize(
    "name", ["./a.txt", "sub/../a.txt", "sub//..//a.txt", "{root}/a.txt", "{root}/./a.txt", " a.txt "]
)
def test_every_spelling_of_a_path_is_the_same_file(tools, put, root, name):
    put("a.txt")
    (root / "sub").mkdir()
    tools.read("a.txt")
    assert outcome(tools, name.format(root=root), "alpha", "x") == "done"


def test_a_link_is_another_file_than_what_it_leads_to(tools, put, root):
    put("a.txt")
    (root / "link").symlink_to("a.txt")
    tools.read("link")
    assert outcome(tools, "a.txt", "alpha", "x") == "not_read"


@pytest.mark.parametrize(("known", "other"), [("link", "a.txt"), ("a.txt", "link")])
def test_by_the_documents_a_link_shares_what_is_known_of_its_target(make_tools, put, root, known, other):
    put("a.txt")
    (root / "link").symlink_to("a.txt")
    tools = make_tools("documented")
    tools.read(f"{root}/{known}")
    assert outcome(tools, f"{root}/{other}", "alpha", "x") == "done"


def known(tools, count):
    names = [f"{number}.txt" for number in range(1, count + 1)]
    results = tools.call_parallel(
        [("Edit", {"file_path": name, "old_string": "absent", "new_string": "x"}) for name in names]
    )
    return [number for number, result in enumerate(results, 1) if result.error == "string_not_found"]


def read_in_messages(tools, put, *messages):
    for number in {number for message in messages for number in message}:
        put(f"{number}.txt")
    for message in messages:
        tools.call_parallel([("Read", {"file_path": f"{number}.txt"}) for number in message])


ONE_BY_ONE = [[number] for number in range(1, 11)]


@pytest.mark.parametrize(
    ("messages", "remembered"),
    [
        (ONE_BY_ONE, [*range(1, 11)]),
        ([*ONE_BY_ONE, [11]], [*range(1, 10), 11]),
        ([*ONE_BY_ONE, [11], [12]], [*range(1, 10), 12]),
        ([*ONE_BY_ONE, [11, 12]], [1, 2, 3, 4, 5, 6, 7, 9, 11, 12]),
        ([*ONE_BY_ONE, [11, 12, 13]], [1, 2, 3, 4, 5, 7, 9, 11, 12, 13]),
        ([*ONE_BY_ONE, [3], [11]], [1, 2, *range(4, 12)]),
        ([range(1, 13)], [*range(3, 13)]),
        ([range(1, 11), [11]], [*range(1, 10), 11]),
    ],
)
def test_ten_files_are_remembered_and_each_message_turns_the_order_round(tools, put, messages, remembered):
    read_in_messages(tools, put, *messages)
    assert known(tools, 13) == remembered


def test_the_documents_set_no_number_of_files(make_tools, put):
    tools = make_tools("documented")
    paths = [str(put(f"{number}.txt")) for number in range(30)]
    for path in paths:
        tools.read(path)
    assert [outcome(tools, path, "alpha", "x") for path in paths] == ["done"] * 30


def test_a_look_at_a_record_counts_as_a_use():
    state, record = ReadState(2), Record(None, 0)
    state.put("a", record)
    state.put("b", record)
    state.get("a")
    state.put("c", record)
    assert state.newest_first() == ["c", "a"]


def test_a_file_that_the_session_reads_again_becomes_the_newest(tools, put, root):
    for number in range(1, 11):
        tools.write(f"{number}.txt", "alpha\n")
    os.utime(root / "5.txt", (4_000_000_000, 4_000_000_000))
    tools.call_parallel([])
    tools.call_parallel([])
    put("11.txt")
    tools.read("11.txt")
    assert known(tools, 11) == [1, 2, 3, 4, 6, 7, 8, 9, 10, 11]
