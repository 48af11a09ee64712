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
    """Whether an absolute path may mean a different file on Windows: a name in the path ends with a dot, or is a short
    name such as `PROGRA~1`. `names` selects the names that must not end with a dot: `any` name in the path, or only the
    `last` name. If `names` is empty, no path is suspicious.
    """
    dotted = _DOTS_AT_THE_END.search(path if names == "any" else posixpath.basename(path))
    return bool(names) and bool(_SHORT_NAME.search(path) or dotted)


def refuse_suspicious(path: str, raw_path: str, behaviours: Behaviours) -> None:
    """Raise Refusal if a path may mean a different file on Windows. Such a path needs a permission, which no user can
    give here. `path` is absolute; `raw_path` is the path as written in the call. Some versions also refuse a space at
    the end of `raw_path`, and a colon (except after a drive letter) in `raw_path` or in the target of an existing path.
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
    """Raise Refusal if a path is a guarded file or a link to a guarded file. A change of a guarded file needs a
    permission, which no user can give here. `path` is absolute; `raw_path` is the path as written in the call.
    """
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
    """Return the reason why a change of the file at an absolute path needs a permission: `sensitive` or `unasked`. The
    reason determines the message of the refusal. Empty if the file is not guarded. Letter case does not matter. `root`
    returns the working directory; some directories in its `.claude` directory are guarded differently, or not at all.
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
    """Return the message of a refusal in a background sub-agent, with its own text about a missing permission."""
    if message.endswith(" while in plan mode."):
        refusal = behaviours.permissions.background_plan_refusal or behaviours.permissions.background_refusal
        return refusal.format(tool=tool, message=message)
    return (
        behaviours.permissions.background_refusal.format(tool=tool)
        if message.startswith(_ASKED_FOR)
        else message
    )
