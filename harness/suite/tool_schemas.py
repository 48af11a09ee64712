"""The file tools' definitions that the product gave its model, and its structured results, for each contract."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from readfirst.harness.suite.suite import default_root
from readfirst.harness.yaml_io.json_file import reading
from readfirst.harness.yaml_io.yaml_validation import did_you_mean

FORMAT = 1
"""The version of the formats of `tools.json` and `results.json`."""
_JSON_TYPES: Mapping[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """The definition of a tool that the product gives to the model. The description is not stored."""

    schema: Mapping[str, Any]
    """The complete JSON Schema of the arguments."""
    facts: Mapping[str, Any]
    """Facts about the description, such as its length, its SHA-256 and the maximum number of lines that it states."""


def load_tools(file: Path) -> dict[str, dict[str, OfferedTool]]:
    """Read `tools.json`. Return the definitions by contract and name of the tool. Raises JsonFileError."""
    found: dict[str, dict[str, OfferedTool]] = {}
    with reading(file, "readfirst product tools", FORMAT, strict=True) as data:
        for tool, rows in data["tools"].items():
            for row in rows:
                for contract in row["contracts"]:
                    found.setdefault(contract, {})[tool] = OfferedTool(row["schema"], row["description"])
    return found


@cache
def _argument_names(file: Path) -> Mapping[str, frozenset[str]]:
    """Return the names of the arguments of each tool, in all contracts together. Raises OSError."""
    names: dict[str, frozenset[str]] = {}
    for tools in load_tools(file).values():
        for tool, offered in tools.items():
            names[tool] = names.get(tool, frozenset()) | offered.schema["properties"].keys()
    return names


def find_unknown_argument(tool: str, arguments: Iterable[str]) -> tuple[str, str] | None:
    """Return an error message and its remedy for the first argument that no bundled contract has. Otherwise None."""
    names = _argument_names(default_root() / "tools.json").get(tool)
    unknown = next((name for name in arguments if names is not None and name not in names), None)
    if names is None or unknown is None:
        return None
    return f"{tool} has no argument {unknown!r}", did_you_mean(unknown, names)


@dataclass(frozen=True, slots=True)
class StructuredResult:
    """The structured result (`tool_use_result`) that the product printed for one call. `case` is the purpose of the
    call. `value` contains `$WS` for the path of the workspace. None if the version prints no structured results.
    """

    case: str
    tool: str
    value: Any


def load_results(file: Path) -> dict[str, list[StructuredResult]]:
    """Read `results.json`. Return the structured results of each contract, in call order. Raises JsonFileError."""
    found: dict[str, list[StructuredResult]] = {}
    with reading(file, "readfirst product tools --results", FORMAT, strict=True) as data:
        for case in data["cases"]:
            for row in case["rows"]:
                for contract in row["contracts"]:
                    found.setdefault(contract, []).append(
                        StructuredResult(case["case"], case["tool"], row["result"])
                    )
    return found


def fields_by_tool(results: Sequence[StructuredResult]) -> dict[str, dict[str, Any]]:
    """Describe the fields of structured results. For each tool, return the name of each field, its JSON types
    (`types`), and whether it is never missing (`always`). A field of an object has a name such as `file.numLines`, a
    field of the items of a list `structuredPatch[].lines`. The result itself has an empty name.
    """
    found: dict[str, dict[str, Any]] = {}
    for tool in dict.fromkeys(each.tool for each in results):
        values = [each.value for each in results if each.tool == tool and each.value is not None]
        fields: dict[str, Any] = {}
        _add_fields("", values, fields)
        found[tool] = fields
    return found


def _add_fields(path: str, values: Sequence[Any], fields: dict[str, Any], within: int | None = None) -> None:
    if not values:
        return
    fields[path] = {
        "types": sorted({_JSON_TYPES[type(each)] for each in values}),
        "always": within is None or len(values) == within,
    }
    objects = [each for each in values if isinstance(each, dict)]
    for name in dict.fromkeys(name for each in objects for name in each):
        children = [each[name] for each in objects if name in each]
        _add_fields(f"{path}.{name}".lstrip("."), children, fields, len(objects))
    _add_fields(f"{path}[]", [item for each in values if isinstance(each, list) for item in each], fields)
