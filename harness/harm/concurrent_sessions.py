"""Judge files that two sessions change at the same time, in any order."""

from collections.abc import Iterator, Mapping

from readfirst.harness.harm.requested_edit import Written, asked
from readfirst.harness.harm.unrequested_changes import UnlocatedHarm
from readfirst.harness.replay.outcome import StepOutcome
from readfirst.harness.suite.file_entry import Entry, data_of
from readfirst.harness.suite.scenario import READERS, ParallelCalls, ToolCall
from readfirst.harness.workspace.snapshot import candidate_paths


def check_concurrent_edits(
    group: ParallelCalls, before: Mapping[str, Entry], happened: StepOutcome
) -> Iterator[tuple[int, str, UnlocatedHarm]]:
    """Yield call number, path and harm of calls that two sessions made at the same time.

    Every edit that was answered as done must be in the file, whatever the order, and nothing else: the calls
    change different texts. A call may be refused because the other session was faster, but not if the other
    session does not use the file.
    """
    done: dict[str, list[tuple[int, ToolCall]]] = {}
    sides: dict[str, set[int]] = {}
    refused: dict[str, int] = {}
    for number, (call, result) in enumerate(zip(group.calls, happened.results, strict=True)):
        path = next(iter(candidate_paths(call.arguments, before)), "")
        sides.setdefault(path, set()).add(group.sides[number])
        if result.is_error:
            refused[path] = number
            together = {
                side for each, side in zip(group.calls, group.sides, strict=True) if each.path == call.path
            }
            if len(together) == 1:
                why = f"{call.tool} was refused, though nobody else worked on {path}: {result.text}"
                yield number, path, UnlocatedHarm("overcautious", why)
        elif call.tool not in READERS:
            done.setdefault(path, []).append((number, call))
    for path in sorted({*done, *happened.changes}):
        now = data_of(happened.changes.get(path, before.get(path)))
        if path not in sides:
            if not any(each.startswith(f"{path}/") for each in sides):
                yield 0, path, UnlocatedHarm("stray", f"{path}, which no call named, was changed")
        elif path not in done:
            yield (
                refused.get(path, 0),
                path,
                UnlocatedHarm("untrue", f"the call was refused, and {path} was changed"),
            )
        else:
            yield from _missing(path, done[path], before.get(path), now)


def _missing(
    path: str, done: list[tuple[int, ToolCall]], former: Entry | None, now: bytes | None
) -> Iterator[tuple[int, str, UnlocatedHarm]]:
    """Yield edits that were answered as done but are missing in the file."""
    wanted = data_of(former) or b""
    parts: dict[int, bytes] = {}
    for number, call in done:
        match asked(call.tool, call.arguments):
            case Written(text=text):
                wanted = parts[number] = text.encode()
            case edits:
                for edit in edits or ():
                    wanted = wanted.replace(edit.old.encode(), edit.new.encode(), -1 if edit.every else 1)
                    parts[number] = edit.new.encode()
    lost = [number for number, part in parts.items() if now is None or part not in now]
    for number in lost:
        yield (
            number,
            path,
            UnlocatedHarm("lost", f"what the call wrote to {path}, which was answered as done"),
        )
    # Added or removed whitespace does not depend on the order.
    if not lost and (now or b"").split() != wanted.split():
        what = f"{path} is not what the calls make of it that were answered as done"
        yield done[0][0], path, UnlocatedHarm("lost", what)
