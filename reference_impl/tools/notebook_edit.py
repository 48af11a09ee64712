"""NotebookEdit: its rules in the order of their application."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from readfirst.reference_impl.argument_validation import Parameter, Schema
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.reading import notebook
from readfirst.reference_impl.refusal import MODIFIED, NOT_READ, Failure, Refusal
from readfirst.reference_impl.session.access import refuse_null, refuse_null_at_last
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.content import encode, without_escapes
from readfirst.reference_impl.text.js_number import number_text
from readfirst.reference_impl.text.json_text import JsonError, indented_json, parse_json

__all__ = ["check_permissions", "execute", "prepare", "schema", "validate"]

_BY_NUMBER = re.compile(r"cell-([0-9]+)")
_FAILED = "Error calling tool (NotebookEdit): "
_CELL_ID = Parameter(
    "cell_id",
    description="The ID of the cell to edit. When inserting a new cell, the new cell will be inserted "
    "after the cell with this ID, or at the beginning if not specified.",
)
_CELL_NUMBER = Parameter(
    "cell_number", description="The index of the cell, from 0", type="number", required=True
)
_CELLS = {"number": _CELL_NUMBER, "needed id": replace(_CELL_ID, required=True), "id": _CELL_ID}


def schema(behaviours: Behaviours) -> Schema:
    """Return the parameters of NotebookEdit."""
    return Schema(
        "NotebookEdit",
        description="Replace, insert or delete one cell of a Jupyter notebook.",
        behaviours=behaviours,
        parameters=(
            Parameter(
                "notebook_path",
                description="The absolute path to the Jupyter notebook file to edit (must be absolute, not relative)",
                required=True,
            ),
            _CELLS[behaviours.arguments.notebook_cell_argument],
            Parameter("new_source", description="The new source for the cell", required=True),
            Parameter(
                "cell_type",
                description="The type of the cell (code or markdown). If not specified, it defaults to the current "
                "cell type. If using edit_mode=insert, this is required.",
                options=("code", "markdown"),
            ),
            Parameter(
                "edit_mode",
                description="The type of edit to make (replace, insert, delete). Defaults to replace.",
                options=("replace", "insert", "delete"),
            ),
        ),
        deferred=behaviours.calls.notebook_edit_is_deferred,
    )


def prepare(
    session: Session,
    arguments: Mapping[str, Any],
    *,
    corrected: bool,  # noqa: ARG001 - one of several
) -> Mapping[str, Any]:
    """Return the arguments that `validate`, `check_permissions` and `execute` receive."""
    if session.behaviours.preparation.unicode_escapes_are_decoded:
        source = without_escapes(arguments["new_source"], session.behaviours)
        arguments = {**arguments, "new_source": source}
    return arguments


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse invalid calls before any change."""
    how = session.behaviours.paths.nul_in_path
    if session.behaviours.notebooks.nul_in_notebook_path_is_seen:
        refuse_null(arguments["notebook_path"], tool="NotebookEdit", how=how, name="notebook_path")
    path = session.paths.argument_path(arguments["notebook_path"])
    if session.behaviours.notebooks.cell_type_checked_before_file:
        refuse_other_file(path)
        refuse_untyped_cell(arguments)
    if session.behaviours.notebooks.notebook_edit_needs_read:
        refuse_unread(session, path)
    if session.behaviours.notebooks.notebook_opened_before_existence_check:
        refuse_null_at_last(path, prefix=_FAILED)
    if not disk.exists(path):
        raise Refusal("file_not_found", "Notebook file does not exist.")
    refuse_other_file(path)
    refuse_untyped_cell(arguments)
    refuse_missing_cell(session, book_of(session, path), arguments)


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Refuse a path, or a link to a file, that a deny rule covers, or that needs a permission."""
    given = arguments["notebook_path"]
    session.permissions.deny_target("Edit", session.paths.expand_argument(given), given)
    session.permissions.ask_to_write("NotebookEdit", session.paths.expand_argument(given))


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Change the cell, write the notebook, and return the answer. The whole JSON is laid out again; encoding and
    line endings stay.
    """
    path = session.paths.argument_path(arguments["notebook_path"])
    file = session.storage.find_file(path)
    file.read()
    content = file.text
    if session.behaviours.notebooks.notebook_execution_rechecks_json:
        refuse_broken(content)
    book, _ = notebook.load_notebook(content, session.behaviours)
    reference, source = arguments.get("cell_id"), arguments["new_source"]
    cells = cells_of(book, "splice")
    number = index_of(cells, reference, number_first=session.behaviours.notebooks.cell_index_beats_cell_id)
    by_number = "cell_number" in arguments
    if by_number:
        number, reference = int(arguments["cell_number"]), number_text(arguments["cell_number"])
    named = (
        reference
        if by_number or has_ids(book) or session.behaviours.notebooks.answers_name_cells_without_id
        else "undefined"
    )
    counted = session.behaviours.notebooks.execution_count_becomes_null
    match arguments.get("edit_mode"):
        case "delete":
            del cells[number or 0]
            answer = f"Deleted cell {named}"
        case "insert":
            cell = new_cell(book, arguments["cell_type"], source, counted=counted)
            after = session.behaviours.notebooks.cells_are_inserted_after and not by_number
            cells.insert(0 if number is None else number + after, cell)
            inserted = f"cell {named}" if by_number else cell_named(session, cell.get("id"))
            answer = f"Inserted {inserted} with {source}"
        case _:
            cell, kind = cells[number or 0], arguments.get("cell_type")
            if session.behaviours.notebooks.outputs_follow_the_new_cell_type:
                replace_cell(cell, source, kind)
            else:
                replace_source(cell, source, kind, counted=counted)
            answer = f"Updated cell {named} with {source}"
    kept = session.behaviours.notebooks.notebook_final_newline_is_kept and content.endswith("\n")
    session.storage.write(path, encode(indented_json(book) + ("\n" if kept else ""), file.format))
    if session.behaviours.memory.notebook_edit_updates_the_record:
        session.memory.remember(path, None, own=True)
    return answer


def cell_named(session: Session, identity: str | None) -> str:
    """Return the name of an inserted cell in the answer: "cell ID". Without an id: "a new cell", or in older
    versions "cell undefined".
    """
    if identity is None and session.behaviours.notebooks.answers_name_cells_without_id:
        return "a new cell"
    return f"cell {identity or 'undefined'}"


def refuse_unread(session: Session, path: str) -> None:
    """Refuse a notebook that was not read, or that changed after the Read."""
    record = session.memory.records.get(path)
    if record is None:
        raise Refusal("not_read", NOT_READ)
    if disk.exists(path) and session.memory.has_later_time(path, record):
        raise Refusal("modified_since_read", MODIFIED)


def refuse_other_file(path: str) -> None:
    """Refuse a file name that is not a notebook's."""
    if not path.endswith(".ipynb"):
        raise Refusal(
            "not_a_notebook",
            "File must be a Jupyter notebook (.ipynb file). For editing other file types, use the FileEdit tool.",
        )


def refuse_untyped_cell(arguments: Mapping[str, Any]) -> None:
    """Refuse to insert a cell without a type."""
    if arguments.get("edit_mode") == "insert" and not arguments.get("cell_type"):
        raise Refusal("invalid_arguments", "Cell type is required when using edit_mode=insert.")


def book_of(session: Session, path: str) -> Any:
    """Return the content of the file as JSON. Raises Refusal if it is not JSON."""
    file = session.storage.find_file(path)
    file.read()
    content = file.text
    if session.behaviours.notebooks.notebook_edit_accepts_byte_order_mark:
        content = content.removeprefix("\ufeff")
    return refuse_broken(content)


def refuse_broken(content: str) -> Any:
    """Return the value; refuse invalid or empty JSON."""
    try:
        value = parse_json(content)
    except JsonError:
        value = None
    if value is None:
        raise Refusal("not_a_notebook", "Notebook is not valid JSON.")
    return value


def refuse_missing_cell(session: Session, book: Any, arguments: Mapping[str, Any]) -> None:
    """Refuse a missing cell. Only an insertion at the beginning needs no cell."""
    if "cell_number" in arguments:
        refuse_number(book, arguments["cell_number"], inserts=arguments.get("edit_mode") == "insert")
        return
    reference = arguments.get("cell_id")
    if not reference:
        if arguments.get("edit_mode") != "insert":
            raise Refusal("invalid_arguments", "Cell ID must be specified when not inserting a new cell.")
        return
    by_number = _BY_NUMBER.fullmatch(reference)
    if by_number and session.behaviours.notebooks.cell_index_beats_cell_id:
        refuse_index(book, int(by_number[1]))
        return
    use = "findIndex" if session.behaviours.notebooks.cell_refusal_says_find_index else "find"
    cells = cells_of(book, use)
    if None in cells:
        raise Failure("Cannot read properties of null (reading 'id')")
    if index_of(cells, reference, number_first=False) is None:
        raise Refusal(
            "cell_not_found",
            f"Cell with index {int(by_number[1])} does not exist in notebook."
            if by_number
            else f'Cell with ID "{reference}" not found in notebook.',
        )


def refuse_index(book: Any, index: int) -> None:
    """Refuse a missing index of a cell, from 0. Raises Failure if the value cannot be indexed."""
    cells = book.get("cells", ...) if isinstance(book, dict) else ...
    if cells in (None, ...):
        cells_of(book, str(index))
    there = isinstance(cells, (list, str)) and index < len(cells) and cells[index] is not None
    if not there:
        raise Refusal("cell_not_found", f"Cell with index {index} does not exist in notebook.")


def refuse_number(book: Any, number: float, *, inserts: bool) -> None:
    """Refuse the number of a cell that does not exist; numbers start at 0. With `inserts`, the number after the last
    cell is allowed.
    """
    count = len(cells_of(book, "find"))
    if number < 0:
        why = "must be non-negative."
    elif inserts and number > count:
        why = f"is out of bounds. For insert mode, the maximum value is {count} (to append at the end)."
    elif not inserts and (number >= count or number != int(number)):
        why = f"is out of bounds. Notebook has {count} cells."
    else:
        return
    raise Refusal("cell_not_found", f"Cell number {why}")


def cells_of(book: Any, use: str) -> list[Any]:
    """Return the cells of a notebook. Raises Failure without cells; its message contains `use`, the operation."""
    cells = book.get("cells", ...) if isinstance(book, dict) else ...
    if not isinstance(cells, list):
        what = "null" if cells is None else "undefined"
        raise Failure(f"Cannot read properties of {what} (reading '{use}')")
    return cells


def index_of(cells: list[Any], reference: str | None, *, number_first: bool) -> int | None:
    """Return the index of the cell with an id. If no cell has this id, or with `number_first`, `cell-N` means the index
    N. None for an unknown cell.
    """
    if not reference:
        return None
    match = _BY_NUMBER.fullmatch(reference)
    by_number = int(match[1]) if match and int(match[1]) < len(cells) else None
    if number_first and by_number is not None:
        return by_number
    for number, cell in enumerate(cells):
        if isinstance(cell, dict) and cell.get("id") == reference:
            return number
    return by_number


def replace_source(cell: dict[str, Any], source: str, kind: str | None, *, counted: bool) -> None:
    """Set the source of a cell, and its type if `kind` is given; outputs belong to the old source.

    With `counted`, a code cell gets a null execution count and empty outputs. Without it, a cell of any type
    loses its execution count and gets empty outputs.
    """
    cell["source"] = source
    if not counted:
        cell.pop("execution_count", None)
        cell["outputs"] = []
    elif cell.get("cell_type") == "code":
        cell |= {"execution_count": None, "outputs": []}
    if kind:
        cell["cell_type"] = kind


def replace_cell(cell: dict[str, Any], source: str, kind: str | None) -> None:
    """Give a cell its new source and type. A code cell gets a null count and no outputs; another cell has neither."""
    cell["source"] = source
    if kind:
        cell["cell_type"] = kind
    if cell.get("cell_type") == "code":
        cell |= {"execution_count": None, "outputs": []}
    else:
        for name in ("execution_count", "outputs"):
            cell.pop(name, None)


def has_ids(book: dict[str, Any]) -> bool:
    """Whether cells have ids: from format 4.5 on."""
    version = book.get("nbformat"), book.get("nbformat_minor")
    return all(isinstance(number, (int, float)) for number in version) and version >= (4, 5)


def new_cell(book: dict[str, Any], kind: str, source: str, *, counted: bool) -> dict[str, Any]:
    """Return a new cell. From notebook format 4.5 on, the cell has a random id. `counted`: a code cell has the
    execution count null.
    """
    cell: dict[str, Any] = {"cell_type": kind}
    if has_ids(book):
        cell["id"] = os.urandom(6).hex()
    cell |= {"source": source, "metadata": {}}
    if kind != "code":
        return cell
    return cell | ({"execution_count": None} if counted else {}) | {"outputs": []}
