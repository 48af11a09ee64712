"""Schemas: which arguments each tool takes."""

from __future__ import annotations

from dataclasses import replace

from readfirst.reference_impl.arguments import Parameter, Schema
from readfirst.reference_impl.contract import Behaviours
from readfirst.reference_impl.corrections import Corrections

__all__ = ["schema_of_edit", "schema_of_notebook_edit", "schema_of_read", "schema_of_write"]

_FILE_PATH = Parameter(
    "file_path", description="Path of the file, absolute or relative to the working directory", required=True
)
_REPLACE_ALL = Parameter(
    "replace_all", description="Replace every occurrence instead of the only one", type="boolean"
)
_EXPECTED_REPLACEMENTS = Parameter(
    "expected_replacements", description="How often the text occurs (default: 1)", type="number"
)
_CELL_ID = Parameter(
    "cell_id",
    description="The ID of the cell to edit. When inserting a new cell, the new cell will be inserted "
    "after the cell with this ID, or at the beginning if not specified.",
)
_CELL_NUMBER = Parameter(
    "cell_number", description="The index of the cell, from 0", type="number", required=True
)
_CELLS = {"number": _CELL_NUMBER, "needed id": replace(_CELL_ID, required=True), "id": _CELL_ID}
_NAMES_OF_EDIT = {"path": "file_path", "old_str": "old_string", "new_str": "new_string"}
_NAMES_OF_WRITE = {"path": "file_path", "file_text": "content"}


def schema_of_read(behaviours: Behaviours) -> Schema:
    """Return what Read takes."""
    least = (0, 1) if behaviours.line_numbers != "any" else (None, None)
    lenient = behaviours.line_numbers == "lenient"
    pages = Parameter("pages", description="Pages of a PDF to return, for example `1-5`")
    return Schema(
        "Read",
        description="Read a file. Lines are numbered. Edit and Write refuse existing files that were not read before.",
        parameters=(
            _FILE_PATH,
            Parameter(
                "offset",
                description="Number of the first line to return; lines count from 1",
                type="number",
                least=least[0],
                lenient=lenient,
            ),
            Parameter(
                "limit",
                description="How many lines to return",
                type="number",
                least=least[1],
                lenient=lenient,
            ),
            *([pages] if behaviours.pages_can_be_asked_for else []),
        ),
        number_form=behaviours.text_stands_for_numbers,
        overlooked=frozenset({"description"} if behaviours.read_overlooks_descriptions else ()),
        drops_exponents=behaviours.exponents_are_dropped,
        includes=behaviours.largest_number_is_included,
        explains=behaviours.refusals_explain,
    )


def schema_of_edit(behaviours: Behaviours) -> Schema:
    """Return what Edit takes."""
    return Schema(
        "Edit",
        description="Replace a string in a file that was read before. An empty old_string creates a file.",
        parameters=(
            _FILE_PATH,
            Parameter("old_string", description="The text to replace", required=True),
            Parameter("new_string", description="The text to put in its place", required=True),
            _EXPECTED_REPLACEMENTS if behaviours.replacements_are_counted else _REPLACE_ALL,
        ),
        aliases=_NAMES_OF_EDIT if behaviours.other_names_are_understood else {},
        reads_booleans=behaviours.text_stands_for_booleans,
        explains=behaviours.refusals_explain,
    )


def schema_of_write(behaviours: Behaviours) -> Schema:
    """Return what Write takes."""
    return Schema(
        "Write",
        description="Write a whole file. An existing file must have been read before.",
        parameters=(
            _FILE_PATH,
            Parameter("content", description="The content of the file", required=True),
        ),
        corrections=corrections_of_write(behaviours),
        explains=behaviours.refusals_explain,
    )


def corrections_of_write(behaviours: Behaviours) -> Corrections:
    """Return what Write corrects in its arguments."""
    if not behaviours.write_is_corrected:
        return Corrections()
    dropped = {"description": None} | ({"command": "create"} if behaviours.creation_may_be_a_command else {})
    return Corrections(_NAMES_OF_WRITE, dropped, repeated=behaviours.repetitions_are_dropped)


def schema_of_notebook_edit(behaviours: Behaviours) -> Schema:
    """Return what NotebookEdit takes."""
    return Schema(
        "NotebookEdit",
        description="Replace, insert or delete one cell of a Jupyter notebook.",
        parameters=(
            Parameter(
                "notebook_path",
                description="The absolute path to the Jupyter notebook file to edit (must be absolute, not relative)",
                required=True,
            ),
            _CELLS[behaviours.cell_is_named_by],
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
        deferred=behaviours.notebook_edit_is_deferred,
        explains=behaviours.refusals_explain,
        repeats=behaviours.wrong_options_are_repeated,
    )
