"""Permissions: what the session's deny rules close to which tools, and what nobody gives a permission for."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from readfirst.reference_impl.contract import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.files.ignore_list import IgnoreList
from readfirst.reference_impl.refusal import Refusal
from readfirst.reference_impl.settings.file import SETTINGS_FILES
from readfirst.reference_impl.text.insertion import BLANKS

__all__ = [
    "MODES",
    "DenyRules",
    "Grants",
    "Mode",
    "PermissionRuleError",
    "Permissions",
    "RuleGrammar",
    "refuse_guarded",
    "refuse_suspicious",
]

Mode = Literal["default", "plan", "acceptEdits", "bypassPermissions"]
MODES: tuple[Mode, ...] = get_args(Mode)
"""What a session does without asking: read, read and plan, edit as well, everything."""

_RULE = re.compile(r"(?P<tool>[A-Za-z]\w*)(?:\((?P<pattern>.*)\))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RuleGrammar:
    """How rules are read.

    `comments`: a pattern that begins with `#` closes nothing, as in `.gitignore`. `anchored`: `//p` means only what is
    at the root, otherwise everything that has the one name p. `star_is_all`: `Tool(*)` takes the tool away.
    `parentheses`: a pattern may hold them. `dot_slash`: it may begin with `./`, which does not matter. `trees`: `/**`
    at its end closes the directory itself, too.
    """

    comments: bool = True
    anchored: bool = False
    star_is_all: bool = False
    parentheses: bool = True
    dot_slash: bool = True
    trees: bool = True

    def parsed(self, text: str) -> tuple[str, str | None] | None:
        """Return the tool and the pattern of a rule; None if it is none. What is not understood is a tool's name."""
        match = _RULE.fullmatch(text)
        if match is None:
            return None
        tool, pattern = match["tool"], match["pattern"]
        if pattern is not None and ")" in pattern and not self.parentheses:
            return text, None
        return tool, None if pattern == "*" and self.star_is_all else pattern

    def placed(self, pattern: str, *, root: str, home: str) -> tuple[str, str] | None:
        """Return the directory that a pattern begins at, and what is left of it; None if it closes nothing."""
        base = root
        if pattern.startswith("//"):
            base, pattern = "/", pattern[1:] if self.anchored else pattern[2:]
        elif pattern.startswith("/"):
            return None
        elif pattern.startswith("~/"):
            base, pattern = home, pattern[1:]
        if pattern.startswith("#") and not self.comments:
            pattern = f"\\{pattern}"
        if self.dot_slash:
            pattern = pattern.removeprefix("./")
        if self.trees:
            pattern = pattern.removesuffix("/**")
        return base, pattern


class PermissionRuleError(ValueError):
    """A deny rule is not written as `Tool` or `Tool(pattern)`."""


class DenyRules:
    """The deny rules of one session.

    `Read(p)` closes paths to Read, `Edit(p)` to Edit, Write and NotebookEdit; rules for Write with a pattern have no
    effect. A rule without a pattern takes the tool away. A pattern is written like a line of `.gitignore`; `//p/q`
    begins at the file system's root, `~/p` at the home directory, `/p` at the directory of the settings file, which is
    not known here, so that it closes nothing; anything else begins at `root`. Letter case does not matter.
    """

    def __init__(
        self, deny: Iterable[str], *, root: str, home: str, grammar: RuleGrammar | None = None
    ) -> None:
        grammar = grammar or RuleGrammar()
        self.removed: set[str] = set()
        patterns: dict[tuple[str, str], list[str]] = {}
        for text in deny:
            parsed = grammar.parsed(text.strip())
            if parsed is None:
                raise PermissionRuleError(f"{text!r} is not a permission rule: write Tool or Tool(pattern)")
            tool, pattern = parsed
            if pattern is None:
                self.removed.add(tool)
            elif placed := grammar.placed(pattern, root=root, home=home):
                base, listed = placed
                patterns.setdefault((tool, base), []).append(listed)
        self._lists = {
            place: IgnoreList(listed, as_git=False, ignore_case=True) for place, listed in patterns.items()
        }

    def denies(self, action: str, path: str) -> bool:
        """Tell whether an absolute path is closed to `Read` or to `Edit`."""
        for (tool, base), patterns in self._lists.items():
            relative = posixpath.relpath(path, base)
            inside = relative != "." and not relative.startswith("../")
            if tool == action and inside and patterns.matches(relative):
                return True
        return False

    def is_base(self, action: str, path: str) -> bool:
        """Tell whether rules for `Read` or `Edit` begin at an absolute path."""
        return (action, path) in self._lists

    def denies_target(self, action: str, path: str) -> bool:
        """Tell whether the file that the path finally leads to is closed; links are followed."""
        return bool(self._lists) and disk.exists(path) and self.denies(action, disk.leads_to(path))


@dataclass(frozen=True, slots=True)
class Grants:
    """What is done without asking: by `mode`, by the rules of `allow`, and in `directories`.

    `follows`: a link counts as what it leads to, too.
    """

    mode: Mode
    allow: DenyRules
    directories: tuple[str, ...]
    follows: bool

    def covers(self, path: str) -> bool:
        """Tell whether a file lies in one of the directories."""
        return all(self._contain(each) for each in {path, disk.leads_to(path) if self.follows else path})

    def _contain(self, path: str) -> bool:
        return any(
            path == directory or path.startswith(directory + "/")
            for each in self.directories
            for directory in (each, disk.leads_to(each))
        )


@dataclass(frozen=True, slots=True)
class Permissions:
    """What the deny rules refuse, in the words and at the time that the contract has for it.

    `grants` are what the session may do unasked; None: everything.
    """

    rules: DenyRules
    behaviours: Behaviours
    grants: Grants | None = None

    def may_read(self, path: str) -> bool:
        """Tell whether an absolute path may be read without asking."""
        grants = self.grants
        return (
            grants is None
            or grants.mode == "bypassPermissions"
            or (grants.mode == "plan" and self.behaviours.permissions.plan_mode_reads_anywhere)
            or "Read" in grants.allow.removed
            or grants.allow.denies("Read", path)
            or grants.covers(path)
        )

    def ask_to_read(self, path: str) -> None:
        """Refuse what is only read after asking, because nobody is there to answer."""
        if not self.may_read(path):
            raise _not_granted("read from", path)

    def ask_to_write(self, tool: str, path: str) -> None:
        """Refuse what is only changed after asking, because nobody is there to answer."""
        grants = self.grants
        if grants is None or grants.mode == "bypassPermissions":
            return
        if grants.mode == "plan" and self.behaviours.permissions.plan_mode_refuses_changes:
            raise Refusal("permission_denied", f"Cannot write to {path} while in plan mode.")
        allowed = tool in grants.allow.removed or grants.allow.denies("Edit", path)
        if not allowed and not (grants.mode == "acceptEdits" and grants.covers(path)):
            raise _not_granted("write to", path)

    def deny(self, action: str, path: str, *, code: int | None = None, done: str = "") -> None:
        """Refuse a path that a deny rule covers; `action` is `Read` or `Edit`.

        Where a rule for Read closes a path to changes as well, `done` is what cannot be done.
        """
        if not self.behaviours.permissions.deny_checked_before_validation:
            return
        if self.rules.denies(action, path):
            raise Refusal(
                "permission_denied",
                "File is in a directory that is denied by your permission settings.",
                code=code,
            )
        if done and self.behaviours.permissions.read_deny_covers_changes and self.rules.denies("Read", path):
            raise Refusal(
                "permission_denied",
                f"File is covered by a Read deny rule in your permission settings and cannot be {done}.",
            )

    def deny_target(self, action: str, path: str, given: str, *, unfolded: str = "") -> None:
        """Refuse a path, or a link to a file, that a deny rule covers, right before the execution.

        `given` is the path as the model wrote it, `unfolded` the absolute one with its `..` and `.` left in it: a link
        is only followed where that leads to something.
        """
        if self.behaviours.permissions.deny_fails_at_rule_base and self.rules.is_base(action, path):
            raise Refusal("permission_denied", "Error checking permissions")
        whole = self.behaviours.permissions.refusals_name_absolute_path
        follows = self.behaviours.permissions.deny_follows_links and self.rules.denies_target(action, path)
        if self.rules.denies(action, path) or (follows and disk.exists(path if whole else unfolded or path)):
            verb = "read" if action == "Read" else "edit"
            shown = path if whole else given
            raise Refusal("permission_denied", f"Permission to {verb} {shown} has been denied.")


def _not_granted(doing: str, path: str) -> Refusal:
    return Refusal(
        "permission_denied",
        f"Claude requested permissions to {doing} {path}, but you haven't granted it yet.",
    )


def refuse_suspicious(path: str) -> None:
    """Refuse a path with a blank at its end: it needs a permission that nobody is there to give."""
    if path != path.rstrip(BLANKS):
        raise Refusal(
            "permission_denied",
            f"Claude requested permissions to write to {path}, which contains a suspicious Windows path pattern that "
            "requires manual approval.",
        )


def refuse_guarded(behaviours: Behaviours, path: str, given: str) -> None:
    """Refuse a file that needs a permission that nobody is there to give: in a `.claude` directory, or sensitive.

    `path` is absolute, `given` as the model wrote it. Capitals do not matter, and a name counts where the path leads to
    as well.
    """
    *folders, _ = path.lower().split("/")
    shown = path if behaviours.permissions.refusals_name_absolute_path else given
    own = behaviours.permissions.claude_folders_are_guarded and ".claude" in folders
    if own and path.lower().endswith(SETTINGS_FILES):
        raise _not_granted("write to", shown)
    target = disk.leads_to(path)
    names = {*path.lower().split("/"), *target.lower().split("/")}
    if own or not names.isdisjoint(behaviours.permissions.sensitive_names.split()):
        message = f"Claude requested permissions to edit {shown} which is a sensitive file."
        if behaviours.permissions.sensitive_refusals_name_link_target and target != path:
            message += f" {shown} resolves through a symlink to {target}."
        raise Refusal("permission_denied", message)
