import importlib
from collections.abc import Callable
from typing import Any

import pytest

# pytester unloads the modules that a run imports. Importing these modules here lets all runs use the same copies.
importlib.import_module("readfirst.harness.run.run_command")
importlib.import_module("readfirst.harness.adapters.reference")
importlib.import_module("yaml")

Run = Callable[..., pytest.RunResult]


def alone_and_with(processes: int) -> list[Any]:
    """Return parameters for a test: pytest in one process and, as a slow test, with this number of xdist processes."""
    return [
        pytest.param((), id="alone"),
        pytest.param(("-n", str(processes), "-p", "xdist"), id="xdist", marks=pytest.mark.slow),
    ]
