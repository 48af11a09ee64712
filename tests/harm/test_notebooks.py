from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from readfirst.harness.harm.notebooks import notebook_harms
from tests.rows import rows

Notebook = dict[str, Any]

NOTEBOOK: Notebook = {
    "cells": [
        {
            "cell_type": "markdown",
            "id": "title",
            "metadata": {"tags": ["top"]},
            "source": ["# Title\n", "Text"],
        },
        {
            "cell_type": "code",
            "id": "load",
            "execution_count": 4,
            "metadata": {"collapsed": True},
            "outputs": [{"output_type": "stream", "name": "stdout", "text": ["loaded\n"]}],
            "source": ["x = 1\n", "print(x)\n"],
        },
        {
            "cell_type": "markdown",
            "id": "picture",
            "attachments": {"a.png": {"image/png": "iVBORw0K"}},
            "metadata": {},
            "source": "![a](attachment:a.png)",
        },
        {
            "cell_type": "code",
            "id": "plot",
            "execution_count": 5,
            "metadata": {},
            "outputs": [{"output_type": "display_data", "data": {"text/plain": "<plot>"}, "metadata": {}}],
            "source": ["plot(x)\n", "\n"],
        },
        {"cell_type": "raw", "id": "end", "metadata": {"format": "text/x-rst"}, "source": "x = 1"},
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "custom": {"a": 1}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
REPLACE = {"cell_id": "load", "new_source": "x = 2\nprint(x)\n"}
PICTURE = {"cell_id": "picture", "new_source": "![b](attachment:a.png)"}
CONVERT = {"cell_id": "load", "new_source": "Words", "cell_type": "markdown"}
INSERT = {"cell_id": "load", "new_source": "y = 3", "cell_type": "code", "edit_mode": "insert"}
DELETE = {"cell_id": "load", "new_source": "", "edit_mode": "delete"}
CALLS = {"replace": REPLACE, "picture": PICTURE, "convert": CONVERT, "insert": INSERT, "delete": DELETE}
NEW = {
    "cell_type": "code",
    "id": "n1",
    "metadata": {},
    "execution_count": None,
    "outputs": [],
    "source": "y = 3",
}


def notebook_after(call: str) -> Notebook:
    book = copy.deepcopy(NOTEBOOK)
    cells = book["cells"]
    match call:
        case "replace":
            cells[1].update(source=REPLACE["new_source"], execution_count=None, outputs=[])
        case "picture":
            cells[2]["source"] = PICTURE["new_source"]
        case "convert":
            cells[1] = {
                "cell_type": "markdown",
                "id": "load",
                "metadata": {"collapsed": True},
                "source": "Words",
            }
        case "insert":
            cells.insert(2, copy.deepcopy(NEW))
        case "delete":
            del cells[1]
    return book


def judge_call(arguments: dict[str, Any], now: Notebook, before: Notebook = NOTEBOOK) -> list[str]:
    """Return the kinds of harm if a call changed the notebook from `before` to `now`."""
    found = notebook_harms(
        "a.ipynb", [arguments], json.dumps(before).encode(), json.dumps(now, indent=1).encode()
    )
    return [each.kind for each in found]


@rows("call", CALLS)
def test_a_correct_notebook_edit_is_harmless(call: str) -> None:
    assert judge_call(CALLS[call], notebook_after(call)) == []


UNUSUAL_EDITS: dict[str, tuple[dict[str, Any], Callable[[list[Any]], Any]]] = {
    "source as a list": (REPLACE, lambda cells: cells[1].update(source=["x = 2\n", "print(x)\n"])),
    "outputs kept": (REPLACE, lambda cells: cells[1].update(source="x = 2\nprint(x)\n")),
    "by its number": (
        {"cell_id": "cell-1", "new_source": "z"},
        lambda cells: cells[1].update(source="z", outputs=[], execution_count=None),
    ),
    "by the number of old versions": (
        {"cell_number": 2, "new_source": "z"},
        lambda cells: cells[2].update(source="z"),
    ),
    "inserted at a number": (
        {"cell_number": 2, "new_source": "y = 3", "cell_type": "code", "edit_mode": "insert"},
        lambda cells: cells.insert(2, NEW),
    ),
    "inserted without a cell": (
        {"new_source": "y = 3", "cell_type": "code", "edit_mode": "insert"},
        lambda cells: cells.insert(0, NEW),
    ),
    "inserted without an id": (
        INSERT,
        lambda cells: cells.insert(
            2, {"cell_type": "code", "metadata": {}, "outputs": [], "source": "y = 3"}
        ),
    ),
    "type and words kept in conversion": (
        CONVERT,
        lambda cells: cells[1].update(source="Words", cell_type="markdown", outputs=[], execution_count=None),
    ),
    "the same source": ({"cell_id": "end", "new_source": "x = 1"}, lambda cells: None),
}
"""Correct results of unusual form, each with the arguments of its call and the change of the cells."""


@rows("form", UNUSUAL_EDITS)
def test_a_correct_notebook_edit_of_unusual_form_is_harmless(form: str) -> None:
    arguments, change = UNUSUAL_EDITS[form]
    book = copy.deepcopy(NOTEBOOK)
    change(book["cells"])
    assert judge_call(arguments, book) == []


def swap(book: Notebook, first: int, second: int) -> None:
    cells = book["cells"]
    cells[first], cells[second] = cells[second], cells[first]


def change_cell(cell: int, **keys: Any) -> Callable[[Notebook], None]:
    return lambda book: book["cells"][cell].update(keys)


def drop(cell: int, key: str) -> Callable[[Notebook], None]:
    return lambda book: book["cells"][cell].pop(key)


def only(cell: int, **keys: Any) -> Callable[[Notebook], None]:
    """Return a function that changes a cell of the original notebook instead of the requested change."""

    def change(book: Notebook) -> None:
        book["cells"] = copy.deepcopy(NOTEBOOK["cells"])
        book["cells"][cell].update(keys)

    return change


def insert_at(index: int, **keys: Any) -> Callable[[Notebook], None]:
    def change(book: Notebook) -> None:
        book["cells"] = copy.deepcopy(NOTEBOOK["cells"])
        book["cells"].insert(index, {**NEW, **keys})

    return change


def delete(*indexes: int) -> Callable[[Notebook], None]:
    def change(book: Notebook) -> None:
        book["cells"] = [
            cell for index, cell in enumerate(copy.deepcopy(NOTEBOOK["cells"])) if index not in indexes
        ]

    return change


def nothing(book: Notebook) -> None:
    book["cells"] = copy.deepcopy(NOTEBOOK["cells"])


SOURCE = REPLACE["new_source"]

WRONG_EDITS: list[tuple[str, str, Callable[[Notebook], Any], str]] = [
    ("the cell after it edited", "replace", only(2, source=SOURCE), "misplaced"),
    ("the cell before it edited", "replace", only(0, source=SOURCE), "misplaced"),
    ("the last cell edited", "replace", only(4, source=SOURCE), "misplaced"),
    ("the next cell of its type edited", "replace", only(3, source=SOURCE, outputs=[]), "misplaced"),
    ("two cells edited", "replace", change_cell(3, source=SOURCE), "lost"),
    ("nothing done", "replace", nothing, "untrue"),
    ("nothing inserted", "insert", nothing, "untrue"),
    ("nothing deleted", "delete", nothing, "untrue"),
    ("another cell deleted", "delete", delete(3), "lost"),
    ("the cell before it deleted", "delete", delete(0), "lost"),
    ("the last cell deleted", "delete", delete(4), "lost"),
    ("one cell more deleted", "delete", delete(1, 2), "lost"),
    ("emptied instead of deleted", "delete", only(1, source="", outputs=[]), "stray"),
    ("inserted before the cell", "insert", insert_at(1), "misplaced"),
    ("inserted one cell too far", "insert", insert_at(3), "misplaced"),
    ("inserted at the end", "insert", insert_at(5), "misplaced"),
    ("inserted at the beginning", "insert", insert_at(0), "misplaced"),
    ("inserted in place of the next cell", "insert", lambda book: book["cells"].pop(3), "lost"),
    ("inserted twice", "insert", lambda book: book["cells"].insert(2, NEW), "stray"),
    ("inserted with another type", "insert", insert_at(2, cell_type="markdown"), "altered"),
    ("inserted with another source", "insert", insert_at(2, source="y = 3\n"), "altered"),
    ("inserted with metadata of another", "insert", insert_at(2, metadata={"collapsed": True}), "altered"),
    (
        "inserted with outputs of another",
        "insert",
        insert_at(2, outputs=[{"output_type": "stream"}]),
        "altered",
    ),
    ("order reversed", "replace", lambda book: book["cells"].reverse(), "spoiled"),
    ("two cells exchanged", "replace", lambda book: swap(book, 0, 2), "spoiled"),
    ("moved to the end", "replace", lambda book: book["cells"].append(book["cells"].pop(1)), "spoiled"),
    ("metadata of the notebook dropped", "replace", lambda book: book["metadata"].clear(), "spoiled"),
    ("kernel dropped", "insert", lambda book: book["metadata"].pop("kernelspec"), "spoiled"),
    ("nbformat changed", "replace", lambda book: book.update(nbformat_minor=4), "spoiled"),
    ("a key beside the cells added", "replace", lambda book: book.update(worksheets=[]), "spoiled"),
    ("metadata of the cell dropped", "replace", change_cell(1, metadata={}), "spoiled"),
    ("metadata of another cell dropped", "replace", change_cell(0, metadata={}), "spoiled"),
    ("attachments of the cell dropped", "picture", drop(2, "attachments"), "spoiled"),
    ("attachments of another cell dropped", "replace", drop(2, "attachments"), "spoiled"),
    ("outputs of another cell dropped", "replace", change_cell(3, outputs=[]), "spoiled"),
    ("outputs of all cells dropped", "insert", change_cell(1, outputs=[]), "spoiled"),
    ("execution number of another cell dropped", "delete", change_cell(2, execution_count=None), "spoiled"),
    ("id of the cell renewed", "replace", change_cell(1, id="other"), "spoiled"),
    ("id of the cell dropped", "replace", drop(1, "id"), "spoiled"),
    ("id of another cell renewed", "replace", change_cell(3, id="other"), "spoiled"),
    ("type of another cell changed", "convert", change_cell(3, cell_type="markdown"), "spoiled"),
    ("type not changed", "convert", change_cell(1, cell_type="code"), "altered"),
    ("type changed unasked", "replace", change_cell(1, cell_type="raw"), "altered"),
    ("type alone changed", "convert", only(1, cell_type="markdown"), "altered"),
    ("newline at the end lost", "replace", change_cell(1, source="x = 2\nprint(x)"), "altered"),
    ("newlines between parts lost", "replace", change_cell(1, source=["x = 2", "print(x)"]), "altered"),
    ("source appended", "replace", change_cell(1, source="x = 1\nprint(x)\nx = 2\nprint(x)\n"), "altered"),
    ("source of another cell cut", "replace", change_cell(3, source="plot(x)"), "lost"),
    ("newline in another cell lost", "replace", change_cell(0, source=["# Title", "Text"]), "lost"),
    ("another cell without source", "replace", drop(4, "source"), "lost"),
    ("all other cells gone", "replace", lambda book: book.update(cells=book["cells"][1:2]), "lost"),
    ("cells behind it gone", "insert", lambda book: book.update(cells=book["cells"][:3]), "lost"),
    ("another cell doubled", "replace", lambda book: book["cells"].append(book["cells"][0]), "stray"),
]
"""A description, the call, the wrong change, and the expected kind of harm."""


@rows(("what", "call", "change", "kind"), WRONG_EDITS)
def test_every_wrong_result_of_a_notebook_edit_is_detected(
    what: str, call: str, change: Callable[[Notebook], Any], kind: str
) -> None:
    book = notebook_after(call)
    change(book)
    found = judge_call(CALLS[call], book)
    assert kind in found, (what, found)


def test_a_notebook_that_became_invalid_is_lost() -> None:
    before = json.dumps(NOTEBOOK).encode()
    for after in (None, b"", b"{}", before[:-5], b'{"cells": {}}', b'{"cells": [1]}'):
        assert [each.kind for each in notebook_harms("a.ipynb", [REPLACE], before, after)] == ["lost"]


def test_parallel_notebook_edits_are_judged_in_their_order() -> None:
    before = json.dumps(NOTEBOOK).encode()
    book = notebook_after("picture")
    book["cells"][4]["source"] = "z"
    calls = [PICTURE, {"cell_id": "end", "new_source": "z"}]
    assert notebook_harms("a.ipynb", calls, before, json.dumps(book).encode()) == []
    found = notebook_harms("a.ipynb", calls, before, json.dumps(notebook_after("picture")).encode())
    assert [each.kind for each in found] == ["altered"]


def test_a_cell_without_an_id_is_judged_by_its_index() -> None:
    before = {**NOTEBOOK, "nbformat_minor": 4, "cells": [{**cell} for cell in NOTEBOOK["cells"]]}
    for cell in before["cells"]:
        del cell["id"]
    call = {"cell_id": "cell-4", "new_source": "z"}
    book = copy.deepcopy(before)
    book["cells"][4]["source"] = "z"
    assert judge_call(call, book, before) == []
    book = copy.deepcopy(before)
    book["cells"][2]["source"] = "z"
    assert judge_call(call, book, before) == ["misplaced"]
    book = copy.deepcopy(before)
    book["cells"][4].update(source="z", id="fresh")
    assert judge_call(call, book, before) == ["spoiled"]
