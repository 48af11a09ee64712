"""Implementations that search for the old text or replace it wrongly."""

import re
import unicodedata

from altered import (
    Arguments,
    Call,
    after_each_call,
    after_each_edit,
    before_each_call,
    detected_by,
    with_changed_arguments,
)
from reasons import ALLOWED_REFUSAL, CONVENTION

from readfirst.harness.adapter_api import ToolResult


def find_pattern(pattern: str, text: str, flags: int = 0) -> Arguments:
    """Return the first match of a pattern as `old_string`. Without a match, return no arguments."""
    found = re.search(pattern, text, flags)
    return {"old_string": found.group()} if found else {}


@detected_by("matching/dot-is-a-dot", "refused")
@with_changed_arguments
def RegularExpression(call: Call, text: str) -> Arguments:
    """Treats `old_string` as a regular expression."""
    return find_pattern(call.old, text)


@detected_by("literal-text/dollar-ampersand", "file notes.txt")
@with_changed_arguments
def ExpandsDollars(call: Call, text: str) -> Arguments:
    """Expands `$&` and `$$` in new_string, as some replacement functions do."""
    return {"new_string": call.new.replace("$$", "$").replace("$&", call.old)}


@detected_by("matching/case-sensitive", "refused")
@with_changed_arguments
def IgnoresCase(call: Call, text: str) -> Arguments:
    """Ignores the case of letters when it searches for the old text."""
    return find_pattern(re.escape(call.old), text, re.IGNORECASE)


@detected_by("whitespace/indentation-depth-matters", "refused")
@with_changed_arguments
def IgnoresWhitespace(call: Call, text: str) -> Arguments:
    """Ignores differences in whitespace when it searches for the old text."""
    words = [re.escape(word) for word in call.old.split()]
    return find_pattern(r"\s*" + r"\s+".join(words), text) if words else {}


@detected_by("literal-text/composed-and-decomposed", "refused")
@with_changed_arguments
def NormalisesUnicode(call: Call, text: str) -> Arguments:
    """Treats composed and decomposed characters as equal when it searches for the old text."""
    decomposed = unicodedata.normalize("NFD", call.old)
    return {"old_string": decomposed} if decomposed in text else {}


@detected_by("literal-text/backslash-n", "file notes.txt")
@with_changed_arguments
def UnescapesNewlines(call: Call, text: str) -> Arguments:
    """Replaces a backslash followed by `n` with a line break, in the old and the new text."""
    return {"old_string": call.old.replace("\\n", "\n"), "new_string": call.new.replace("\\n", "\n")}


@detected_by("quotes/straight-finds-curly-double", "refused", harmless=ALLOWED_REFUSAL)
@before_each_call
def DoesNotFoldQuotes(call: Call) -> ToolResult | None:
    """Does not find an old text with straight quotes if the file has curly quotes. The contract finds it."""
    if call.tool != "Edit" or call.old in call.path.read_text():
        return None
    return ToolResult(f"String to replace not found in file.\nString: {call.old}", True, "string_not_found")


@detected_by(
    "matching/two-matches reported/ordinary-work-after-a-refusal moved-world/rebase-leaves-markers", "refused"
)
@after_each_call
def ReplacesFirstOfSeveral(call: Call, answer: ToolResult) -> ToolResult:
    """Replaces the first of several matches instead of refusing the Edit."""
    if answer.error != "multiple_matches":
        return answer
    call.path.write_text(call.path.read_text().replace(call.old, call.new, 1))
    return ToolResult(f"The file {call.arguments['file_path']} has been updated.")


@detected_by("matching/overlapping-matches-count-once", "refused")
@before_each_call
def CountsOverlaps(call: Call) -> ToolResult | None:
    """Counts overlapping matches separately, so that it refuses the Edit because of several matches."""
    if call.tool == "Edit" and call.old and not call.arguments.get("replace_all"):
        count = len(re.findall(f"(?={re.escape(call.old)})", call.path.read_text()))
        if count > 1:
            return ToolResult(f"Found {count} matches of the string to replace.", True, "multiple_matches")
    return None


@detected_by("replace-all/every-occurrence", "file notes.txt")
@after_each_edit
def ReplaceAllReplacesFirst(call: Call, before: bytes) -> None:
    """Replaces only the first match, although replace_all is set."""
    if call.arguments.get("replace_all"):
        call.path.write_bytes(before.replace(call.old.encode(), call.new.encode(), 1))


@detected_by("matching/two-matches", "refused")
@with_changed_arguments
def ReplaceAllAlways(call: Call, text: str) -> Arguments:
    """Replaces all matches, although replace_all is not set."""
    return {"replace_all": True}


@detected_by("replace-all/no-rescan", "file notes.txt")
@after_each_edit
def RescansReplacements(call: Call, before: bytes) -> None:
    """Replaces the old text again in the result of its replacement."""
    if call.arguments.get("replace_all"):
        call.path.write_text(call.path.read_text().replace(call.old, call.new))


@detected_by("whitespace/trailing-whitespace-of-new-string", "file notes.txt", harmless=CONVENTION)
@after_each_edit
def KeepsTrailingWhitespace(call: Call, before: bytes) -> None:
    """Keeps whitespace at line ends of `new_string`. The contract strips it."""
    call.path.write_text(before.decode().replace(call.old, call.new))


@detected_by("deletion/whole-line", "file notes.txt", harmless=CONVENTION)
@after_each_edit
def LeavesBlankLine(call: Call, before: bytes) -> None:
    """Leaves an empty line when a complete line is deleted."""
    if not call.new:
        call.path.write_bytes(before.replace(call.old.encode(), b"", 1))


@detected_by("line-endings/crlf-kept-by-edit", "file notes.txt")
@after_each_edit
def LosesCarriageReturns(call: Call, before: bytes) -> None:
    """Writes an edited file with LF, although it had CRLF."""
    call.path.write_bytes(call.path.read_bytes().replace(b"\r\n", b"\n"))


@detected_by("encodings/bom-kept-by-edit reported/first-line-after-a-mark", "file notes.txt")
@after_each_edit
def LosesByteOrderMark(call: Call, before: bytes) -> None:
    """Writes an edited file without its byte order mark."""
    call.path.write_bytes(call.path.read_bytes().removeprefix(b"\xef\xbb\xbf"))


@detected_by("encodings/utf-16-kept-by-edit", "file notes.txt")
@after_each_edit
def LosesEncoding(call: Call, before: bytes) -> None:
    """Writes an edited UTF-16 file as UTF-8."""
    if before.startswith(b"\xff\xfe"):
        call.path.write_bytes(call.path.read_bytes().decode("utf-16-le").encode())


@detected_by("final-newline/missing-stays-missing", "file notes.txt")
@after_each_edit
def AddsFinalNewline(call: Call, before: bytes) -> None:
    """Adds a newline at the end of every edited file."""
    if not call.path.read_bytes().endswith(b"\n"):
        call.path.write_bytes(call.path.read_bytes() + b"\n")


@detected_by("line-endings/read-crlf", "file notes.txt")
@after_each_call
def ConvertsWhenReading(call: Call, answer: ToolResult) -> None:
    """Converts the line ends of a file on disk when the file is only read."""
    if call.tool == "Read" and not answer.is_error:
        call.path.write_bytes(call.path.read_bytes().replace(b"\r\n", b"\n"))
