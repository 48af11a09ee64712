"""Convert the cells of a Jupyter notebook to the answer of Read or NotebookRead, and refuse invalid notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.reading.read_limits import refuse_too_long, size_advice
from readfirst.reference_impl.refusal import ContentError, Refusal
from readfirst.reference_impl.text.js_number import number_text, size_text
from readfirst.reference_impl.text.json_text import JsonError, compact_json, parse_json

__all__ = [
    "has_id",
    "identifies_by_number",
    "is_notebook",
    "load_notebook",
    "notebook_read_blocks",
    "read_blocks",
]

_MAX_SIZE = 262_144
_MAX_OUTPUTS = 10_000
_NOT_JSON_PREFIX = (
    "Notebook file is not valid JSON (it may be truncated, corrupted, or still being written): "
)
_SOURCES_REQUIREMENT = ', each with a string or string-array "source"'
_NOTEBOOK_VARIABLE = "A"
"""Name of the variable in the product's code that contains the notebook. Short error messages contain this name."""
_MISSING = object()
_UNKNOWN = "unknown"
"""The type that is used in the summary of an output whose type is unknown."""


def is_notebook(path: str, behaviours: Behaviours) -> bool:
    """Whether Read shows a file as a notebook. Only the name of the file matters, in any letter case."""
    return not behaviours.notebooks.read_refuses_notebooks and path.lower().endswith(".ipynb")


def load_notebook(text: str, behaviours: Behaviours) -> tuple[dict[str, Any], str]:
    """Return a notebook's JSON value and programming language. Raises Refusal if it is not JSON or has no metadata."""
    try:
        notebook = parse_json(text, brief=behaviours.notebooks.json_refusals_omit_place)
    except JsonError as error:
        about = _NOT_JSON_PREFIX if behaviours.notebooks.notebook_refusal_says_not_json else ""
        raise _no_notebook(f"{about}{error}") from None
    check = behaviours.notebooks.notebook_check_depth
    if check and not _is_notebook(notebook, check):
        raise _no_notebook(
            'Notebook file is not a valid Jupyter notebook (top-level "cells" must be an array of cell objects'
            f"{'' if check == 'cells' else _SOURCES_REQUIREMENT})."
        )
    language = _language_info(notebook, behaviours)
    name = language.get("name") if isinstance(language, dict) else None
    return notebook, "python" if name is None else _required_text(name)


def _is_notebook(value: Any, check: str) -> bool:
    """Whether a JSON value is a notebook. `check` is a value of `notebook_check_depth`, for example `cells`."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("cells"), list)
        and all(_is_cell(cell, check) for cell in value["cells"])
    )


def _is_cell(cell: Any, check: str) -> bool:
    if check == "cells":
        return isinstance(cell, dict | list)
    if not isinstance(cell, dict):
        return False
    source = cell.get("source")
    if isinstance(source, list):
        return check == "sources" or all(isinstance(part, str) for part in source)
    return isinstance(source, str)


def _language_info(notebook: Any, behaviours: Behaviours) -> Any:
    brief = behaviours.notebooks.json_refusals_omit_place
    metadata = _required_member(notebook, "metadata", _NOTEBOOK_VARIABLE, brief=brief)
    if behaviours.notebooks.notebook_check_depth and metadata in (None, _MISSING):
        return None
    return _required_member(metadata, "language_info", f"{_NOTEBOOK_VARIABLE}.metadata", brief=brief)


def read_blocks(text: str, path: str, behaviours: Behaviours) -> tuple[str, ...]:
    """Return the answer of Read: blocks of text for all cells. Raises Refusal for an invalid or too large notebook."""
    cells, language = _parse_cells(text, behaviours)
    summaries = [_summarize_cell(cell, number, language, behaviours) for number, cell in enumerate(cells)]
    content = compact_json(summaries)
    _refuse_too_large(
        content, f'"{path}"' if behaviours.notebooks.large_notebook_refusal_names_path else "<notebook_path>"
    )
    refuse_too_long(content, size_advice(behaviours))
    return tuple(block for summary in summaries for block in _cell_blocks(summary, behaviours))


def notebook_read_blocks(text: str, identity: str, behaviours: Behaviours) -> tuple[str, ...]:
    """Return the answer of NotebookRead: blocks of text for all cells or, if `identity` is not empty, for the cell with
    this id. Raises Refusal if the text is not a notebook, or if no cell has the id.
    """
    cells, language = _parse_cells(text, behaviours)
    selected = list(enumerate(cells))
    if identity:
        selected = list(islice((each for each in selected if has_id(each[1], identity)), 1))
        if not selected:
            raise Refusal("cell_not_found", f'Cell with ID "{identity}" not found in notebook')
    full = bool(identity) or identifies_by_number(behaviours)
    summaries = [_summarize_cell(cell, number, language, behaviours, full=full) for number, cell in selected]
    return tuple(block for summary in summaries for block in _cell_blocks(summary, behaviours))


def has_id(cell: Any, identity: str) -> bool:
    """Whether a cell has this id. Raises ContentError if the cell is null."""
    if cell is None:
        raise ContentError("Cannot read properties of null (reading 'id')")
    return isinstance(cell, dict) and cell.get("id") == identity


def identifies_by_number(behaviours: Behaviours) -> bool:
    """Whether the tools of this version identify a cell by its number. Otherwise, they identify a cell by its id."""
    return behaviours.arguments.notebook_cell_argument == "number"


def _parse_cells(text: str, behaviours: Behaviours) -> tuple[list[Any], str]:
    """Return the cells of a notebook and its programming language. Raises Refusal if the text is not a notebook."""
    notebook, language = load_notebook(text, behaviours)
    brief = behaviours.notebooks.json_refusals_omit_place
    cells = _required_member(notebook, "cells", _NOTEBOOK_VARIABLE, brief=brief)
    _required_member(cells, "map", f"{_NOTEBOOK_VARIABLE}.cells", brief=brief)
    if not isinstance(cells, list):
        raise _no_notebook("cells.map is not a function")
    return cells, language


def _refuse_too_large(content: str, file: str) -> None:
    if len(content) > _MAX_SIZE:
        raise Refusal(
            "too_large",
            f"Notebook content ({size_text(len(content))}) exceeds maximum allowed size "
            f"({size_text(_MAX_SIZE)}). Use Bash with jq to read specific portions:\n"
            f"  cat {file} | jq '.cells[:20]' # First 20 cells\n"
            f"  cat {file} | jq '.cells[100:120]' # Cells 100-120\n"
            f"  cat {file} | jq '.cells | length' # Count total cells\n"
            f"  cat {file} | jq '.cells[] | select(.cell_type==\"code\") | .source' # All code sources",
        )


def _summarize_cell(
    cell: Any, number: int, language: str, behaviours: Behaviours, *, full: bool = False
) -> dict[str, Any]:
    """Return the JSON object for a cell in the answer. Unless `full`, advice replaces too large outputs."""
    owner, brief = behaviours.notebooks.json_error_variable, behaviours.notebooks.json_refusals_omit_place
    counted = identifies_by_number(behaviours)
    identity = number if counted else _required_member(cell, "id", owner, brief=brief)
    kind, source = (_required_member(cell, name, owner, brief=brief) for name in ("cell_type", "source"))
    summary: dict[str, Any] = {
        "cellType": _required_text(kind),
        "source": _required_text("".join("" if part is None else _required_text(part) for part in source))
        if isinstance(source, list)
        else _required_text(source),
    }
    code = kind == "code"
    if code and cell.get("execution_count"):
        summary["execution_count"] = cell["execution_count"]
    summary["cell_id"] = (
        f"cell-{number}" if identity is None or identity is _MISSING else _required_text(identity)
    )
    if code:
        summary["language"] = language
        if outputs := _with_one_note(
            [_summarize_output(output, behaviours) for output in cell.get("outputs") or ()]
        ):
            if not full and _cell_size(outputs, behaviours) > _MAX_OUTPUTS:
                advice = (
                    f"NotebookRead with parameter cell_id={summary['cell_id']} to read cell outputs"
                    if behaviours.notebooks.read_refuses_notebooks
                    else f"Bash with: cat <notebook_path> | jq '.cells[{number}].outputs'"
                )
                outputs = [_output_summary("stream", f"Outputs are too large to include. Use {advice}")]
            summary["outputs"] = outputs
    return summary


def _cell_size(outputs: list[dict[str, Any]], behaviours: Behaviours) -> int:
    if behaviours.notebooks.output_texts_alone_are_measured:
        return sum(
            len(output["text"]) + len(output.get("image", {}).get("image_data", "")) for output in outputs
        )
    return len(compact_json(outputs))


def _summarize_output(output: Any, behaviours: Behaviours) -> dict[str, Any]:
    owner, brief = behaviours.notebooks.json_error_variable, behaviours.notebooks.json_refusals_omit_place
    incomplete = behaviours.notebooks.incomplete_outputs_are_shown
    match (
        None if output is None and incomplete else _required_member(output, "output_type", owner, brief=brief)
    ):
        case "stream" as kind:
            return _output_summary(kind, _join_lines(output.get("text")))
        case "execute_result" | "display_data" as kind:
            data = output.get("data") or {}
            shown_output = _output_summary(kind, _join_lines(data.get("text/plain")))
            for media_type in ("image/png", "image/jpeg"):
                if isinstance(data.get(media_type), str):
                    image = data[media_type]
                    if not behaviours.notebooks.notebook_images_keep_line_ends:
                        image = "".join(image.split())
                    shown_output["image"] = {"image_data": image, "media_type": media_type}
                    break
            return shown_output
        case "error" as kind:
            name, value = (_required_member(output, part, owner, brief=brief) for part in ("ename", "evalue"))
            title = f"{_required_text(name)}: {_required_text(value)}"
            trace = _required_member(output, "traceback", owner, brief=brief)
            if incomplete and (trace in (None, _MISSING) or trace == []):
                return _output_summary(kind, title)
            _required_member(trace, "join", f"{owner}.traceback", brief=brief)
            lines = "\n".join("" if line is None else _required_text(line) for line in trace)
            return _output_summary(kind, f"{title}\n{lines}")
    if behaviours.notebooks.unknown_outputs_are_noted:
        return _output_summary(_UNKNOWN, "Outputs of an unknown type are not shown.")
    nothing = _required_member(_MISSING, "text", owner, brief=brief)
    raise AssertionError(nothing)


def _with_one_note(outputs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the outputs of a cell. All outputs of an unknown type are replaced by a single note at the end."""
    notes = [output for output in outputs if output["output_type"] == _UNKNOWN]
    return [output for output in outputs if output["output_type"] != _UNKNOWN] + notes[:1]


def _output_summary(kind: str, text: str) -> dict[str, Any]:
    return {"output_type": kind, "text": text}


def _cell_blocks(summary: dict[str, Any], behaviours: Behaviours) -> Iterator[str]:
    kind, language, identity = summary["cellType"], summary.get("language", "python"), summary["cell_id"]
    about = "" if kind == "code" else f"<cell_type>{kind}</cell_type>"
    about += "" if language == "python" else f"<language>{language}</language>"
    cell = f"cell {identity}" if identifies_by_number(behaviours) else f'cell id="{identity}"'
    yield f"<{cell}>{about}{summary['source']}</{cell}>"
    for output in summary.get("outputs", ()):
        if output["text"]:
            yield f"\n{output['text']}"
        if image := output.get("image"):
            yield f"[image {image['media_type']} {len(image['image_data'])}]"


def _join_lines(value: Any) -> str:
    if isinstance(value, list):
        return "".join(map(_required_text, value))
    return "" if value is None else _required_text(value)


def _required_member(value: Any, name: str, owner: str, *, brief: bool) -> Any:
    """Return the member `name` of a JSON object. If `value` is null or the member is missing, raises Refusal with the
    message of a JavaScript engine; the `brief` message contains the name `owner` of a variable.
    """
    if value is None or value is _MISSING:
        what = "null" if value is None else "undefined"
        if brief:
            raise _no_notebook(f"{what} is not an object (evaluating '{owner}.{name}')")
        raise _no_notebook(f"Cannot read properties of {what} (reading '{name}')")
    return value.get(name, _MISSING) if isinstance(value, dict) else _MISSING


def _required_text(value: Any) -> str:
    match value:
        case str():
            return value
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return number_text(value)
        case list():
            return ",".join("" if item is None else _required_text(item) for item in value)
        case dict():
            return "[object Object]"
    return "undefined"


def _no_notebook(message: str) -> Refusal:
    return Refusal("not_a_notebook", message)
