"""Lint: everything that is wrong with a suite, one rule per id; `rules` has the table."""

from __future__ import annotations

from harness.finding import Finding
from harness.lint.recorded import unrecorded
from harness.lint.rules import RULES, Rule
from harness.lint.walk import lint

__all__ = ["RULES", "Finding", "Rule", "lint", "unrecorded"]
