"""Serves a wrong implementation, `MODULE:CLASS` of tests/wrong_implementations, with the protocol `lines`."""

import importlib
import sys
from pathlib import Path

from readfirst.harness.adapters.json_lines_server import private_streams, serve_lines

sys.path.insert(0, str(Path(__file__).parents[1] / "wrong_implementations"))
module, _, name = sys.argv[1].partition(":")
serve_lines(lambda: getattr(importlib.import_module(module), name), name, "1", *private_streams())
