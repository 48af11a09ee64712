"""Implementations that make the mistakes which users of other tools reported, and that overlook how files move."""

import html
import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

from altered import Altered, Arguments, Call, afterwards, caught, instead, spoils, takes
from reasons import CHANGES_NOTHING, OWN_OR_SHOWN, SHOWN_OTHERWISE
from wrong_state import NOT_READ, Watching

from readfirst.harness.adapter_api import ToolResult


def found_instead(pattern: str, call: Call, text: str) -> Arguments:
    """Return the match of a pattern in a text that does not contain the old text."""
    found = re.search(pattern, text) if call.old and call.old not in text else None
    return {"old_string": found[0]} if found else {}


@caught("reported/whitespace-that-differs reported/alike-but-for-whitespace")
@takes
def FoldsWhitespace(call: Call, text: str) -> Arguments:
    """Takes any whitespace for any other."""
    return found_instead(r"\s+".join(map(re.escape, call.old.split())), call, text)


@caught("reported/first-and-last-line-of-a-block")
@takes
def LooksAtTheEndsOfABlock(call: Call, text: str) -> Arguments:
    """Finds a block by its first and its last line."""
    lines = [re.escape(line) for line in call.old.strip("\n").split("\n")]
    return found_instead(f"{lines[0]}\n(.*\n)*?{lines[-1]}", call, text) if len(lines) > 1 else {}


def writing(treated: Callable[[str], str]) -> Callable[..., ToolResult]:
    """Return a function that makes a call with a different text."""

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        name = {"Write": "content", "Edit": "new_string"}.get(tool)
        if name is not None:
            arguments = {**arguments, name: treated(str(arguments.get(name, "")))}
        return self.reference(tool, arguments, interfere)

    return alter


@caught("reported/dollars-of-a-library")
class HalvesDollars(Altered):
    """Takes two dollars for one."""

    alter = writing(lambda text: text.replace("$$", "$"))


@caught("reported/line-breaks-of-string-literals")
class BreaksLines(Altered):
    r"""Takes a backslash and an n for a line break."""

    alter = writing(lambda text: text.replace("\\n", "\n"))


@caught("reported/escapes-of-a-c-source")
class UnescapesQuotes(Altered):
    """Takes backslashes before quotes and zeros away."""

    alter = writing(lambda text: re.sub(r"\\(['\"0])", r"\1", text))


@caught("reported/signs-and-their-escapes")
class EscapesSigns(Altered):
    """Writes escapes for characters that are not ASCII."""

    alter = writing(lambda text: text.encode("ascii", "backslashreplace").decode())


@caught("reported/entities-of-a-page")
class DecodesEntities(Altered):
    """Decodes entities."""

    alter = writing(html.unescape)


@caught("reported/long-text-of-many-kinds")
class CutsAtMarkers(Altered):
    """Truncates a text at a marker that looks like the end of a call."""

    alter = writing(lambda text: re.split(r"</content>|>>>>>>> REPLACE|</write_to_file>", text)[0])


@caught("reported/new-file-without-a-newline")
class EndsNewFiles(Altered):
    """Ends every text with a newline."""

    alter = writing(lambda text: text.rstrip("\n") + "\n")


@caught("reported/placeholders-for-what-stays")
class LeavesOutPlaceholders(Altered):
    """Treats placeholders as unchanged text, and removes them."""

    alter = writing(lambda text: re.sub(r".*(\(unchanged|existing code|original content).*\n", "", text))


@caught("reported/beside-what-was-matched")
@spoils
def FoldsTheLine(call: Call, before: bytes) -> None:
    """Writes the edited lines folded, as they were searched."""
    lines = call.path.read_bytes().decode().split("\n")
    former = set(before.decode().split("\n"))
    folded = [line if line in former else unicodedata.normalize("NFKC", line) for line in lines]
    call.path.write_bytes("\n".join(folded).encode())


@caught("reported/repeated-edits-of-a-crlf-file")
@spoils
def DoublesLineEnds(call: Call, before: bytes) -> None:
    """Adds an empty line after text that ends with a line break, in a CRLF file."""
    new = call.new.replace("\n", "\r\n").encode()
    if b"\r\n" in before and new.endswith(b"\r\n"):
        call.path.write_bytes(call.path.read_bytes().replace(new, new + b"\r\n", 1))


@caught("reported/repeated-edits-of-an-lf-file")
@spoils
def ObeysAttributes(call: Call, before: bytes) -> None:
    """Gives a file the line ends that .gitattributes has for a checkout."""
    rules = call.path.with_name(".gitattributes")
    if rules.is_file() and "eol=crlf" in rules.read_text():
        call.path.write_bytes(call.path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


@caught("reported/one-byte-that-is-no-text reported/addition-to-a-gbk-file reported/comment-in-windows-1252")
@spoils
def DropsWhatIsNoText(call: Call, before: bytes) -> None:
    """Leaves out every byte that is no UTF-8."""
    call.path.write_bytes(before.decode(errors="ignore").replace(call.old, call.new, 1).encode())


@caught("reported/search-that-fails")
@afterwards
def EmptiesWhereNothingIsFound(call: Call, answer: ToolResult) -> None:
    """Leaves an empty file where the old text is not found."""
    if answer.error == "string_not_found":
        call.path.write_bytes(b"")


@caught("reported/emptied-on-demand")
@instead
def DoesNotEmpty(call: Call) -> ToolResult:
    """Takes an empty content for none."""
    before = call.path.read_bytes() if call.path.is_file() else b""
    answer = call.made()
    if before and call.tool != "Read" and not answer.is_error and not call.path.read_bytes():
        call.path.write_bytes(before)
    return answer


@caught("reported/new-file-in-an-old-ones-place")
@instead
def OverwritesUnread(call: Call) -> None:
    """Lets a Write replace a file that was not read."""
    if call.tool == "Write" and call.path.is_file():
        call.read()


@caught("reported/empty-text-to-replace", harmless=OWN_OR_SHOWN)
@takes
def EmptyMeansAll(call: Call, text: str) -> Arguments:
    """Takes an empty old text for the whole file."""
    return {} if call.old else {"old_string": text}


@caught("reported/line-breaks-at-both-ends")
@takes
def AddsWhatTheOldTextEndedWith(call: Call, text: str) -> Arguments:
    """Ends the new text with a line break where the old one ends with it."""
    ends = call.old.endswith("\n") and call.new and not call.new.endswith("\n")
    return {"new_string": call.new + "\n"} if ends else {}


@caught("reported/end-without-a-newline")
@spoils
def OneNewlineAtTheEnd(call: Call, before: bytes) -> None:
    """Ends a file with one newline."""
    call.path.write_bytes(call.path.read_bytes().rstrip(b"\n") + b"\n")


@caught("reported/insertion-into-the-second-of-two")
@spoils
def InsertsAtTheEnd(call: Call, before: bytes) -> None:
    """Inserts added text after the last line."""
    if call.old and call.new.startswith(call.old):
        call.path.write_bytes(before + call.new.removeprefix(call.old).encode())


@caught("reported/what-was-written-is-there")
@instead
def WritesTheFirstTimeAlone(call: Call) -> ToolResult:
    """Says that it wrote, the second time, and did not."""
    before = call.path.read_bytes() if call.path in call.kept else None
    answer = call.made()
    if call.tool == "Write" and not answer.is_error:
        call.kept[call.path] = "written"
        if before is not None:
            call.path.write_bytes(before)
    return answer


@caught("reported/characters-across-buffers")
@spoils
def DecodesInBlocks(call: Call, before: bytes) -> None:
    """Decodes the text around an edit in blocks of 4,096 bytes, and spoils characters across their ends."""
    data = call.path.read_bytes()
    blocks = [data[start : start + 4096] for start in range(0, len(data), 4096)]
    decoded = "".join(block.decode(errors="replace") for block in blocks).encode()
    if decoded != data:
        call.path.write_bytes(decoded)


@caught("reported/new-text-that-contains-the-old")
@spoils
def ReplacesAgain(call: Call, before: bytes) -> None:
    """Replaces the old text again in its own result."""
    if call.old and call.old in call.new:
        call.path.write_bytes(call.path.read_bytes().replace(call.old.encode(), call.new.encode(), 1))


def knowing_by(key: Callable[[Path], object]) -> Callable[..., ToolResult]:
    """Return an implementation that remembers files by a key, so that others with the same key count as read."""

    def alter(self: Altered, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        call = Call(self, tool, arguments, interfere)
        answer = call.made()
        if answer.text.startswith(NOT_READ) and key(call.path) in call.kept:
            call.read()
            answer = call.made()
        if call.path.is_file() and not answer.is_error:
            call.kept[key(call.path)] = "known"
        return answer

    return alter


def _place_in_repository(path: Path) -> object:
    tops = [each for each in path.parents if (each / ".git").exists()]
    return path.relative_to(tops[0]) if tops else path


@caught("moved-world/read-in-one-worktree")
class KnowsByPlaceInRepository(Altered):
    """Takes a file of one worktree for that of another."""

    alter = knowing_by(_place_in_repository)


@caught(
    "moved-world/worktree-moved moved-world/save-with-a-backup moved-world/folder-becomes-a-link",
    harmless=SHOWN_OTHERWISE,
    harmful="moved-world/save-with-a-backup moved-world/worktree-moved",
)
class KnowsByInode(Altered):
    """Takes a file under another name for the one that was read."""

    alter = knowing_by(lambda path: path.stat().st_ino)


@caught("moved-world/case-of-a-name-changed-by-a-checkout")
class KnowsByNameInAnyCase(Altered):
    """Takes names that differ in case for one."""

    alter = knowing_by(lambda path: str(path).lower())


@caught("paths/names-that-end-with-dots")
class KnowsWithoutDots(Altered):
    """Takes names that differ in dots at their end for one, as Windows does."""

    alter = knowing_by(lambda path: str(path).rstrip("."))


@caught(
    "moved-world/mount-comes-back moved-world/only-what-differs-is-stale moved-world/files-of-an-open-editor "
    "moved-world/folder-exchanged-within-a-time moved-world/git-checkout-of-equal-files"
)
class WatchesFolders(Watching):
    """Takes a file for changed where anything in its folders was."""

    def stamps(self, path: Path) -> list[int]:
        return [each.stat().st_ctime_ns for each in (path.parent, self.workspace.root)]

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.folders: dict[Path, list[int]] = vars(self).get("folders", {})
        path = self.path(arguments)
        result = super().alter(tool, arguments, interfere)
        if not result.is_error and path.is_file():
            self.folders = dict.fromkeys([*self.folders, path], self.stamps(path))
        return result

    def first(self, path: Path) -> ToolResult | None:
        return self.refused_if(path in self.folders and self.folders[path] != self.stamps(path))


@caught("moved-world/mount-goes-away", harmless=CHANGES_NOTHING)
@afterwards
def ReadsWhatIsGone(call: Call, answer: ToolResult) -> ToolResult:
    """Shows a file that is gone as it was read last."""
    if call.tool != "Read":
        return answer
    if answer.error == "file_not_found":
        shown: ToolResult = call.kept.get(call.path, answer)
        return shown
    call.kept[call.path] = answer
    return answer


@caught("moved-world/formatter-after-an-own-edit moved-world/linter-takes-an-unused-import")
@afterwards
def EditsItsOwnCopy(call: Call, answer: ToolResult) -> ToolResult:
    """Edits a changed file as it knew it, and writes that."""
    held = call.kept.get(call.path, b"")
    if call.tool == "Edit" and answer.error == "modified_since_read" and call.old.encode() in held:
        call.path.write_bytes(held.replace(call.old.encode(), call.new.encode(), 1))
        return ToolResult("done")
    if call.path.is_file() and not answer.is_error:
        call.kept[call.path] = call.path.read_bytes()
    return answer


@caught(
    "moved-world/branch-without-the-file moved-world/mount-goes-away moved-world/drive-goes-away "
    "moved-world/git-branch-without-the-file moved-world/git-stash-of-a-new-file"
)
@instead
def MakesWhatIsGone(call: Call) -> ToolResult:
    """Creates a deleted file again from its knowledge, and edits it."""
    path = call.path
    if call.tool == "Edit" and not os.path.lexists(path) and path in call.kept and path.parent.is_dir():
        path.write_bytes(call.kept[path])
    answer = call.made()
    if path.is_file():
        call.kept[path] = path.read_bytes()
    return answer


@caught("moved-world/drive-goes-away-during-edit")
@instead
def WritesWhatItHasChecked(call: Call) -> ToolResult:
    """Writes the edited text of a file that went away since it was checked, wherever its path leads now."""
    checked = call.path.read_text() if call.tool == "Edit" and call.path.is_file() else ""
    answer = call.made()
    if answer.error == "edit_not_applied" and not os.path.lexists(call.path):
        call.path.write_text(checked.replace(call.old, call.new))
        return ToolResult("Done.")
    return answer


@caught("moved-world/drive-goes-away-before-a-write")
@instead
def DistrustsWhatIsGone(call: Call) -> ToolResult:
    """Refuses to write a known file that was deleted, because the deletion may be intended."""
    if call.tool == "Write" and call.path in call.kept and not os.path.lexists(call.path):
        return ToolResult("The file is gone.", True, "modified_since_read")
    answer = call.made()
    if call.path.is_file():
        call.kept[call.path] = "known"
    return answer


@caught("moved-world/files-of-an-open-editor moved-world/save-with-a-backup")
@spoils
def ClearsUp(call: Call, before: bytes) -> None:
    """Removes neighbours of an edited file that look like swap or backup files."""
    for other in call.path.parent.iterdir():
        if other.is_file() and re.fullmatch(r".*~|\..*\.swp|#.*#|\.~lock.*", other.name):
            other.unlink()
