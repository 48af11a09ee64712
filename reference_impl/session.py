"""Session: what the rules of all tools share - root, contract, permissions, and what was read so far."""

from __future__ import annotations

import os
from dataclasses import dataclass, field

from reference_impl.contract import Behaviours
from reference_impl.paths import resolved
from reference_impl.permissions import Permissions
from reference_impl.read_state import ReadState, Record
from reference_impl.refusal import Refusal
from reference_impl.sampling import usual_line_ending
from reference_impl.text_file import decode, modified_at, read_bytes, unify

__all__ = ["Session"]


@dataclass
class Session:
    """One conversation with the tools. `root` and `home` are absolute paths."""

    root: str
    home: str
    behaviours: Behaviours
    permissions: Permissions
    state: ReadState = field(default_factory=ReadState)
    _line_ending: str | None = None

    def path(self, given: str) -> str:
        """Return the absolute path of what the model wrote. Refusal: relative, where that is not allowed."""
        if not given.startswith("/") and not self.behaviours.relative_paths_are_resolved:
            raise Refusal("invalid_arguments", f"The path must be absolute, not relative: {given}")
        return resolved(given, self.root)

    def deny(self, action: str, path: str, *, code: int | None = None) -> None:
        """Refuse a path that a deny rule covers; `action` is `Read` or `Edit`."""
        if self.permissions.denies(action, path):
            raise Refusal(
                "permission_denied",
                "File is in a directory that is denied by your permission settings.",
                code=code,
            )

    def deny_target(self, action: str, given: str, path: str) -> None:
        """Refuse a link to a file that a deny rule covers. This is asked last before the execution."""
        if self.permissions.denies_target(action, path):
            verb = "read" if action == "Read" else "edit"
            raise Refusal("permission_denied", f"Permission to {verb} {given} has been denied.")

    def remember(self, path: str, content: str, *, whole: bool) -> None:
        """Record what a path holds now."""
        self.state.put(path, Record(content, modified_at(path), whole))

    def new_file_line_ending(self) -> str:
        """Return the line ending of files that Write creates; found out once per session."""
        if self._line_ending is None:
            self._line_ending = usual_line_ending(self.root)
        return self._line_ending

    def end_message(self) -> None:
        """Remember anew what changed on disk among the files that are remembered whole."""
        if not self.behaviours.changed_files_are_noticed:
            return
        for path, record in self.state.items():
            if record.whole and os.path.isfile(path) and modified_at(path) > record.timestamp:
                self.remember(path, unify(decode(read_bytes(path), "utf-8")), whole=True)
