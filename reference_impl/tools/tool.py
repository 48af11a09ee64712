"""The interface that the modules of all tools implement."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from readfirst.reference_impl.argument_validation import Schema
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.session.session import Session

__all__ = ["Answer", "Tool", "keep_arguments"]

Answer = str | tuple[str, ...]
"""The answer of a tool to a call: one text, or several blocks of text."""


class Tool(Protocol):
    """Interface of a module that implements one tool. A call uses the functions in the order of this class. All
    functions except `schema` may raise Refusal; only `execute` changes files or the session.
    """

    def schema(self, behaviours: Behaviours) -> Schema:
        """Return the schema of the tool: its name, its description, and its parameters."""

    def prepare(
        self, session: Session, arguments: Mapping[str, Any], *, corrected: bool
    ) -> Mapping[str, Any]:
        """Return the arguments for the functions below. `corrected`: the names of some arguments were corrected."""

    def validate(self, session: Session, arguments: Mapping[str, Any]) -> None:
        """Raise Refusal for an invalid call before anything is changed."""

    def check_permissions(self, session: Session, arguments: Mapping[str, Any]) -> None:
        """Raise Refusal for a call without the required permission."""

    def execute(self, session: Session, arguments: Mapping[str, Any]) -> Answer:
        """Execute the call, store its effect in the session, and return the answer."""


def keep_arguments(session: Session, arguments: Mapping[str, Any], *, corrected: bool) -> Mapping[str, Any]:  # noqa: ARG001
    """Return the arguments unchanged. Used as the function `prepare` of tools whose arguments need no preparation."""
    return arguments
