"""Refuse to change guarded files without permission: `.claude` directories, sensitive files, suspicious names."""

import posixpath
import re
from collections.abc import Callable

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.settings.file import SETTINGS_FILES
from readfirst.reference_impl.text.content import WHITESPACE

__all__ = ["background_message", "is_suspicious", "not_granted", "refuse_guarded", "refuse_suspicious"]


_ASKED_FOR = "Claude requested permissions to"
"""Beginning of the message that refuses a call because it needs a permission."""


def not_granted(doing: str, path: str, linked: str = "") -> Refusal:
    """Return the refusal of a call that needs a permission. `doing` is the action in the message, such as `write to`.
    `linked` is a sentence about the target of a link. Empty without a link.
    """
    return Refusal(
        "permission_denied", f"{_ASKED_FOR} {doing} {path}, but you haven't granted it yet.{linked}"
    )


_SHORT_NAME = re.compile(r"~[0-9]")
_DOTS_AT_THE_END = re.compile(r"(?<![/.])\.+(/|$)|(?<![^/])\.{3,}(/|$)")


def is_suspicious(path: str, names: str = "any") -> bool:
    """Whether an absolute path may mean a different file on Windows: a name in the path is a short name such as
    `PROGRA~1`, or ends with a dot (`names`: `any` name or only the `last` name; if empty, no path is suspicious).
    """
    dotted = _DOTS_AT_THE_END.search(path if names == "any" else posixpath.basename(path))
    return bool(names) and bool(_SHORT_NAME.search(path) or dotted)


def refuse_suspicious(path: str, raw_path: str, behaviours: Behaviours) -> None:
    """Raise Refusal if a path may mean a different file on Windows. Some versions also refuse a space at the end of
    `raw_path` (the path as written in the call), and a colon that does not follow a drive letter.
    """
    trailing = behaviours.permissions.trailing_whitespace_is_suspicious and raw_path != raw_path.rstrip(
        WHITESPACE
    )
    colon = behaviours.permissions.colons_are_suspicious and (
        ":" in raw_path[2:] or (disk.exists(path) and ":" in disk.resolve_links(path)[2:])
    )
    if not (trailing or colon or is_suspicious(path, behaviours.permissions.guarded_windows_names)):
        return
    shown = path if behaviours.permissions.refusals_name_absolute_path else raw_path
    raise Refusal(
        "permission_denied",
        f"Claude requested permissions to write to {shown}, which contains a suspicious Windows path pattern that "
        "requires manual approval.",
    )


_OWN_FOLDERS = (".claude/commands/", ".claude/agents/", ".claude/skills/")
_OWN_WORK = ".claude/worktrees/"


def refuse_guarded(behaviours: Behaviours, path: str, raw_path: str, root: str) -> None:
    """Raise Refusal if a path is a guarded file, whose change needs a permission, or a link to a guarded file."""
    target = disk.resolve_links(path)
    guards = {
        _guard_of_path(path, lambda: root, behaviours),
        _guard_of_path(target, lambda: disk.resolve_links(root), behaviours),
    }
    shown = path if behaviours.permissions.refusals_name_absolute_path else raw_path
    names = behaviours.permissions.guarded_refusals_name_link_target and target != path
    linked = f" {shown} resolves through a symlink to {target}." if names else ""
    if "unasked" in guards:
        raise not_granted("write to", shown, linked)
    if "sensitive" in guards:
        message = f"Claude requested permissions to edit {shown} which is a sensitive file.{linked}"
        raise Refusal("permission_denied", message)


def _guard_of_path(path: str, root: Callable[[], str], behaviours: Behaviours) -> str:
    """Return the reason why a change of a file needs a permission, for the message: `sensitive` or `unasked`. Empty if
    the file is not guarded. `root` returns the working directory; parts of its `.claude` directory are not guarded.
    """
    small = path.lower()
    if behaviours.permissions.claude_folders_are_guarded and ".claude" in small.split("/")[:-1]:
        below = path.removeprefix(f"{root()}/")
        if below.startswith(_OWN_WORK):
            return ""
        return "unasked" if below.startswith(_OWN_FOLDERS) or small.endswith(SETTINGS_FILES) else "sensitive"
    return "sensitive" if _is_sensitive(small, behaviours) else ""


def _is_sensitive(path: str, behaviours: Behaviours) -> bool:
    """Whether a file has a sensitive name, or is in a directory with a sensitive name. `path` is in lower case."""
    return posixpath.basename(path) in behaviours.permissions.sensitive_files.split() or any(
        f"/{folder}/" in f"{path}/" for folder in behaviours.permissions.sensitive_folders.split()
    )


def background_message(message: str, tool: str, behaviours: Behaviours) -> str:
    """Return the message of a refusal in a background sub-agent, which describes a missing permission differently."""
    if message.endswith(" while in plan mode."):
        refusal = behaviours.permissions.background_plan_refusal or behaviours.permissions.background_refusal
        return refusal.format(tool=tool, message=message)
    return (
        behaviours.permissions.background_refusal.format(tool=tool)
        if message.startswith(_ASKED_FOR)
        else message
    )
