"""Occurrence: one thing that two sides do differently at one call of a scenario."""

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from readfirst.harness.compare.failure_signature import manner
from readfirst.harness.compare.file_comparison import text_differences
from readfirst.harness.diff.normalize_text import Change, ChangeLevel, general, text_changes
from readfirst.harness.diff.observed_answers import (
    Answer,
    Asked,
    KnownLines,
    ReportedEntry,
    asked,
    before_steps,
)
from readfirst.harness.first_difference import first_difference
from readfirst.harness.suite.file_entry import Directory, Entry, FileDigest, RegularFile, Symlink, in_words
from readfirst.harness.suite.scenario import CallIndex, Scenario, TextDigest, ToolCall

Files = Mapping[str, Entry | ReportedEntry | None]
Was = tuple[Entry | ReportedEntry | None, Entry | ReportedEntry | None]
"""How a side leaves a path, and how it was there before."""

NAMELESS = "without a name"
"""What a refusal is called that errors.yaml does not know."""
_QUOTES = str.maketrans("‘’“”", "''\"\"")
_MARK = "\ufeff"
_LONGEST = 100
"""Characters of a refusal without a name that belong to its cause."""
_AROUND = 60
"""Characters of a long content that are shown around the first difference."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One change at one call of a scenario.

    `follows`: something before it, or beside it, went another way already, so it may be a mere consequence.
    """

    change: Change
    scenario_id: str
    place: CallIndex
    tool: str
    follows: bool = False


def occurrences(
    scenario: Scenario, before: Mapping[CallIndex, Answer], after: Mapping[CallIndex, Answer]
) -> list[Occurrence]:
    """Return all that two sides do differently; a call of which one of them says nothing is left out."""
    states = before_steps(scenario, before), before_steps(scenario, after)
    known = KnownLines(scenario)
    found: list[Occurrence] = []
    apart = False
    for call in asked(scenario):
        one, other = before.get(call.place), after.get(call.place)
        if one is None or other is None:
            continue
        step = call.place[0]
        here = list(_effects(call, one, other, states[0][step], states[1][step]))
        here += _reminders(one, other)
        found += [Occurrence(change, scenario.id, call.place, call.tool, apart) for change in here]
        beside = apart or bool(here)
        if one.refused == other.refused and call.call is not None:
            words = _reason(one, other, call.call) or _text(one, other, call.call, known)
            found += [Occurrence(change, scenario.id, call.place, call.tool, beside) for change in words]
        apart = beside
    return found


def _effects(
    call: Asked, one: Answer, other: Answer, state_one: Files, state_other: Files
) -> Iterator[Change]:
    if one.refused != other.refused and call.call is not None:
        results = _result(one, call.call), _result(other, call.call)
        yield Change("effects", "refusal", "", *results, shown_text(one.text), shown_text(other.text))
        return
    for path in sorted({*one.files, *other.files}):
        was_one, was_other = state_one.get(path), state_other.get(path)
        left, right = one.files.get(path, was_one), other.files.get(path, was_other)
        if not _same_entry(left, right):
            yield _file_change((left, was_one), (right, was_other))


def _reminders(one: Answer, other: Answer) -> Iterator[Change]:
    for left, right in zip_longest(one.reminders, other.reminders):
        if left != right:
            words = [shown_text(each) if each is not None else "nothing" for each in (left, right)]
            kinds = ["a reminder" if each is not None else "none" for each in (left, right)]
            level: ChangeLevel = "effects" if None in (left, right) else "text"
            yield Change(level, "words", "reminders of changed files", kinds[0], kinds[1], *words)


def _result(answer: Answer, call: ToolCall) -> str:
    if not answer.refused:
        return "answered" if call.tool == "Read" else "applied"
    if answer.error is not None:
        return f"refused ({answer.error})"
    return f"refused: {general(shown_text(answer.text), call.arguments)[:_LONGEST]}"


def _reason(one: Answer, other: Answer, call: ToolCall) -> list[Change]:
    if not one.refused or (one.error == other.error and one.error is not None):
        return []
    results = _result(one, call), _result(other, call)
    words = shown_text(one.text), shown_text(other.text)
    return [] if results[0] == results[1] else [Change("reason", "reason", "", *results, *words)]


def _text(one: Answer, other: Answer, call: ToolCall, known: Container[str]) -> list[Change]:
    if same_text(one.text, other.text):
        return []
    left, right = shown_text(one.text), shown_text(other.text)
    if isinstance(one.text, TextDigest) or isinstance(other.text, TextDigest):
        # Only its ends are known.
        if one.refused:
            return [Change("text", "refusal words", one.error or NAMELESS, "", "", left, right)]
        return [Change("text", "content", "content", "", "", left, right)]
    found = text_changes(left, right, call.arguments, known)
    if not one.refused:
        return list(found)
    # A refusal is short, and easier to recognise unabridged.
    unabridged = [replace(change, words_before=left, words_after=right) for change in found]
    return [
        replace(change, kind="refusal words", subject=one.error or NAMELESS)
        if change.kind in ("words", "detail")
        else change
        for change in unabridged
    ]


def same_text(one: str | TextDigest | None, other: str | TextDigest | None) -> bool:
    """Whether two statements of a text go together; where one is silent they do."""
    match one, other:
        case (None, _) | (_, None):
            return True
        case str(), str():
            return one == other
        case TextDigest(), str():
            return not text_differences(one, other, other)
        case str(), TextDigest():
            return not text_differences(other, one, one)
        case TextDigest(), TextDigest():
            if one.sha256 is not None and other.sha256 is not None:
                return one.sha256 == other.sha256
            pairs = ((getattr(one, name), getattr(other, name)) for name in ("lines", "starts", "ends"))
            return all(left is None or right is None or left == right for left, right in pairs)
    return False


def shown_text(text: str | TextDigest | None) -> str:
    """Return as much of a text as is known."""
    match text:
        case None:
            return "(no words are stated)"
        case str():
            return text
        case TextDigest(starts=starts, ends=ends):
            return "\n".join(part for part in (starts, ends) if part)


def _same_entry(one: Entry | ReportedEntry | None, other: Entry | ReportedEntry | None) -> bool:
    match one, other:
        case RegularFile(), RegularFile():
            modes = {entry.mode for entry in (one, other)} - {None}
            return one.data == other.data and len(modes) < 2
        case (FileDigest() as digest, RegularFile(data=data)) | (
            RegularFile(data=data),
            FileDigest() as digest,
        ):
            return digest.fits(data)
        case (ReportedEntry(), _) | (_, ReportedEntry()):
            return _readable(one) == _readable(other)
        case Directory(), Directory():
            return True
        case _:
            return one == other


def _readable(entry: Entry | ReportedEntry | None) -> str:
    match entry:
        case ReportedEntry(text=text):
            return text
        case RegularFile():
            return entry.data.decode("utf-8", "backslashreplace")
        case FileDigest():
            return str(entry)
        case _:
            return in_words(entry)


def _file_change(one: Was, other: Was) -> Change:
    """Describe the different states of a path on two sides."""
    (left, former_left), (right, former_right) = one, other
    before, after = _readable(left), _readable(right)
    if _only_modes(left, right):
        modes = _mode(left), _mode(right)
        return Change("effects", "mode", "mode", *modes, *modes)
    if not (_is_content(left) and _is_content(right)):
        return Change("effects", "path", "", _what(left), _what(right), before, after)
    kept = _same_entry(left, former_left), _same_entry(right, former_right)
    if kept[0] != kept[1]:
        does = "the file is left as it was", "the file is changed"
        names = does if kept[0] else does[::-1]
        return Change("effects", "file", "whether it changes", *names, *_excerpts(before, after))
    how = "quotes" if _straight(before) == _straight(after) else manner(before, after)
    names = _described(how, before), _described(how, after)
    return Change("effects", "file", how, *names, *_excerpts(before, after))


def _only_modes(one: Entry | ReportedEntry | None, other: Entry | ReportedEntry | None) -> bool:
    match one, other:
        case (ReportedEntry(what="mode"), _) | (_, ReportedEntry(what="mode")):
            return True
        case RegularFile(), RegularFile():
            return one.data == other.data
        case _:
            return False


def _mode(entry: Entry | ReportedEntry | None) -> str:
    match entry:
        case ReportedEntry(text=text):
            return text
        case RegularFile(mode=int() as mode) | Directory(mode=int() as mode):
            return f"{mode:04o}"
        case _:
            return "as it was"


def _is_content(entry: Entry | ReportedEntry | None) -> bool:
    return isinstance(entry, RegularFile | FileDigest) or (
        isinstance(entry, ReportedEntry) and entry.what == "file"
    )


def _what(entry: Entry | ReportedEntry | None) -> str:
    match entry:
        case RegularFile() | FileDigest() | ReportedEntry(what="file"):
            return "a regular file"
        case Symlink():
            return "a symbolic link"
        case ReportedEntry(text=text):
            return re.sub(r"(a regular file|a symbolic link)\b.*", r"\1", text, flags=re.DOTALL)
        case _:
            return _readable(entry)


def _straight(text: str) -> str:
    return text.translate(_QUOTES)


def _described(how: str, text: str) -> str:
    """Return to which side of a difference of this kind a content belongs."""
    match how:
        case "quotes":
            return "curly" if _straight(text) != text else "straight"
        case "line ends":
            found = {
                "CR CRLF" if "\r\r\n" in text else "",
                "CRLF" if re.search(r"(?<!\r)\r\n", text) else "",
                "LF" if re.search(r"(?<!\r)\n", text) else "",
                "CR" if re.search(r"\r(?![\r\n])", text) else "",
            }
            return " and ".join(sorted(found - {""})) or "none"
        case "byte order mark":
            return "with" if text.startswith(_MARK) else "without"
        case "newline at the end":
            return "with" if text.endswith(("\n", "\r")) else "without"
        case "whitespace at line ends":
            return "kept" if re.search(r"[ \t](?=[\r\n]|\Z)", text) else "cut"
        case _:
            return ""


def _excerpts(one: str, other: str) -> tuple[str, str]:
    """Return the parts of two contents around their first difference."""
    if max(len(one), len(other)) <= 2 * _AROUND:
        return one, other
    start = max((first_difference(one, other) or 0) - _AROUND // 2, 0)
    return one[start : start + _AROUND], other[start : start + _AROUND]
