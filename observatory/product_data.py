"""Record the definitions of the product's file tools, and its structured results, by contract."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from readfirst.harness.adapter_api import TIME_LIMIT, AdapterError
from readfirst.harness.agents.agent_process import Conversation
from readfirst.harness.agents.claude_code.install import install
from readfirst.harness.agents.claude_code.launch_options import Options
from readfirst.harness.processes.temp_dirs import Scratch
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.repeated_text import map_texts
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.tool_schemas import (
    FORMAT,
    OfferedTool,
    StructuredResult,
    load_results,
    load_tools,
)
from readfirst.harness.yaml_io.atomic_write import write_all

FILE_TOOLS = ("Read", "Edit", "MultiEdit", "Write", "NotebookRead", "NotebookEdit")


@contextmanager
def _converse(
    contract: Contract, time_limit: float, files: Mapping[str, bytes], *, streams: bool = False
) -> Iterator[tuple[Conversation, str]]:
    """Start the product in a directory that contains `files`, and yield the conversation and the directory's path. With
    `streams`, the product prints its events as JSON.
    """
    assert contract.version is not None
    command, tools = install(contract.version), tuple(contract.tools)
    with Scratch() as scratch:
        folder = scratch.folder()
        for name, data in files.items():
            (folder / name).write_bytes(data)
        options = Options(
            command, contract.requested_model, tools, folder, time_limit=time_limit, streams=streams
        )
        with closing(Conversation(options)) as conversation:
            yield conversation, str(folder)


_FACT_PATTERNS = {
    "demands_a_read": re.compile(r"must use (?:your|the) `?Read`? tool"),
    "lines": re.compile(r"reads up to (\d+) lines"),
    "characters_of_a_line": re.compile(r"longer than (\d+) characters"),
    "pages_at_once": re.compile(r"Maximum (\d+) pages"),
    "line_numbers": re.compile(r"line number prefix format is: ([^.]{1,60})\."),
    "unique_or_refused": re.compile(r"will FAIL if `?old_string`? is not unique"),
    "no_second_read": re.compile(r"Do NOT re-read a file you just edited"),
}
"""Patterns of facts in a tool's description, by name. A fact's value is group 1, or true without a group."""
_MAX_QUOTED_CHARS = 60
"""Maximum length of the beginning of a tool's description that is stored, in characters."""


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


def offered_tools(contract: Contract, *, time_limit: float = TIME_LIMIT) -> dict[str, OfferedTool]:
    """Return the file tools that the product's first request offers, by name. Raises AdapterError."""
    with _converse(contract, time_limit, {}) as (conversation, _):
        offers = conversation.offers
    found = {}
    for name in (each for each in FILE_TOOLS if each in offers):
        description, schema = offers[name].get("description"), offers[name].get("input_schema")
        if not isinstance(description, str) or not isinstance(schema, Mapping):
            raise AdapterError(
                f"{contract.name} offers {name} without a description or a schema", blame="environment"
            )
        found[name] = offered_tool(description, schema)
    if not found:
        others = ", ".join(sorted(offers)) or "nothing"
        raise AdapterError(f"{contract.name} offers no file tools, but {others}", blame="environment")
    return found


_PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
_NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [], "source": "1", "execution_count": 1}
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}
_FILES: Mapping[str, bytes] = {
    "notes.txt": b"alpha\nbeta\nalpha\n",
    "empty.txt": b"",
    "dot.png": base64.b64decode(_PICTURE),
    "book.ipynb": json.dumps(_NOTEBOOK, indent=1).encode(),
}


@dataclass(frozen=True, slots=True)
class SampleCall:
    """A call whose structured result is recorded from the product. `case` describes the call: `a missing file`."""

    case: str
    tool: str
    arguments: Mapping[str, Any]


SAMPLE_CALLS = (
    SampleCall("a whole file", "Read", {"file_path": "$WS/notes.txt"}),
    SampleCall("the same file again", "Read", {"file_path": "$WS/notes.txt"}),
    SampleCall("a range", "Read", {"file_path": "$WS/notes.txt", "offset": 2, "limit": 1}),
    SampleCall("an empty file", "Read", {"file_path": "$WS/empty.txt"}),
    SampleCall("a picture", "Read", {"file_path": "$WS/dot.png"}),
    SampleCall("a notebook", "Read", {"file_path": "$WS/book.ipynb"}),
    SampleCall("a missing file", "Read", {"file_path": "$WS/gone.txt"}),
    SampleCall(
        "one match", "Edit", {"file_path": "$WS/notes.txt", "old_string": "beta", "new_string": "gamma"}
    ),
    SampleCall(
        "every match",
        "Edit",
        {"file_path": "$WS/notes.txt", "old_string": "alpha", "new_string": "delta", "replace_all": True},
    ),
    SampleCall("a new file", "Edit", {"file_path": "$WS/made.txt", "old_string": "", "new_string": "one\n"}),
    SampleCall("no match", "Edit", {"file_path": "$WS/notes.txt", "old_string": "omega", "new_string": "x"}),
    SampleCall(
        "two edits",
        "MultiEdit",
        {
            "file_path": "$WS/notes.txt",
            "edits": [
                {"old_string": "gamma", "new_string": "beta"},
                {"old_string": "beta", "new_string": "gamma"},
            ],
        },
    ),
    SampleCall("a new file", "Write", {"file_path": "$WS/new.txt", "content": "one\n"}),
    SampleCall("a file that was read", "Write", {"file_path": "$WS/notes.txt", "content": "one\n"}),
    SampleCall(
        "a cell", "NotebookEdit", {"notebook_path": "$WS/book.ipynb", "cell_id": "one", "new_source": "2"}
    ),
)
"""The recorded calls, all in one conversation. Calls of tools that the version lacks are skipped."""


def structured_results(contract: Contract, *, time_limit: float = TIME_LIMIT) -> list[StructuredResult]:
    """Make the calls in SAMPLE_CALLS with the product, and return their `tool_use_result`. Raises AdapterError."""
    cases = [each for each in SAMPLE_CALLS if each.tool in contract.tools]
    with _converse(contract, time_limit, _FILES, streams=True) as (conversation, folder):
        for each in cases:
            conversation.call(each.tool, map_texts(each.arguments, lambda text: text.replace("$WS", folder)))
        events = _events(conversation.finish())
    results = [event for event in events if _is_tool_result(event)]
    if len(results) != len(cases):
        raise AdapterError(
            f"{contract.name} printed {len(results)} structured results for {len(cases)} calls",
            blame="environment",
        )
    return [
        StructuredResult(
            each.case,
            each.tool,
            map_texts(event.get("tool_use_result"), lambda text: text.replace(folder, "$WS")),
        )
        for each, event in zip(cases, results, strict=True)
    ]


def _events(printed: str) -> list[dict[str, Any]]:
    found = []
    for line in printed.splitlines():
        with suppress(ValueError):  # a warning of its runtime
            found.append(json.loads(line))
    return [each for each in found if isinstance(each, dict)]


def _is_tool_result(event: Mapping[str, Any]) -> bool:
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return event.get("type") == "user" and any(
        isinstance(block, dict) and block.get("type") == "tool_result"
        for block in (content if isinstance(content, list) else ())
    )


_Key = TypeVar("_Key", str, tuple[str, str])


def tools_text(tools: Mapping[str, Mapping[str, OfferedTool]], order: Iterable[str]) -> str:
    """Return the text of `tools.json`. Successive contracts (in `order`) with the same definition share a row."""
    rows = _rows(
        (tool, contract, {"description": dict(offered.facts), "schema": dict(offered.schema)})
        for contract in order
        for tool, offered in tools.get(contract, {}).items()
    )
    return json.dumps({"format": FORMAT, "tools": dict(sorted(rows.items()))}, indent=1) + "\n"


def _rows(items: Iterable[tuple[_Key, str, dict[str, Any]]]) -> dict[_Key, list[dict[str, Any]]]:
    """Return rows by key from (key, contract, value) items. Successive contracts with equal values share a row."""
    rows: dict[_Key, list[dict[str, Any]]] = {}
    for key, contract, row in items:
        before = rows.setdefault(key, [])
        if before and before[-1] == {"contracts": before[-1]["contracts"], **row}:
            before[-1]["contracts"].append(contract)
        else:
            before.append({"contracts": [contract], **row})
    return rows


def results_text(results: Mapping[str, Sequence[StructuredResult]], order: Iterable[str]) -> str:
    """Return the text of `results.json`. Successive contracts (in `order`) with equal results share one row."""
    cases = _rows(
        ((each.tool, each.case), contract, {"result": each.value})
        for contract in order
        for each in results.get(contract, ())
    )
    listed = [{"tool": tool, "case": case, "rows": rows} for (tool, case), rows in cases.items()]
    return json.dumps({"format": FORMAT, "cases": listed}, indent=1) + "\n"


@dataclass(frozen=True)
class ProductData:
    """One kind of recorded data. `ask` gets the data from the product, `load` reads a file, and `text` formats them."""

    name: str
    ask: Callable[..., Any]
    load: Callable[[Path], Mapping[str, Any]]
    text: Callable[[Mapping[str, Any], Sequence[str]], str]

    def file(self, root: Path) -> Path:
        """Return the path of the file with the data in the suite directory `root`."""
        return root / f"{self.name}.json"


TOOLS = ProductData("tools", offered_tools, load_tools, tools_text)
RESULTS = ProductData("results", structured_results, load_results, results_text)


def record_product_data(
    kind: ProductData, suite: Suite, contracts: Sequence[Contract], *, write: bool, time_limit: float
) -> Iterator[str]:
    """Get the data of one kind for each contract, and yield the contracts whose stored data differ. With `write`, store
    all new data at the end. An error leaves the file unchanged.
    """
    file = kind.file(suite.root)
    known = dict(kind.load(file)) if file.exists() else {}
    changed = False
    for each in contracts:
        found = kind.ask(each, time_limit=time_limit)
        if found != known.get(each.name):
            changed = True
            yield each.name
        known[each.name] = found
    if changed and write:
        write_all({file: kind.text(known, [each.name for each in suite.contracts.recorded]).encode()})
