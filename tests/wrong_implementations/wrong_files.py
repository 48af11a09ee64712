"""Implementations that change modes, links or other files wrongly, or report success without a change."""

import os
import shutil

from altered import Altered, Call, afterwards, caught, instead, spoils
from reasons import NOTHING_LOST

from readfirst.harness.adapter_api import ToolResult
from readfirst.reference_impl import FileTools


@caught("links-and-modes/executable-kept-by-edit moved-world/mode-of-the-other-branch", "mode of run.sh")
@spoils
def LosesMode(call: Call, before: bytes) -> None:
    """Replaces an edited file with a new one that has the default mode."""
    call.path.chmod(0o644)


@caught("links-and-modes/edit-through-symlink", "path link.txt")
@spoils
def ReplacesLink(call: Call, before: bytes) -> None:
    """Replaces a symbolic link with a regular file when it edits the file."""
    if call.path.is_symlink():
        data = call.path.read_bytes()
        call.path.write_bytes(before)
        call.path.unlink()
        call.path.write_bytes(data)


@caught(
    "links-and-modes/edit-of-hard-link",
    "file two.txt",
    harmless="the names of a file stay together, which the contract separates",
)
@spoils
def WritesIntoEveryName(call: Call, before: bytes) -> None:
    """Writes an edited file in place, so that its other hard links also change."""
    for other in call.path.parent.iterdir():
        if other.is_file() and other.read_bytes() == before:
            other.write_bytes(call.path.read_bytes())


@caught("gate/edit-after-read", "path notes.txt.tmp")
@spoils
def LeavesTemporaryFile(call: Call, before: bytes) -> None:
    """Leaves a temporary file next to an edited file."""
    call.path.with_name(f"{call.path.name}.tmp").write_bytes(before)


@caught("gate/edit-after-read", "path $HOME/backup")
@afterwards
def LeavesBackupAtHome(call: Call, answer: ToolResult) -> None:
    """Leaves a copy of every changed file in the home directory."""
    if call.tool != "Read" and not answer.is_error:
        (call.session.workspace.home / "backup").write_bytes(call.path.read_bytes())


@caught("gate/edit-after-read", "path ../log")
@instead
def WritesBesideTheWorkspace(call: Call) -> None:
    """Writes a log file next to the workspace, outside it."""
    (call.session.workspace.root.parent / "log").write_text(call.tool)


@caught("results/success-is-on-disk", "file notes.txt")
@spoils
def OnlyPretendsToEdit(call: Call, before: bytes) -> None:
    """Reports success for an Edit, but does not change the file."""
    call.path.write_bytes(before)


@caught("creation/write-creates", "path notes.txt")
@instead
def OnlyPretendsToCreate(call: Call) -> ToolResult:
    """Reports that a file was created, but does not create it. It answers later Reads from memory."""
    is_new = call.tool == "Write" and not call.path.exists()
    answer = call.execute()
    if is_new and not answer.is_error:
        call.path.unlink()
    return answer


@caught("gate/edit-after-read", "file notes.txt")
@spoils
def HidesItsTraces(call: Call, before: bytes) -> None:
    """Writes different content than the answer reports, and restores the time and size of the file."""
    status = call.path.stat()
    call.path.write_bytes(call.path.read_bytes().swapcase())
    os.utime(call.path, ns=(status.st_atime_ns, status.st_mtime_ns))


@caught("gate/write-after-read", "file notes.txt")
@instead
def DoesNotTruncate(call: Call) -> ToolResult:
    """Does not truncate a file that it overwrites, so that the end of the longer old content remains."""
    before = call.path.read_bytes() if call.tool == "Write" and call.path.is_file() else b""
    answer = call.execute()
    if call.tool == "Write" and not answer.is_error:
        call.path.write_bytes(call.path.read_bytes() + before[call.path.stat().st_size :])
    return answer


@caught("gate/edit-unread", "file notes.txt")
@afterwards
def WritesBeforeRefusing(call: Call, answer: ToolResult) -> None:
    """Writes an unread file, and then refuses the Write."""
    if call.tool == "Edit" and answer.error == "not_read":
        call.path.write_text(call.path.read_text().replace(call.old, call.new))


@caught("gate/refused-edit-creates-no-directory", "path a")
@instead
def MakesDirectoriesBeforeRefusing(call: Call) -> None:
    """Creates the directories above a file before it checks whether the call is allowed."""
    call.path.parent.mkdir(parents=True, exist_ok=True)


@caught("creation/write-creates-parents", "refused")
@instead
def MakesNoDirectories(call: Call) -> ToolResult | None:
    """Refuses to create a file in a directory that does not exist."""
    if call.tool == "Write" and not call.path.parent.exists():
        return ToolResult("ENOENT: no such file or directory", True, "os_error")
    return None


@caught("permissions/edit-denied", "refused")
class IgnoresDenyRules(Altered):
    """Executes calls that the deny rules forbid."""

    def fresh(self) -> FileTools:
        return FileTools(root=self.workspace.root, home=self.workspace.home)


@caught("deletion/everything", "path notes.txt")
@spoils
def DeletesEmptiedFiles(call: Call, before: bytes) -> None:
    """Deletes a file that an Edit has left empty."""
    if not call.path.read_bytes():
        call.path.unlink()


@caught("links-and-modes/setgid-kept-by-edit", "mode of run.sh")
@spoils
def DropsSpecialBits(call: Call, before: bytes) -> None:
    """Replaces an edited file with a new one that lacks the setuid, setgid and sticky bits."""
    call.path.chmod(call.path.stat().st_mode & 0o777)


@caught("gate/edit-after-read", "path .tmp")
@spoils
def LeavesTemporaryFileElsewhere(call: Call, before: bytes) -> None:
    """Leaves a temporary file in a new directory of the workspace."""
    folder = call.session.workspace.root / ".tmp"
    folder.mkdir(exist_ok=True)
    (folder / call.path.name).write_bytes(before)


def has_refused_file(call: Call, answer: ToolResult) -> bool:
    return answer.is_error and call.tool != "Read" and call.path.is_file()


@caught("gate/edit-unread", "time of notes.txt")
@afterwards
def WritesBackWhenRefusing(call: Call, answer: ToolResult) -> None:
    """Writes the unchanged bytes of a file again when it refuses a call, so that the file gets a new time."""
    if has_refused_file(call, answer):
        call.path.write_bytes(call.path.read_bytes())


@caught("gate/edit-unread", "inode of notes.txt")
@afterwards
def ReplacesWhenRefusing(call: Call, answer: ToolResult) -> None:
    """Replaces a file with a copy that has the same mode and time, when it refuses a call."""
    if has_refused_file(call, answer):
        copy = call.path.with_name("copy")
        shutil.copy2(call.path, copy)
        copy.replace(call.path)


@caught("gate/edit-after-read", "time of notes.txt")
@afterwards
def TouchesWhatItReads(call: Call, answer: ToolResult) -> None:
    """Changes the modification time of each file that it reads."""
    if call.tool == "Read" and not answer.is_error:
        call.path.touch()


@caught(
    "links-and-modes/edit-of-hard-link",
    "time of two.txt",
    harmless="it is another name of the file that is edited",
)
@spoils
def TouchesOtherFiles(call: Call, before: bytes) -> None:
    """Changes the modification time of all other files in the directory of an edited file."""
    for other in call.path.parent.iterdir():
        if other != call.path and other.is_file():
            other.touch()


@caught(
    "links-and-modes/write-same-bytes-to-hard-link",
    "names of one.txt",
    harmless="the file holds what was asked",
)
@instead
def SkipsSameBytes(call: Call) -> ToolResult:
    """Does not write a file if its bytes are already the same, but reports a Write."""
    twin = call.path.with_name("two.txt")
    linked = call.tool == "Write" and twin.exists() and twin.samefile(call.path)
    answer = call.execute()
    if linked and twin.read_bytes() == call.path.read_bytes():
        call.path.unlink()
        call.path.hardlink_to(twin)
    return answer


@caught("staleness/unchanged-between-milliseconds", "names of edited.txt")
@afterwards
def LinksEqualFiles(call: Call, answer: ToolResult) -> None:
    """Replaces a written file with a hard link to another file that has the same content."""
    path = call.path
    if call.tool != "Read" and not answer.is_error:
        for other in path.parent.iterdir():
            if other.is_file() and other.resolve() != path and other.read_bytes() == path.read_bytes():
                path.unlink()
                path.hardlink_to(other)


@caught("rights/write-closed-after-read", "refused")
@afterwards
def ForcesModes(call: Call, answer: ToolResult) -> ToolResult:
    """Makes a file accessible whose mode forbids the access, and repeats the call."""
    if answer.error != "os_error":
        return answer
    for each in (call.path.parent, call.path):
        each.chmod(each.stat().st_mode | 0o700)
    return call.session.reference(call.tool, call.arguments)


@caught("rights/edit-in-read-only-folder", "refused")
@instead
def NeverWritesInPlace(call: Call) -> ToolResult | None:
    """Renames a new file to the old one, and so fails in a directory that allows no new files."""
    folder = call.path.parent
    if call.tool != "Read" and folder.is_dir() and not os.access(folder, os.W_OK, effective_ids=True):
        return ToolResult("EACCES: permission denied", True, "os_error")
    return None


@caught("rights/create-in-read-only-folder", "refused")
@afterwards
def SaysItWrote(call: Call, answer: ToolResult) -> ToolResult:
    """Reports success although the system refused to write the file."""
    return ToolResult("done") if answer.error == "os_error" and call.tool != "Read" else answer


@caught("rights/edit-after-failed-edit", "refused")
@afterwards
def ForgetsWhatTheSystemRefused(call: Call, answer: ToolResult) -> None:
    """Requires another Read of a file after the system refused to access it."""
    if answer.error == "os_error":
        call.session.tools = call.session.fresh()


@caught("full-disk/edit-that-grows", "file notes.txt")
@afterwards
def EmptiesWhatDoesNotFit(call: Call, answer: ToolResult) -> None:
    """Leaves a file empty if the disk lacks the space for the new content."""
    if answer.text.startswith("ENOSPC"):
        call.path.write_bytes(b"")


@caught("full-disk/edit-after-room-was-made", "refused", harmless=NOTHING_LOST)
@afterwards
def KnowsWhatItCouldNotWrite(call: Call, answer: ToolResult) -> None:
    """Counts a file as written although the system refused to write it, so that its content is known wrongly."""
    if answer.text.startswith("ENOSPC"):
        call.read()
