"""Tool: what the module of each tool offers, in the order in which a call goes through it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from readfirst.reference_impl.argument_validation import Schema
from readfirst.reference_impl.behaviours_by_version import Behaviours
from readfirst.reference_impl.session.session import Session

__all__ = ["Answer", "Tool"]

Answer = str | tuple[str, ...]
"""A text, or blocks of text, one below the other."""


class Tool(Protocol):
    """One tool: a module with these functions. Each but the first may refuse; only `execute` changes anything."""

    def schema(self, behaviours: Behaviours) -> Schema:
        """Return what the tool takes."""

    def prepare(
        self, session: Session, arguments: Mapping[str, Any], *, corrected: bool
    ) -> Mapping[str, Any]:
        """Return the arguments that all rules see. `corrected`: they had to be corrected to fit the schema."""

    def validate(self, session: Session, arguments: Mapping[str, Any]) -> None:
        """Refuse what is wrong before anything is done."""

    def permit(self, session: Session, arguments: Mapping[str, Any]) -> None:
        """Refuse what the session may not do."""

    def execute(self, session: Session, arguments: Mapping[str, Any]) -> Answer:
        """Do it, remember it, and return the answer."""
