"""Resolve the path in a call, and check whether the session may read or change it."""

from __future__ import annotations

import posixpath
import unicodedata
from dataclasses import dataclass

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.refusal import Refusal, of_os_error
from readfirst.reference_impl.session.guarded_paths import is_suspicious, not_granted
from readfirst.reference_impl.session.permission_rules import DenyRules, Grants
from readfirst.reference_impl.text.content import WHITESPACE, well_formed

__all__ = [
    "Paths",
    "Permissions",
    "expand_home",
    "refuse_long",
    "refuse_null",
    "refuse_null_at_last",
    "refuse_special_file",
    "resolve_path",
]


_LONGEST_PATH = 4096
_WHERE = " Current working directory: {root}"


@dataclass(frozen=True, slots=True)
class Paths:
    """Resolution of the paths of one session. `root` (the directory of relative paths) and `home` (the meaning of
    `~`) are absolute.

    `left` means that a command has changed to `root`, which is not the initial directory.
    """

    root: str
    home: str
    behaviours: Behaviours
    left: bool = False

    def argument_path(self, given: str) -> str:
        """Return the absolute path of an argument. Raises Refusal if the argument is not a path, or if it is
        relative and the version requires absolute paths.
        """
        if self.behaviours.paths.read_expands_tilde:
            return self.expand_argument(given)
        return self._absolute_path(given, folds=self.behaviours.paths.read_folds_dots)

    def expand_argument(self, given: str) -> str:
        """Return the absolute path for a tool that expands `~` and strips whitespace around the path."""
        if self.behaviours.paths.changes_expand_tilde:
            given = expand_home(given, self.home)
        return self._absolute_path(given, folds=True)

    def unresolved_path(self, given: str) -> str:
        """Return the absolute path with unresolved `.`, `..` and `//`, for a tool that expands `~`."""
        return posixpath.join(self.root, expand_home(given, self.home))

    def to_read(self, given: str) -> str:
        """Return the absolute path that Read opens. Whether a final slash stays depends on the version."""
        path = self.argument_path(given)
        return path.rstrip("/") or "/" if self.behaviours.paths.read_drops_final_slash else path

    def to_edit(self, given: str) -> str:
        """Return the absolute path that Edit checks before it edits."""
        return (
            self.expand_argument(given)
            if self.behaviours.paths.edit_validation_expands_tilde
            else self.argument_path(given)
        )

    def to_write(self, given: str) -> str:
        """Return the absolute path that Edit and Write write to. Whether a final slash stays depends on the version."""
        path = self.expand_argument(given)
        return path.rstrip("/") if self.behaviours.paths.write_drops_final_slash else path

    def _absolute_path(self, given: str, *, folds: bool) -> str:
        given = well_formed(given)
        if not given.startswith("/") and not self.behaviours.paths.relative_paths_are_accepted:
            raise Refusal("relative_path", f"Path is relative: {given}. Give an absolute path.")
        if self.behaviours.paths.paths_become_nfc:
            given = unicodedata.normalize("NFC", given)
        return resolve_path(given, self.root, folds=folds)

    def refuse_too_long(self, path: str, *, prefix: str = "") -> None:
        """Refuse to open a path that is too long, in versions that check it themselves."""
        how = self.behaviours.paths.long_path_refusal
        if how in ("unnamed", "cut") and len(path.encode("utf-8", "surrogatepass")) >= _LONGEST_PATH:
            named = f" '{path}'" if how == "cut" else ""
            answer = f"ENAMETOOLONG: name too long, open{named}"
            raise Refusal("os_error", prefix + answer[:_LONGEST_PATH])

    def refuse_unclear(self, path: str, *, tool: str = "") -> None:
        """Refuse a path whose existence the system cannot determine; `tool` is the tool whose call is validated."""
        prefix = f"Error calling tool ({tool}): " if tool else ""
        self.refuse_too_long(path, prefix=prefix)
        try:
            disk.path_exists(path)
        except OSError as error:
            raise of_os_error(
                error, f"{self.behaviours.lookup.stat_call_in_refusals} '{path}'", prefix=prefix
            ) from None

    def refuse_missing(
        self, path: str, *, code: int | None = None, unclear: bool = True, named: str = ""
    ) -> None:
        """Refuse a missing path, and suggest a similar file next to `named`, by default next to `path`.

        `unclear`: a path whose existence the system cannot determine counts as missing.
        """
        if _is_missing(path, unclear=unclear):
            remark = self.behaviours.lookup.missing_file_remark
            where = (remark or (_WHERE if self.left else "")).format(root=self.root)
            similar = _similar_name(named or path, sanitized=self.behaviours.lookup.suggestions_are_sanitized)
            suggestion = f" Did you mean {similar}?" if similar else ""
            raise Refusal("file_not_found", f"File does not exist.{where}{suggestion}", code=code)


def refuse_long(path: str, *, tool: str, behaviours: Behaviours, name: str = "file_path") -> None:
    """Refuse a path with more characters than the system allows, as written in the call."""
    length = len(path.encode("utf-16-le", "surrogatepass")) // 2
    if behaviours.paths.long_path_refusal == "counted" and length > _LONGEST_PATH:
        raise Refusal(
            "invalid_path",
            f"{tool} {name} has {length} characters, and {tool} takes at most {_LONGEST_PATH}. Resolve any "
            '"./" and "../" parts, drop any white space around the path, and send it again.',
        )


def refuse_null(path: str, *, tool: str, how: str, name: str = "file_path") -> None:
    """Refuse a path with a NUL character, which no file name can contain.

    `how`: `unseen` counts as missing, `seen` is noticed by the validation, `fatal` ends the product, `named` is
    named in the refusal.
    """
    if "\0" not in path or how == "unseen":
        return
    if how == "named":
        raise Refusal(
            "invalid_path",
            f"{tool} {name} cannot contain null bytes (\\0). Remove the null byte and try again.",
        )
    if how == "fatal":
        raise Refusal("crashed", "the product ended with exit code 1: Path contains null bytes")
    raise Refusal("os_error", f"Error calling tool ({tool}): Path contains null bytes")


def refuse_special_file(path: str, tool: str, behaviours: Behaviours) -> None:
    """Refuse to change a device, a pipe, or (in versions that treat it as a special file) a socket. In other
    versions a socket passes this check and is refused later as an unread file.
    """
    if disk.is_special(path) and (behaviours.lookup.sockets_are_special_files or not disk.is_socket(path)):
        only = "creates or overwrites" if tool == "Write" else "changes"
        raise Refusal(
            "special_file",
            f"{path} exists but is not a regular file (a device, FIFO or socket). {tool} only {only} regular files.",
        )


def refuse_null_at_last(path: str, *, prefix: str = "") -> None:
    """Refuse to open a path with a NUL character, with the message of the system's library."""
    if "\0" in path:
        quoted = "'" + path.replace("\0", "\\x00") + "'"
        raise Refusal(
            "invalid_path",
            f"{prefix}The argument 'path' must be a string, Uint8Array, or URL without null bytes. Received {quoted}",
        )


def expand_home(path: str, home: str) -> str:
    """Return the path without whitespace around it, and with the home directory for `~` and `~/`."""
    path = path.strip(WHITESPACE)
    return home + path[1:] if path == "~" or path.startswith("~/") else path


def resolve_path(path: str, root: str, *, folds: bool) -> str:
    """Return the absolute path. Links are not followed.

    A relative path starts at `root`; its `.`, `..` and `//` are resolved, and its final slash is removed. An
    empty path is `root` itself. With `folds`, `.`, `..` and `//` of an absolute path are resolved, too; its final
    slash stays, because only a directory has such a name. Without `folds`, an absolute path is returned
    unchanged.
    """
    if path.startswith("/") and not folds:
        return path
    absolute = posixpath.join(root, path) if path else root
    folded = posixpath.normpath(f"//{absolute}")  # two slashes would stay, three become one
    return posixpath.join(folded, "") if path.startswith("/") and path.endswith("/") else folded


def _is_missing(path: str, *, unclear: bool) -> bool:
    """Whether a path is missing; `unclear` is the result if the system cannot determine it."""
    try:
        return not disk.path_exists(path)
    except OSError:
        return unclear


def _similar_name(path: str, *, sanitized: bool) -> str | None:
    """Return a file next to the missing `path` with the same name and a different extension, or None."""
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
    """The refusals of permission rules, with the wording and order of the contract.

    `root` is the working directory. `grants` are the actions that need no permission; None means that no action
    needs a permission.
    """

    rules: DenyRules
    behaviours: Behaviours
    root: str
    grants: Grants | None = None
    in_background: bool = False
    """Whether the permissions belong to a sub-agent in the background, whose user cannot be asked."""

    def may_read(self, path: str) -> bool:
        """Whether an absolute path may be read without asking."""
        grants = self.grants
        return (
            grants is None
            or grants.mode == "bypassPermissions"
            or (grants.mode == "plan" and self.behaviours.permissions.plan_mode_reads_anywhere)
            or "Read" in grants.allow.removed
            or grants.allow.denies("Read", path)
            or grants.covers(path)
        )

    def may_be_unread(self, path: str) -> bool:
        """Whether an unread file may be changed by a model that need not read first: only if the change needs no
        permission.

        A name that means a different file on Windows needs a permission.
        """
        if self.grants is None:
            inside = all(
                f"{each}/".startswith(f"{root}/")
                for each, root in ((path, self.root), (disk.leads_to(path), disk.leads_to(self.root)))
            )
            return inside and not is_suspicious(path)
        return self.may_read(path) and (self.grants.mode == "bypassPermissions" or not is_suspicious(path))

    def ask_to_read(self, path: str) -> None:
        """Refuse to read a path that needs a permission, because no user answers."""
        if not self.may_read(path):
            raise not_granted("read from", path)

    def ask_to_write(self, tool: str, path: str) -> None:
        """Refuse to change a path that needs a permission, because no user answers."""
        grants = self.grants
        if grants is None or grants.mode == "bypassPermissions":
            return
        if grants.mode == "plan" and self.behaviours.permissions.plan_mode_refuses_changes:
            raise Refusal("permission_denied", f"Cannot write to {path} while in plan mode.")
        allowed = tool in grants.allow.removed or grants.allow.denies("Edit", path)
        if not allowed and not (grants.mode == "acceptEdits" and grants.covers(path)):
            raise not_granted("write to", path)

    def deny(self, action: str, path: str, *, code: int | None = None, done: str = "") -> None:
        """Refuse a path that a deny rule covers; `action` is `Read` or `Edit`.

        `done` names a change in the message (`edited`, for example): in some versions, rules for Read forbid
        changes, too. If `done` is empty, rules for Read do not forbid the action `Edit`.
        """
        if not self.rules.lists or not self.behaviours.permissions.deny_checked_before_validation:
            return
        if self.rules.denies(action, path):
            raise Refusal(
                "permission_denied",
                "File is in a directory that is denied by your permission settings.",
                code=code,
            )
        linked = done == "edited" or self.behaviours.permissions.read_deny_of_links_covers_writes
        closed = self.rules.denies("Read", path) or (linked and self._denies_target("Read", path, path))
        if done and self.behaviours.permissions.read_deny_covers_changes and closed:
            raise Refusal(
                "permission_denied",
                f"File is covered by a Read deny rule in your permission settings and cannot be {done}.",
            )

    def deny_target(self, action: str, path: str, given: str, *, unfolded: str = "") -> None:
        """Refuse a path, or a link to a file, that a deny rule covers, right before the execution.

        `given` is the path as written in the call. `unfolded` is the absolute path with unresolved `..` and `.`;
        a link is followed only if this path exists.
        """
        if not self.rules.lists:
            return
        if self.behaviours.permissions.deny_fails_at_rule_base and self.rules.is_base(action, path):
            raise Refusal("permission_denied", "Error checking permissions")
        absolute = self.behaviours.permissions.refusals_name_absolute_path
        follows = self._denies_target(action, path, unfolded if not absolute and unfolded else path)
        if self.rules.denies(action, path) or follows:
            verb = "read" if action == "Read" else "edit"
            shown = path if absolute else given
            raise Refusal("permission_denied", f"Permission to {verb} {shown} has been denied.")

    def _denies_target(self, action: str, path: str, spelled: str) -> bool:
        """Whether the target of a path is denied; `spelled` must exist, or be inside an existing directory."""
        if not self.rules.lists or not self.behaviours.permissions.deny_follows_links:
            return False
        if self.behaviours.permissions.deny_follows_dangling_links:
            leads = spelled == path or disk.exists(posixpath.dirname(spelled))
        else:
            leads = disk.exists(spelled)
        return leads and self.rules.denies(action, disk.leads_to(path))
