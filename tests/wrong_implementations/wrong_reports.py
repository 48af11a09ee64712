"""Implementations that make the mistakes which users of other tools reported, and that overlook how files move."""

import html
import os
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path

from altered import Altered, AlteredArguments, AlteredEdit, Arguments
from wrong_state import MODIFIED, NOT_READ, Watching

from readfirst.harness.session import ToolResult


def of(arguments: Arguments, name: str) -> str:
    return str(arguments.get(name, ""))


class TakesAnotherText(AlteredArguments):
    """Takes what `found` gives for the old text where that does not stand in the file."""

    def found(self, text: str, old: str) -> str | None:
        raise NotImplementedError

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        old = of(arguments, "old_string")
        found = self.found(text, old) if old and old not in text else None
        return {} if found is None else {"old_string": found}


class FoldsBlanks(TakesAnotherText):
    """Takes any blanks for any others."""

    def found(self, text: str, old: str) -> str | None:
        found = re.search(r"\s+".join(map(re.escape, old.split())), text)
        return found and found[0]


class LooksAtTheEndsOfABlock(TakesAnotherText):
    """Finds a block by its first and its last line."""

    def found(self, text: str, old: str) -> str | None:
        lines = old.strip("\n").split("\n")
        first, last = re.escape(lines[0]), re.escape(lines[-1])
        found = re.search(f"{first}\n(.*\n)*?{last}", text) if len(lines) > 1 else None
        return found and found[0]


class WritesWithOtherText(Altered):
    """Writes something else than it is given; `treated` is what becomes of a text."""

    def treated(self, text: str) -> str:
        raise NotImplementedError

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        for name in {"Write": ["content"], "Edit": ["new_string"]}.get(tool, ()):
            arguments = {**arguments, name: self.treated(of(arguments, name))}
        return self.reference(tool, arguments, interfere)


class HalvesDollars(WritesWithOtherText):
    """Takes two dollars for one."""

    def treated(self, text: str) -> str:
        return text.replace("$$", "$")


class BreaksLines(WritesWithOtherText):
    r"""Takes a backslash and an n for a line break."""

    def treated(self, text: str) -> str:
        return text.replace("\\n", "\n")


class UnescapesQuotes(WritesWithOtherText):
    """Takes backslashes before quotes and zeros away."""

    def treated(self, text: str) -> str:
        return re.sub(r"\\(['\"0])", r"\1", text)


class EscapesSigns(WritesWithOtherText):
    """Writes an escape for what is no ASCII."""

    def treated(self, text: str) -> str:
        return text.encode("ascii", "backslashreplace").decode()


class DecodesEntities(WritesWithOtherText):
    """Takes entities for what they stand for."""

    def treated(self, text: str) -> str:
        return html.unescape(text)


class CutsAtMarkers(WritesWithOtherText):
    """Ends a text where what looks like the end of a call stands."""

    def treated(self, text: str) -> str:
        return re.split(r"</content>|>>>>>>> REPLACE|</write_to_file>", text)[0]


class EndsNewFiles(WritesWithOtherText):
    """Ends every text with a newline."""

    def treated(self, text: str) -> str:
        return text.rstrip("\n") + "\n"


class LeavesOutPlaceholders(WritesWithOtherText):
    """Takes placeholders for what stays, and leaves them out."""

    def treated(self, text: str) -> str:
        return re.sub(r".*(\(unchanged|existing code|original content).*\n", "", text)


class FoldsTheLine(AlteredEdit):
    """Writes the edited lines folded, as they were searched."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        lines = path.read_bytes().decode().split("\n")
        former = set(before.decode().split("\n"))
        folded = [line if line in former else unicodedata.normalize("NFKC", line) for line in lines]
        path.write_bytes("\n".join(folded).encode())


class DoublesLineEnds(AlteredEdit):
    """Adds an empty line behind text that ends with a line break, in a CRLF file."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        new = of(arguments, "new_string").replace("\n", "\r\n").encode()
        if b"\r\n" in before and new.endswith(b"\r\n"):
            path.write_bytes(path.read_bytes().replace(new, new + b"\r\n", 1))


class ObeysAttributes(AlteredEdit):
    """Gives a file the line ends that .gitattributes has for a checkout."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        rules = path.with_name(".gitattributes")
        if rules.is_file() and "eol=crlf" in rules.read_text():
            path.write_bytes(path.read_bytes().replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))


class TakesTheMarkAway(AlteredEdit):
    """Writes a file without its byte order mark."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.write_bytes(path.read_bytes().removeprefix(b"\xef\xbb\xbf"))


class DropsWhatIsNoText(AlteredEdit):
    """Leaves out every byte that is no UTF-8."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        text = before.decode(errors="ignore")
        old, new = of(arguments, "old_string"), of(arguments, "new_string")
        path.write_bytes(text.replace(old, new, 1).encode())


class EmptiesWhereNothingIsFound(Altered):
    """Leaves an empty file where the old text is not found."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.error == "string_not_found":
            self.path(arguments).write_bytes(b"")
        return result


class DoesNotEmpty(Altered):
    """Takes an empty content for none."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        before = self.path(arguments).read_bytes() if self.path(arguments).is_file() else None
        result = self.reference(tool, arguments, interfere)
        if (
            before is not None
            and tool != "Read"
            and not result.is_error
            and not self.path(arguments).read_bytes()
        ):
            self.path(arguments).write_bytes(before)
        return result


class CutsLongFiles(AlteredEdit):
    """Writes the first 512 KiB of a file."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.write_bytes(path.read_bytes()[: 1 << 19])


class OverwritesUnread(Altered):
    """Lets a Write replace a file that was not read."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "Write" and self.path(arguments).is_file():
            self.reference("Read", {"file_path": arguments["file_path"]})
        return self.reference(tool, arguments, interfere)


class EmptyMeansAll(AlteredArguments):
    """Takes an empty old text for the whole file."""

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        return {} if arguments["old_string"] else {"old_string": text}


class AddsWhatTheOldTextEndedWith(AlteredArguments):
    """Ends the new text with a line break where the old one ends with it."""

    def understood(self, text: str, arguments: Arguments) -> Arguments:
        new = of(arguments, "new_string")
        ends = of(arguments, "old_string").endswith("\n") and new and not new.endswith("\n")
        return {"new_string": new + "\n"} if ends else {}


class OneNewlineAtTheEnd(AlteredEdit):
    """Ends a file with one newline."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.write_bytes(path.read_bytes().rstrip(b"\n") + b"\n")


class InsertsAtTheEnd(AlteredEdit):
    """Puts what is only added behind the last line."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        old, new = of(arguments, "old_string"), of(arguments, "new_string")
        if old and new.startswith(old):
            path.write_bytes(before + new.removeprefix(old).encode())


class WritesTheFirstTimeAlone(Altered):
    """Says that it wrote, the second time, and did not."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        self.written: set[Path] = getattr(self, "written", set())
        before = path.read_bytes() if path in self.written else None
        result = self.reference(tool, arguments, interfere)
        if tool == "Write" and not result.is_error:
            self.written.add(path)
            if before is not None:
                path.write_bytes(before)
        return result


class DecodesInBlocks(AlteredEdit):
    """Decodes what stands beside an edit in blocks of 4,096 bytes."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        data = path.read_bytes()
        blocks = [data[start : start + 4096] for start in range(0, len(data), 4096)]
        path.write_bytes("".join(block.decode(errors="replace") for block in blocks).encode())


class ReplacesAgain(AlteredEdit):
    """Replaces the old text once more in what it wrote."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        old, new = of(arguments, "old_string"), of(arguments, "new_string")
        if old and old in new:
            path.write_bytes(path.read_bytes().replace(old.encode(), new.encode(), 1))


class TakesTheFirst(Altered):
    """Replaces the first of several matches."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.error != "multiple_matches":
            return result
        path, old = self.path(arguments), of(arguments, "old_string")
        path.write_text(path.read_text().replace(old, of(arguments, "new_string"), 1))
        return ToolResult("done")


class KnowsBy(Altered):
    """Remembers what was read by a key of the file, so that others with that key count as read."""

    def __init__(self, workspace: object) -> None:
        super().__init__(workspace)  # type: ignore[arg-type]
        self.known: set[object] = set()

    def key(self, path: Path) -> object:
        raise NotImplementedError

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        result = self.reference(tool, arguments, interfere)
        if result.text.startswith(NOT_READ) and self.key(path) in self.known:
            self.reference("Read", {"file_path": str(path)})
            result = self.reference(tool, arguments, interfere)
        if path.is_file() and not result.is_error:
            self.known.add(self.key(path))
        return result


class KnowsByPlaceInRepository(KnowsBy):
    """Takes a file of one worktree for that of another."""

    def key(self, path: Path) -> object:
        tops = [each for each in path.parents if (each / ".git").exists()]
        return path.relative_to(tops[0]) if tops else path


class KnowsByInode(KnowsBy):
    """Takes a file under another name for the one that was read."""

    def key(self, path: Path) -> object:
        return path.stat().st_ino


class KnowsByNameInAnyCase(KnowsBy):
    """Takes names that differ in case for one."""

    def key(self, path: Path) -> object:
        return str(path).lower()


class KnowsWithoutDots(KnowsBy):
    """Takes names that differ in dots at their end for one, as Windows does."""

    def key(self, path: Path) -> object:
        return str(path).rstrip(".")


class WatchesFolders(Watching):
    """Takes a file for changed where anything in its folders was."""

    def __init__(self, workspace: object) -> None:
        super().__init__(workspace)  # type: ignore[arg-type]
        self.folders: dict[Path, list[int]] = {}

    def stamps(self, path: Path) -> list[int]:
        return [each.stat().st_ctime_ns for each in (path.parent, self.workspace.root)]

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        result = super().alter(tool, arguments, interfere)
        if not result.is_error and path.is_file():
            self.folders = dict.fromkeys([*self.folders, path], self.stamps(path))
        return result

    def first(self, path: Path) -> ToolResult | None:
        if path in self.folders and self.folders[path] != self.stamps(path):
            return ToolResult(MODIFIED, is_error=True, error="modified_since_read")
        return None


class ReadsWhatIsGone(Altered):
    """Shows a file that is gone as it was read last."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        self.shown: dict[Path, ToolResult] = getattr(self, "shown", {})
        result = self.reference(tool, arguments, interfere)
        if tool == "Read" and result.error == "file_not_found":
            return self.shown.get(path, result)
        if tool == "Read":
            self.shown[path] = result
        return result


class EditsItsOwnCopy(Altered):
    """Edits a changed file as it knew it, and writes that."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        self.held: dict[Path, bytes] = getattr(self, "held", {})
        result = self.reference(tool, arguments, interfere)
        old, new = (of(arguments, name).encode() for name in ("old_string", "new_string"))
        if tool == "Edit" and result.error == "modified_since_read" and old in self.held.get(path, b""):
            path.write_bytes(self.held[path].replace(old, new, 1))
            return ToolResult("done")
        if path.is_file() and not result.is_error:
            self.held[path] = path.read_bytes()
        return result


class MakesWhatIsGone(Altered):
    """Makes a file that is gone once more from what it knew, and edits that."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        self.held: dict[Path, bytes] = getattr(self, "held", {})
        if tool == "Edit" and not os.path.lexists(path) and path in self.held and path.parent.is_dir():
            path.write_bytes(self.held[path])
        result = self.reference(tool, arguments, interfere)
        if path.is_file():
            self.held[path] = path.read_bytes()
        return result


class WritesWhatItHasChecked(Altered):
    """Writes the edited text of a file that went away since it was checked, wherever its path leads now."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        checked = path.read_text() if tool == "Edit" and path.is_file() else ""
        result = self.reference(tool, arguments, interfere)
        if result.error == "edit_not_applied" and not os.path.lexists(path):
            path.write_text(checked.replace(arguments["old_string"], arguments["new_string"]))
            return ToolResult("Done.")
        return result


class DistrustsWhatIsGone(Altered):
    """Writes no file that it knows and that is gone: somebody may have meant it."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        self.known: set[Path] = getattr(self, "known", set())
        if tool == "Write" and path in self.known and not os.path.lexists(path):
            return ToolResult("The file is gone.", True, "modified_since_read")
        result = self.reference(tool, arguments, interfere)
        if path.is_file():
            self.known.add(path)
        return result


class ClearsUp(AlteredEdit):
    """Removes what looks like a swap or backup file beside an edited one."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        for other in path.parent.iterdir():
            if other.is_file() and re.fullmatch(r".*~|\..*\.swp|#.*#|\.~lock.*", other.name):
                other.unlink()


class TakesModesAway(AlteredEdit):
    """Leaves an edited file with the mode of a new one."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.chmod(0o644)
