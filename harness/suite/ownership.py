"""The ownership of a file: owner, group, and extended attributes, which include access control lists."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # implementations import this module, but not YAML
    from readfirst.harness.yaml_io.yaml_validation import Node


USER, ACL = "user.", "system.posix_acl_access"
"""Extended attributes that a scenario may use: names with the prefix `USER`, and the access control list (`ACL`)."""
_KEYS = ("owner", "group", "attributes")
_MAX_ID = 60_000
"""Largest user or group id in scenarios. Larger ids are missing in some containers, or belong to `nobody`."""


class Ownership(NamedTuple):
    """Owner and group of a file (None: as the running process), and its extended attributes, sorted by name."""

    owner: int | None = None
    group: int | None = None
    attributes: tuple[tuple[str, bytes], ...] = ()

    @property
    def value(self) -> dict[str, Any]:
        """The ownership as it is written in scenario files."""
        numbers = {"owner": self.owner, "group": self.group}
        value: dict[str, Any] = {name: number for name, number in numbers.items() if number is not None}
        if self.attributes:
            value["attributes"] = {name: _attribute_value(data) for name, data in self.attributes}
        return value

    def __str__(self) -> str:
        names = ", ".join(f"{name} {data!r}" for name, data in self.attributes)
        owner, group = ("its own" if each is None else each for each in (self.owner, self.group))
        return f"owner {owner}, group {group}, attributes {names or 'none'}"


DEFAULT_OWNERSHIP = Ownership()
"""The ownership of a file that the implementation creates: owner and group of the process, no extended attributes."""


def parse_ownership(value: Mapping[str, Any]) -> Ownership:
    """Create an ownership from its value in a scenario file. Raises ValueError, TypeError or AttributeError."""
    attributes = value.get("attributes", {})
    if value.keys() - set(_KEYS) or not all(name.startswith(USER) or name == ACL for name in attributes):
        raise ValueError(f"unknown keys in {value!r}")
    for name in ("owner", "group"):
        if name in value and not (type(value[name]) is int and 0 < value[name] <= _MAX_ID):
            raise ValueError(f"{name} must be a number from 1 to {_MAX_ID}, not {value[name]!r}")
    read = sorted((name, _parse_attribute(each)) for name, each in attributes.items())
    return Ownership(value.get("owner"), value.get("group"), tuple(read))


def read_ownership(node: Node) -> Ownership:
    """Read the key `ownership` of a scenario file. Raises FormError."""
    from readfirst.harness.yaml_io.yaml_validation import (
        FormError,  # here, because implementations import this module, but not YAML
    )

    try:
        return parse_ownership(node.value)
    except (ValueError, TypeError, AttributeError):
        raise FormError(node) from None


def _attribute_value(data: bytes) -> str | dict[str, str]:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = "\0"
    return text if text.isprintable() else {"base64": base64.b64encode(data).decode("ascii")}


def _parse_attribute(value: Any) -> bytes:
    match value:
        case str():
            return value.encode()
        case {"base64": str(encoded)} if len(value) == 1:
            return base64.b64decode(encoded, validate=True)
        case _:
            raise ValueError(f"an extended attribute must be a text or {{base64: ...}}, not {value!r}")
