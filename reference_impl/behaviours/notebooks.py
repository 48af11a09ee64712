"""Notebooks: how Read shows them, and how NotebookEdit finds and changes a cell."""

from __future__ import annotations

from dataclasses import dataclass

from readfirst.reference_impl.behaviours.history import since

__all__ = ["NotebookBehaviours"]


@dataclass(frozen=True, kw_only=True)
class NotebookBehaviours:
    """What happens to notebooks."""

    notebooks_need_notebook_read: bool = since(
        True, {"1.0.68": False}, shown_by=("notebooks/read-raw-cell", "notebooks/edit-upper-case-extension")
    )
    """Read refuses notebooks, which a tool of their own reads."""
    broken_notebooks_are_told: bool = since(
        False, {"2.1.162": True}, shown_by=("notebooks/broken-json-words",)
    )
    """The refusal of a notebook that is not JSON says so before the words of the engine."""
    execution_count_becomes_null: bool = since(
        False, {"1.0.44": True}, shown_by=("notebooks/replace-cell", "notebooks/replace-markdown-cell")
    )
    """The execution count of a code cell that gets another source becomes null; otherwise it goes, and any cell gets
    outputs, of which there are none."""
    cells_are_inserted_behind: bool = since(
        False, {"1.0.30": True}, shown_by=("notebooks/insert-after-cell",)
    )
    """A new cell comes behind the one that is named; otherwise before it."""
    json_errors_are_brief: bool = since(
        False,
        {"2.1.113": True},
        shown_by=("notebooks/broken-json-at-the-edge", "notebooks/broken-json-numbers"),
    )
    """What is wrong with a text that is not JSON is told without its place, in the words of another engine."""
    json_error_variable: str = since("H", {"2.1.181": "e"}, shown_by=("notebooks/read-odd-outputs",))
    """What the brief words of the engine call a cell or an output."""
    notebook_check: str = since(
        "",
        {"2.1.162": "cells", "2.1.227": "sources", "2.1.235": "lines"},
        shown_by=("notebooks/read-odd-cells",),
    )
    """What Read looks for in a notebook: cells, a text or a list as the source of each, only lines in that list."""
    unknown_outputs_are_told: bool = since(False, {"2.1.327": True}, shown_by=("notebooks/read-odd-outputs",))
    """Read tells of an output of an unknown type; otherwise it refuses the notebook."""
    output_texts_are_measured: bool = since(
        False, {"2.1.89": True}, shown_by=("notebooks/read-large-outputs",)
    )
    """The texts of a cell's outputs must not be too large; otherwise their whole description."""
    notebooks_are_named: bool = since(True, {"2.1.227": False}, shown_by=("notebooks/read-large-content",))
    """The commands in the refusal of a large notebook have its path."""
    notebook_edit_needs_read: bool = since(
        False, {"2.1.89": True}, shown_by=("notebooks/notebook-edit-unread", "notebooks/notebook-edit-stale")
    )
    """NotebookEdit refuses a notebook that was not read, or changed since then."""
    cell_type_is_checked_first: bool = since(
        False, {"2.1.63": True}, shown_by=("notebooks/insert-without-type-stale",)
    )
    """NotebookEdit looks at the name and for the type of a new cell before it looks for the notebook."""
    notebook_edit_remembers: bool = since(
        False, {"2.1.86": True}, shown_by=("notebooks/write-after-notebook-edit",)
    )
    """A notebook that NotebookEdit changed is known as it is then."""
    notebook_edit_opens_first: bool = since(False, {"2.1.63": True}, shown_by=("notebooks/nul-in-path",))
    """NotebookEdit opens the notebook before it asks whether there is one."""
    notebook_edit_overlooks_marks: bool = since(
        False, {"2.0.69": True}, shown_by=("notebooks/notebook-edit-byte-order-mark",)
    )
    """NotebookEdit does not mind a byte order mark when it looks for the cell."""
    notebook_edit_checks_twice: bool = since(
        False, {"2.1.86": True}, shown_by=("notebooks/notebook-edit-byte-order-mark",)
    )
    """Right before writing, NotebookEdit tells in its own words what is not JSON; otherwise in the engine's."""
    cell_index_beats_cell_id: bool = since(True, {"2.0.44": False}, shown_by=("notebooks/id-like-a-number",))
    """`cell-1` is the second cell, even if another cell has that id."""
    cell_search_is_for_an_index: bool = since(
        False, {"2.0.44": True}, shown_by=("notebooks/notebook-edit-odd-notebooks",)
    )
    """The refusal of a notebook without cells says that an index was looked for; otherwise a cell."""
    cells_without_ids_are_named: bool = since(
        False, {"2.1.321": True}, shown_by=("notebooks/cell-by-number", "notebooks/insert-after-cell")
    )
    """The answers of NotebookEdit name cells without ids as the model did, otherwise as undefined."""
    final_newlines_of_notebooks_stay: bool = since(
        False, {"2.1.327": True}, shown_by=("notebooks/final-newline-of-the-file",)
    )
    """NotebookEdit keeps the line end at the end of the file."""
