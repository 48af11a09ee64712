"""Judge whether an answered call changed more in its file than it was requested to change."""

from collections import Counter
from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

from readfirst.harness.first_difference import first_difference
from readfirst.harness.harm.allowed_results import (
    EditResult,
    is_allowed_result,
    iter_edit_results,
    iter_matches,
)
from readfirst.harness.harm.harm import excerpt
from readfirst.harness.harm.line_provenance import FileKnowledge, Line, LineAuthor, lines_of
from readfirst.harness.harm.requested_edit import NewText, Replacement, RequestedEdit
from readfirst.harness.harm.text_codec import Content, split_pieces
from readfirst.harness.number_ranges import format_number_ranges
from readfirst.harness.suite.file_entry import Directory, Entry
from readfirst.harness.suite.harm_kinds import Kind

_MAX_RESULTS = 8
"""Maximum number of possible results of a replacement that are compared with the actual file."""
_MAX_LINE_RANGES = 3
"""Maximum number of line ranges that the description of lost lines contains."""


class UnlocatedHarm(NamedTuple):
    """A harm whose step and call are not known yet: its kind, a description, excerpts before and after the change."""

    kind: Kind
    what: str
    before: str = ""
    after: str = ""


def check_overwritten(
    path: str, knowledge: FileKnowledge, before: bytes | None, after: bytes | None
) -> UnlocatedHarm | None:
    """Return a harm (`lost`) if the new content lacks lines that the session has not seen. None without this harm."""
    if before is None:
        return None
    numbers = knowledge.overwritten_lines(after or b"")
    if not numbers:
        return None
    authors = {(author, False) for author in knowledge.authors(numbers)}
    what = _describe_numbers(path, numbers, authors, knowledge)
    lines = lines_of(knowledge.data)
    lost_text = "\n".join([lines[number - 1] for number in numbers])
    return UnlocatedHarm("lost", what, excerpt(lost_text), _excerpt_of(after))


def check_edit(
    path: str,
    knowledge: FileKnowledge,
    before: bytes | None,
    edit: RequestedEdit,
    after: bytes | None,
    *,
    crlf: bool,
) -> UnlocatedHarm | None:
    """Return the harm if an answered edit changed a file in a way that was not requested. None without harm. `before`
    and `after` are the bytes of the file; None means a missing file. Without `crlf`, a new file must not have CRLF line
    ends.
    """
    if after is not None and is_allowed_result(before, edit, after, crlf=crlf):
        return None
    excerpts = (_excerpt_of(before), _excerpt_of(after))
    if after is None:
        if before is None:
            return UnlocatedHarm("untrue", f"the call was answered, and there is no {path}", *excerpts)
        return UnlocatedHarm("lost", f"{path}, which is gone", *excerpts)
    if after == before:
        what = f"the call was answered, and {path} holds what it held before"
        return UnlocatedHarm("untrue", what, *excerpts)
    if isinstance(edit, NewText):
        what = f"{path} does not hold what was to be written"
        return UnlocatedHarm("altered", what, *_difference_excerpts(edit.text, after))
    return _describe_wrong_edit(path, knowledge, before or b"", edit, after)


def _describe_wrong_edit(
    path: str, knowledge: FileKnowledge, before: bytes, edit: Sequence[Replacement], after: bytes
) -> UnlocatedHarm:
    """Return the harm of an answered Edit or MultiEdit whose result, the file's new content, is not allowed."""
    excerpts = _difference_excerpts(Content.of(before).text, after)
    former_contents = knowledge.former if knowledge.others else ()
    if any(is_allowed_result(former, edit, after, crlf=False) for former in former_contents):
        missing = [
            (number, line)
            for number, line in _find_missing_lines(knowledge.lines, after)
            if not any(line.text in replacement.old for replacement in edit)
        ]
        what = (
            _describe_lines(path, missing, knowledge) if missing else f"changes of another program in {path}"
        )
        return UnlocatedHarm("lost", what, *excerpts)
    content, actual = Content.of(before), Content.of(after)
    old_texts = [replacement.old for replacement in edit]
    if content.mark and any("\ufeff" in old and old not in content.text for old in old_texts):
        content, actual = _with_mark(content), _with_mark(actual)
    text, result, actual_words = content.text, None, _normalize_whitespace(actual.text)
    for replacement in edit:
        possible = [*islice(iter_edit_results(text, replacement), _MAX_RESULTS)]
        similar = (each for each in possible if _normalize_whitespace(each.text) == actual_words)
        result = next(similar, possible[0] if possible else None)
        if result is None:
            old = replacement.old
            count = len(next(iter_matches(text, old), ([], False))[0])
            problem = f"is in {count} places" if count else "is not there"
            line = old if len(old) <= 40 else f"{old[:40]}…"
            quoted = '"' + line.replace("\n", "\\n") + '"'
            return UnlocatedHarm("misplaced", f"{path} was edited where {quoted} {problem}", *excerpts)
        text = result.text
    if (actual.mark, actual.encoding) != (content.mark, content.encoding):
        return UnlocatedHarm("spoiled", f"the encoding or byte order mark of {path}", *excerpts)
    return _describe_difference(path, knowledge, result, actual.text, excerpts, single=len(edit) == 1)


def _with_mark(content: Content) -> Content:
    return Content(b"", content.encoding, f"\ufeff{content.text}") if content.mark else content


def _describe_difference(
    path: str,
    knowledge: FileKnowledge,
    result: EditResult | None,
    actual: str,
    excerpts: tuple[str, str],
    *,
    single: bool,
) -> UnlocatedHarm:
    """Return the harm of an edit whose old text was unique, but which did not produce the requested content. `result`
    is the most similar allowed result. If `single`, the edit is one replacement.
    """
    expected = "" if result is None else result.text
    if result is not None and single and _is_equal_outside(result, actual):
        return UnlocatedHarm("altered", f"what was inserted into {path} is not what was asked", *excerpts)
    if _normalize_whitespace(expected) == _normalize_whitespace(actual):
        what = f"line ends, whitespace or the final newline of {path} beside what was replaced"
        return UnlocatedHarm("spoiled", what, *excerpts)
    missing = {line for line in Counter(expected.splitlines()) - Counter(actual.splitlines()) if line.strip()}
    missing_lines = [(number, line) for number, line in enumerate(knowledge.lines, 1) if line.text in missing]
    if missing and missing_lines:
        return UnlocatedHarm("lost", _describe_lines(path, missing_lines, knowledge), *excerpts)
    return UnlocatedHarm("spoiled", f"{path} beside what was replaced", *excerpts)


def _is_equal_outside(result: EditResult, actual: str) -> bool:
    first, last = result.inserted[0], result.inserted[-1]
    rest_length = len(result.text) - last[1]
    if len(actual) < first[0] + rest_length or actual[: first[0]] != result.text[: first[0]]:
        return False
    return not rest_length or actual[-rest_length:] == result.text[-rest_length:]


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
    """Describe lost lines and their authors: `line 2 of a.txt, which another program saved after the Read`. Each author
    in `authors` has a flag: whether the session has seen the author's lines.
    """
    if ("other", False) in authors:
        time = f" after the {knowledge.action_before_change}" if knowledge.action_before_change else ""
        clause = f"which another program saved{time}"
    elif any(not seen for _, seen in authors):
        shown = "not shown since its summary" if knowledge.forgotten else "never shown"
        clause = f"which the session was {shown}"
    else:
        clause = "which the call did not name"
    ranges = format_number_ranges(numbers, _MAX_LINE_RANGES)
    return f"{'line' if len(numbers) == 1 else 'lines'} {ranges} of {path}, {clause}"


def _difference_excerpts(expected: str, after: bytes) -> tuple[str, str]:
    """Return excerpts of the expected and the actual text, which start shortly before the first difference."""
    actual = Content.of(after).text
    position = first_difference(expected, actual)
    if position is None:  # only the encoding of the bytes differs
        position = len(actual)
    start = expected.rfind("\n", 0, max(position - 1, 0)) + 1 if position > 40 else 0
    return excerpt(expected[start:]), excerpt(actual[start:])


def _excerpt_of(data: bytes | None) -> str:
    return "" if data is None else excerpt(Content.of(data).text)


def describe_change(before: Entry | None, after: Entry | None) -> str:
    """Return the kind of a change: `changed`, `removed`, `made` (new directory), `left behind` (new file or link)."""
    if before is None:
        return "made" if isinstance(after, Directory) else "left behind"
    return "removed" if after is None else "changed"
