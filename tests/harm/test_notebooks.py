from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from readfirst.harness.harm.notebooks import notebook_harms
from tests.rows import rows

Notebook = dict[str, Any]
Change = Callable[[Notebook], Any]


def make_cell(kind: str, name: str, source: str | list[str], **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "id": name, "metadata": {}, "source": source, **more}


STREAM = {"output_type": "stream", "name": "stdout", "text": ["loaded\n"]}
PLOT = {"output_type": "display_data", "data": {"text/plain": "<plot>"}, "metadata": {}}
PNG = {"a.png": {"image/png": "iVBORw0K"}}
COLLAPSED = {"collapsed": True}
LOAD, SOURCE = ["x = 1\n", "print(x)\n"], "x = 2\nprint(x)\n"
NOTEBOOK: Notebook = {
    "cells": [
        make_cell("markdown", "title", ["# Title\n", "Text"], metadata={"tags": ["top"]}),
        make_cell("code", "load", LOAD, execution_count=4, metadata=COLLAPSED, outputs=[STREAM]),
        make_cell("markdown", "picture", "![a](attachment:a.png)", attachments=PNG),
        make_cell("code", "plot", ["plot(x)\n", "\n"], execution_count=5, outputs=[PLOT]),
        make_cell("raw", "end", "x = 1", metadata={"format": "text/x-rst"}),
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "custom": {"a": 1}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
REPLACE = {"cell_id": "load", "new_source": SOURCE}
PICTURE = {"cell_id": "picture", "new_source": "![b](attachment:a.png)"}
CONVERT = {"cell_id": "load", "new_source": "Words", "cell_type": "markdown"}
ANYWHERE = {"new_source": "y = 3", "cell_type": "code", "edit_mode": "insert"}
INSERT = {"cell_id": "load", **ANYWHERE}
DELETE = {"cell_id": "load", "new_source": "", "edit_mode": "delete"}
CALLS = {"replace": REPLACE, "picture": PICTURE, "convert": CONVERT, "insert": INSERT, "delete": DELETE}
NEW = make_cell("code", "n1", "y = 3", execution_count=None, outputs=[])
WITHOUT_ID = {"cell_type": "code", "metadata": {}, "outputs": [], "source": "y = 3"}


def change_cell(index: int, **keys: Any) -> Change:
    return lambda book: book["cells"][index].update(keys)


def put_cell(index: int, cell: dict[str, Any]) -> Change:
    return lambda book: book["cells"].__setitem__(index, {**cell})


def insert(index: int, cell: dict[str, Any] = NEW, **keys: Any) -> Change:
    return lambda book: book["cells"].insert(index, {**cell, **keys})


def delete(*indexes: int) -> Change:
    return lambda book: [book["cells"].pop(index) for index in reversed(indexes)]


def drop(index: int, key: str) -> Change:
    return lambda book: book["cells"][index].pop(key)


def unchanged(_book: Notebook) -> None:
    pass


RIGHT_EDITS: dict[str, tuple[dict[str, Any], Change]] = {
    "replace": (REPLACE, change_cell(1, source=SOURCE, execution_count=None, outputs=[])),
    "picture": (PICTURE, change_cell(2, source=PICTURE["new_source"])),
    "convert": (CONVERT, put_cell(1, make_cell("markdown", "load", "Words", metadata=COLLAPSED))),
    "insert": (INSERT, insert(2)),
    "delete": (DELETE, delete(1)),
    "source as a list": (REPLACE, change_cell(1, source=["x = 2\n", "print(x)\n"])),
    "outputs kept": (REPLACE, change_cell(1, source=SOURCE)),
    "by its number": (
        {"cell_id": "cell-1", "new_source": "z"},
        change_cell(1, source="z", outputs=[], execution_count=None),
    ),
    "by the number of old versions": ({"cell_number": 2, "new_source": "z"}, change_cell(2, source="z")),
    "inserted at a number": ({"cell_number": 2, **ANYWHERE}, insert(2)),
    "inserted without a cell": (ANYWHERE, insert(0)),
    "inserted without an id": (INSERT, insert(2, WITHOUT_ID)),
    "type and words kept in conversion": (
        CONVERT,
        change_cell(1, source="Words", cell_type="markdown", outputs=[], execution_count=None),
    ),
    "the same source": ({"cell_id": "end", "new_source": "x = 1"}, unchanged),
}
"""The arguments of a call, and the correct change of `NOTEBOOK`, some of them in an unusual form."""


def notebook_after(edit: str) -> Notebook:
    book = copy.deepcopy(NOTEBOOK)
    RIGHT_EDITS[edit][1](book)
    return book


def judge_call(arguments: dict[str, Any], now: Notebook, before: Notebook = NOTEBOOK) -> list[str]:
    """Return the kinds of harm if a call changed the notebook from `before` to `now`."""
    return judge_bytes([arguments], json.dumps(now, indent=1).encode(), before)


def judge_bytes(calls: list[dict[str, Any]], now: bytes | None, before: Notebook = NOTEBOOK) -> list[str]:
    return [each.kind for each in notebook_harms("a.ipynb", calls, json.dumps(before).encode(), now)]


@rows("edit", RIGHT_EDITS)
def test_a_correct_notebook_edit_is_harmless(edit: str) -> None:
    assert judge_call(RIGHT_EDITS[edit][0], notebook_after(edit)) == []


def instead(change: Change) -> Change:
    """Return a function that changes the original cells of the notebook, instead of the requested change."""

    def apply(book: Notebook) -> None:
        book["cells"] = copy.deepcopy(NOTEBOOK["cells"])
        change(book)

    return apply


WRONG_EDITS: list[tuple[str, str, Change, str]] = [
    ("the cell after it edited", "replace", instead(change_cell(2, source=SOURCE)), "misplaced"),
    ("the cell before it edited", "replace", instead(change_cell(0, source=SOURCE)), "misplaced"),
    ("the last cell edited", "replace", instead(change_cell(4, source=SOURCE)), "misplaced"),
    ("the next code edited", "replace", instead(change_cell(3, source=SOURCE, outputs=[])), "misplaced"),
    ("two cells edited", "replace", change_cell(3, source=SOURCE), "lost"),
    ("nothing done", "replace", instead(unchanged), "untrue"),
    ("nothing inserted", "insert", instead(unchanged), "untrue"),
    ("nothing deleted", "delete", instead(unchanged), "untrue"),
    ("another cell deleted", "delete", instead(delete(3)), "lost"),
    ("the cell before it deleted", "delete", instead(delete(0)), "lost"),
    ("the last cell deleted", "delete", instead(delete(4)), "lost"),
    ("one cell more deleted", "delete", instead(delete(1, 2)), "lost"),
    ("emptied instead of deleted", "delete", instead(change_cell(1, source="", outputs=[])), "stray"),
    ("inserted before the cell", "insert", instead(insert(1)), "misplaced"),
    ("inserted one cell too far", "insert", instead(insert(3)), "misplaced"),
    ("inserted at the end", "insert", instead(insert(5)), "misplaced"),
    ("inserted at the beginning", "insert", instead(insert(0)), "misplaced"),
    ("inserted in place of the next cell", "insert", delete(3), "lost"),
    ("inserted twice", "insert", insert(2), "stray"),
    ("inserted with another type", "insert", instead(insert(2, cell_type="markdown")), "altered"),
    ("inserted with another source", "insert", instead(insert(2, source="y = 3\n")), "altered"),
    ("inserted with metadata of another", "insert", instead(insert(2, metadata=COLLAPSED)), "altered"),
    ("inserted with outputs of another", "insert", instead(insert(2, outputs=[STREAM])), "altered"),
    ("order reversed", "replace", lambda book: book["cells"].reverse(), "spoiled"),
    ("two cells exchanged", "replace", lambda book: book["cells"].insert(0, book["cells"].pop(1)), "spoiled"),
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
    ("type alone changed", "convert", instead(change_cell(1, cell_type="markdown")), "altered"),
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
    what: str, call: str, change: Change, kind: str
) -> None:
    book = notebook_after(call)
    change(book)
    found = judge_call(CALLS[call], book)
    assert kind in found, (what, found)


def test_a_notebook_that_became_invalid_is_lost() -> None:
    for after in (None, b"", b"{}", json.dumps(NOTEBOOK).encode()[:-5], b'{"cells": {}}', b'{"cells": [1]}'):
        assert judge_bytes([REPLACE], after) == ["lost"]


def test_parallel_notebook_edits_are_judged_in_their_order() -> None:
    book = notebook_after("picture")
    calls = [PICTURE, {"cell_id": "end", "new_source": "z"}]
    assert judge_bytes(calls, json.dumps(book).encode()) == ["altered"]
    book["cells"][4]["source"] = "z"
    assert judge_bytes(calls, json.dumps(book).encode()) == []


def test_a_cell_without_an_id_is_judged_by_its_index() -> None:
    before = {**NOTEBOOK, "nbformat_minor": 4, "cells": [{**cell} for cell in NOTEBOOK["cells"]]}
    for cell in before["cells"]:
        del cell["id"]
    for cell, keys, kinds in (
        (4, {"source": "z"}, []),
        (2, {"source": "z"}, ["misplaced"]),
        (4, {"source": "z", "id": "fresh"}, ["spoiled"]),
    ):
        book = copy.deepcopy(before)
        book["cells"][cell].update(keys)
        assert judge_call({"cell_id": "cell-4", "new_source": "z"}, book, before) == kinds
