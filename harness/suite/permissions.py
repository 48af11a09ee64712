"""The permissions of a scenario: the actions that the session may perform without asking the user."""

from __future__ import annotations

import re
from dataclasses import dataclass

from readfirst.harness.adapter_api import MODES, PermissionMode
from readfirst.harness.suite.path_rules import is_safe
from readfirst.harness.yaml_io.yaml_validation import Fields, Node

PERMISSION_KEYS = ("mode", "allow", "working_directory", "additional_directories")
"""The keys of `given` that state permissions. `deny` is not included."""

_PATTERN_FORM = re.compile(r"[A-Z][A-Za-z]*(?:\([^\0]+\))?")


@dataclass(frozen=True, slots=True)
class GivenPermissions:
    """The permission mode of the session, the patterns of allowed actions, such as `Edit(docs/**)`, and the session's
    directories, relative to the workspace. `working_directory` may be empty for the workspace.
    """

    mode: PermissionMode
    allow: tuple[str, ...] = ()
    working_directory: str = ""
    additional_directories: tuple[str, ...] = ()

    def lines(self) -> list[tuple[str, str]]:
        """Return the name and the value of each stated permission. Used in reports."""
        return [
            ("mode", self.mode),
            *(("allow", pattern) for pattern in self.allow),
            *([("working directory", self.working_directory)] if self.working_directory else []),
            *(("additional directory", directory) for directory in self.additional_directories),
        ]


def read_permissions(given: Fields) -> GivenPermissions | None:
    """Read the permissions in `given`. None if no permissions are stated: every call is allowed. Raises FormError."""
    if not any(key in given for key in PERMISSION_KEYS):
        return None
    mode = given.node.mapping(required=("mode",))["mode"].one_of(MODES)
    nodes_by_key = {
        key: [each for each in _nodes_of(given, key) if is_safe(each, each.value)]
        for key in ("working_directory", "additional_directories")
    }
    working, additional = ([each.value for each in nodes] for nodes in nodes_by_key.values())
    return GivenPermissions(mode, read_patterns(given, "allow"), "".join(working), tuple(additional))


def _nodes_of(given: Fields, key: str) -> list[Node]:
    """Return the node of a key, or of each item if the value is a list. Empty if the key is missing."""
    if key not in given:
        return []
    node = given[key]
    return node.listed() if key == "additional_directories" else [node]


def read_patterns(given: Fields, key: str) -> tuple[str, ...]:
    """Read the permission patterns of a key in `given`: `allow` or `deny`. Raises FormError."""
    return tuple(node.matching(_PATTERN_FORM) for node in given[key].listed()) if key in given else ()
