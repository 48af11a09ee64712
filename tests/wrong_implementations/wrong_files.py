"""Implementations that are wrong about files: modes, links, strays, and whether anything was written at all."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

from altered import Altered, AlteredEdit, Arguments

from readfirst.harness.session import ToolResult
from readfirst.reference_impl import FileTools


class LosesMode(AlteredEdit):
    """Makes an edited file anew, with the usual mode."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.chmod(0o644)


class ReplacesLink(AlteredEdit):
    """Puts a regular file where a link was."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if path.is_symlink():
            data = path.read_bytes()
            path.write_bytes(before)
            path.unlink()
            path.write_bytes(data)


class WritesIntoEveryName(AlteredEdit):
    """Writes an edited file in place, so that its other names change too."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        for other in path.parent.iterdir():
            if other.is_file() and other.read_bytes() == before:
                other.write_bytes(path.read_bytes())


class LeavesTemporaryFile(AlteredEdit):
    """Leaves a temporary file beside the edited one."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.with_name(f"{path.name}.tmp").write_bytes(before)


class LeavesBackupAtHome(Altered):
    """Leaves a copy of every file it changes in the home directory."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool != "Read" and not result.is_error:
            (self.workspace.home / "backup").write_bytes(self.path(arguments).read_bytes())
        return result


class WritesBesideTheWorkspace(Altered):
    """Writes a log beside the workspace."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        (self.workspace.root.parent / "log").write_text(tool)
        return self.reference(tool, arguments, interfere)


class OnlyPretendsToEdit(AlteredEdit):
    """Says that it edited, and did not."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.write_bytes(before)


class OnlyPretendsToCreate(Altered):
    """Says that it created a file, and did not: its answers come from memory."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        is_new = tool == "Write" and not self.path(arguments).exists()
        result = self.reference(tool, arguments, interfere)
        if is_new and not result.is_error:
            self.path(arguments).unlink()
        return result


class HidesItsTraces(AlteredEdit):
    """Writes something else than it says, and restores the file's time and size."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        status = path.stat()
        path.write_bytes(path.read_bytes().swapcase())
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


class DoesNotTruncate(Altered):
    """Leaves the rest of a longer file behind when it is overwritten."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        before = path.read_bytes() if tool == "Write" and path.is_file() else b""
        result = self.reference(tool, arguments, interfere)
        if tool == "Write" and not result.is_error:
            path.write_bytes(path.read_bytes() + before[path.stat().st_size :])
        return result


class WritesBeforeRefusing(Altered):
    """Refuses a file that was not read, after it has written it."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Edit" and result.error == "not_read":
            path = self.path(arguments)
            path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"]))
        return result


class MakesDirectoriesBeforeRefusing(Altered):
    """Makes the directories of a file before it looks whether it may."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        self.path(arguments).parent.mkdir(parents=True, exist_ok=True)
        return self.reference(tool, arguments, interfere)


class MakesNoDirectories(Altered):
    """Refuses to create a file in a directory that is not there."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        if tool == "Write" and not self.path(arguments).parent.exists():
            return ToolResult("ENOENT: no such file or directory", True, "os_error")
        return self.reference(tool, arguments, interfere)


class IgnoresDenyRules(Altered):
    """Does what the permission rules forbid."""

    def fresh(self) -> FileTools:
        return FileTools(root=self.workspace.root, home=self.workspace.home)


class DeletesEmptiedFiles(AlteredEdit):
    """Deletes a file when nothing is left in it."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        if not path.read_bytes():
            path.unlink()


class DropsSpecialBits(AlteredEdit):
    """Makes an edited file anew, with the mode that it had, but without setuid, setgid and sticky bit."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        path.chmod(path.stat().st_mode & 0o777)


class LeavesTemporaryFileElsewhere(AlteredEdit):
    """Leaves a temporary file in a folder of its own in the workspace."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        folder = self.workspace.root / ".tmp"
        folder.mkdir(exist_ok=True)
        (folder / path.name).write_bytes(before)


class Refusing(Altered):
    """Gets only refused calls wrong: `disturb` sees the file that was not to be written."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.is_error and tool != "Read" and self.path(arguments).is_file():
            self.disturb(self.path(arguments))
        return result

    def disturb(self, path: Path) -> None:
        """Do something to the file."""
        raise NotImplementedError


class WritesBackWhenRefusing(Refusing):
    """Writes the bytes that are there once more when it refuses."""

    def disturb(self, path: Path) -> None:
        path.write_bytes(path.read_bytes())


class ReplacesWhenRefusing(Refusing):
    """Replaces a file by its copy when it refuses, and gives that the old mode and time."""

    def disturb(self, path: Path) -> None:
        copy = path.with_name("copy")
        shutil.copy2(path, copy)
        copy.replace(path)


class TouchesWhatItReads(Altered):
    """Sets the time of a file that it reads."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if tool == "Read" and not result.is_error:
            self.path(arguments).touch()
        return result


class TouchesOtherFiles(AlteredEdit):
    """Sets the time of every file beside the one it edits."""

    def spoil(self, path: Path, before: bytes, arguments: Arguments) -> None:
        for other in path.parent.iterdir():
            if other != path and other.is_file():
                other.touch()


class SkipsSameBytes(Altered):
    """Says that it wrote a file, and left it alone where the bytes are the same."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        path = self.path(arguments)
        twin = path.with_name("two.txt")
        linked = tool == "Write" and twin.exists() and twin.samefile(path)
        result = self.reference(tool, arguments, interfere)
        if linked and twin.read_bytes() == path.read_bytes():
            path.unlink()
            path.hardlink_to(twin)
        return result


class LinksEqualFiles(Altered):
    """Saves space: a written file becomes another name of one that holds the same."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        path = self.path(arguments)
        if tool != "Read" and not result.is_error:
            for other in path.parent.iterdir():
                if other.is_file() and other.resolve() != path and other.read_bytes() == path.read_bytes():
                    path.unlink()
                    path.hardlink_to(other)
        return result


class ForcesModes(Altered):
    """Opens what is closed, and tries again."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.error != "os_error":
            return result
        path = self.path(arguments)
        for each in (path.parent, path):
            each.chmod(each.stat().st_mode | 0o700)
        return self.reference(tool, arguments)


class NeverWritesInPlace(Altered):
    """Puts every file beside the old one first, where a folder may take none."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        folder = self.path(arguments).parent
        if tool != "Read" and folder.is_dir() and not os.access(folder, os.W_OK, effective_ids=True):
            return ToolResult("EACCES: permission denied", True, "os_error")
        return self.reference(tool, arguments, interfere)


class SaysItWrote(Altered):
    """Tells a success where the system refused to write."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        return ToolResult("done", False, None) if result.error == "os_error" and tool != "Read" else result


class ForgetsWhatTheSystemRefused(Altered):
    """Has to be told of a file again after the system refused to touch it."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.error == "os_error":
            self.tools = self.fresh()
        return result


class EmptiesWhatDoesNotFit(Altered):
    """Leaves nothing of a file that the disk had no room for."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.text.startswith("ENOSPC"):
            self.path(arguments).write_bytes(b"")
        return result


class KnowsWhatItCouldNotWrite(Altered):
    """Takes a file that it could not write for one that it wrote."""

    def alter(self, tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
        result = self.reference(tool, arguments, interfere)
        if result.text.startswith("ENOSPC"):
            self.reference("Read", {"file_path": arguments["file_path"]})
        return result
