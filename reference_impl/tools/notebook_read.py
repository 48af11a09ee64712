"""The tool NotebookRead: the functions that validate and execute a call."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping, Sequence
from typing import Any

from readfirst.reference_impl.argument_validation import Parameter, Schema
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.reading import notebook
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.content import decode
from readfirst.reference_impl.text.json_text import JsonError, parse_json
from readfirst.reference_impl.tools.tool import keep_arguments as prepare

__all__ = ["check_permissions", "execute", "prepare", "schema", "validate"]

_CELL_ID = Parameter("cell_id", description="The id of the one cell to show (default: all of them)")


def schema(behaviours: Behaviours) -> Schema:
    """Return the schema of NotebookRead."""
    path = Parameter("notebook_path", description="The absolute path of the notebook", required=True)
    return Schema(
        "NotebookRead",
        description="Show the cells of a Jupyter notebook with their outputs.",
        behaviours=behaviours,
        parameters=(path,) if notebook.identifies_by_number(behaviours) else (path, _CELL_ID),
    )


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a file is not a notebook, or if the requested cell does not exist."""
    raw_path = arguments["notebook_path"]
    path = session.paths.argument_path(raw_path)
    if not raw_path and not session.behaviours.notebooks.empty_notebook_path_is_root:
        raise Refusal("file_not_found", "File does not exist.")
    session.paths.refuse_missing(path)
    if posixpath.splitext(path)[1] != ".ipynb":
        raise Refusal("not_a_notebook", "File must be a Jupyter notebook (.ipynb file).")
    if identity := arguments.get("cell_id"):
        refuse_missing_cell(cells_of(path), identity)


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a deny rule covers the path, or if reading it needs a permission."""
    path = session.paths.argument_path(arguments["notebook_path"])
    session.permissions.refuse_denied_target("Read", path, path)
    session.permissions.require_read_permission(path)


def execute(session: Session, arguments: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the answer: blocks of text for all cells, or for the requested cell. The file does not count as read."""
    content = decode(disk.read(session.paths.argument_path(arguments["notebook_path"])))
    return notebook.notebook_read_blocks(content, arguments.get("cell_id", ""), session.behaviours)


def cells_of(path: str) -> Sequence[Any]:
    """Read the notebook at a path and return its cells. Raises Refusal if the file contains no list of cells."""
    try:
        book = parse_json(decode(disk.read(path)))
    except JsonError:
        book = None
    cells = book.get("cells") if isinstance(book, dict) else None
    if not isinstance(cells, list):
        raise Refusal("not_a_notebook", "Invalid notebook format.")
    return cells


def refuse_missing_cell(cells: Sequence[Any], identity: str) -> None:
    """Raise Refusal if no cell has the id `identity` or `cell-INDEX`, ContentError if an earlier cell is null."""
    if not any(notebook.has_id(cell, identity) for cell in cells) and not is_index(identity, len(cells)):
        raise Refusal("cell_not_found", f'Cell with ID "{identity}" not found in notebook.')


def is_index(identity: str, count: int) -> bool:
    """Whether an id has the form `cell-N`, and N is less than `count`."""
    number = re.fullmatch(r"cell-([0-9]+)", identity)
    return number is not None and int(number[1]) < count
