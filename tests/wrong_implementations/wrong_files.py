"""Implementations that change modes, links or other files wrongly, or report success without a change."""

import os
import shutil

from altered import Altered, Call, after_each_call, after_each_edit, before_each_call, detected_by
from reasons import NOTHING_LOST

from readfirst.harness.adapter_api import ToolResult
from readfirst.reference_impl import FileTools


@detected_by("links-and-modes/executable-kept-by-edit moved-world/mode-of-the-other-branch", "mode of run.sh")
@after_each_edit
def LosesMode(call: Call, before: bytes) -> None:
    """Replaces an edited file with a new one that has the default mode."""
    call.path.chmod(0o644)


@detected_by("links-and-modes/edit-through-symlink", "path link.txt")
@after_each_edit
def ReplacesLink(call: Call, before: bytes) -> None:
    """Replaces a symbolic link with a regular file when it edits the file."""
    if call.path.is_symlink():
        data = call.path.read_bytes()
        call.path.write_bytes(before)
        call.path.unlink()
        call.path.write_bytes(data)


@detected_by(
    "links-and-modes/edit-of-hard-link",
    "file two.txt",
    harmless="the names of a file stay together, which the contract separates",
)
@after_each_edit
def WritesIntoEveryName(call: Call, before: bytes) -> None:
    """Writes an edited file in place, so that its other hard links also change."""
    for other in call.path.parent.iterdir():
        if other.is_file() and other.read_bytes() == before:
            other.write_bytes(call.path.read_bytes())


@detected_by("gate/edit-after-read", "path notes.txt.tmp")
@after_each_edit
def LeavesTemporaryFile(call: Call, before: bytes) -> None:
    """Leaves a temporary file next to an edited file."""
    call.path.with_name(f"{call.path.name}.tmp").write_bytes(before)


@detected_by("gate/edit-after-read", "path $HOME/backup")
@after_each_call
def LeavesBackupAtHome(call: Call, answer: ToolResult) -> None:
    """Leaves a copy of every changed file in the home directory."""
    if call.tool != "Read" and not answer.is_error:
        (call.session.workspace.home / "backup").write_bytes(call.path.read_bytes())


@detected_by("gate/edit-after-read", "path ../log")
@before_each_call
def WritesBesideTheWorkspace(call: Call) -> None:
    """Writes a log file next to the workspace, outside it."""
    (call.session.workspace.root.parent / "log").write_text(call.tool)


@detected_by("results/success-is-on-disk", "file notes.txt")
@after_each_edit
def OnlyPretendsToEdit(call: Call, before: bytes) -> None:
    """Reports success for an Edit, but does not change the file."""
    call.path.write_bytes(before)


@detected_by("creation/write-creates", "path notes.txt")
@before_each_call
def OnlyPretendsToCreate(call: Call) -> ToolResult:
    """Reports that a file was created, but does not create it. It answers later Reads from memory."""
    is_new = call.tool == "Write" and not call.path.exists()
    answer = call.execute()
    if is_new and not answer.is_error:
        call.path.unlink()
    return answer


@detected_by("gate/edit-after-read", "file notes.txt")
@after_each_edit
def HidesItsTraces(call: Call, before: bytes) -> None:
    """Writes different content than the answer reports, and restores the time and size of the file."""
    status = call.path.stat()
    call.path.write_bytes(call.path.read_bytes().swapcase())
    os.utime(call.path, ns=(status.st_atime_ns, status.st_mtime_ns))


@detected_by("gate/write-after-read", "file notes.txt")
@before_each_call
def DoesNotTruncate(call: Call) -> ToolResult:
    """Does not truncate a file that it overwrites, so that the end of the longer old content remains."""
    before = call.path.read_bytes() if call.tool == "Write" and call.path.is_file() else b""
    answer = call.execute()
    if call.tool == "Write" and not answer.is_error:
        call.path.write_bytes(call.path.read_bytes() + before[call.path.stat().st_size :])
    return answer


@detected_by("gate/edit-unread", "file notes.txt")
@after_each_call
def WritesBeforeRefusing(call: Call, answer: ToolResult) -> None:
    """Writes an unread file, and then refuses the Write."""
    if call.tool == "Edit" and answer.error == "not_read":
        call.path.write_text(call.path.read_text().replace(call.old, call.new))


@detected_by("gate/refused-edit-creates-no-directory", "path a")
@before_each_call
def MakesDirectoriesBeforeRefusing(call: Call) -> None:
    """Creates the directories above a file before it checks whether the call is allowed."""
    call.path.parent.mkdir(parents=True, exist_ok=True)


@detected_by("creation/write-creates-parents", "refused")
@before_each_call
def MakesNoDirectories(call: Call) -> ToolResult | None:
    """Refuses to create a file in a directory that does not exist."""
    if call.tool == "Write" and not call.path.parent.exists():
        return ToolResult("ENOENT: no such file or directory", True, "os_error")
    return None


@detected_by("permissions/edit-denied", "refused")
class IgnoresDenyRules(Altered):
    """Executes calls that the deny rules forbid."""

    def fresh(self) -> FileTools:
        return FileTools(root=self.workspace.root, home=self.workspace.home)


@detected_by("deletion/everything", "path notes.txt")
@after_each_edit
def DeletesEmptiedFiles(call: Call, before: bytes) -> None:
    """Deletes a file that an Edit has left empty."""
    if not call.path.read_bytes():
        call.path.unlink()


@detected_by("links-and-modes/setgid-kept-by-edit", "mode of run.sh")
@after_each_edit
def DropsSpecialBits(call: Call, before: bytes) -> None:
    """Replaces an edited file with a new one that lacks the setuid, setgid and sticky bits."""
    call.path.chmod(call.path.stat().st_mode & 0o777)


@detected_by("gate/edit-after-read", "path .tmp")
@after_each_edit
def LeavesTemporaryFileElsewhere(call: Call, before: bytes) -> None:
    """Leaves a temporary file in a new directory of the workspace."""
    folder = call.session.workspace.root / ".tmp"
    folder.mkdir(exist_ok=True)
    (folder / call.path.name).write_bytes(before)


def has_refused_file(call: Call, answer: ToolResult) -> bool:
    return answer.is_error and call.tool != "Read" and call.path.is_file()


@detected_by("gate/edit-unread", "time of notes.txt")
@after_each_call
def WritesBackWhenRefusing(call: Call, answer: ToolResult) -> None:
    """Writes the unchanged bytes of a file again when it refuses a call, so that the file gets a new time."""
    if has_refused_file(call, answer):
        call.path.write_bytes(call.path.read_bytes())


@detected_by("gate/edit-unread", "inode of notes.txt")
@after_each_call
def ReplacesWhenRefusing(call: Call, answer: ToolResult) -> None:
    """Replaces a file with a copy that has the same mode and time, when it refuses a call."""
    if has_refused_file(call, answer):
        copy = call.path.with_name("copy")
        shutil.copy2(call.path, copy)
        copy.replace(call.path)


@detected_by("gate/edit-after-read", "time of notes.txt")
@after_each_call
def TouchesWhatItReads(call: Call, answer: ToolResult) -> None:
    """Changes the modification time of each file that it reads."""
    if call.tool == "Read" and not answer.is_error:
        call.path.touch()


@detected_by(
    "links-and-modes/edit-of-hard-link",
    "time of two.txt",
    harmless="it is another name of the file that is edited",
)
@after_each_edit
def TouchesOtherFiles(call: Call, before: bytes) -> None:
    """Changes the modification time of all other files in the directory of an edited file."""
    for other in call.path.parent.iterdir():
        if other != call.path and other.is_file():
            other.touch()


@detected_by(
    "links-and-modes/write-same-bytes-to-hard-link",
    "names of one.txt",
    harmless="the file holds what was asked",
)
@before_each_call
def SkipsSameBytes(call: Call) -> ToolResult:
    """Does not write a file if its bytes are already the same, but reports a Write."""
    twin = call.path.with_name("two.txt")
    linked = call.tool == "Write" and twin.exists() and twin.samefile(call.path)
    answer = call.execute()
    if linked and twin.read_bytes() == call.path.read_bytes():
        call.path.unlink()
        call.path.hardlink_to(twin)
    return answer


@detected_by("staleness/unchanged-between-milliseconds", "names of edited.txt")
@after_each_call
def LinksEqualFiles(call: Call, answer: ToolResult) -> None:
    """Replaces a written file with a hard link to another file that has the same content."""
    path = call.path
    if call.tool != "Read" and not answer.is_error:
        for other in path.parent.iterdir():
            if other.is_file() and other.resolve() != path and other.read_bytes() == path.read_bytes():
                path.unlink()
                path.hardlink_to(other)


@detected_by("rights/write-closed-after-read", "refused")
@after_each_call
def ForcesModes(call: Call, answer: ToolResult) -> ToolResult:
    """Makes a file accessible whose mode forbids the access, and repeats the call."""
    if answer.error != "os_error":
        return answer
    for each in (call.path.parent, call.path):
        each.chmod(each.stat().st_mode | 0o700)
    return call.session.reference(call.tool, call.arguments)


@detected_by("rights/edit-in-read-only-folder", "refused")
@before_each_call
def NeverWritesInPlace(call: Call) -> ToolResult | None:
    """Renames a new file to the old one, and so fails in a directory that allows no new files."""
    folder = call.path.parent
    if call.tool != "Read" and folder.is_dir() and not os.access(folder, os.W_OK, effective_ids=True):
        return ToolResult("EACCES: permission denied", True, "os_error")
    return None


@detected_by("rights/create-in-read-only-folder", "refused")
@after_each_call
def SaysItWrote(call: Call, answer: ToolResult) -> ToolResult:
    """Reports success although the system refused to write the file."""
    return ToolResult("done") if answer.error == "os_error" and call.tool != "Read" else answer


@detected_by("rights/edit-after-failed-edit", "refused")
@after_each_call
def ForgetsWhatTheSystemRefused(call: Call, answer: ToolResult) -> None:
    """Requires another Read of a file after the system refused to access it."""
    if answer.error == "os_error":
        call.session.tools = call.session.fresh()


@detected_by("full-disk/edit-that-grows", "file notes.txt")
@after_each_call
def EmptiesWhatDoesNotFit(call: Call, answer: ToolResult) -> None:
    """Leaves a file empty if the disk lacks the space for the new content."""
    if answer.text.startswith("ENOSPC"):
        call.path.write_bytes(b"")


@detected_by("full-disk/edit-after-room-was-made", "refused", harmless=NOTHING_LOST)
@after_each_call
def KnowsWhatItCouldNotWrite(call: Call, answer: ToolResult) -> None:
    """Counts a file as written although the system refused to write it, so that its content is known wrongly."""
    if answer.text.startswith("ENOSPC"):
        call.read()
