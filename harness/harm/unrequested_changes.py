"""Judge the effect of an answered call on its file, beyond the requested change."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from readfirst.harness.first_difference import first_difference
from readfirst.harness.harm.allowed_results import Change, iter_changes, iter_readings, may_become
from readfirst.harness.harm.harm import excerpt
from readfirst.harness.harm.line_provenance import FileKnowledge, Line, LineAuthor, lines_of
from readfirst.harness.harm.requested_edit import Replacement, Written
from readfirst.harness.harm.text_codec import Content, split_pieces
from readfirst.harness.suite.file_entry import Directory, Entry
from readfirst.harness.suite.harm_kinds import Kind

_MAX_READINGS = 8
"""Maximum number of ways to apply a replacement that are tried."""
_MAX_LINE_RANGES = 3
"""Maximum number of line ranges that a description of lost lines names."""


class UnlocatedHarm(NamedTuple):
    """A harm without its step and call: its kind, a description, and excerpts of the content before and after."""

    kind: Kind
    what: str
    before: str = ""
    after: str = ""


def check_overwritten(
    path: str, knowledge: FileKnowledge, before: bytes | None, after: bytes | None
) -> UnlocatedHarm | None:
    """Return the harm if the new content of a file lacks lines that the session has not seen, otherwise None."""
    if before is None:
        return None
    numbers = knowledge.overwritten_lines(after or b"")
    if not numbers:
        return None
    what = _describe_numbers(
        path, numbers, {(author, False) for author in knowledge.authors(numbers)}, knowledge
    )
    lines = lines_of(knowledge.data)
    return UnlocatedHarm(
        "lost", what, excerpt("\n".join([lines[number - 1] for number in numbers])), _excerpt_of(after)
    )


def check_edit(
    path: str,
    knowledge: FileKnowledge,
    before: bytes | None,
    call: Sequence[Replacement] | Written,
    after: bytes | None,
    *,
    crlf: bool,
) -> UnlocatedHarm | None:
    """Return the unrequested effect of an answered Edit or Write on a file, or None.

    `before` and `after` are the bytes of the file; None means a missing file.
    """
    if after is not None and may_become(before, call, after, crlf=crlf):
        return None
    excerpts = (_excerpt_of(before), _excerpt_of(after))
    if after is None:
        if before is None:
            return UnlocatedHarm("untrue", f"the call was answered, and there is no {path}", *excerpts)
        return UnlocatedHarm("lost", f"{path}, which is gone", *excerpts)
    if after == before:
        return UnlocatedHarm(
            "untrue", f"the call was answered, and {path} holds what it held before", *excerpts
        )
    if isinstance(call, Written):
        return UnlocatedHarm(
            "altered", f"{path} does not hold what was to be written", *_difference_excerpts(call.text, after)
        )
    return _describe_wrong_edit(path, knowledge, before or b"", call, after)


def _describe_wrong_edit(
    path: str, knowledge: FileKnowledge, before: bytes, call: Sequence[Replacement], after: bytes
) -> UnlocatedHarm:
    excerpts = _difference_excerpts(Content.of(before).text, after)
    if knowledge.others and any(may_become(former, call, after, crlf=False) for former in knowledge.former):
        missing = [
            (number, line)
            for number, line in _find_missing_lines(knowledge.lines, after)
            if not any(line.text in edit.old for edit in call)
        ]
        what = (
            _describe_lines(path, missing, knowledge) if missing else f"what somebody else changed in {path}"
        )
        return UnlocatedHarm("lost", what, *excerpts)
    content, actual = Content.of(before), Content.of(after)
    if content.mark and any("\ufeff" in edit.old and edit.old not in content.text for edit in call):
        content, actual = _with_mark(content), _with_mark(actual)
    text, change = content.text, None
    for edit in call:
        possible_changes = [*islice(iter_changes(text, edit), _MAX_READINGS)]
        similar = (
            possible
            for possible in possible_changes
            if _normalize_whitespace(possible.text) == _normalize_whitespace(actual.text)
        )
        change = next(similar, possible_changes[0] if possible_changes else None)
        if change is None:
            count = len(next(iter_readings(text, edit.old), ([], False))[0])
            problem = f"is in {count} places" if count else "is not there"
            line = edit.old if len(edit.old) <= 40 else f"{edit.old[:40]}…"
            quoted = '"' + line.replace("\n", "\\n") + '"'
            return UnlocatedHarm("misplaced", f"{path} was edited where {quoted} {problem}", *excerpts)
        text = change.text
    if (actual.mark, actual.encoding) != (content.mark, content.encoding):
        return UnlocatedHarm("spoiled", f"the encoding or byte order mark of {path}", *excerpts)
    return _describe_difference(path, knowledge, change, actual.text, excerpts, single=len(call) == 1)


def _with_mark(content: Content) -> Content:
    """Return the content with the byte order mark as a character of its text."""
    return Content(b"", content.encoding, f"\ufeff{content.text}") if content.mark else content


def _describe_difference(
    path: str,
    knowledge: FileKnowledge,
    change: Change | None,
    actual: str,
    excerpts: tuple[str, str],
    *,
    single: bool,
) -> UnlocatedHarm:
    """Describe the difference if the old text was unique and the file does not have the requested content."""
    expected = "" if change is None else change.text
    if change is not None and single and _is_equal_outside(change, actual):
        return UnlocatedHarm("altered", f"what was inserted into {path} is not what was asked", *excerpts)
    if _normalize_whitespace(expected) == _normalize_whitespace(actual):
        return UnlocatedHarm(
            "spoiled",
            f"line ends, whitespace or the final newline of {path} beside what was replaced",
            *excerpts,
        )
    actual_counts = Counter(actual.splitlines())
    expected_counts = Counter(expected.splitlines())
    missing = {
        line for line, count in expected_counts.items() if line.strip() and actual_counts[line] < count
    }
    if missing:
        missing_lines = [
            (number, line) for number, line in enumerate(knowledge.lines, 1) if line.text in missing
        ]
        if missing_lines:
            return UnlocatedHarm("lost", _describe_lines(path, missing_lines, knowledge), *excerpts)
    return UnlocatedHarm("spoiled", f"{path} beside what was replaced", *excerpts)


def _is_equal_outside(change: Change, actual: str) -> bool:
    first, last = change.inserted[0], change.inserted[-1]
    rest_length = len(change.text) - last[1]
    if len(actual) < first[0] + rest_length or actual[: first[0]] != change.text[: first[0]]:
        return False
    return not rest_length or actual[-rest_length:] == change.text[-rest_length:]


def _normalize_whitespace(text: str) -> str:
    return "\n".join(line.strip() for line in split_pieces(text)).strip("\n")


def _find_missing_lines(lines: Sequence[Line], after: bytes) -> list[tuple[int, Line]]:
    counts = Counter(Content.of(after).lines)
    missing = []
    for number, line in enumerate(lines, 1):
        if counts[line.text]:
            counts[line.text] -= 1
        elif line.text.strip():
            missing.append((number, line))
    return missing


def _describe_lines(path: str, missing: Sequence[tuple[int, Line]], knowledge: FileKnowledge) -> str:
    authors = {(line.author, line.seen) for _, line in missing}
    return _describe_numbers(path, [number for number, _ in missing], authors, knowledge)


def _describe_numbers(
    path: str, numbers: Sequence[int], authors: set[tuple[LineAuthor, bool]], knowledge: FileKnowledge
) -> str:
    """Describe lost lines and their authors: `line 2 of a.txt, which somebody else saved after the Read`.

    `authors` contains the authors of the lines, each with whether the lines were seen.
    """
    if ("other", False) in authors:
        time = f" after the {knowledge.since}" if knowledge.since else ""
        clause = f"which somebody else saved{time}"
    elif any(not seen for _, seen in authors):
        clause = (
            f"which the session was {'not shown since its summary' if knowledge.forgotten else 'never shown'}"
        )
    else:
        clause = "which the call did not name"
    return f"{'line' if len(numbers) == 1 else 'lines'} {_format_ranges(numbers)} of {path}, {clause}"


def _format_ranges(numbers: Sequence[int]) -> str:
    """Describe the first ranges of ascending numbers. There may be thousands."""
    ranges: list[str] = []
    position = 0
    while position < len(numbers) and len(ranges) < _MAX_LINE_RANGES:
        first = position
        position = bisect_right(
            range(len(numbers)), numbers[first] - first, first, key=lambda index: numbers[index] - index
        )
        ranges.append("\N{EN DASH}".join(map(str, dict.fromkeys((numbers[first], numbers[position - 1])))))
    return ", ".join(ranges) + (" and more" if position < len(numbers) else "")


def _difference_excerpts(expected: str, after: bytes) -> tuple[str, str]:
    """Return excerpts of both texts that start shortly before the first difference."""
    actual = Content.of(after).text
    position = first_difference(expected, actual)
    if position is None:  # only the encoding of the bytes differs
        position = len(actual)
    start = expected.rfind("\n", 0, max(position - 1, 0)) + 1 if position > 40 else 0
    return excerpt(expected[start:]), excerpt(actual[start:])


def _excerpt_of(data: bytes | None) -> str:
    return "" if data is None else excerpt(Content.of(data).text)


def describe_change(before: Entry | None, after: Entry | None) -> str:
    """Return a change of a path in a word: `changed`, `removed`, `made` (a directory), `left behind` (others)."""
    match before, after:
        case None, _:
            return "left behind" if not isinstance(after, Directory) else "made"
        case _, None:
            return "removed"
        case _:
            return "changed"
