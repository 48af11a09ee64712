"""Permissions: what a scenario lets its session do without asking anybody."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from readfirst.harness.adapter_api import MODES, PermissionMode
from readfirst.harness.suite.path_rules import is_safe
from readfirst.harness.yaml_io.yaml_validation import Fields

PERMISSION_KEYS = ("mode", "allow", "working_directory", "additional_directories")
"""The keys below `given` that are about permissions, beside `deny`."""

_RULE = re.compile(r"[A-Z][A-Za-z]*(?:\([^\0]+\))?")


@dataclass(frozen=True, slots=True)
class GivenPermissions:
    """The mode, the rules that allow more (`Edit(docs/**)`), and the folders where the session is at home.

    Folders are relative to the workspace; an empty one is the workspace itself.
    """

    mode: PermissionMode
    allow: tuple[str, ...] = ()
    working_directory: str = ""
    additional_directories: tuple[str, ...] = ()

    def lines(self) -> list[tuple[str, str]]:
        """Return each key and value that says something, as reports show them."""
        return [
            ("mode", self.mode),
            *(("allow", rule) for rule in self.allow),
            *([("working directory", self.working_directory)] if self.working_directory else []),
            *(("additional directory", folder) for folder in self.additional_directories),
        ]


def read_permissions(given: Fields) -> GivenPermissions | None:
    """Read what `given` says of permissions; None where it says nothing, and every call is allowed."""
    mentioned = [key for key in PERMISSION_KEYS if key in given]
    if not mentioned:
        return None
    if "mode" not in given:
        message = f"{mentioned[0]} means nothing without a mode: then every call is allowed"
        given[mentioned[0]].note(message, f"Add `mode:` with one of: {', '.join(MODES)}.", key=True)
        return None
    mode, allow = given.choice("mode", MODES), read_rules(given, "allow")
    at_home = given.values.get("working_directory", "")
    if "working_directory" in given:
        is_safe(given["working_directory"], at_home)
    further = given.strings("additional_directories")
    for number, folder in enumerate(further):
        is_safe(given["additional_directories"].below(number), folder)
    return GivenPermissions(cast(PermissionMode, mode), allow, at_home, further)


def read_rules(given: Fields, key: str) -> tuple[str, ...]:
    """Read a list of permission rules, `allow` or `deny`."""
    rules = given.strings(key)
    for number, rule in enumerate(rules):
        if not _RULE.fullmatch(rule):
            fix = "Write a tool and, in parentheses, a pattern: Edit(secret/**)."
            given[key].below(number).note(f"{rule!r} is not a permission rule", fix)
    return rules
