"""Notebook: what a NotebookEdit must leave as it is: every cell but one, and all beside the cells."""

import json
from collections.abc import Mapping
from typing import Any

from readfirst.harness.harm.edited import Found


def notebook_harm(
    path: str, arguments: Mapping[str, Any], before: bytes | None, after: bytes | None
) -> Found | None:
    """Return what an answered NotebookEdit did beyond what it asked; how the JSON is laid out does not matter."""
    former, now = _parsed(before), _parsed(after)
    if former is None:
        return None
    if now is None:
        return Found("lost", f"{path}, which is no notebook any more")
    if {**former, "cells": None} != {**now, "cells": None}:
        return Found("spoiled", f"what is beside the cells of {path}")
    return _cells(path, arguments, former["cells"], now["cells"])


def _cells(path: str, arguments: Mapping[str, Any], former: list[Any], now: list[Any]) -> Found | None:
    mode = arguments.get("edit_mode", "replace")
    source = arguments.get("new_source", "")
    others = [cell for cell in former if cell in now]
    grown = len(now) - len(former)
    wanted = {"insert": 1, "delete": -1}.get(mode, 0)
    if grown != wanted and not (mode == "replace" and grown == 1):
        return Found(
            "lost" if grown < wanted else "stray", f"{path} has {len(now)} cells, and had {len(former)}"
        )
    if len(others) < len(former) - (0 if wanted == 1 else 1):
        return Found("lost", f"cells of {path} that the call did not name")
    fresh = [cell for cell in now if cell not in former]
    if mode != "delete" and fresh and _source(fresh[0]) != source:
        return Found("altered", f"the cell that was written into {path} is not what was asked")
    if mode == "replace" and not fresh and not any(_source(cell) == source for cell in now):
        return Found("untrue", f"the call was answered, and no cell of {path} holds what was to be written")
    return None


def _source(cell: Any) -> str:
    source = cell.get("source", "") if isinstance(cell, dict) else ""
    return "".join(map(str, source)) if isinstance(source, list) else str(source)


def _parsed(data: bytes | None) -> dict[str, Any] | None:
    try:
        value = json.loads((data or b"").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) and isinstance(value.get("cells"), list) else None
