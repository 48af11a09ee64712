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
        meaning="NotebookRead treats an empty path as the root of the session instead of as a missing file.",
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
        meaning="The refusal of a notebook that is not JSON names this reason before it quotes the message of the "
        "JavaScript engine.",
        shown_by=("notebooks/broken-json-words",),
    )
    json_refusals_omit_place: bool = behaviour(
        False,
        {"2.1.113": True},
        meaning="The refusal of a text that is not JSON quotes a different JavaScript engine, which omits the "
        "position of the error.",
        shown_by=("notebooks/broken-json-at-the-edge", "notebooks/broken-json-numbers"),
    )
    json_error_variable: str = behaviour(
        "H",
        {"2.1.181": "e"},
        meaning="The name of the variable for a cell or an output of a notebook, in errors of the JavaScript engine "
        "that omit the position.",
        shown_by=("notebooks/read-odd-outputs",),
    )
    notebook_check_depth: str = behaviour(
        "",
        {"2.1.162": "cells", "2.1.227": "sources", "2.1.235": "lines"},
        meaning="The check of a notebook by Read: `cells` (the notebook has cells), `sources` (and the source of each "
        "cell is a text or a list), or `lines` (and such a list contains only texts); if empty, nothing is checked.",
        shown_by=("notebooks/read-odd-cells",),
    )
    unknown_outputs_are_noted: bool = behaviour(
        False,
        {"2.1.327": True},
        meaning="Read says that outputs of an unknown type are not shown, instead of refusing a notebook with such "
        "outputs.",
        shown_by=("notebooks/read-odd-outputs",),
    )
    incomplete_outputs_are_shown: bool = behaviour(
        False,
        {"2.1.331": True},
        meaning="Read treats a null output as an output of an unknown type, and shows an error without a traceback as "
        "one line, instead of refusing a notebook with such outputs.",
        shown_by=("notebooks/read-incomplete-outputs",),
    )
    output_texts_alone_are_measured: bool = behaviour(
        False,
        {"2.1.89": True},
        meaning="The size limit for the outputs of a cell applies to the texts of the outputs instead of to the whole "
        "description of the outputs.",
        shown_by=("notebooks/read-large-outputs",),
    )
    large_notebook_refusal_names_path: bool = behaviour(
        True,
        {"2.1.227": False},
        meaning="The commands in the refusal of a large notebook contain its path.",
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
        meaning="NotebookEdit refuses a notebook that was not read, or that changed after the Read.",
        shown_by=("notebooks/notebook-edit-unread", "notebooks/notebook-edit-stale"),
    )
    nul_in_notebook_path_is_seen: bool = behaviour(
        False,
        {"2.1.91": True},
        meaning="NotebookEdit treats a path with a NUL character like the other tools, before it accesses the disk.",
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
        meaning="If a notebook is no longer JSON right before writing, the refusal has a text of NotebookEdit instead "
        "of the message of the JavaScript engine.",
        shown_by=("notebooks/notebook-edit-byte-order-mark",),
    )
    cell_index_beats_cell_id: bool = behaviour(
        True,
        {"2.0.44": False},
        meaning="The cell id `cell-1` means the second cell even if another cell has the id `cell-1`.",
        shown_by=("notebooks/id-like-a-number",),
    )
    cell_refusal_says_find_index: bool = behaviour(
        False,
        {"2.0.44": True},
        meaning="The refusal of a notebook without cells says that an index was not found, instead of that a cell was "
        "not found.",
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
        meaning="If NotebookEdit replaces the source of a code cell, the execution count of the cell becomes null, "
        "instead of being removed together with the outputs of a cell of any type.",
        shown_by=("notebooks/replace-cell", "notebooks/replace-markdown-cell"),
    )
    outputs_follow_the_new_cell_type: bool = behaviour(
        False,
        {"2.1.332": True},
        meaning="If NotebookEdit changes the type of a cell, the new type decides: a new code cell gets a null "
        "execution count and empty outputs, a new text cell loses both; with the value `no`, the old type decides, "
        "and a new text cell keeps both.",
        shown_by=("notebooks/convert-to-code", "notebooks/convert-to-markdown"),
    )
    answers_name_cells_without_id: bool = behaviour(
        False,
        {"2.1.321": True},
        meaning="The answers of NotebookEdit name a cell without an id as the call did, instead of as `undefined`.",
        shown_by=("notebooks/cell-by-number", "notebooks/insert-after-cell"),
    )
    notebook_final_newline_is_kept: bool = behaviour(
        False,
        {"2.1.327": True},
        meaning="NotebookEdit keeps the line end at the end of the file.",
        shown_by=("notebooks/final-newline-of-the-file",),
    )
