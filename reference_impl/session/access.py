"""Convert the path of a call to an absolute path, and refuse paths that the session may not read or change."""

from __future__ import annotations

import posixpath
import unicodedata
from dataclasses import dataclass

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import Refusal, refusal_of_os_error
from readfirst.reference_impl.session.guarded_paths import is_suspicious, not_granted
from readfirst.reference_impl.session.permission_rules import DenyRules, Grants
from readfirst.reference_impl.text.content import WHITESPACE, replace_surrogates, utf16_length

__all__ = [
    "Paths",
    "Permissions",
    "expand_home",
    "refuse_long_argument",
    "refuse_nul_argument",
    "refuse_nul_at_open",
    "refuse_special_file",
    "resolve_path",
]


_MAX_PATH_LENGTH = 4096


@dataclass(frozen=True, slots=True)
class Paths:
    """Converts the paths of calls to absolute paths. `root`, absolute, is the base directory of relative paths; `home`,
    absolute, replaces `~`. `has_changed_directory` means that a command has changed `root`.
    """

    root: str
    home: str
    behaviours: Behaviours
    has_changed_directory: bool = False

    def argument_path(self, raw_path: str) -> str:
        """Return the absolute path for a path argument. In some versions, raises Refusal for a relative argument."""
        if self.behaviours.paths.read_expands_tilde:
            return self.expand_argument(raw_path)
        return self._absolute_path(raw_path, resolves_dots=self.behaviours.paths.read_folds_dots)

    def expand_argument(self, raw_path: str) -> str:
        """Return the absolute path for a path argument. `~` is expanded, and whitespace around the path is removed."""
        if self.behaviours.paths.changes_expand_tilde:
            raw_path = expand_home(raw_path, self.home)
        return self._absolute_path(raw_path, resolves_dots=True)

    def unresolved_path(self, raw_path: str) -> str:
        """Return the absolute path for a path argument. `~` is expanded, but `.`, `..` and `//` stay in the path."""
        return posixpath.join(self.root, expand_home(raw_path, self.home))

    def to_read(self, raw_path: str) -> str:
        """Return the absolute path that Read opens. In some versions, the path keeps a slash at its end."""
        path = self.argument_path(raw_path)
        return path.rstrip("/") or "/" if self.behaviours.paths.read_drops_final_slash else path

    def to_edit(self, raw_path: str) -> str:
        """Return the absolute path of the file that Edit reads and checks during its validation."""
        return (
            self.expand_argument(raw_path)
            if self.behaviours.paths.edit_validation_expands_tilde
            else self.argument_path(raw_path)
        )

    def to_write(self, raw_path: str) -> str:
        """Return the absolute path that Edit and Write change. In some versions, the path keeps a slash at its end."""
        path = self.expand_argument(raw_path)
        return path.rstrip("/") if self.behaviours.paths.write_drops_final_slash else path

    def _absolute_path(self, raw_path: str, *, resolves_dots: bool) -> str:
        raw_path = replace_surrogates(raw_path)
        if not raw_path.startswith("/") and not self.behaviours.paths.relative_paths_are_accepted:
            raise Refusal("relative_path", f"Path is relative: {raw_path}. Give an absolute path.")
        if self.behaviours.paths.paths_become_nfc:
            raw_path = unicodedata.normalize("NFC", raw_path)
        return resolve_path(raw_path, self.root, resolves_dots=resolves_dots)

    def refuse_too_long(self, path: str, *, prefix: str = "") -> None:
        """Raise Refusal if a path is too long to be opened, in versions that check the length at this time."""
        treatment = self.behaviours.paths.long_path_refusal
        if treatment in ("unnamed", "cut") and len(path.encode("utf-8", "surrogatepass")) >= _MAX_PATH_LENGTH:
            quoted = f" '{path}'" if treatment == "cut" else ""
            answer = f"ENAMETOOLONG: name too long, open{quoted}"
            raise Refusal("os_error", prefix + answer[:_MAX_PATH_LENGTH])

    def refuse_inaccessible(self, path: str, *, tool: str = "") -> None:
        """Raise Refusal if the system cannot determine whether a path exists. `tool` is the called tool."""
        prefix = f"Error calling tool ({tool}): " if tool else ""
        self.refuse_too_long(path, prefix=prefix)
        try:
            disk.path_exists(path)
        except OSError as error:
            raise refusal_of_os_error(
                error, f"{self.behaviours.lookup.stat_call_in_refusals} '{path}'", prefix=prefix
            ) from None

    def refuse_missing(
        self,
        path: str,
        *,
        code: int | None = None,
        inaccessible_is_missing: bool = True,
        suggest_near: str = "",
    ) -> None:
        """Raise Refusal if a path does not exist (`inaccessible_is_missing`: or if the system cannot determine this).
        The message suggests a similar file name in the directory of `suggest_near` (default: of `path`).
        """
        if _is_missing(path, inaccessible_is_missing=inaccessible_is_missing):
            behaviours = self.behaviours
            has_remark = self.has_changed_directory or not behaviours.lookup.missing_file_remark_needs_cd
            where = behaviours.lookup.missing_file_remark.format(root=self.root) if has_remark else ""
            similar = _similar_name(
                suggest_near or path, sanitized=behaviours.lookup.suggestions_are_sanitized
            )
            suggestion = f" Did you mean {similar}?" if similar else ""
            raise Refusal("file_not_found", f"File does not exist.{where}{suggestion}", code=code)


def refuse_long_argument(path: str, *, tool: str, behaviours: Behaviours, name: str = "file_path") -> None:
    """Raise Refusal if a path has more characters than the system allows. `name` is the name of the argument."""
    length = utf16_length(path)
    if behaviours.paths.long_path_refusal == "counted" and length > _MAX_PATH_LENGTH:
        raise Refusal(
            "invalid_path",
            f"{tool} {name} has {length} characters, and {tool} takes at most {_MAX_PATH_LENGTH}. Resolve any "
            '"./" and "../" parts, drop any white space around the path, and send it again.',
        )


def refuse_nul_argument(path: str, *, tool: str, treatment: str, name: str = "file_path") -> None:
    """Raise Refusal if the path argument `name` contains a NUL character. `treatment` is a value of the behaviour
    `nul_in_path`, which selects the message; `unseen`: the path is not refused here.
    """
    if "\0" not in path or treatment == "unseen":
        return
    if treatment == "named":
        raise Refusal(
            "invalid_path",
            f"{tool} {name} cannot contain null bytes (\\0). Remove the null byte and try again.",
        )
    if treatment == "fatal":
        raise Refusal("crashed", "the product ended with exit code 1: Path contains null bytes")
    raise Refusal("os_error", f"Error calling tool ({tool}): Path contains null bytes")


def refuse_special_file(path: str, tool: str, behaviours: Behaviours) -> None:
    """Raise Refusal if a call would change a device, a pipe or a socket. Some versions refuse a socket later."""
    if disk.is_special(path) and (behaviours.lookup.sockets_are_special_files or not disk.is_socket(path)):
        only = "creates or overwrites" if tool == "Write" else "changes"
        raise Refusal(
            "special_file",
            f"{path} exists but is not a regular file (a device, FIFO or socket). {tool} only {only} regular files.",
        )


def refuse_nul_at_open(path: str, *, prefix: str = "") -> None:
    """Raise Refusal if a path to open contains a NUL character. The message is that of the JavaScript library."""
    if "\0" in path:
        quoted = "'" + path.replace("\0", "\\x00") + "'"
        raise Refusal(
            "invalid_path",
            f"{prefix}The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received {quoted}",
        )


def expand_home(path: str, home: str) -> str:
    """Remove whitespace around a path, and replace `~` at its beginning by `home`."""
    path = path.strip(WHITESPACE)
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def resolve_path(path: str, root: str, *, resolves_dots: bool) -> str:
    """Convert a path to an absolute path, without following links. A relative path starts at `root` (the empty path
    means `root`); its `.`, `..` and `//` are resolved. `resolves_dots`: those of an absolute path are resolved, too.
    """
    if path.startswith("/") and not resolves_dots:
        return path
    absolute = posixpath.join(root, path) if path else root
    folded = posixpath.normpath(f"//{absolute}")  # two slashes would stay, three become one
    return posixpath.join(folded, "") if path.startswith("/") and path.endswith("/") else folded


def _is_missing(path: str, *, inaccessible_is_missing: bool) -> bool:
    """Whether a path does not exist. Returns `inaccessible_is_missing` if the system cannot determine this."""
    try:
        return not disk.path_exists(path)
    except OSError:
        return inaccessible_is_missing


def _similar_name(path: str, *, sanitized: bool) -> str | None:
    """Return the name of a file that differs from the missing `path` only by its extension. None without such a file.
    With `sanitized`, control characters are escaped, and a name with whitespace at its end is not suggested.
    """
    directory, name = posixpath.split(path.rstrip("/"))
    candidates = (
        entry
        for entry in disk.directory_entries(directory)
        if _name_without_extension(entry) == _name_without_extension(name)
    )
    found = next(
        (entry for entry in candidates if posixpath.normpath(posixpath.join(directory, entry)) != path), None
    )
    if found is None or not sanitized:
        return found
    shown = "".join(f"&#{ord(each)};" if unicodedata.category(each) == "Cc" else each for each in found)
    return shown if found == found.rstrip(WHITESPACE) else None


def _name_without_extension(name: str) -> str:
    dot = name.rfind(".")
    return name[:dot] if dot > 0 else name


@dataclass(frozen=True, slots=True)
class Permissions:
    """The permissions of a session. `rules` are deny rules. `grants` are the actions that need no permission by the
    user. Without `grants`, no action needs a permission. `root` is the working directory.
    """

    rules: DenyRules
    behaviours: Behaviours
    root: str
    grants: Grants | None = None
    in_background: bool = False
    """Whether the session belongs to a sub-agent in the background. The user cannot be asked for a permission there."""

    def may_read(self, path: str) -> bool:
        """Whether a file may be read without asking the user. `path` is absolute."""
        grants = self.grants
        return (
            grants is None
            or grants.mode == "bypassPermissions"
            or (grants.mode == "plan" and self.behaviours.permissions.plan_mode_reads_anywhere)
            or "Read" in grants.allow.removed
            or grants.allow.denies("Read", path)
            or grants.covers(path)
        )

    def may_change_unread(self, path: str) -> bool:
        """Whether a file may be changed without a Read, in versions that allow this if no permission is needed."""
        if self.grants is None:
            inside = all(
                f"{each}/".startswith(f"{root}/")
                for each, root in (
                    (path, self.root),
                    (disk.resolve_links(path), disk.resolve_links(self.root)),
                )
            )
            return inside and not is_suspicious(path)
        return self.may_read(path) and (self.grants.mode == "bypassPermissions" or not is_suspicious(path))

    def require_read_permission(self, path: str) -> None:
        """Raise Refusal if reading a path needs a permission. No user is present to give the permission."""
        if not self.may_read(path):
            raise not_granted("read from", path)

    def require_write_permission(self, tool: str, path: str) -> None:
        """Raise Refusal if changing a path needs a permission. No user is present to give the permission."""
        grants = self.grants
        if grants is None or grants.mode == "bypassPermissions":
            return
        if grants.mode == "plan" and self.behaviours.permissions.plan_mode_refuses_changes:
            raise Refusal("permission_denied", f"Cannot write to {path} while in plan mode.")
        allowed = tool in grants.allow.removed or grants.allow.denies("Edit", path)
        if not allowed and not (grants.mode == "acceptEdits" and grants.covers(path)):
            raise not_granted("write to", path)

    def refuse_denied(self, action: str, path: str, *, code: int | None = None, change: str = "") -> None:
        """Raise Refusal, during validation, if a deny rule for `action` (`Read` or `Edit`) covers a path. `change` is
        the participle in the message, such as `edited`; empty for a Read.
        """
        if not self.rules.lists or not self.behaviours.permissions.deny_checked_before_validation:
            return
        if self.rules.denies(action, path):
            raise Refusal(
                "permission_denied",
                "File is in a directory that is denied by your permission settings.",
                code=code,
            )
        linked = change == "edited" or self.behaviours.permissions.read_deny_of_links_covers_writes
        closed = self.rules.denies("Read", path) or (linked and self._denies_target("Read", path, path))
        if change and self.behaviours.permissions.read_deny_covers_changes and closed:
            raise Refusal(
                "permission_denied",
                f"File is covered by a Read deny rule in your permission settings and cannot be {change}.",
            )

    def refuse_denied_target(self, action: str, path: str, raw_path: str, *, unresolved: str = "") -> None:
        """Raise Refusal, before the execution, if a deny rule covers a path or the target of a link. `unresolved` is
        the path before `..` and `.` were resolved; some versions follow a link only if this path exists.
        """
        if not self.rules.lists:
            return
        if self.behaviours.permissions.deny_fails_at_rule_base and self.rules.is_base(action, path):
            raise Refusal("permission_denied", "Error checking permissions")
        absolute = self.behaviours.permissions.refusals_name_absolute_path
        follows = self._denies_target(action, path, unresolved if not absolute and unresolved else path)
        if self.rules.denies(action, path) or follows:
            verb = "read" if action == "Read" else "edit"
            shown = path if absolute else raw_path
            raise Refusal("permission_denied", f"Permission to {verb} {shown} has been denied.")

    def _denies_target(self, action: str, path: str, spelled: str) -> bool:
        """Whether a deny rule covers the target of the link `path`. `spelled` is the path before `..` and `.` were
        resolved. Returns False if `spelled` (in some versions, its parent directory) does not exist.
        """
        if not self.rules.lists or not self.behaviours.permissions.deny_follows_links:
            return False
        if self.behaviours.permissions.deny_follows_dangling_links:
            leads = spelled == path or disk.exists(posixpath.dirname(spelled))
        else:
            leads = disk.exists(spelled)
        return leads and self.rules.denies(action, disk.resolve_links(path))
