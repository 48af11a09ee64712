"""Implementations that search for the old text or replace it wrongly."""

import re
import unicodedata

from altered import Arguments, Call, afterwards, caught, instead, spoils, takes
from reasons import ALLOWED_REFUSAL, CONVENTION

from readfirst.harness.adapter_api import ToolResult


def find_pattern(pattern: str, text: str, flags: int = 0) -> Arguments:
    """Return the first match of a pattern as `old_string`. If there is none, return no arguments."""
    found = re.search(pattern, text, flags)
    return {"old_string": found.group()} if found else {}


@caught("matching/dot-is-a-dot", "refused")
@takes
def RegularExpression(call: Call, text: str) -> Arguments:
    """Treats `old_string` as a regular expression."""
    return find_pattern(call.old, text)


@caught("literal-text/dollar-ampersand", "file notes.txt")
@takes
def ExpandsDollars(call: Call, text: str) -> Arguments:
    """Expands `$&` and `$$` in new_string, as some replacement functions do."""
    return {"new_string": call.new.replace("$$", "$").replace("$&", call.old)}


@caught("matching/case-sensitive", "refused")
@takes
def IgnoresCase(call: Call, text: str) -> Arguments:
    """Ignores the case of letters when it searches for the old text."""
    return find_pattern(re.escape(call.old), text, re.IGNORECASE)


@caught("whitespace/indentation-depth-matters", "refused")
@takes
def IgnoresWhitespace(call: Call, text: str) -> Arguments:
    """Ignores differences in whitespace when it searches for the old text."""
    words = [re.escape(word) for word in call.old.split()]
    return find_pattern(r"\s*" + r"\s+".join(words), text) if words else {}


@caught("literal-text/composed-and-decomposed", "refused")
@takes
def NormalisesUnicode(call: Call, text: str) -> Arguments:
    """Treats composed and decomposed characters as equal when it searches for the old text."""
    decomposed = unicodedata.normalize("NFD", call.old)
    return {"old_string": decomposed} if decomposed in text else {}


@caught("literal-text/backslash-n", "file notes.txt")
@takes
def UnescapesNewlines(call: Call, text: str) -> Arguments:
    """Replaces a backslash followed by `n` with a line break, in the old and the new text."""
    return {"old_string": call.old.replace("\\n", "\n"), "new_string": call.new.replace("\\n", "\n")}


@caught("quotes/straight-finds-curly-double", "refused", harmless=ALLOWED_REFUSAL)
@instead
def DoesNotFoldQuotes(call: Call) -> ToolResult | None:
    """Does not find an old text with straight quotes if the file has curly quotes. The contract finds it."""
    if call.tool != "Edit" or call.old in call.path.read_text():
        return None
    return ToolResult(f"String to replace not found in file.\nString: {call.old}", True, "string_not_found")


@caught(
    "matching/two-matches reported/ordinary-work-after-a-refusal moved-world/rebase-leaves-markers", "refused"
)
@afterwards
def ReplacesFirstOfSeveral(call: Call, answer: ToolResult) -> ToolResult:
    """Replaces the first of several matches instead of refusing the Edit."""
    if answer.error != "multiple_matches":
        return answer
    call.path.write_text(call.path.read_text().replace(call.old, call.new, 1))
    return ToolResult(f"The file {call.arguments['file_path']} has been updated.")


@caught("matching/overlapping-matches-count-once", "refused")
@instead
def CountsOverlaps(call: Call) -> ToolResult | None:
    """Counts overlapping matches separately, so that it refuses the Edit because of several matches."""
    if call.tool == "Edit" and call.old and not call.arguments.get("replace_all"):
        count = len(re.findall(f"(?={re.escape(call.old)})", call.path.read_text()))
        if count > 1:
            return ToolResult(f"Found {count} matches of the string to replace.", True, "multiple_matches")
    return None


@caught("replace-all/every-occurrence", "file notes.txt")
@spoils
def ReplaceAllReplacesFirst(call: Call, before: bytes) -> None:
    """Replaces only the first match, although replace_all is set."""
    if call.arguments.get("replace_all"):
        call.path.write_bytes(before.replace(call.old.encode(), call.new.encode(), 1))


@caught("matching/two-matches", "refused")
@takes
def ReplaceAllAlways(call: Call, text: str) -> Arguments:
    """Replaces all matches, although replace_all is not set."""
    return {"replace_all": True}


@caught("replace-all/no-rescan", "file notes.txt")
@spoils
def RescansReplacements(call: Call, before: bytes) -> None:
    """Replaces the old text again in the result of its replacement."""
    if call.arguments.get("replace_all"):
        call.path.write_text(call.path.read_text().replace(call.old, call.new))


@caught("whitespace/trailing-whitespace-of-new-string", "file notes.txt", harmless=CONVENTION)
@spoils
def KeepsTrailingWhitespace(call: Call, before: bytes) -> None:
    """Keeps whitespace at line ends of `new_string`. The contract strips it."""
    call.path.write_text(before.decode().replace(call.old, call.new))


@caught("deletion/whole-line", "file notes.txt", harmless=CONVENTION)
@spoils
def LeavesBlankLine(call: Call, before: bytes) -> None:
    """Leaves an empty line when a complete line is deleted."""
    if not call.new:
        call.path.write_bytes(before.replace(call.old.encode(), b"", 1))


@caught("line-endings/crlf-kept-by-edit", "file notes.txt")
@spoils
def LosesCarriageReturns(call: Call, before: bytes) -> None:
    """Writes an edited file with LF, although it had CRLF."""
    call.path.write_bytes(call.path.read_bytes().replace(b"\r\n", b"\n"))


@caught("encodings/bom-kept-by-edit reported/first-line-after-a-mark", "file notes.txt")
@spoils
def LosesByteOrderMark(call: Call, before: bytes) -> None:
    """Writes an edited file without its byte order mark."""
    call.path.write_bytes(call.path.read_bytes().removeprefix(b"\xef\xbb\xbf"))


@caught("encodings/utf-16-kept-by-edit", "file notes.txt")
@spoils
def LosesEncoding(call: Call, before: bytes) -> None:
    """Writes an edited UTF-16 file as UTF-8."""
    if before.startswith(b"\xff\xfe"):
        call.path.write_bytes(call.path.read_bytes().decode("utf-16-le").encode())


@caught("final-newline/missing-stays-missing", "file notes.txt")
@spoils
def AddsFinalNewline(call: Call, before: bytes) -> None:
    """Adds a newline at the end of every edited file."""
    if not call.path.read_bytes().endswith(b"\n"):
        call.path.write_bytes(call.path.read_bytes() + b"\n")


@caught("line-endings/read-crlf", "file notes.txt")
@afterwards
def ConvertsWhenReading(call: Call, answer: ToolResult) -> None:
    """Converts the line ends of a file on disk when the file is only read."""
    if call.tool == "Read" and not answer.is_error:
        call.path.write_bytes(call.path.read_bytes().replace(b"\r\n", b"\n"))
