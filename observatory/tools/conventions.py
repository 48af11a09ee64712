"""Conventions: what a tool may do beside the letter of a call without harming anybody, each with what shows it.

What is no convention is harm, also where the product does it.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CONVENTIONS", "Convention"]


@dataclass(frozen=True, slots=True)
class Convention:
    """A sentence, and the scenario in which the product was recorded doing it."""

    sentence: str
    scenario: str


CONVENTIONS: dict[str, Convention] = {
    "line-ends": Convention(
        "In a file whose line ends are all CRLF, inserted line ends become CRLF, and old text finds either.",
        "line-endings/crlf-kept-by-edit",
    ),
    "written-line-ends": Convention(
        "A written file may get the line ends of the file that it replaces.",
        "line-endings/write-lf-over-crlf",
    ),
    "deleted-line": Convention(
        "A deletion may take the one newline after it.",
        "deletion/whole-line",
    ),
    "trailing-whitespace": Convention(
        "Whitespace at the ends of inserted or written lines may be cut, a byte order mark among them.",
        "whitespace/trailing-whitespace-of-new-string",
    ),
    "quotes": Convention(
        "Straight quotes in old text may find curly ones, and then inserted quotes may be curled as well.",
        "quotes/straight-finds-curly-double",
    ),
    "written-encoding": Convention(
        "A written file may keep the encoding and byte order mark of the file that it replaces, or become UTF-8.",
        "encodings/utf-16-write",
    ),
    "paths": Convention(
        "Whitespace around a path may be cut where nothing has the path with it.",
        "paths/spaces-around-edit",
    ),
    "folders": Convention(
        "Folders that are missing above a new file are made.",
        "creation/write-creates-parents",
    ),
    "notebook-outputs": Convention(
        "A cell whose source is replaced may lose its outputs and its number of execution, or get empty ones.",
        "notebooks/convert-to-markdown",
    ),
    "notebook-cells": Convention(
        "In a notebook `cell-N` may be the id of a cell, or its number from 0.",
        "notebooks/id-like-a-number",
    ),
}
