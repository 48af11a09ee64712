"""Judge the harm to files that two sessions change at the same time."""

from collections.abc import Iterator, Mapping

from readfirst.harness.harm.requested_edit import NewText, parse_requested_edit
from readfirst.harness.harm.unrequested_changes import UnlocatedHarm
from readfirst.harness.replay.outcome import StepOutcome
from readfirst.harness.suite.file_entry import Entry, data_of
from readfirst.harness.suite.scenario import READERS, ParallelCalls, ToolCall
from readfirst.harness.workspace.snapshot import candidate_paths


def check_concurrent_edits(
    group: ParallelCalls, before: Mapping[str, Entry], outcome: StepOutcome
) -> Iterator[tuple[int, str, UnlocatedHarm]]:
    """Yield the harms of calls that two sessions made at the same time, each with the number of its call and the path.
    The file must contain the edits of all answered calls and no other change.
    """
    done_calls: dict[str, list[tuple[int, ToolCall]]] = {}
    sides: dict[str, set[int]] = {}
    refused: dict[str, int] = {}
    for number, (call, result) in enumerate(zip(group.calls, outcome.results, strict=True)):
        path = next(iter(candidate_paths(call.arguments, before)), "")
        sides.setdefault(path, set()).add(group.sides[number])
        if result.is_error:
            refused[path] = number
            sides_by_call = zip(group.calls, group.sides, strict=True)
            if len({side for other_call, side in sides_by_call if other_call.path == call.path}) == 1:
                reason = f"{call.tool} was refused, although no other session worked on {path}: {result.text}"
                yield number, path, UnlocatedHarm("overcautious", reason)
        elif call.tool not in READERS:
            done_calls.setdefault(path, []).append((number, call))
    for path in sorted({*done_calls, *outcome.changes}):
        now = data_of(outcome.changes.get(path, before.get(path)))
        if path not in sides:
            if not any(other_path.startswith(f"{path}/") for other_path in sides):
                yield 0, path, UnlocatedHarm("stray", f"{path}, which no call named, was changed")
        elif path not in done_calls:
            harm = UnlocatedHarm("untrue", f"the call was refused, and {path} was changed")
            yield refused.get(path, 0), path, harm
        else:
            yield from _check_missing_edits(path, done_calls[path], before.get(path), now)


def _check_missing_edits(
    path: str, done: list[tuple[int, ToolCall]], previous: Entry | None, now: bytes | None
) -> Iterator[tuple[int, str, UnlocatedHarm]]:
    """Yield a harm (`lost`) for each answered call whose edit is missing in `now`. `done`: the calls with numbers."""
    expected = data_of(previous) or b""
    parts: dict[int, bytes] = {}
    for number, call in done:
        match parse_requested_edit(call.tool, call.arguments):
            case NewText(text=text):
                expected = parts[number] = text.encode()
            case edits:
                for edit in edits or ():
                    expected = expected.replace(edit.old.encode(), edit.new.encode(), -1 if edit.every else 1)
                    parts[number] = edit.new.encode()
    missing = [number for number, part in parts.items() if now is None or part not in now]
    for number in missing:
        what = f"what the call wrote to {path}, which was answered as done"
        yield number, path, UnlocatedHarm("lost", what)
    # Added or removed whitespace does not depend on the order.
    if not missing and (now or b"").split() != expected.split():
        what = f"{path} is not what the calls make of it that were answered as done"
        yield done[0][0], path, UnlocatedHarm("lost", what)
