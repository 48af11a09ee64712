"""Lint: everything that is wrong with a suite, one rule per id; `rules` has the table."""

from __future__ import annotations

from readfirst.harness.lint.recorded import notes
from readfirst.harness.lint.rules import RULES, Rule
from readfirst.harness.lint.walk import Linted, lint, walk
from readfirst.harness.source.finding import Finding

__all__ = ["RULES", "Finding", "Linted", "Rule", "lint", "notes", "walk"]
