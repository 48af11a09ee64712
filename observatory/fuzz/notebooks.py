"""Random scenarios about one Jupyter notebook."""

import json
from random import Random
from typing import Any

from readfirst.harness.suite.file_entry import Entry, RegularFile, TextContent
from readfirst.harness.suite.scenario import Given, Scenario, Step, ToolCall, WorldEvent
from readfirst.observatory.fuzz.text_generators import argument_text, random_line

_PATH = "book.ipynb"
_CELL_IDS = ("intro", "a1", "cell-1", "x y", "é")
_INVALID_NOTEBOOKS = ("", "[]", "{}", "null", "{", '{"cells": []}', '"cells"')


def notebook_scenario(random: Random) -> Scenario:
    """Return a random scenario about one notebook. Never inserts a cell that would get a random id (format 4.5)."""
    with_ids = random.randint(0, 1) == 1
    files: dict[str, Entry] = {}
    if random.randint(0, 19):
        files[_PATH] = RegularFile(TextContent(_notebook_text(random, with_ids), eol=_line_end(random)))
    steps: list[Step] = [ToolCall("Read", {"file_path": f"$WS/{_PATH}"})] if random.randint(0, 3) else []
    steps += [_random_step(random, with_ids) for _ in range(random.randint(1, 12))]
    if all(isinstance(step, WorldEvent) for step in steps):
        steps.append(ToolCall("Read", {"file_path": f"$WS/{_PATH}"}))
    return Scenario("fuzz/generated", "Generated sequence", "observed", Given(files), tuple(steps))


def _random_step(random: Random, with_ids: bool) -> Step:
    path = f"$WS/{_PATH}"
    match random.randint(0, 15):
        case 0 | 1 | 2:
            return ToolCall("Read", {"file_path": path})
        case 3:
            return WorldEvent("touch", _PATH, mtime=random.choice((2, -10)))
        case 4:
            text = _notebook_text(random, with_ids)
            return WorldEvent("modify", _PATH, RegularFile(TextContent(text, eol=_line_end(random))), mtime=2)
        case 5:
            old, new = random.choice(("cells", "alpha", "")), random_line(random)
            return ToolCall("Edit", {"file_path": path, "old_string": old, "new_string": new})
        case 6:
            return ToolCall("Write", {"file_path": path, "content": _notebook_text(random, with_ids)})
        case _:
            return _cell_edit(random, with_ids)


def _cell_edit(random: Random, with_ids: bool) -> ToolCall:
    modes = ("replace", "delete", None, None) if with_ids else ("replace", "insert", "insert", "delete", None)
    arguments: dict[str, Any] = {"notebook_path": f"$WS/{_PATH}", "new_source": argument_text(random)}
    cell = random.choice(
        (*_CELL_IDS, *["cell-0"] * 5, "cell-1", "cell-1", "cell-2", "cell-9", "cell--1", "2", "", None)
    )
    if cell is not None:
        arguments["cell_id"] = cell
    mode = random.choice(modes)
    if mode is not None:
        arguments["edit_mode"] = mode
    if random.randint(0, 2):
        arguments["cell_type"] = random.choice(("code", "markdown"))
    return ToolCall("NotebookEdit", arguments)


def _line_end(random: Random) -> str:
    return random.choice(("lf", "lf", "lf", "crlf"))


def _notebook_text(random: Random, with_ids: bool) -> str:
    if random.randint(0, 24) == 24:
        return random.choice(_INVALID_NOTEBOOKS)
    ids = random.sample(_CELL_IDS, 3)
    cells = [
        _random_cell(random, ids[at] if with_ids else None) for at in range(random.choice((0, 1, 2, 2, 3, 3)))
    ]
    notebook: dict[str, Any] = {
        "cells": cells,
        "metadata": random.choice(
            ({}, {"language_info": {"name": "python"}}, {"title": random_line(random)})
        ),
        "nbformat": 4,
        "nbformat_minor": 5 if with_ids else random.choice((2, 4)),
    }
    indent = random.choice((1, 1, 2, None, "\t"))
    end = random.choice(("\n", ""))
    return json.dumps(notebook, indent=indent, ensure_ascii=random.randint(0, 1) == 1) + end


def _random_cell(random: Random, identifier: str | None) -> dict[str, Any]:
    text = argument_text(random).replace("\r", "")
    source: Any = text if random.randint(0, 1) else text.splitlines(keepends=True)
    cell: dict[str, Any] = {"cell_type": random.choice(("code", "code", "markdown", "raw")), "metadata": {}}
    if identifier is not None:
        cell["id"] = identifier
    if cell["cell_type"] == "code":
        cell["execution_count"] = random.choice((None, 1, 12))
        cell["outputs"] = [_random_output(random) for _ in range(random.randint(0, 2))]
    cell["source"] = source
    return cell


def _random_output(random: Random) -> dict[str, Any]:
    text = argument_text(random).replace("\r", "")
    match random.randint(0, 2):
        case 0:
            return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}
        case 1:
            data = {"text/plain": [text]}
            return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": data}
        case _:
            return {"output_type": "error", "ename": "ValueError", "evalue": text, "traceback": [text]}
