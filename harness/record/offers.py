"""Offers: ask the real product what it gives its model of each file tool."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from readfirst.harness.agents.claude_code.conversation import Options
from readfirst.harness.agents.claude_code.package import install
from readfirst.harness.agents.conversation import Conversation
from readfirst.harness.processes.scratch import Scratch
from readfirst.harness.session import TIME_LIMIT, BrokenAdapter
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.tools import OfferedTool, described

FILE_TOOLS = ("Read", "Edit", "MultiEdit", "Write", "NotebookRead", "NotebookEdit")


def offered_tools(
    contract: Contract, *, cache: Path | None = None, time_limit: float = TIME_LIMIT
) -> dict[str, OfferedTool]:
    """Return the file tools that the product of a recorded contract offers its model in the first request.

    A tool that it loads later, on demand, is not among them. Raises BrokenAdapter.
    """
    assert contract.version is not None
    command = install(contract.version, cache).command
    with Scratch() as scratch:
        options = Options(
            command, contract.asked_model, tuple(contract.tools), scratch.folder(), time_limit=time_limit
        )
        conversation = Conversation(options)
        try:
            offers = conversation.offers
        finally:
            conversation.close()
    return _kept(contract, offers, FILE_TOOLS)


def _kept(
    contract: Contract, offers: Mapping[str, Mapping[str, object]], names: Iterable[str]
) -> dict[str, OfferedTool]:
    found = {}
    for name in names:
        if name not in offers:
            continue
        description, schema = offers[name].get("description"), offers[name].get("input_schema")
        if not isinstance(description, str) or not isinstance(schema, Mapping):
            raise BrokenAdapter(
                f"{contract.name} offers {name} without a description or a schema", blame="environment"
            )
        found[name] = described(description, schema)
    if not found:
        others = ", ".join(sorted(offers)) or "nothing"
        raise BrokenAdapter(
            f"{contract.name} offers none of the file tools, but {others}", blame="environment"
        )
    return found
