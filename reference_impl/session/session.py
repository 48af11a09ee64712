"""The state that the rules of all tools share."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.files import disk
from readfirst.reference_impl.session.access import Paths, Permissions
from readfirst.reference_impl.session.checkpoint import Checkpoint
from readfirst.reference_impl.session.hooks import Hook, Hooks
from readfirst.reference_impl.session.permission_rules import DenyRules, Grants, Mode, RuleGrammar
from readfirst.reference_impl.session.read_state import Memory, ReadState
from readfirst.reference_impl.session.storage import Storage
from readfirst.reference_impl.shell.shell import Shell

__all__ = ["Session"]


@dataclass(slots=True)
class Session:
    """One session. Its parts are used in this order: a path is resolved, permitted, read or written, and remembered.

    `shell` runs commands, and `hooks` run before and after calls; both may be None. `has_just_run`: the current
    message ran a command. `is_agent`: the session belongs to a sub-agent with a separate memory.
    """

    behaviours: Behaviours
    paths: Paths
    permissions: Permissions
    storage: Storage
    memory: Memory
    shell: Shell | None = None
    hooks: Hooks | None = None
    has_just_run: bool = False
    is_agent: bool = False

    @classmethod
    def open_session(
        cls,
        behaviours: Behaviours,
        *,
        root: str,
        home: str,
        deny: Iterable[str] = (),
        shell: Shell | None = None,
        hooks: Iterable[Hook] = (),
        mode: Mode | None = None,
        allow: Iterable[str] = (),
        additional: Iterable[str] = (),
        checkpoints: bool = False,
    ) -> Session:
        """Return a new session. Without a `mode`, no call needs a permission. `checkpoints`: changed files can be
        restored by `rewind`.

        `root`, `home` and `additional` are absolute paths. Raises PermissionRuleError for an invalid rule.
        """
        rules, allowed, around = tuple(deny), tuple(allow), tuple(hooks)
        grammar = _rule_grammar(behaviours) if rules or allowed else None
        grants = None
        if mode is not None:
            granted = DenyRules(allowed, root=root, home=home, grammar=grammar)
            grants = Grants(
                mode, granted, (root, *additional), behaviours.permissions.outside_links_are_asked_for
            )
        checkpoint = _file_checkpoint(behaviours) if checkpoints else None
        storage = Storage(root, behaviours, checkpoint)
        known_as = disk.leads_to if behaviours.memory.links_share_record_with_target else str
        return cls(
            behaviours,
            Paths(root, home, behaviours),
            Permissions(DenyRules(rules, root=root, home=home, grammar=grammar), behaviours, root, grants),
            storage,
            Memory(root, behaviours, ReadState(behaviours.memory.remembered_file_limit, known_as)),
            shell,
            Hooks(around, behaviours) if around else None,
        )

    def after_resume(self) -> Session:
        """Return the session after a new start of the program."""
        self.memory.forget_mentions()
        self.leave()
        return replace(self, memory=self.memory.after_restart())

    def leave(self) -> None:
        """Return to the first directory of the session."""
        if self.shell is not None:
            self.shell.directory = self.memory.root
            self.enter(self.memory.root)

    def enter(self, directory: str) -> None:
        """Change the directory of relative paths and relative deny rules to an absolute directory."""
        if directory != self.paths.root:
            self.paths = replace(self.paths, root=directory, left=directory != self.memory.root)
            if self.behaviours.commands.deny_rules_follow_commands:
                rules = self.permissions.rules.beginning_at(directory)
                self.permissions = replace(self.permissions, rules=rules)

    def knowing_nothing(self) -> Session:
        """Return the session without any known file."""
        return replace(self, memory=self.memory.without_files())

    def sub_agent(self) -> Session:
        """Return the session of a sub-agent."""
        if not self.behaviours.sessions.sub_agents_have_their_own_memory:
            return self
        storage = replace(self.storage, checkpoint=None)
        return replace(self, memory=self.memory.without_files(), storage=storage, is_agent=True)

    def keep_answer(self, text: str) -> str:
        """Save a long answer in a file below the home directory; return its path. Raises OSError."""
        path = f"{self.paths.home}/.claude/tool-results/{os.urandom(16).hex()}.txt"
        disk.make_parents(path, overlook=False, private=False, strict=False)
        disk.overwrite(path, text.encode("utf-8", "replace"))
        return path

    def rewind(self) -> None:
        """Restore the files that the session changed to their content at the last user message.

        Raises ValueError without checkpoints.
        """
        if self.storage.checkpoint is None:
            raise ValueError("what files were is not kept: open the tools with checkpoints=True")
        for path in self.storage.checkpoint.bring_back():
            self.memory.writes.add(path)
        self.user_speaks()

    def user_speaks(self) -> None:
        """Receive a message of the user: a later rewind restores the files as they are now."""
        if self.storage.checkpoint is not None:
            self.storage.checkpoint.move()
        if self.behaviours.commands.user_messages_end_a_change_of_directory:
            self.leave()
        if not self.behaviours.memory.mentions_outlive_the_next_words:
            self.memory.forget_mentions()


def _file_checkpoint(behaviours: Behaviours) -> Checkpoint:
    """Return the checkpoint of files for rewinds."""
    return Checkpoint(behaviours.sessions.rewind_decodes_as_utf_8, behaviours.sessions.rewind_follows_links)


def _rule_grammar(behaviours: Behaviours) -> RuleGrammar:
    """Return the parsing options of deny rules."""
    return RuleGrammar(
        comments=behaviours.permissions.deny_accepts_comments,
        anchored=behaviours.permissions.root_rules_match_root_only,
        star_is_all=behaviours.permissions.deny_star_removes_tool,
        parentheses=behaviours.permissions.deny_accepts_parentheses,
        dot_slash=behaviours.permissions.deny_accepts_dot_slash,
        trees=behaviours.permissions.deny_tree_covers_its_directory,
        all_below=behaviours.permissions.deny_tree_may_be_everything,
    )
