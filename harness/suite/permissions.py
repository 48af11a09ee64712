"""The permissions of a scenario: the actions that its session may do without asking."""

from __future__ import annotations

import re
from dataclasses import dataclass

from readfirst.harness.adapter_api import MODES, PermissionMode
from readfirst.harness.suite.path_rules import is_safe
from readfirst.harness.yaml_io.yaml_validation import Fields, Node

PERMISSION_KEYS = ("mode", "allow", "working_directory", "additional_directories")
"""The keys of `given` that state permissions, except `deny`."""

_RULE = re.compile(r"[A-Z][A-Za-z]*(?:\([^\0]+\))?")


@dataclass(frozen=True, slots=True)
class GivenPermissions:
    """The permission mode of a session, the patterns of allowed actions (`Edit(docs/**)`), and the session's
    directories.

    Directories are relative to the workspace; an empty `working_directory` is the workspace itself.
    """

    mode: PermissionMode
    allow: tuple[str, ...] = ()
    working_directory: str = ""
    additional_directories: tuple[str, ...] = ()

    def lines(self) -> list[tuple[str, str]]:
        """Return the names and values of the stated permissions, for reports."""
        return [
            ("mode", self.mode),
            *(("allow", rule) for rule in self.allow),
            *([("working directory", self.working_directory)] if self.working_directory else []),
            *(("additional directory", folder) for folder in self.additional_directories),
        ]


def read_permissions(given: Fields) -> GivenPermissions | None:
    """Read the permissions in `given`. None: none are stated, and every call is allowed. Raises FormError."""
    if not any(key in given for key in PERMISSION_KEYS):
        return None
    mode = given.node.mapping(required=("mode",))["mode"].one_of(MODES)
    folders = {
        key: [each for each in _values_of(given, key) if is_safe(each, each.value)]
        for key in ("working_directory", "additional_directories")
    }
    at_home, further = ([each.value for each in nodes] for nodes in folders.values())
    return GivenPermissions(mode, read_rules(given, "allow"), "".join(at_home), tuple(further))


def _values_of(given: Fields, key: str) -> list[Node]:
    """Return the nodes of a key: one, or all items of a list. Empty if the key is missing."""
    node = given.read(key, lambda node: node)
    if node is None:
        return []
    return node.listed() if key == "additional_directories" else [node]


def read_rules(given: Fields, key: str) -> tuple[str, ...]:
    """Read a list of permission patterns, `allow` or `deny`. Raises FormError."""
    return tuple(node.matching(_RULE) for node in given[key].listed()) if key in given else ()
