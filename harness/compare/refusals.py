"""Judge declared refusals: calls that an implementation refuses by design although the contract answers them."""

import json
import posixpath
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace

from readfirst.harness.adapter_api import Adapter, ToolResult
from readfirst.harness.adapter_traits import REFUSALS, traits_of
from readfirst.harness.compare.verdict import Verdict, up_to
from readfirst.harness.replay.outcome import Outcome
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.contracts import Contract, effects_clause_for
from readfirst.harness.suite.file_entry import Entry, RegularFile, Symlink
from readfirst.harness.suite.repeated_text import has_half_surrogate
from readfirst.harness.suite.scenario import Scenario, ToolCall, calls_of
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.workspace.snapshot import apply_changes, candidate_paths
from readfirst.harness.workspace.workspace_dir import WorkspacePool

REFUSAL_SCENARIOS = {
    "not-utf-8": "encodings/cp1251-elsewhere",
    "empty-old-text": "creation/edit-creates",
    "symbolic-link": "links-and-modes/edit-through-symlink",
    "line-feed-for-crlf": "line-endings/lf-old-string-in-crlf-file",
    "missing-directory": "creation/write-creates-parents",
    "inexact-old-text": "quotes/straight-finds-curly-double",
    "lines-below-one": "read-output/offset-zero-alone",
    "read-only-file": "crossed/own-01",
    "half-surrogate": "crossings/half-a-pair-inserted",
    "past-the-end": "read-output/offset-past-the-end",
    "binary-file": "encodings/nul-elsewhere",
    "changed-content": "staleness/older-time-other-content-edit",
    "deleted-since-read": "staleness/deleted-then-write",
}
"""For each declarable refusal, a scenario with a call that is refused only for this reason. Used to detect refusals."""
_OWNER_WRITE_BIT = 0o200
_CHANGING_TOOLS = frozenset({"Edit", "Write", "MultiEdit", "NotebookEdit"})


def refusals_seen(adapter: Adapter, place: WorkspacePool) -> tuple[str, ...]:
    """Replay the scenarios in REFUSAL_SCENARIOS, and return the names of the refusals that the implementation makes."""
    suite = Suite(default_root())
    contract = suite.contracts[suite.contracts.default]
    seen = []
    for name, scenario_id in REFUSAL_SCENARIOS.items():
        scenario = suite.scenario(scenario_id)
        if not {call.tool for call in scenario.calls()} <= traits_of(adapter).capabilities:
            continue
        outcome = replay(scenario, adapter, place)
        first = next(_calls_covered(scenario, contract, outcome, {name}), None)
        if outcome.error is None and first is not None and first[-1]:
            seen.append(name)
    return tuple(seen)


def apply_refusals(
    verdict: Verdict, scenario: Scenario, contract: Contract, outcome: Outcome, declared: Collection[str]
) -> Verdict:
    """Return the verdict after taking the `declared` refusals of the implementation into account. A failed scenario
    becomes `unsupported` if the implementation made a declared refusal. Exceptions: a harm that the contract does not
    do, a different refusal of a call that every contract answers, and an earlier difference at a requested level.
    """
    if not declared:
        return verdict
    verdict = replace(verdict, refuses=tuple(sorted(declared)))
    covered = _calls_covered(scenario, contract, outcome, declared)
    refused = {place: name for place, name, is_refused in covered if is_refused}
    if not refused:
        return verdict
    excused = {
        harm for harm in verdict.harms if harm.kind == "overcautious" and (harm.step, harm.call) in refused
    }
    lines = {(harm.step, harm.call, harm.line) for harm in excused}
    differences = tuple(
        each
        for each in verdict.differences
        if each.level != "safe" or (each.step, each.call, each.what) not in lines
    )
    harms = tuple(harm for harm in verdict.harms if harm not in excused)
    verdict = replace(verdict, harms=harms, differences=differences)
    asked, first = up_to(verdict.level), min(refused)[0]
    if verdict.status != "failed" or any(difference.level == "safe" for difference in differences):
        return verdict
    if any(difference.step < first and difference.level in asked for difference in differences):
        return replace(verdict, levels={**verdict.levels, "safe": True})
    names = sorted({*refused.values()})
    words = " and ".join(REFUSALS[name] for name in names)
    return verdict.as_unsupported(f"the implementation declares that it refuses {words}", names)


def _calls_covered(
    scenario: Scenario, contract: Contract, outcome: Outcome, declared: Collection[str]
) -> Iterator[tuple[tuple[int, int], str, bool]]:
    """Yield each call that the contract answers and that a `declared` refusal covers: step and number, the name of the
    refusal, and whether the implementation refused the call.
    """
    for made in iter_calls(scenario, outcome):
        clause = effects_clause_for(scenario, made.call.expect, contract)
        if clause is not None and clause.error is not None:
            continue
        if name := next((name for name in sorted(declared) if _applies(name, made)), ""):
            yield made.place, name, made.result.is_error


@dataclass(frozen=True, slots=True)
class MadeCall:
    """A call of a replay, with its result and the files before its execution (`state`). `place` is its step and number,
    from 0. `known` contains the content that the session knows of each file.
    """

    place: tuple[int, int]
    call: ToolCall
    result: ToolResult
    state: Mapping[str, Entry]
    known: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths that the arguments of the call may refer to."""
        return candidate_paths(self.call.arguments, self.state)

    @property
    def files(self) -> list[RegularFile]:
        """The regular files that the arguments of the call may refer to."""
        return [entry for path in self.paths if isinstance(entry := self.state.get(path), RegularFile)]

    def has_known(self, *, same: bool) -> bool:
        """Whether any file of the call has the content that the session knows, or a different content if not `same`."""
        pairs = ((self.known.get(path), self.state.get(path)) for path in self.paths)
        return any(
            data is not None and isinstance(entry, RegularFile) and (entry.data == data) is same
            for data, entry in pairs
        )


def iter_calls(scenario: Scenario, outcome: Outcome) -> Iterator[MadeCall]:
    """Yield the calls of an outcome, each with the files at its execution, after changes of other programs."""
    state: Mapping[str, Entry] = outcome.before
    known: dict[str, bytes] = {}
    for index, (step, happened) in enumerate(zip(scenario.steps, outcome.steps, strict=False)):
        at_execution = apply_changes(state, happened.expected_world) if happened.interfered else state
        state = apply_changes(state, happened.changes)
        made = [
            MadeCall((index, number), call, result, at_execution, dict(known))
            for number, (call, result) in enumerate(zip(calls_of(step), happened.results, strict=False))
        ]
        yield from made
        for each in made:
            for path in () if each.result.is_error else each.paths:
                if isinstance(entry := state.get(path), RegularFile):
                    known[path] = entry.data


def _applies(name: str, made: MadeCall) -> bool:
    """Whether the declared refusal `name` (see `REFUSALS`) applies to a call."""
    call, state = made.call, made.state
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
            has_crlf = any(b"\r\n" in each.data for each in made.files)
            return call.tool == "Edit" and has_crlf and "\n" in old.replace("\r\n", "")
        case "missing-directory":
            parents = {posixpath.dirname(path) for path in made.paths} - {"", "$HOME"}
            there = {
                parent for parent in parents if any(path.startswith(f"{parent}/") for path in (*state, ""))
            }
            return call.tool == "Write" and bool(parents) and not parents & {*state, *there}
        case "inexact-old-text":
            old = str(call.arguments.get("old_string", "")).replace("\r\n", "\n")
            return call.tool == "Edit" and any(
                old not in text.replace("\r\n", "\n") for text in _texts_of(made)
            )
        case "lines-below-one":
            numbers = (call.arguments.get(key) for key in ("offset", "limit"))
            return call.tool == "Read" and any(isinstance(each, int | float) and each < 1 for each in numbers)
        case "read-only-file":
            modes = (getattr(state.get(path), "mode", None) for path in made.paths)
            is_read_only = any(mode is not None and not mode & _OWNER_WRITE_BIT for mode in modes)
            return call.tool in _CHANGING_TOOLS and is_read_only
        case "half-surrogate":
            return has_half_surrogate(json.dumps(call.arguments, ensure_ascii=False))
        case "past-the-end":
            offset = call.arguments.get("offset")
            lengths = (text.removesuffix("\n").count("\n") + 1 for text in _texts_of(made))
            is_past = isinstance(offset, int | float) and any(offset > length for length in lengths)
            return call.tool == "Read" and is_past
        case "binary-file":
            return any(b"\0" in entry.data for entry in made.files)
        case "changed-content":
            return call.tool in _CHANGING_TOOLS and made.has_known(same=False)
        case "deleted-since-read":
            is_gone = any(path in made.known and path not in state for path in made.paths)
            return call.tool in _CHANGING_TOOLS and is_gone
        case _:
            return len([*_texts_of(made)]) < len(made.files)


def _texts_of(made: MadeCall) -> Iterator[str]:
    """Yield the text of each UTF-8 file that a call may refer to."""
    for entry in made.files:
        with suppress(UnicodeDecodeError):
            yield entry.data.decode()
