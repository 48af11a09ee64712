"""The tool NotebookEdit: the functions that prepare, validate and execute a call."""

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
from readfirst.reference_impl.refusal import MODIFIED, NOT_READ, ContentError, Refusal
from readfirst.reference_impl.session.access import refuse_nul_argument, refuse_nul_at_open
from readfirst.reference_impl.session.session import Session
from readfirst.reference_impl.text.content import decode_escapes, encode
from readfirst.reference_impl.text.js_number import number_text
from readfirst.reference_impl.text.json_text import JsonError, indented_json, parse_json

__all__ = ["check_permissions", "execute", "prepare", "schema", "validate"]

_CELL_NUMBER_PATTERN = re.compile(r"cell-([0-9]+)")
_ERROR_PREFIX = "Error calling tool (NotebookEdit): "
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
    """Return the schema of NotebookEdit."""
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
    """Return the arguments that `validate`, `check_permissions` and `execute` use."""
    if session.behaviours.preparation.unicode_escapes_are_decoded:
        source = decode_escapes(arguments["new_source"], session.behaviours)
        arguments = {**arguments, "new_source": source}
    return arguments


def validate(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal for an invalid call before anything is changed."""
    how = session.behaviours.paths.nul_in_path
    if session.behaviours.notebooks.nul_in_notebook_path_is_seen:
        refuse_nul_argument(
            arguments["notebook_path"], tool="NotebookEdit", treatment=how, name="notebook_path"
        )
    path = session.paths.argument_path(arguments["notebook_path"])
    if session.behaviours.notebooks.cell_type_checked_before_file:
        refuse_other_file(path)
        refuse_untyped_cell(arguments)
    if session.behaviours.notebooks.notebook_edit_needs_read:
        refuse_unread(session, path)
    if session.behaviours.notebooks.notebook_opened_before_existence_check:
        refuse_nul_at_open(path, prefix=_ERROR_PREFIX)
    if not disk.exists(path):
        raise Refusal("file_not_found", "Notebook file does not exist.")
    refuse_other_file(path)
    refuse_untyped_cell(arguments)
    refuse_missing_cell(session, read_notebook(session, path), arguments)


def check_permissions(session: Session, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a deny rule covers the path or the target of a link, or if the change needs a permission."""
    raw_path = arguments["notebook_path"]
    session.permissions.refuse_denied_target("Edit", session.paths.expand_argument(raw_path), raw_path)
    session.permissions.require_write_permission("NotebookEdit", session.paths.expand_argument(raw_path))


def execute(session: Session, arguments: Mapping[str, Any]) -> str:
    """Change the cell, and write the newly formatted notebook in its old encoding. Return the answer."""
    path = session.paths.argument_path(arguments["notebook_path"])
    file = session.storage.find_file(path)
    file.read()
    content = file.text
    if session.behaviours.notebooks.notebook_execution_rechecks_json:
        parse_notebook(content)
    document, _ = notebook.load_notebook(content, session.behaviours)
    cell_id, source = arguments.get("cell_id"), arguments["new_source"]
    cells = required_cells(document, "splice")
    number = find_cell_index(
        cells, cell_id, number_first=session.behaviours.notebooks.cell_index_beats_cell_id
    )
    by_number = "cell_number" in arguments
    if by_number:
        number, cell_id = int(arguments["cell_number"]), number_text(arguments["cell_number"])
    named = (
        cell_id
        if by_number or cells_have_ids(document) or session.behaviours.notebooks.answers_name_cells_without_id
        else "undefined"
    )
    resets_count = session.behaviours.notebooks.execution_count_becomes_null
    match arguments.get("edit_mode"):
        case "delete":
            del cells[number or 0]
            answer = f"Deleted cell {named}"
        case "insert":
            cell = new_cell(document, arguments["cell_type"], source, resets_count=resets_count)
            after = session.behaviours.notebooks.cells_are_inserted_after and not by_number
            cells.insert(0 if number is None else number + after, cell)
            inserted = f"cell {named}" if by_number else name_of_inserted_cell(session, cell.get("id"))
            answer = f"Inserted {inserted} with {source}"
        case _:
            cell, kind = cells[number or 0], arguments.get("cell_type")
            if session.behaviours.notebooks.outputs_follow_the_new_cell_type:
                replace_cell(cell, source, kind)
            else:
                replace_source(cell, source, kind, resets_count=resets_count)
            answer = f"Updated cell {named} with {source}"
    kept = session.behaviours.notebooks.notebook_final_newline_is_kept and content.endswith("\n")
    session.storage.write(path, encode(indented_json(document) + ("\n" if kept else ""), file.format))
    if session.behaviours.memory.notebook_edit_updates_the_record:
        session.memory.record_read(path, None, is_own=True)
    return answer


def name_of_inserted_cell(session: Session, identity: str | None) -> str:
    """Return the name of an inserted cell, such as `cell ID`. Without an id: `a new cell`, or `cell undefined`."""
    if identity is None and session.behaviours.notebooks.answers_name_cells_without_id:
        return "a new cell"
    return f"cell {identity or 'undefined'}"


def refuse_unread(session: Session, path: str) -> None:
    """Raise Refusal if the session has not read a notebook, or if the notebook changed after the Read."""
    record = session.memory.records.get(path)
    if record is None:
        raise Refusal("not_read", NOT_READ)
    if disk.exists(path) and session.memory.has_later_time(path, record):
        raise Refusal("modified_since_read", MODIFIED)


def refuse_other_file(path: str) -> None:
    """Raise Refusal if a path does not end with `.ipynb`."""
    if not path.endswith(".ipynb"):
        raise Refusal(
            "not_a_notebook",
            "File must be a Jupyter notebook (.ipynb file). For editing other file types, use the FileEdit tool.",
        )


def refuse_untyped_cell(arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if a call inserts a cell, but does not state its type."""
    if arguments.get("edit_mode") == "insert" and not arguments.get("cell_type"):
        raise Refusal("invalid_arguments", "Cell type is required when using edit_mode=insert.")


def read_notebook(session: Session, path: str) -> Any:
    """Read a notebook and return its JSON value. Raises Refusal if the file does not contain JSON."""
    file = session.storage.find_file(path)
    file.read()
    content = file.text
    if session.behaviours.notebooks.notebook_edit_accepts_byte_order_mark:
        content = content.removeprefix("\ufeff")
    return parse_notebook(content)


def parse_notebook(content: str) -> Any:
    """Parse a JSON text and return its value. Raises Refusal if the text is not JSON, or if its value is null."""
    try:
        value = parse_json(content)
    except JsonError:
        value = None
    if value is None:
        raise Refusal("not_a_notebook", "Notebook is not valid JSON.")
    return value


def refuse_missing_cell(session: Session, document: Any, arguments: Mapping[str, Any]) -> None:
    """Raise Refusal if the notebook lacks the cell that a call names. An insertion at the beginning needs no cell."""
    if "cell_number" in arguments:
        refuse_cell_number(document, arguments["cell_number"], inserts=arguments.get("edit_mode") == "insert")
        return
    cell_id = arguments.get("cell_id")
    if not cell_id:
        if arguments.get("edit_mode") != "insert":
            raise Refusal("invalid_arguments", "Cell ID must be specified when not inserting a new cell.")
        return
    by_number = _CELL_NUMBER_PATTERN.fullmatch(cell_id)
    if by_number and session.behaviours.notebooks.cell_index_beats_cell_id:
        refuse_cell_index(document, int(by_number[1]))
        return
    operation = "findIndex" if session.behaviours.notebooks.cell_refusal_says_find_index else "find"
    cells = required_cells(document, operation)
    if None in cells:
        raise ContentError("Cannot read properties of null (reading 'id')")
    if find_cell_index(cells, cell_id, number_first=False) is None:
        raise Refusal(
            "cell_not_found",
            f"Cell with index {int(by_number[1])} does not exist in notebook."
            if by_number
            else f'Cell with ID "{cell_id}" not found in notebook.',
        )


def refuse_cell_index(document: Any, index: int) -> None:
    """Raise Refusal if no cell has this index (the first is 0). Raises ContentError without a list of cells."""
    cells = document.get("cells", ...) if isinstance(document, dict) else ...
    if cells in (None, ...):
        required_cells(document, str(index))
    there = isinstance(cells, (list, str)) and index < len(cells) and cells[index] is not None
    if not there:
        raise Refusal("cell_not_found", f"Cell with index {index} does not exist in notebook.")


def refuse_cell_number(document: Any, number: float, *, inserts: bool) -> None:
    """Raise Refusal if no cell has this number (the first is 0). `inserts`: the number after the last is allowed."""
    count = len(required_cells(document, "find"))
    if number < 0:
        why = "must be non-negative."
    elif inserts and number > count:
        why = f"is out of bounds. For insert mode, the maximum value is {count} (to append at the end)."
    elif not inserts and (number >= count or number != int(number)):
        why = f"is out of bounds. Notebook has {count} cells."
    else:
        return
    raise Refusal("cell_not_found", f"Cell number {why}")


def required_cells(document: Any, operation: str) -> list[Any]:
    """Return the cells of a notebook. If the list of cells is missing, raises ContentError with the message that
    JavaScript gives when the method `operation`, such as `find`, is called on the missing list.
    """
    cells = document.get("cells", ...) if isinstance(document, dict) else ...
    if not isinstance(cells, list):
        what = "null" if cells is None else "undefined"
        raise ContentError(f"Cannot read properties of {what} (reading '{operation}')")
    return cells


def find_cell_index(cells: list[Any], cell_id: str | None, *, number_first: bool) -> int | None:
    """Return the index of the cell with an id, or None. `cell-N` means the cell with index N, unless a cell has this
    id; with `number_first`, `cell-N` always means this cell.
    """
    if not cell_id:
        return None
    match = _CELL_NUMBER_PATTERN.fullmatch(cell_id)
    by_number = int(match[1]) if match and int(match[1]) < len(cells) else None
    if number_first and by_number is not None:
        return by_number
    for number, cell in enumerate(cells):
        if isinstance(cell, dict) and cell.get("id") == cell_id:
            return number
    return by_number


def replace_source(cell: dict[str, Any], source: str, kind: str | None, *, resets_count: bool) -> None:
    """Set the source of a cell, and its type if `kind` is given. Used in versions that do not use `replace_cell`. With
    `resets_count`, a code cell gets a null execution count and empty outputs. Without `resets_count`, a cell of any
    type loses its execution count and gets empty outputs.
    """
    cell["source"] = source
    if not resets_count:
        cell.pop("execution_count", None)
        cell["outputs"] = []
    elif cell.get("cell_type") == "code":
        cell |= {"execution_count": None, "outputs": []}
    if kind:
        cell["cell_type"] = kind


def replace_cell(cell: dict[str, Any], source: str, kind: str | None) -> None:
    """Set the source of a cell, and its type if `kind` is given. A code cell then has a null execution count and empty
    outputs. Any other cell then has no execution count and no outputs.
    """
    cell["source"] = source
    if kind:
        cell["cell_type"] = kind
    if cell.get("cell_type") == "code":
        cell |= {"execution_count": None, "outputs": []}
    else:
        for name in ("execution_count", "outputs"):
            cell.pop(name, None)


def cells_have_ids(document: dict[str, Any]) -> bool:
    """Whether the format of a notebook requires that its cells have ids. True from version 4.5 of the format on."""
    version = document.get("nbformat"), document.get("nbformat_minor")
    return all(isinstance(number, (int, float)) for number in version) and version >= (4, 5)


def new_cell(document: dict[str, Any], kind: str, source: str, *, resets_count: bool) -> dict[str, Any]:
    """Create a cell, with a random id from format 4.5 on. `resets_count`: a code cell has a null execution count."""
    cell: dict[str, Any] = {"cell_type": kind}
    if cells_have_ids(document):
        cell["id"] = os.urandom(6).hex()
    cell |= {"source": source, "metadata": {}}
    if kind != "code":
        return cell
    return cell | ({"execution_count": None} if resets_count else {}) | {"outputs": []}
