"""Notebooks: what Read shows of them and what NotebookEdit makes of them."""

from __future__ import annotations

import json

import pytest

from readfirst.reference_impl import Refusal


def notebook(*cells, minor=5, **more):
    return {"cells": list(cells), "metadata": {}, "nbformat": 4, "nbformat_minor": minor, **more}


def code(source, *outputs, **more):
    return {
        "cell_type": "code",
        "id": "c",
        "metadata": {},
        "execution_count": 1,
        "outputs": list(outputs),
        "source": source,
        **more,
    }


def markdown(source, **more):
    return {"cell_type": "markdown", "id": "m", "metadata": {}, "source": source, **more}


def stream(text):
    return {"output_type": "stream", "name": "stdout", "text": text}


@pytest.fixture
def book(put):
    """Return a function that lays a notebook out as `book.ipynb`."""

    def write(content):
        text = (
            content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=1) + "\n"
        )
        return put("book.ipynb", text)

    return write


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (notebook(), ""),
        (notebook(code("a")), '<cell id="c">a</cell id="c">'),
        (notebook(code(["a\n", "b"])), '<cell id="c">a\nb</cell id="c">'),
        (notebook(markdown("t")), '<cell id="m"><cell_type>markdown</cell_type>t</cell id="m">'),
        (
            notebook(code("a", id=None), markdown("t", id=None)),
            '<cell id="cell-0">a</cell id="cell-0">\n'
            '<cell id="cell-1"><cell_type>markdown</cell_type>t</cell id="cell-1">',
        ),
        (
            notebook(code("a"), metadata={"language_info": {"name": "R"}}),
            '<cell id="c"><language>R</language>a</cell id="c">',
        ),
        (notebook(code("a", stream("1\n"), stream(["2", "3"]))), '<cell id="c">a</cell id="c">\n\n1\n\n\n23'),
        (notebook(code("a", stream(""))), '<cell id="c">a</cell id="c">'),
        (
            notebook(
                code(
                    "a",
                    {"output_type": "execute_result", "data": {"text/html": "<b>", "text/plain": ["x", "y"]}},
                )
            ),
            '<cell id="c">a</cell id="c">\n\nxy',
        ),
        (
            notebook(
                code(
                    "a", {"output_type": "display_data", "data": {"text/plain": "F", "image/png": "ab\ncd\n"}}
                )
            ),
            '<cell id="c">a</cell id="c">\n\nF\n[image image/png 4]',
        ),
        (
            notebook(
                code("a", {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["t1", "t2"]})
            ),
            '<cell id="c">a</cell id="c">\n\nE: v\nt1\nt2',
        ),
        (
            notebook(markdown("t", outputs=[stream("x")])),
            '<cell id="m"><cell_type>markdown</cell_type>t</cell id="m">',
        ),
        (notebook({"cell_type": "code"}), '<cell id="cell-0">undefined</cell id="cell-0">'),
    ],
)
def test_cells_are_shown_with_their_outputs(tools, book, content, shown):
    book(content)
    assert tools.read("book.ipynb") == shown
    assert tools.read("book.ipynb", offset=5, limit=1) == shown


@pytest.mark.parametrize(("size", "large"), [(9_964, False), (9_965, True)])
def test_outputs_of_more_than_10000_characters_of_json_are_left_out(tools, book, size, large):
    book(notebook(markdown("t"), code("a", stream("x" * size))))
    advice = "Outputs are too large to include. Use Bash with: cat <notebook_path> | jq '.cells[1].outputs'"
    assert (advice in tools.read("book.ipynb")) is large


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Unexpected end of JSON input"),
        ("one\n", "Unexpected token 'o', \"one\n\" is not valid JSON"),
        ("{ ", "Expected property name or '}' in JSON at position 2"),
        ("null", "Cannot read properties of null (reading 'metadata')"),
        ("[]", "Cannot read properties of undefined (reading 'language_info')"),
        ('{"metadata": {}}', "Cannot read properties of undefined (reading 'map')"),
        ('{"metadata": {}, "cells": [null]}', "Cannot read properties of null (reading 'id')"),
    ],
)
def test_what_is_no_notebook_is_refused(tools, book, text, message):
    book(text)
    with pytest.raises(Refusal) as refused:
        tools.read("book.ipynb")
    assert (refused.value.name, refused.value.message) == ("not_a_notebook", message)


def test_a_large_notebook_is_refused_with_advice(tools, book, root):
    book(notebook(code("x" * 300_000)))
    with pytest.raises(Refusal, match=r"Notebook content \(293.1KB\) exceeds maximum allowed size \(256KB\)"):
        tools.read("book.ipynb", limit=1)
    book(notebook(code("x" * 99_914)))
    with pytest.raises(Refusal, match=r"File content \(25001 tokens\) exceeds"):
        tools.read("book.ipynb")


@pytest.mark.parametrize(
    ("arguments", "cells", "answer"),
    [
        ({"cell_id": "m"}, [markdown("new"), code("x", stream("1"))], "Updated cell m with new"),
        ({"cell_id": "c"}, [markdown("t"), code("new", execution_count=None)], "Updated cell c with new"),
        (
            {"cell_id": "cell-1"},
            [markdown("t"), code("new", execution_count=None)],
            "Updated cell cell-1 with new",
        ),
        (
            {"cell_id": "m", "cell_type": "code"},
            [markdown("new", cell_type="code"), code("x", stream("1"))],
            "Updated cell m with new",
        ),
        ({"cell_id": "m", "edit_mode": "delete"}, [code("x", stream("1"))], "Deleted cell m"),
    ],
)
def test_a_cell_is_replaced_or_deleted_and_the_file_laid_out_anew(tools, book, arguments, cells, answer):
    path = book(notebook(markdown("t"), code("x", stream("1"))))
    result = tools.call("NotebookEdit", {"notebook_path": "book.ipynb", "new_source": "new", **arguments})
    assert result.text == answer
    assert path.read_text() == json.dumps(notebook(*cells), indent=1)


@pytest.mark.parametrize(("cell_id", "place"), [(None, 0), ("", 0), ("m", 1), ("cell-1", 2)])
def test_a_cell_is_inserted_after_another_or_first(tools, book, cell_id, place):
    path = book(notebook(markdown("t"), code("x"), minor=4))
    arguments = {
        "notebook_path": "book.ipynb",
        "new_source": "new",
        "cell_type": "code",
        "edit_mode": "insert",
    }
    if cell_id is not None:
        arguments["cell_id"] = cell_id
    assert tools.call("NotebookEdit", arguments).text == "Inserted cell undefined with new"
    inserted = {"cell_type": "code", "source": "new", "metadata": {}, "execution_count": None, "outputs": []}
    assert json.loads(path.read_text())["cells"][place] == inserted


def test_an_inserted_cell_has_an_id_of_its_own_from_format_4_5_on(tools, book):
    path = book(notebook(markdown("t")))
    arguments = {
        "notebook_path": "book.ipynb",
        "new_source": "new",
        "cell_type": "markdown",
        "edit_mode": "insert",
    }
    answers = {tools.call("NotebookEdit", arguments).text for _ in range(2)}
    ids = [cell["id"] for cell in json.loads(path.read_text())["cells"]]
    assert len(set(ids)) == 3
    assert answers == {f"Inserted cell {name} with new" for name in ids[:2]}


@pytest.mark.parametrize(
    ("arguments", "name", "message"),
    [
        ({"notebook_path": "lost.ipynb"}, "file_not_found", "Notebook file does not exist."),
        (
            {"notebook_path": "a.txt"},
            "not_a_notebook",
            "File must be a Jupyter notebook (.ipynb file). For editing other file types, use the FileEdit tool.",
        ),
        ({"edit_mode": "insert"}, "invalid_arguments", "Cell type is required when using edit_mode=insert."),
        ({}, "invalid_arguments", "Cell ID must be specified when not inserting a new cell."),
        ({"cell_id": "z"}, "cell_not_found", 'Cell with ID "z" not found in notebook.'),
        ({"cell_id": "cell-7"}, "cell_not_found", "Cell with index 7 does not exist in notebook."),
        ({"cell_id": "cell--1"}, "cell_not_found", 'Cell with ID "cell--1" not found in notebook.'),
    ],
)
def test_what_cannot_be_edited_is_refused_and_left_alone(tools, book, put, arguments, name, message):
    put("a.txt")
    path = book(notebook(markdown("t")))
    before = path.read_bytes()
    result = tools.call("NotebookEdit", {"notebook_path": "book.ipynb", "new_source": "new", **arguments})
    assert (result.error, result.text) == (name, message)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{", "null"])
def test_a_file_without_json_is_refused(tools, book, text):
    book(text)
    result = tools.call("NotebookEdit", {"notebook_path": "book.ipynb", "new_source": "x", "cell_id": "c"})
    assert (result.error, result.text) == ("not_a_notebook", "Notebook is not valid JSON.")


def test_keys_keep_their_order_and_numbers_and_line_ends_their_form(tools, put):
    text = (
        '{"nbformat": 4, "z": [1.0, 1e21, 1e-7, 12345678901234567890, 0.00001], "nbformat_minor": 5, '
        '"metadata": {}, "2": "\\u00e9\\ud800\\/", "1": {}, "cells": [{"id": "c", "cell_type": "markdown"}]}\r\n'
    )
    path = put("book.ipynb", text)
    tools.call("NotebookEdit", {"notebook_path": "book.ipynb", "new_source": "x", "cell_id": "c"})
    assert path.read_bytes().decode() == (
        '{\n "1": {},\n "2": "é\\ud800/",\n "nbformat": 4,\n "z": [\n  1,\n  1e+21,\n  1e-7,\n'
        '  12345678901234567000,\n  0.00001\n ],\n "nbformat_minor": 5,\n "metadata": {},\n "cells": [\n'
        '  {\n   "id": "c",\n   "cell_type": "markdown",\n   "source": "x"\n  }\n ]\n}'
    ).replace("\n", "\r\n")


def test_it_needs_no_read_and_is_none(tools, book):
    book(notebook(markdown("t")))
    edit = {"notebook_path": "book.ipynb", "new_source": "x", "cell_id": "m"}
    assert tools.call("NotebookEdit", edit).error is None
    assert tools.call("Write", {"file_path": "book.ipynb", "content": "{}"}).error == "not_read"


def test_a_deny_rule_for_edit_holds_last(make_tools, book, root):
    tools, path = make_tools(deny=("Edit(*.ipynb)",)), book(notebook(markdown("t")))
    before = path.read_bytes()
    refused = tools.call("NotebookEdit", {"notebook_path": "book.ipynb", "new_source": "x", "cell_id": "m"})
    assert refused.text == "Permission to edit book.ipynb has been denied."
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("tool", "more", "prefix"),
    [
        ("Read", {"file_path": "deep.ipynb"}, ""),
        (
            "NotebookEdit",
            {"notebook_path": "deep.ipynb", "new_source": "x", "cell_id": "c"},
            "Error calling tool (NotebookEdit): ",
        ),
    ],
)
def test_a_hundred_thousand_brackets_are_refused_without_a_traceback(tools, put, tool, more, prefix):
    put("deep.ipynb", "[" * 100_000)
    refused = tools.call(tool, more)
    assert (refused.error, refused.text) == ("not_a_notebook", f"{prefix}Maximum call stack size exceeded")
