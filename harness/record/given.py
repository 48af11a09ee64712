"""Given: what the product hands its model and programs beside answers, asked of each contract and kept in one file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from readfirst.harness.record.offers import offered_tools
from readfirst.harness.record.structured import structured_results
from readfirst.harness.source.atomic import write_all
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.structured import load_results, results_file, results_text
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.tools import load_tools, tools_file, tools_text


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
