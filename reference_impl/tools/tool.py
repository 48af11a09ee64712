"""The interface of a tool module, in the order of its use by a call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from readfirst.reference_impl.argument_validation import Schema
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.session.session import Session

__all__ = ["Answer", "Tool"]

Answer = str | tuple[str, ...]
"""A text, or several blocks of text."""


class Tool(Protocol):
    """One tool: a module with these functions. All but `schema` may raise Refusal; only `execute` changes anything."""

    def schema(self, behaviours: Behaviours) -> Schema:
        """Return the parameters of the tool."""

    def prepare(
        self, session: Session, arguments: Mapping[str, Any], *, corrected: bool
    ) -> Mapping[str, Any]:
        """Return the arguments that `validate`, `check_permissions` and `execute` receive.

        `corrected`: the arguments were corrected to fit the schema.
        """

    def validate(self, session: Session, arguments: Mapping[str, Any]) -> None:
        """Refuse invalid calls before any change."""

    def check_permissions(self, session: Session, arguments: Mapping[str, Any]) -> None:
        """Refuse calls without the required permission."""

    def execute(self, session: Session, arguments: Mapping[str, Any]) -> Answer:
        """Execute the call, remember its effect, and return the answer."""
