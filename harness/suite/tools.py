"""Tools: what the product gives its model of each file tool, contract by contract, read from `fixtures/tools.json`."""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.source.kept import reading

_FORMAT = 1
_FACTS = {
    "demands_a_read": re.compile(r"must use (?:your|the) `?Read`? tool"),
    "lines": re.compile(r"reads up to (\d+) lines"),
    "characters_of_a_line": re.compile(r"longer than (\d+) characters"),
    "pages_at_once": re.compile(r"Maximum (\d+) pages"),
    "line_numbers": re.compile(r"line number prefix format is: ([^.]{1,60})\."),
    "unique_or_refused": re.compile(r"will FAIL if `?old_string`? is not unique"),
    "no_second_read": re.compile(r"Do NOT re-read a file you just edited"),
}
"""What a description states, by name: the group of the expression, or that it is stated."""
_QUOTED = 60
"""Characters of a description that are quoted at most."""


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as a model is told of it.

    `schema` is the JSON Schema of its arguments, whole. Of the description, which is the product's own text, there
    are `facts`: its length in characters, its SHA-256, how it begins, and what it states of the contract.
    """

    schema: Mapping[str, Any]
    facts: Mapping[str, Any]


def described(description: str, schema: Mapping[str, Any]) -> OfferedTool:
    """Return what is kept of a tool with that description."""
    sentence = re.split(r"(?<=[.!?])\s|\n", description.strip(), maxsplit=1)[0]
    stated: dict[str, Any] = {}
    for name, pattern in _FACTS.items():
        found = pattern.search(description)
        if found:
            value = found[1] if pattern.groups else True
            stated[name] = int(value) if isinstance(value, str) and value.isdecimal() else value
    return OfferedTool(
        dict(schema),
        {
            "characters": len(description),
            "sha256": hashlib.sha256(description.encode("utf-8", "surrogatepass")).hexdigest(),
            "begins": sentence[:_QUOTED],
            "states": stated,
        },
    )


def tools_file(root: Path) -> Path:
    """Return the file of a suite."""
    return root / "tools.json"


def load_tools(file: Path) -> dict[str, dict[str, OfferedTool]]:
    """Return the tools of each contract, by name. Raises KeptError."""
    found: dict[str, dict[str, OfferedTool]] = {}
    with reading(file, "readfirst product record --tools", _FORMAT, strict=True) as data:
        for tool, rows in data["tools"].items():
            for row in rows:
                for contract in row["contracts"]:
                    found.setdefault(contract, {})[tool] = OfferedTool(row["schema"], row["description"])
    return found


def tools_text(known: Mapping[str, Mapping[str, OfferedTool]], order: Iterable[str]) -> str:
    """Return the file with the tools of these contracts, in this order: equal neighbours share a row."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for contract in order:
        for tool, offered in sorted(known.get(contract, {}).items()):
            row = {"description": dict(offered.facts), "schema": dict(offered.schema)}
            before = rows.setdefault(tool, [])
            if before and {name: before[-1][name] for name in row} == row:
                before[-1]["contracts"].append(contract)
            else:
                before.append({"contracts": [contract], **row})
    return json.dumps({"format": _FORMAT, "tools": dict(sorted(rows.items()))}, indent=1) + "\n"
