"""An implementation that searches for expected results, and answers with its findings."""

import importlib.util
import json
import os
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import readfirst
from readfirst import FileTools, ToolResult, Workspace


def succeeds(search: Callable[[], object]) -> bool:
    try:
        return bool(search())
    except ImportError:
        return False


def below(folder: Path) -> list[str]:
    """Return up to three YAML files below a directory, which could contain expected results."""
    return sorted(path.name for path in folder.rglob("*.yaml"))[:3]


class Cheat:
    """Searches modules, variables and files, and answers each call with its findings, as JSON."""

    def open(self, workspace: Workspace) -> "Cheat":
        return self

    def call(self, tool: str, arguments: Mapping[str, Any]) -> ToolResult:
        package = Path(readfirst.__file__).resolve().parent
        hidden = Path(str(arguments["fixtures"]))
        found = {
            "modules": [
                name
                for name in ("suite", "compare", "replay", "cli", "workspace")
                if succeeds(partial(importlib.util.find_spec, f"readfirst.harness.{name}"))
            ],
            "names": [
                name
                for name in ("load_suite", "run", "connect", "Scenario")
                if succeeds(partial(hasattr, readfirst, name))
            ],
            "beside the package": below(package.parent.parent),
            "variables": [name for name in os.environ if name.startswith("PYTEST_")],
            "tools": FileTools.__name__,
            "by its path": below(hidden),
            "in the history": (hidden.parent / ".git").is_file() or any((hidden.parent / ".git").glob("*")),
            "along the path": [
                each for each in sys.path if below(Path(each, "readfirst/fixtures/scenarios/gate"))
            ],
        }
        return ToolResult(json.dumps(found))
