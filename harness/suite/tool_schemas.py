"""The file tools' definitions that the product gave its model, and its structured results, for each contract."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from readfirst.harness.suite.suite import default_root
from readfirst.harness.yaml_io.json_file import reading
from readfirst.harness.yaml_io.yaml_validation import did_you_mean

_FORMAT = 1
_FACT_PATTERNS = {
    "demands_a_read": re.compile(r"must use (?:your|the) `?Read`? tool"),
    "lines": re.compile(r"reads up to (\d+) lines"),
    "characters_of_a_line": re.compile(r"longer than (\d+) characters"),
    "pages_at_once": re.compile(r"Maximum (\d+) pages"),
    "line_numbers": re.compile(r"line number prefix format is: ([^.]{1,60})\."),
    "unique_or_refused": re.compile(r"will FAIL if `?old_string`? is not unique"),
    "no_second_read": re.compile(r"Do NOT re-read a file you just edited"),
}
"""Patterns of the statements in a tool's description. The value is the first group, or true without a group."""
_MAX_QUOTED_CHARS = 60
"""Maximum length of the beginning of a tool's description that is stored, in characters."""
_JSON_TYPES: Mapping[type, str] = {
    type(None): "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    dict: "object",
}

_Key = TypeVar("_Key", str, tuple[str, str])


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """The definition of a tool that the product gives to the model. `schema` is the complete JSON Schema of the
    arguments. The description is a text of the product, so only `facts` about the description are stored: its length in
    characters, its SHA-256, its beginning, and its statements.
    """

    schema: Mapping[str, Any]
    facts: Mapping[str, Any]


def offered_tool(description: str, schema: Mapping[str, Any]) -> OfferedTool:
    """Create the definition of a tool from its full description and the JSON Schema of its arguments."""
    sentence = re.split(r"(?<=[.!?])\s|\n", description.strip(), maxsplit=1)[0]
    statements: dict[str, Any] = {}
    for name, pattern in _FACT_PATTERNS.items():
        found = pattern.search(description)
        if found:
            value = found[1] if pattern.groups else True
            statements[name] = int(value) if isinstance(value, str) and value.isdecimal() else value
    return OfferedTool(
        dict(schema),
        {
            "characters": len(description),
            "sha256": hashlib.sha256(description.encode("utf-8", "surrogatepass")).hexdigest(),
            "begins": sentence[:_MAX_QUOTED_CHARS],
            "states": statements,
        },
    )


def tools_file(root: Path) -> Path:
    """Return the path of `tools.json`, the file with the definitions of tools, in the suite directory `root`."""
    return root / "tools.json"


def load_tools(file: Path) -> dict[str, dict[str, OfferedTool]]:
    """Read `tools.json`. Return the definitions by contract and name of the tool. Raises JsonFileError."""
    found: dict[str, dict[str, OfferedTool]] = {}
    with reading(file, "readfirst product tools", _FORMAT, strict=True) as data:
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
    names = _argument_names(tools_file(default_root())).get(tool)
    unknown = next((name for name in arguments if names is not None and name not in names), None)
    if names is None or unknown is None:
        return None
    return f"{tool} has no argument {unknown!r}", did_you_mean(unknown, names)


def tools_text(tools: Mapping[str, Mapping[str, OfferedTool]], order: Iterable[str]) -> str:
    """Return the text of `tools.json`, from the definitions by contract and name of the tool. `order` contains the
    contracts, oldest first. Successive contracts with the same definition of a tool share a row.
    """
    rows = _rows(
        (tool, contract, {"description": dict(offered.facts), "schema": dict(offered.schema)})
        for contract in order
        for tool, offered in tools.get(contract, {}).items()
    )
    return json.dumps({"format": _FORMAT, "tools": dict(sorted(rows.items()))}, indent=1) + "\n"


def _rows(items: Iterable[tuple[_Key, str, dict[str, Any]]]) -> dict[_Key, list[dict[str, Any]]]:
    """Group the values of successive contracts: contracts with equal values share a row. Return the rows of each key.
    `items` are a key (such as the name of a tool), a contract, and the contract's value for this key.
    """
    rows: dict[_Key, list[dict[str, Any]]] = {}
    for key, contract, row in items:
        before = rows.setdefault(key, [])
        if before and before[-1] == {"contracts": before[-1]["contracts"], **row}:
            before[-1]["contracts"].append(contract)
        else:
            before.append({"contracts": [contract], **row})
    return rows


@dataclass(frozen=True, slots=True)
class StructuredResult:
    """The structured result (`tool_use_result`) that the product printed for one call, with the purpose of the call
    (`case`). `value` contains `$WS` for the path of the workspace. It is None if the version prints no structured
    result.
    """

    case: str
    tool: str
    value: Any


def results_file(root: Path) -> Path:
    """Return the path of `results.json`, the file with the structured results, in the suite directory `root`."""
    return root / "results.json"


def load_results(file: Path) -> dict[str, list[StructuredResult]]:
    """Read `results.json`. Return the structured results of each contract, in call order. Raises JsonFileError."""
    found: dict[str, list[StructuredResult]] = {}
    with reading(file, "readfirst product tools --results", _FORMAT, strict=True) as data:
        for case in data["cases"]:
            for row in case["rows"]:
                for contract in row["contracts"]:
                    found.setdefault(contract, []).append(
                        StructuredResult(case["case"], case["tool"], row["result"])
                    )
    return found


def results_text(results: Mapping[str, Sequence[StructuredResult]], order: Iterable[str]) -> str:
    """Return the text of `results.json` in the `order` of contracts. Successive equal results share a row."""
    cases = _rows(
        ((each.tool, each.case), contract, {"result": each.value})
        for contract in order
        for each in results.get(contract, ())
    )
    listed = [{"tool": tool, "case": case, "rows": rows} for (tool, case), rows in cases.items()]
    return json.dumps({"format": _FORMAT, "cases": listed}, indent=1) + "\n"


def fields_by_tool(results: Sequence[StructuredResult]) -> dict[str, dict[str, Any]]:
    """Describe the fields of structured results. For each tool, return the name of each field, its JSON types
    (`types`), and whether it is always present (`always`). A field of an object is named like `file.numLines`, a field
    of the items of a list like `structuredPatch[].lines`. The result itself has an empty name. `always` is true if the
    field is in each object that may contain it.
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
