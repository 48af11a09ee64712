"""The interface of the modules that implement the tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from readfirst.reference_impl.argument_validation import Schema
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.session.session import Session

__all__ = ["Answer", "Tool", "keep_arguments"]

Answer = str | tuple[str, ...]
"""The answer of a tool: a text, or several blocks of text."""


class Tool(Protocol):
    """A module that implements one tool. A call uses the functions in this order. All functions except `schema` may
    raise Refusal; only `execute` changes files or the session.
    """

    def schema(self, behaviours: Behaviours) -> Schema:
        """Return the schema of the tool: its name, its description, and its parameters."""

    def prepare(
        self, session: Session, arguments: Mapping[str, Any], *, corrected: bool
    ) -> Mapping[str, Any]:
        """Return the arguments that `validate`, `check_permissions` and `execute` receive.

        `corrected` means that the call used different argument names, which were corrected.
        """

    def validate(self, session: Session, arguments: Mapping[str, Any]) -> None:
        """Refuse invalid calls before any change."""

    def check_permissions(self, session: Session, arguments: Mapping[str, Any]) -> None:
        """Refuse calls without the required permission."""

    def execute(self, session: Session, arguments: Mapping[str, Any]) -> Answer:
        """Execute the call, remember its effect, and return the answer."""


def keep_arguments(session: Session, arguments: Mapping[str, Any], *, corrected: bool) -> Mapping[str, Any]:  # noqa: ARG001
    """Return the arguments unchanged: the `prepare` of tools whose arguments need no preparation."""
    return arguments
