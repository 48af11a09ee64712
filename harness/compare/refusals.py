"""Judge declared refusals: calls that an implementation refuses by design although the contract answers them."""

import posixpath
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from readfirst.harness.adapter_traits import REFUSALS
from readfirst.harness.compare.verdict import Verdict, up_to
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.suite.contracts import Contract, clause_for
from readfirst.harness.suite.file_entry import Entry, RegularFile, Symlink
from readfirst.harness.suite.harm_kinds import HARMS
from readfirst.harness.suite.scenario import Scenario, ToolCall, calls_of
from readfirst.harness.workspace.snapshot import applied, candidate_paths


def apply_refusals(
    verdict: Verdict, scenario: Scenario, contract: Contract, outcome: Outcome, declared: Collection[str]
) -> Verdict:
    """Return the verdict with the declared refusals applied.

    A failed scenario with a declared refusal is `unsupported`, never passed. It stays `failed` if a harm was done, if
    another call was refused that every contract answers, or if a difference at a requested level precedes the refusal.
    A declared refusal never counts as `overcautious`.
    """
    if not declared:
        return verdict
    verdict = replace(verdict, refuses=tuple(sorted(declared)))
    refused = dict(_declared_refusals(scenario, contract, outcome, declared))
    if not refused:
        return verdict
    harms = tuple(
        harm for harm in verdict.harms if harm.kind != "overcautious" or (harm.step, harm.call) not in refused
    )
    verdict = replace(verdict, harms=harms)
    asked, first = up_to(verdict.level), min(refused)[0]
    if verdict.status != "failed" or any(harm.kind in (*HARMS, "overcautious") for harm in harms):
        return verdict
    if any(difference.step < first and difference.level in asked for difference in verdict.differences):
        return verdict
    names = sorted({*refused.values()})
    words = " and ".join(REFUSALS[name] for name in names)
    return verdict.as_unsupported(f"the implementation declares that it refuses {words}", names)


def _declared_refusals(
    scenario: Scenario, contract: Contract, outcome: Outcome, declared: Collection[str]
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield step and number of each call that was refused as declared, and the name of the declaration."""
    state: Mapping[str, Entry] = outcome.before
    for index, (step, happened) in enumerate(zip(scenario.steps, outcome.steps, strict=False)):
        for number, (call, result) in enumerate(zip(calls_of(step), happened.results, strict=False)):
            clause = clause_for(scenario, call.expect, contract) or call.expect.recorded
            if not result.is_error or (clause is not None and clause.error is not None):
                continue
            if name := next((name for name in sorted(declared) if _applies(name, call, state)), ""):
                yield (index, number), name
        state = applied(state, happened.changes)


def _applies(name: str, call: ToolCall, state: Mapping[str, Entry]) -> bool:
    match name:
        case "empty-old-text":
            return call.tool == "Edit" and call.arguments.get("old_string") == ""
        case "symbolic-link":
            path = str(call.arguments.get("file_path", "")).removeprefix("$WS").lstrip("/")
            parts = path.split("/")
            return any(
                isinstance(state.get("/".join(parts[:end])), Symlink) for end in range(1, len(parts) + 1)
            )
        case "line-feed-for-crlf":
            old = str(call.arguments.get("old_string", ""))
            entries = (state.get(path) for path in candidate_paths(call.arguments, state))
            has_crlf = any(isinstance(each, RegularFile) and b"\r\n" in each.data for each in entries)
            return call.tool == "Edit" and has_crlf and "\n" in old.replace("\r\n", "")
        case "missing-directory":
            parents = {posixpath.dirname(path) for path in candidate_paths(call.arguments, state)} - {
                "",
                "$HOME",
            }
            there = {
                parent for parent in parents if any(path.startswith(f"{parent}/") for path in (*state, ""))
            }
            return call.tool == "Write" and bool(parents) and not parents & {*state, *there}
        case _:
            return any(not _is_utf8(state.get(path)) for path in candidate_paths(call.arguments, state))


def _is_utf8(entry: Entry | None) -> bool:
    try:
        if isinstance(entry, RegularFile):
            entry.data.decode()
    except UnicodeDecodeError:
        return False
    return True
