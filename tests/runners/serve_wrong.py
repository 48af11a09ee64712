"""Serves a wrong implementation, `MODULE:CLASS` of tests/wrong_implementations, by the protocol `lines`."""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path

from readfirst.harness.adapters.lines_server import serve_lines

sys.path.insert(0, str(Path(__file__).parents[1] / "wrong_implementations"))
module, _, name = sys.argv[1].partition(":")
answers = os.fdopen(os.dup(1), "wb")
os.dup2(2, 1)
serve_lines(getattr(importlib.import_module(module), name), name, "1", sys.stdin.buffer, answers)
