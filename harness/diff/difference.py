"""Find the differences between the answers of two sides at each call of a scenario."""

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import zip_longest

from readfirst.harness.compare.failure_signature import content_difference
from readfirst.harness.compare.file_comparison import text_differences
from readfirst.harness.diff.normalize_text import Change, ChangeLevel, compare_answers, generalize_text
from readfirst.harness.diff.observed_answers import KnownLines, states_before_steps
from readfirst.harness.first_difference import first_difference
from readfirst.harness.harm.allowed_results import fold_quotes
from readfirst.harness.suite.file_entry import (
    Directory,
    Entry,
    FileDigest,
    RegularFile,
    Symlink,
    describe_entry,
)
from readfirst.harness.suite.scenario import CallIndex, Clause, ParallelCalls, Scenario, TextDigest, ToolCall
from readfirst.harness.suite.transcript import UNNAMED

Files = Mapping[str, Entry | None]
PathStates = tuple[Entry | None, Entry | None]
"""The states of a path (such as a file with its content) on one side of the comparison: after a step, and before it."""

PARALLEL_CALLS = "parallel calls"
"""The value of `Occurrence.tool` for a difference that belongs to a whole group of parallel calls."""
UNNAMED_REFUSAL = "without a name"
"""The name that is used for refusals whose message is not in errors.yaml."""
_MARK = "\ufeff"
_MAX_UNNAMED_REFUSAL_CHARS = 100
"""Maximum length of the message that is shown for a refusal without a name, in characters."""
_EXCERPT_CHARS = 60
"""Length of the excerpts that are shown for a long content, around its first difference, in characters."""


@dataclass(frozen=True, slots=True)
class Occurrence:
    """One difference between two sides' answers to a call. If `follows`, the difference may be a consequence of a
    different effect at the same call or earlier in the scenario.
    """

    change: Change
    scenario_id: str
    place: CallIndex
    tool: str
    follows: bool = False


def occurrences(
    scenario: Scenario, before: Mapping[CallIndex, Clause], after: Mapping[CallIndex, Clause]
) -> list[Occurrence]:
    """Return the differences between two sides' answers in a scenario. Calls that only one side answers are skipped."""
    states = states_before_steps(scenario, before), states_before_steps(scenario, after)
    known_lines = KnownLines(scenario)
    differences: list[Occurrence] = []
    diverged = False
    for location, part in scenario.parts():
        left, right = before.get(location), after.get(location)
        if left is None or right is None:
            continue
        step, tool = location[0], PARALLEL_CALLS if isinstance(part, ParallelCalls) else part.tool
        effects = list(_compare_effects(part, left, right, states[0][step], states[1][step]))
        effects += _compare_reminders(left, right)
        differences += [Occurrence(change, scenario.id, location, tool, diverged) for change in effects]
        diverged = diverged or bool(effects)
        if _is_refused(left) == _is_refused(right) and isinstance(part, ToolCall):
            words = _compare_reasons(left, right, part) or _compare_texts(left, right, part, known_lines)
            differences += [Occurrence(change, scenario.id, location, tool, diverged) for change in words]
    return differences


def _is_refused(answer: Clause) -> bool:
    return answer.error is not None


def _compare_effects(
    part: ToolCall | ParallelCalls,
    left_answer: Clause,
    right_answer: Clause,
    left_state: Files,
    right_state: Files,
) -> Iterator[Change]:
    """Yield the differences of two answers in refusals and changed files. The states are the files before the call."""
    if _is_refused(left_answer) != _is_refused(right_answer) and isinstance(part, ToolCall):
        results = _describe_result(left_answer, part), _describe_result(right_answer, part)
        texts = stated_text(left_answer.text), stated_text(right_answer.text)
        yield Change("effects", "refusal", "", *results, *texts)
        return
    for path in sorted({*left_answer.files, *right_answer.files}):
        left_before, right_before = left_state.get(path), right_state.get(path)
        left, right = left_answer.files.get(path, left_before), right_answer.files.get(path, right_before)
        if not _is_same_entry(left, right):
            yield _compare_file_states((left, left_before), (right, right_before))


def _compare_reminders(left_answer: Clause, right_answer: Clause) -> Iterator[Change]:
    for left, right in zip_longest(left_answer.reminders, right_answer.reminders):
        if left != right:
            words = [stated_text(text) if text is not None else "nothing" for text in (left, right)]
            kinds = ["a reminder" if reminder is not None else "none" for reminder in (left, right)]
            level: ChangeLevel = "effects" if None in (left, right) else "text"
            yield Change(level, "words", "reminders of changed files", kinds[0], kinds[1], *words)


def _describe_result(answer: Clause, call: ToolCall) -> str:
    if not _is_refused(answer):
        return "answered" if call.tool == "Read" else "applied"
    if answer.error != UNNAMED:
        return f"refused ({answer.error})"
    text = generalize_text(stated_text(answer.text), call.arguments)
    return f"refused: {text[:_MAX_UNNAMED_REFUSAL_CHARS]}"


def _compare_reasons(left: Clause, right: Clause, call: ToolCall) -> list[Change]:
    if not _is_refused(left) or (left.error == right.error != UNNAMED):
        return []
    results = _describe_result(left, call), _describe_result(right, call)
    words = stated_text(left.text), stated_text(right.text)
    return [] if results[0] == results[1] else [Change("reason", "reason", "", *results, *words)]


def _compare_texts(
    before: Clause, after: Clause, call: ToolCall, known_lines: Container[str]
) -> list[Change]:
    if may_be_same_text(before.text, after.text):
        return []
    before_text, after_text = stated_text(before.text), stated_text(after.text)
    if isinstance(before.text, TextDigest) or isinstance(after.text, TextDigest):
        # Only the beginning and the end of the text are known.
        if _is_refused(before):
            return [Change("text", "refusal words", _error_name(before), "", "", before_text, after_text)]
        return [Change("text", "content", "content", "", "", before_text, after_text)]
    changes = compare_answers(before_text, after_text, call.arguments, known_lines)
    if not _is_refused(before):
        return list(changes)
    # Refusals are short, so they are shown as a whole.
    unabridged = [replace(change, words_before=before_text, words_after=after_text) for change in changes]
    name = _error_name(before)
    return [
        replace(change, kind="refusal words", subject=name) if change.kind in ("words", "detail") else change
        for change in unabridged
    ]


def _error_name(answer: Clause) -> str:
    return UNNAMED_REFUSAL if answer.error in (None, UNNAMED) else answer.error


def may_be_same_text(left: str | TextDigest | None, right: str | TextDigest | None) -> bool:
    """Whether two expected texts can be equal. A text that is not stated (None) can be equal to any text."""
    match left, right:
        case (None, _) | (_, None):
            return True
        case str(), str():
            return left == right
        case TextDigest(), str():
            return not text_differences(left, right, right)
        case str(), TextDigest():
            return not text_differences(right, left, left)
        case TextDigest(), TextDigest():
            if left.sha256 is not None and right.sha256 is not None:
                return left.sha256 == right.sha256
            pairs = ((getattr(left, name), getattr(right, name)) for name in ("lines", "starts", "ends"))
            return all(
                left_part is None or right_part is None or left_part == right_part
                for left_part, right_part in pairs
            )
    return False


def stated_text(text: str | TextDigest | None) -> str:
    """Return the known text of an expected text. For a digest, return the beginning and the end."""
    match text:
        case None:
            return "(no words are stated)"
        case str():
            return text
        case TextDigest(starts=starts, ends=ends):
            return "\n".join(part for part in (starts, ends) if part)


def _is_same_entry(left: Entry | None, right: Entry | None) -> bool:
    match left, right:
        case RegularFile(), RegularFile():
            modes = {entry.mode for entry in (left, right)} - {None}
            return left.data == right.data and len(modes) < 2
        case (FileDigest() as digest, RegularFile(data=data)) | (
            RegularFile(data=data),
            FileDigest() as digest,
        ):
            return digest.fits(data)
        case Directory(), Directory():
            return True
        case _:
            return left == right


def _entry_text(entry: Entry | None) -> str:
    match entry:
        case RegularFile():
            return entry.data.decode("utf-8", "backslashreplace")
        case FileDigest():
            return str(entry)
        case _:
            return describe_entry(entry)


def _compare_file_states(before_states: PathStates, after_states: PathStates) -> Change:
    """Compare the entries that a path has on both sides. Return their difference."""
    (left, former_left), (right, former_right) = before_states, after_states
    before, after = _entry_text(left), _entry_text(right)
    if isinstance(left, RegularFile) and isinstance(right, RegularFile) and left.data == right.data:
        modes = _format_mode(left), _format_mode(right)
        return Change("effects", "mode", "mode", *modes, *modes)
    if not (_is_content(left) and _is_content(right)):
        return Change("effects", "path", "", _entry_kind(left), _entry_kind(right), before, after)
    unchanged = _is_same_entry(left, former_left), _is_same_entry(right, former_right)
    if unchanged[0] != unchanged[1]:
        outcomes = "the file is left as it was", "the file is changed"
        names = outcomes if unchanged[0] else outcomes[::-1]
        excerpts = _excerpts_around_difference(before, after)
        return Change("effects", "file", "whether it changes", *names, *excerpts)
    kind = "quotes" if fold_quotes(before) == fold_quotes(after) else content_difference(before, after)
    names = _classify_content(kind, before), _classify_content(kind, after)
    return Change("effects", "file", kind, *names, *_excerpts_around_difference(before, after))


def _format_mode(entry: Entry | None) -> str:
    match entry:
        case RegularFile(mode=int() as mode) | Directory(mode=int() as mode):
            return f"{mode:04o}"
        case _:
            return "as it was"


def _is_content(entry: Entry | None) -> bool:
    return isinstance(entry, RegularFile | FileDigest)


def _entry_kind(entry: Entry | None) -> str:
    match entry:
        case RegularFile() | FileDigest():
            return "a regular file"
        case Symlink():
            return "a symbolic link"
        case _:
            return _entry_text(entry)


def _classify_content(kind: str, text: str) -> str:
    """Return a word that describes a text with regard to `kind`, for example `curly` for the kind `quotes`."""
    match kind:
        case "quotes":
            return "curly" if fold_quotes(text) != text else "straight"
        case "line ends":
            line_ends = {
                "CR CRLF" if "\r\r\n" in text else "",
                "CRLF" if re.search(r"(?<!\r)\r\n", text) else "",
                "LF" if re.search(r"(?<!\r)\n", text) else "",
                "CR" if re.search(r"\r(?![\r\n])", text) else "",
            }
            return " and ".join(sorted(line_ends - {""})) or "none"
        case "byte order mark":
            return "with" if text.startswith(_MARK) else "without"
        case "newline at the end":
            return "with" if text.endswith(("\n", "\r")) else "without"
        case "whitespace at line ends":
            return "kept" if re.search(r"[ \t](?=[\r\n]|\Z)", text) else "cut"
        case _:
            return ""


def _excerpts_around_difference(before: str, after: str) -> tuple[str, str]:
    if max(len(before), len(after)) <= 2 * _EXCERPT_CHARS:
        return before, after
    start = max((first_difference(before, after) or 0) - _EXCERPT_CHARS // 2, 0)
    return before[start : start + _EXCERPT_CHARS], after[start : start + _EXCERPT_CHARS]
