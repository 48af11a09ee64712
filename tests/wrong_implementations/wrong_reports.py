"""Implementations with mistakes that users of other tools reported, also about moved and deleted files."""

import html
import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

from altered import (
    Altered,
    Arguments,
    Call,
    after_each_call,
    after_each_edit,
    before_each_call,
    detected_by,
    with_changed_arguments,
)
from reasons import OWN_OR_SHOWN, READS_ONLY, SHOWN_ANOTHER_WAY
from wrong_state import NOT_READ, Watching

from readfirst.harness.adapter_api import ToolResult


def find_instead(pattern: str, call: Call, text: str) -> Arguments:
    """Return the first match as `old_string` if the old text is missing, or else no arguments."""
    found = re.search(pattern, text) if call.old and call.old not in text else None
    return {"old_string": found[0]} if found else {}


@detected_by("reported/whitespace-that-differs reported/alike-but-for-whitespace")
@with_changed_arguments
def FoldsWhitespace(call: Call, text: str) -> Arguments:
    """Ignores differences in whitespace when it searches for the old text, so that it replaces a different text."""
    return find_instead(r"\s+".join(map(re.escape, call.old.split())), call, text)


@detected_by("reported/first-and-last-line-of-a-block")
@with_changed_arguments
def LooksAtTheEndsOfABlock(call: Call, text: str) -> Arguments:
    """Finds an old text of several lines by comparing only its first and its last line."""
    lines = [re.escape(line) for line in call.old.strip("\n").split("\n")]
    return find_instead(f"{lines[0]}\n(.*\n)*?{lines[-1]}", call, text) if len(lines) > 1 else {}


def transform_text(transform: Callable[[str], str]) -> Callable[..., ToolResult]:
    """Return a method that executes a call after `transform` has changed its new text."""

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        name = {"Write": "content", "Edit": "new_string"}.get(tool)
        if name is not None:
            arguments = {**arguments, name: transform(str(arguments.get(name, "")))}
        return self.reference(tool, arguments, interfere)

    return alter


@detected_by("reported/dollars-of-a-library")
class HalvesDollars(Altered):
    """Writes `$` in place of `$$`."""

    alter = transform_text(lambda text: text.replace("$$", "$"))


@detected_by("reported/line-breaks-of-string-literals")
class BreaksLines(Altered):
    """Writes a line break in place of a backslash followed by `n`."""

    alter = transform_text(lambda text: text.replace("\\n", "\n"))


@detected_by("reported/escapes-of-a-c-source")
class UnescapesQuotes(Altered):
    """Removes backslashes before quotes and zeros."""

    alter = transform_text(lambda text: re.sub(r"\\(['\"0])", r"\1", text))


@detected_by("reported/signs-and-their-escapes")
class EscapesSigns(Altered):
    """Writes a backslash escape in place of each character that is not ASCII."""

    alter = transform_text(lambda text: text.encode("ascii", "backslashreplace").decode())


@detected_by("reported/entities-of-a-page")
class DecodesEntities(Altered):
    """Decodes HTML entities in a text."""

    alter = transform_text(html.unescape)


@detected_by("reported/long-text-of-many-kinds")
class CutsAtMarkers(Altered):
    """Truncates a text at a marker that looks like the end of a call."""

    alter = transform_text(lambda text: re.split(r"</content>|>>>>>>> REPLACE|</write_to_file>", text)[0])


@detected_by("reported/new-file-without-a-newline")
class EndsNewFiles(Altered):
    """Ends every written text with exactly one newline."""

    alter = transform_text(lambda text: text.rstrip("\n") + "\n")


@detected_by("reported/placeholders-for-what-stays")
class LeavesOutPlaceholders(Altered):
    """Removes lines with placeholders such as `(unchanged`, as if they stood for unchanged text."""

    alter = transform_text(
        lambda text: re.sub(r".*(\(unchanged|existing code|original content).*\n", "", text)
    )


@detected_by("reported/beside-what-was-matched")
@after_each_edit
def FoldsTheLine(call: Call, before: bytes) -> None:
    """Converts changed lines to a normalized form (NFKC), because it searches for the old text in this form."""
    lines = call.path.read_bytes().decode().split("\n")
    former = set(before.decode().split("\n"))
    folded = [line if line in former else unicodedata.normalize("NFKC", line) for line in lines]
    call.path.write_bytes("\n".join(folded).encode())


@detected_by("reported/repeated-edits-of-a-crlf-file")
@after_each_edit
def DoublesLineEnds(call: Call, before: bytes) -> None:
    """Adds an empty line in a CRLF file after a new text that ends with a line break."""
    new = call.new.replace("\n", "\r\n").encode()
    if b"\r\n" in before and new.endswith(b"\r\n"):
        call.path.write_bytes(call.path.read_bytes().replace(new, new + b"\r\n", 1))


@detected_by("reported/repeated-edits-of-an-lf-file")
@after_each_edit
def ObeysAttributes(call: Call, before: bytes) -> None:
    """Writes CRLF if .gitattributes requires CRLF for checkouts."""
    rules = call.path.with_name(".gitattributes")
    if rules.is_file() and "eol=crlf" in rules.read_text():
        call.path.write_bytes(call.path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


@detected_by(
    "reported/one-byte-that-is-no-text reported/addition-to-a-gbk-file reported/comment-in-windows-1252"
)
@after_each_edit
def DropsWhatIsNoText(call: Call, before: bytes) -> None:
    """Removes all bytes of an edited file that are not valid UTF-8."""
    call.path.write_bytes(before.decode(errors="ignore").replace(call.old, call.new, 1).encode())


@detected_by("reported/search-that-fails")
@after_each_call
def EmptiesWhereNothingIsFound(call: Call, answer: ToolResult) -> None:
    """Empties the file if the old text is not found."""
    if answer.error == "string_not_found":
        call.path.write_bytes(b"")


@detected_by("reported/emptied-on-demand")
@before_each_call
def DoesNotEmpty(call: Call) -> ToolResult:
    """Ignores an Edit or Write that would leave the file empty, but reports success."""
    before = call.path.read_bytes() if call.path.is_file() else b""
    answer = call.execute()
    if before and call.tool != "Read" and not answer.is_error and not call.path.read_bytes():
        call.path.write_bytes(before)
    return answer


@detected_by("reported/new-file-in-an-old-ones-place")
@before_each_call
def OverwritesUnread(call: Call) -> None:
    """Replaces an existing file in a Write, although the file was not read."""
    if call.tool == "Write" and call.path.is_file():
        call.read()


@detected_by("reported/empty-text-to-replace", harmless=OWN_OR_SHOWN)
@with_changed_arguments
def EmptyMeansAll(call: Call, text: str) -> Arguments:
    """Treats an empty old text as the whole content of the file."""
    return {} if call.old else {"old_string": text}


@detected_by("reported/line-breaks-at-both-ends")
@with_changed_arguments
def AddsWhatTheOldTextEndedWith(call: Call, text: str) -> Arguments:
    """Adds a line break to the new text if the old text ends with one."""
    ends = call.old.endswith("\n") and call.new and not call.new.endswith("\n")
    return {"new_string": call.new + "\n"} if ends else {}


@detected_by("reported/end-without-a-newline")
@after_each_edit
def OneNewlineAtTheEnd(call: Call, before: bytes) -> None:
    """Ends an edited file with exactly one newline."""
    call.path.write_bytes(call.path.read_bytes().rstrip(b"\n") + b"\n")


@detected_by("reported/insertion-into-the-second-of-two")
@after_each_edit
def InsertsAtTheEnd(call: Call, before: bytes) -> None:
    """Appends inserted text to the end of the file instead of the requested position."""
    if call.old and call.new.startswith(call.old):
        call.path.write_bytes(before + call.new.removeprefix(call.old).encode())


@detected_by("reported/what-was-written-is-there")
@before_each_call
def WritesTheFirstTimeAlone(call: Call) -> ToolResult:
    """Reports success for the second Write of a file, but does not write it."""
    before = call.path.read_bytes() if call.path in call.memory else None
    answer = call.execute()
    if call.tool == "Write" and not answer.is_error:
        call.memory[call.path] = "written"
        if before is not None:
            call.path.write_bytes(before)
    return answer


@detected_by("reported/characters-across-buffers")
@after_each_edit
def DecodesInBlocks(call: Call, before: bytes) -> None:
    """Decodes an edited file in blocks of 4,096 bytes. This spoils characters that extend across the end of a block."""
    data = call.path.read_bytes()
    blocks = [data[start : start + 4096] for start in range(0, len(data), 4096)]
    decoded = "".join(block.decode(errors="replace") for block in blocks).encode()
    if decoded != data:
        call.path.write_bytes(decoded)


@detected_by("reported/new-text-that-contains-the-old")
@after_each_edit
def ReplacesAgain(call: Call, before: bytes) -> None:
    """Replaces the old text once more in its own result."""
    if call.old and call.old in call.new:
        call.path.write_bytes(call.path.read_bytes().replace(call.old.encode(), call.new.encode(), 1))


def share_reads_by(key: Callable[[Path], object]) -> Callable[..., ToolResult]:
    """Return a method that counts a file as read if another file with the same key was read."""

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        call = Call(self, tool, arguments, interfere)
        answer = call.execute()
        if answer.text.startswith(NOT_READ) and key(call.path) in call.memory:
            call.read()
            answer = call.execute()
        if call.path.is_file() and not answer.is_error:
            call.memory[key(call.path)] = "known"
        return answer

    return alter


def _path_in_repository(path: Path) -> object:
    tops = [each for each in path.parents if (each / ".git").exists()]
    return path.relative_to(tops[0]) if tops else path


@detected_by("moved-world/read-in-one-worktree")
class KnowsByPlaceInRepository(Altered):
    """Counts a file as read if the file at the same path in another worktree of the repository was read."""

    alter = share_reads_by(_path_in_repository)


@detected_by(
    "moved-world/worktree-moved moved-world/save-with-a-backup moved-world/folder-becomes-a-link",
    harmless=SHOWN_ANOTHER_WAY,
    harmful="moved-world/save-with-a-backup moved-world/worktree-moved",
)
class KnowsByInode(Altered):
    """Counts a file as read if any file with the same inode number was read."""

    alter = share_reads_by(lambda path: path.stat().st_ino)


@detected_by("moved-world/case-of-a-name-changed-by-a-checkout")
class KnowsByNameInAnyCase(Altered):
    """Counts a file as read if a file whose name differs only in case was read."""

    alter = share_reads_by(lambda path: str(path).lower())


@detected_by("paths/names-that-end-with-dots")
class KnowsWithoutDots(Altered):
    """Counts a file as read if one whose name differs only in dots at the end was read: the same file on Windows."""

    alter = share_reads_by(lambda path: str(path).rstrip("."))


@detected_by(
    "moved-world/mount-comes-back moved-world/only-what-differs-is-stale moved-world/files-of-an-open-editor "
    "moved-world/folder-exchanged-within-a-time moved-world/git-checkout-of-equal-files"
)
class WatchesFolders(Watching):
    """Refuses a file if anything has changed in its directory or at the top of the workspace."""

    def stamps(self, path: Path) -> list[int]:
        return [each.stat().st_ctime_ns for each in (path.parent, self.workspace.root)]

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.folders: dict[Path, list[int]] = vars(self).get("folders", {})
        path = self.path(arguments)
        result = super().alter(tool, arguments, interfere)
        if not result.is_error and path.is_file():
            self.folders = dict.fromkeys([*self.folders, path], self.stamps(path))
        return result

    def check(self, path: Path) -> ToolResult | None:
        return self.refuse_if(path in self.folders and self.folders[path] != self.stamps(path))


@detected_by("moved-world/mount-goes-away", harmless=READS_ONLY)
@after_each_call
def ReadsWhatIsGone(call: Call, answer: ToolResult) -> ToolResult:
    """Answers a Read of a deleted file with the content of its last Read."""
    if call.tool != "Read":
        return answer
    if answer.error == "file_not_found":
        shown: ToolResult = call.memory.get(call.path, answer)
        return shown
    call.memory[call.path] = answer
    return answer


@detected_by("moved-world/formatter-after-an-own-edit moved-world/linter-takes-an-unused-import")
@after_each_call
def EditsItsOwnCopy(call: Call, answer: ToolResult) -> ToolResult:
    """Makes an Edit of a changed file in its own copy, and overwrites the change."""
    held = call.memory.get(call.path, b"")
    if call.tool == "Edit" and answer.error == "modified_since_read" and call.old.encode() in held:
        call.path.write_bytes(held.replace(call.old.encode(), call.new.encode(), 1))
        return ToolResult("done")
    if call.path.is_file() and not answer.is_error:
        call.memory[call.path] = call.path.read_bytes()
    return answer


@detected_by(
    "moved-world/branch-without-the-file moved-world/mount-goes-away moved-world/drive-goes-away "
    "moved-world/git-branch-without-the-file moved-world/git-stash-of-a-new-file"
)
@before_each_call
def MakesWhatIsGone(call: Call) -> ToolResult:
    """Creates a deleted file again with its known content, and makes the Edit in it."""
    path = call.path
    if call.tool == "Edit" and not os.path.lexists(path) and path in call.memory and path.parent.is_dir():
        path.write_bytes(call.memory[path])
    answer = call.execute()
    if path.is_file():
        call.memory[path] = path.read_bytes()
    return answer


@detected_by("moved-world/drive-goes-away-during-edit")
@before_each_call
def WritesWhatItHasChecked(call: Call) -> ToolResult:
    """Writes the edited text to the path even if the file has disappeared between the check and the write."""
    checked = call.path.read_text() if call.tool == "Edit" and call.path.is_file() else ""
    answer = call.execute()
    if answer.error == "edit_not_applied" and not os.path.lexists(call.path):
        call.path.write_text(checked.replace(call.old, call.new))
        return ToolResult("Done.")
    return answer


@detected_by("moved-world/drive-goes-away-before-a-write")
@before_each_call
def DistrustsWhatIsGone(call: Call) -> ToolResult:
    """Refuses to write a known file that was deleted, in case the deletion was intended."""
    if call.tool == "Write" and call.path in call.memory and not os.path.lexists(call.path):
        return ToolResult("The file is gone.", True, "modified_since_read")
    answer = call.execute()
    if call.path.is_file():
        call.memory[call.path] = "known"
    return answer


@detected_by("moved-world/files-of-an-open-editor moved-world/save-with-a-backup")
@after_each_edit
def ClearsUp(call: Call, before: bytes) -> None:
    """Deletes files next to an edited file that look like swap files or backup files."""
    for other in call.path.parent.iterdir():
        if other.is_file() and re.fullmatch(r".*~|\..*\.swp|#.*#|\.~lock.*", other.name):
            other.unlink()
