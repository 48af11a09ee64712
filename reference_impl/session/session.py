"""The state of a session. The functions of all tools use it."""

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
    """The state of one session. A call uses `paths`, `permissions`, `storage` and `memory` in this order."""

    behaviours: Behaviours
    paths: Paths
    permissions: Permissions
    storage: Storage
    memory: Memory
    shell: Shell | None = None
    hooks: Hooks | None = None
    # whether the current message ran a command
    has_just_run: bool = False
    # whether the session belongs to a sub-agent with a separate memory
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
        """Create a session. Without a `mode`, no call needs a permission. `checkpoints` makes `rewind` possible.
        `root`, `home` and `additional` are absolute paths. Raises PermissionRuleError for an invalid rule.
        """
        rules, allowed, all_hooks = tuple(deny), tuple(allow), tuple(hooks)
        grammar = _rule_grammar(behaviours) if rules or allowed else None
        grants = None
        if mode is not None:
            allow_rules = DenyRules(allowed, root=root, home=home, grammar=grammar)
            grants = Grants(
                mode, allow_rules, (root, *additional), behaviours.permissions.outside_links_are_asked_for
            )
        checkpoint = _file_checkpoint(behaviours) if checkpoints else None
        storage = Storage(root, behaviours, checkpoint)
        key_of_path = disk.resolve_links if behaviours.memory.links_share_record_with_target else str
        return cls(
            behaviours,
            Paths(root, home, behaviours),
            Permissions(DenyRules(rules, root=root, home=home, grammar=grammar), behaviours, root, grants),
            storage,
            Memory(root, behaviours, ReadState(behaviours.memory.remembered_file_limit, key_of_path)),
            shell,
            Hooks(all_hooks, behaviours) if all_hooks else None,
        )

    def after_resume(self) -> Session:
        """Return the session as it is after the program was restarted."""
        self.memory.forget_mentions()
        self.return_to_root()
        return replace(self, memory=self.memory.after_restart())

    def return_to_root(self) -> None:
        """Change the working directory back to the first directory of the session."""
        if self.shell is not None:
            self.shell.directory = self.memory.root
            self.change_directory(self.memory.root)

    def change_directory(self, directory: str) -> None:
        """Set the absolute start directory of relative paths (in some versions, also of relative deny rules)."""
        if directory != self.paths.root:
            self.paths = replace(
                self.paths, root=directory, has_changed_directory=directory != self.memory.root
            )
            if self.behaviours.commands.deny_rules_follow_commands:
                rules = self.permissions.rules.with_root(directory)
                self.permissions = replace(self.permissions, rules=rules)

    def without_known_files(self) -> Session:
        """Return a copy of the session that knows no file."""
        return replace(self, memory=self.memory.without_files())

    def sub_agent(self) -> Session:
        """Return the session that a new sub-agent uses. In some versions, this is the same session."""
        if not self.behaviours.sessions.sub_agents_have_their_own_memory:
            return self
        storage = replace(self.storage, checkpoint=None)
        return replace(self, memory=self.memory.without_files(), storage=storage, is_agent=True)

    def save_answer(self, text: str) -> str:
        """Save an answer that is too long below the home directory. Return the path of the file. Raises OSError."""
        path = f"{self.paths.home}/.claude/tool-results/{os.urandom(16).hex()}.txt"
        disk.make_parents(path, ignore_dangling=False, private_mode=False, check_parent=False)
        disk.overwrite(path, text.encode("utf-8", "replace"))
        return path

    def rewind(self) -> None:
        """Restore changed files to their content at the user's last message. Raises ValueError without checkpoints."""
        if self.storage.checkpoint is None:
            raise ValueError("what files were is not kept: open the tools with checkpoints=True")
        for path in self.storage.checkpoint.restore_files():
            self.memory.write_order.add(path)
        self.receive_user_message()

    def receive_user_message(self) -> None:
        """Process a new message of the user. A later rewind restores the files to their content at this time."""
        if self.storage.checkpoint is not None:
            self.storage.checkpoint.save_again()
        if self.behaviours.commands.user_messages_end_a_change_of_directory:
            self.return_to_root()
        if not self.behaviours.memory.mentions_outlive_the_next_words:
            self.memory.forget_mentions()
            self.memory.follow_named_paths()


def _file_checkpoint(behaviours: Behaviours) -> Checkpoint:
    """Return a new checkpoint. The behaviours determine whether a restore follows links and decodes UTF-8."""
    return Checkpoint(behaviours.sessions.rewind_decodes_as_utf_8, behaviours.sessions.rewind_follows_links)


def _rule_grammar(behaviours: Behaviours) -> RuleGrammar:
    """Return the grammar that the version uses for permission rules."""
    return RuleGrammar(
        comments=behaviours.permissions.deny_accepts_comments,
        anchored=behaviours.permissions.root_rules_match_root_only,
        star_is_all=behaviours.permissions.deny_star_removes_tool,
        parentheses=behaviours.permissions.deny_accepts_parentheses,
        dot_slash=behaviours.permissions.deny_accepts_dot_slash,
        trees=behaviours.permissions.deny_tree_covers_its_directory,
        all_below=behaviours.permissions.deny_tree_may_be_everything,
    )
