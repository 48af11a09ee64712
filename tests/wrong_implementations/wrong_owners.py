import os

from altered import Call, after_each_call, before_each_call, detected_by

from readfirst.harness.adapter_api import ToolResult


def has_changed_file(call: Call, answer: ToolResult) -> bool:
    return call.tool != "Read" and not answer.is_error


@detected_by("ownership/edit-of-file-with-attributes")
@after_each_call
def LeavesItsMark(call: Call, answer: ToolResult) -> None:
    """Sets an extended attribute on every file that it changes."""
    if has_changed_file(call, answer):
        os.setxattr(call.path, "user.edited", b"yes")


@detected_by("ownership/refused-calls-leave-ownership")
@before_each_call
def TakesOverWhatItRefuses(call: Call) -> None:
    """Makes the session's user the owner of a file before it checks the call, also if it then refuses the call."""
    os.chown(call.path, os.geteuid(), os.getegid())


@detected_by("ownership/folder-of-another-group")
@after_each_call
def TakesOverTheFolder(call: Call, answer: ToolResult) -> None:
    """Makes the session's user the owner of the directory of a file, to keep other programs from writing there."""
    if has_changed_file(call, answer):
        os.chown(call.path.parent, os.geteuid(), os.getegid())


@detected_by("ownership/edit-that-changes-nothing")
@after_each_call
def DropsAttributesWhenReading(call: Call, answer: ToolResult) -> None:
    """Removes the extended attributes of each file that it reads."""
    if call.tool == "Read":
        for name in os.listxattr(call.path):
            os.removexattr(call.path, name)


@before_each_call
def WritesInPlace(call: Call) -> ToolResult | None:
    """Writes a file in place, so that its owner and its attributes are kept. This is correct."""
    if call.tool == "Read" or call.path.stat().st_mode & 0o2000:
        return None
    text = call.path.read_text()
    call.path.write_text(text.replace(call.old, call.new) if call.tool == "Edit" else call.content)
    return ToolResult("Written.")


@after_each_call
def WritesACopy(call: Call, answer: ToolResult) -> None:
    """Replaces a changed file with a new one, which belongs to the user of the session."""
    if has_changed_file(call, answer):
        copy, mode = call.path.with_suffix(".new"), call.path.stat().st_mode
        copy.write_bytes(call.path.read_bytes())
        copy.chmod(mode & 0o7777)
        copy.replace(call.path)
