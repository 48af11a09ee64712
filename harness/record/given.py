"""Given: what the product hands its model and programs beside answers, asked of each contract and kept in one file."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.agents.claude_code.conversation import Options
from readfirst.harness.agents.claude_code.package import install
from readfirst.harness.agents.conversation import Conversation
from readfirst.harness.processes.scratch import Scratch
from readfirst.harness.record.structured import structured_results
from readfirst.harness.session import TIME_LIMIT, BrokenAdapter
from readfirst.harness.source.atomic import write_all
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.structured import load_results, results_file, results_text
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.tools import OfferedTool, described, load_tools, tools_file, tools_text

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
        with closing(Conversation(options)) as conversation:
            offers = conversation.offers
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


@dataclass(frozen=True)
class Given:
    """One kind: `ask` gets it from the product of a contract; the others read and write its file of a suite."""

    name: str
    ask: Callable[..., Any]
    file: Callable[[Path], Path]
    load: Callable[[Path], Mapping[str, Any]]
    text: Callable[[Mapping[str, Any], Sequence[str]], str]


TOOLS = Given("tools", offered_tools, tools_file, load_tools, tools_text)
RESULTS = Given("results", structured_results, results_file, load_results, results_text)


def record_given(
    given: Given, suite: Suite, contracts: Sequence[Contract], *, write: bool, time_limit: float
) -> Iterator[str]:
    """Yield each contract of which something else is kept than its product gives; with `write`, keep that at the end.

    `time_limit` is in seconds per call. Raises BrokenAdapter, and the error of a file that is damaged; nothing is
    written then.
    """
    file = given.file(suite.root)
    known = dict(given.load(file)) if file.exists() else {}
    changed = False
    for each in contracts:
        found = given.ask(each, time_limit=time_limit)
        if found != known.get(each.name):
            changed = True
            yield each.name
        known[each.name] = found
    if changed and write:
        write_all({file: given.text(known, [each.name for each in suite.contracts.recorded]).encode()})
