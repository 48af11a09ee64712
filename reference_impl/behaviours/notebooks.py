"""Declare behaviours of Read, NotebookRead and NotebookEdit with notebooks."""

from __future__ import annotations

from readfirst.reference_impl.behaviours.versioned import Group, behaviour

__all__ = ["NotebookBehaviours"]


class NotebookBehaviours(Group):
    """Reading and editing notebooks."""

    read_refuses_notebooks: bool = behaviour(
        True,
        {"1.0.68": False},
        meaning="Read refuses notebooks and recommends the tool NotebookRead, which exists in the same versions.",
        shown_by=("notebooks/read-raw-cell", "notebooks/edit-upper-case-extension"),
    )
    empty_notebook_path_is_root: bool = behaviour(
        True,
        {"1.0.4": False},
        meaning="If a call of NotebookRead contains an empty path, the path means the root of the session, instead "
        "of a missing file.",
        shown_by=("notebook-read/empty-path",),
    )
    notebook_images_keep_line_ends: bool = behaviour(
        True,
        {"1.0.4": False},
        meaning="NotebookRead keeps the line ends in the base64 text of an image.",
        shown_by=("notebook-read/image-in-lines",),
    )
    notebook_refusal_says_not_json: bool = behaviour(
        False,
        {"2.1.162": True},
        meaning="If a notebook is not JSON, the refusal says that the notebook is not JSON before it quotes the "
        "error message of the JavaScript engine.",
        shown_by=("notebooks/broken-json-words",),
    )
    json_refusals_omit_place: bool = behaviour(
        False,
        {"2.1.113": True},
        meaning="If a text is not JSON, the refusal quotes the error message of a different JavaScript "
        "engine, which omits the position of the error.",
        shown_by=("notebooks/broken-json-at-the-edge", "notebooks/broken-json-numbers"),
    )
    json_error_variable: str = behaviour(
        "H",
        {"2.1.181": "e"},
        meaning="The name of the variable in the product's code that contains a cell or an output of a notebook. If "
        "`json_refusals_omit_place` is yes, the refusal of a notebook with a damaged cell or output quotes the name "
        "of this variable.",
        shown_by=("notebooks/read-odd-outputs",),
    )
    notebook_check_depth: str = behaviour(
        "",
        {"2.1.162": "cells", "2.1.227": "sources", "2.1.235": "lines"},
        meaning="The checks of a notebook that Read makes: `cells` (the notebook has cells), `sources` (also, the "
        "source of each cell is a text or a list), or `lines` (also, a source that is a list contains only texts). "
        "If `notebook_check_depth` is empty, Read makes none of these checks.",
        shown_by=("notebooks/read-odd-cells",),
    )
    unknown_outputs_are_noted: bool = behaviour(
        False,
        {"2.1.327": True},
        meaning="If a notebook has outputs of an unknown type, Read says that these outputs are not shown, "
        "instead of refusing the notebook.",
        shown_by=("notebooks/read-odd-outputs",),
    )
    incomplete_outputs_are_shown: bool = behaviour(
        False,
        {"2.1.331": True},
        meaning="Read treats a null output as an output of an unknown type, and shows an error output "
        "without a traceback as one line, instead of refusing a notebook with such outputs.",
        shown_by=("notebooks/read-incomplete-outputs",),
    )
    output_texts_alone_are_measured: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="The size limit for the outputs of a cell applies to the texts of the outputs, instead of "
        "to the whole JSON that describes the outputs.",
        shown_by=("notebooks/read-large-outputs",),
    )
    large_notebook_refusal_names_path: bool = behaviour(
        True,
        {"2.1.227": False},
        meaning="The commands that the refusal of a large notebook recommends contain the path of the "
        "notebook.",
        shown_by=("notebooks/read-large-content",),
    )
    notebook_read_accepts_byte_order_mark: bool = behaviour(
        False,
        {"2.1.330": True},
        meaning="Read accepts a byte order mark at the beginning of a notebook.",
        shown_by=("crossed/notebooks-36", "crossed/notebooks-93"),
    )
    notebook_edit_needs_read: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="NotebookEdit refuses a notebook that the session has not read, or that changed after the "
        "Read.",
        shown_by=("notebooks/notebook-edit-unread", "notebooks/notebook-edit-stale"),
    )
    nul_in_notebook_path_is_seen: bool = behaviour(
        False,
        {"2.1.91": True},
        meaning="NotebookEdit checks whether the path in the call contains a NUL character before it accesses the "
        "disk.",
        shown_by=("notebooks/nul-in-path",),
    )
    cell_type_checked_before_file: bool = behaviour(
        False,
        {"2.1.63": True},
        meaning="NotebookEdit checks the name of the file and the type of a new cell before it checks that the "
        "notebook exists.",
        shown_by=("notebooks/insert-without-type-stale",),
    )
    notebook_opened_before_existence_check: bool = behaviour(
        False,
        {"2.1.63": True},
        meaning="NotebookEdit opens the notebook before it checks that the notebook exists.",
        shown_by=("notebooks/nul-in-path",),
    )
    notebook_edit_accepts_byte_order_mark: bool = behaviour(
        False,
        {"2.0.69": True},
        meaning="NotebookEdit ignores a byte order mark at the beginning of a notebook when it searches for the cell.",
        shown_by=("notebooks/notebook-edit-byte-order-mark",),
    )
    notebook_execution_rechecks_json: bool = behaviour(
        False,
        {"2.1.86": True},
        meaning="If a notebook is no longer JSON right before NotebookEdit writes it, the refusal uses a "
        "message of NotebookEdit, instead of the message of the JavaScript engine.",
        shown_by=("notebooks/notebook-edit-byte-order-mark",),
    )
    cell_index_beats_cell_id: bool = behaviour(
        True,
        {"2.0.44": False},
        meaning="The cell id `cell-1` always means the second cell, even if a different cell has the id "
        "`cell-1`.",
        shown_by=("notebooks/id-like-a-number",),
    )
    cell_refusal_says_find_index: bool = behaviour(
        False,
        {"2.0.44": True},
        meaning="If a notebook has no cells, the refusal quotes an error of the JavaScript engine that names "
        "the method `findIndex`, instead of the method `find`.",
        shown_by=("notebooks/notebook-edit-odd-notebooks",),
    )
    cells_are_inserted_after: bool = behaviour(
        False,
        {"1.0.30": True},
        meaning="NotebookEdit inserts a new cell after the named cell instead of before the named cell.",
        shown_by=("notebooks/insert-after-cell",),
    )
    execution_count_becomes_null: bool = behaviour(
        False,
        {"1.0.44": True},
        meaning="If NotebookEdit replaces the source of a code cell, the execution count of the cell becomes null. "
        "Without `execution_count_becomes_null`, NotebookEdit removes the execution count and the outputs from a "
        "cell of any type.",
        shown_by=("notebooks/replace-cell", "notebooks/replace-markdown-cell"),
    )
    outputs_follow_the_new_cell_type: bool = behaviour(
        False,
        {"2.1.332": True},
        meaning="If NotebookEdit changes the type of a cell, the new type determines the outputs: a cell that "
        "becomes a code cell gets a null execution count and empty outputs, and a cell that becomes a text cell "
        "loses its execution count and outputs. Without `outputs_follow_the_new_cell_type`, the old type determines "
        "the outputs, and a cell that becomes a text cell keeps its execution count and outputs.",
        shown_by=("notebooks/convert-to-code", "notebooks/convert-to-markdown"),
    )
    answers_name_cells_without_id: bool = behaviour(
        False,
        {"2.1.321": True},
        meaning="If a cell has no id, the answers of NotebookEdit name the cell in the same way as the "
        "call, instead of as `undefined`.",
        shown_by=("notebooks/cell-by-number", "notebooks/insert-after-cell"),
    )
    notebook_final_newline_is_kept: bool = behaviour(
        False,
        {"2.1.327": True},
        meaning="If a notebook file ends with a line end, NotebookEdit keeps this line end.",
        shown_by=("notebooks/final-newline-of-the-file",),
    )
