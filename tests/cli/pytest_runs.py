"""Runs of pytest within pytest: the type of the fixture `run`, and parameters for runs with and without xdist."""

import importlib
from collections.abc import Callable
from typing import Any

import pytest

# pytester unloads the modules that a run imports. These are imported here once for all runs.
importlib.import_module("readfirst.harness.run.run_command")
importlib.import_module("readfirst.harness.adapters.reference")
importlib.import_module("yaml")

Run = Callable[..., pytest.RunResult]
"""A function that runs pytest with these command-line arguments."""


def alone_and_with(processes: int) -> list[Any]:
    """Return pytest parameters: no options, and in slow tests the options for this number of xdist processes."""
    return [
        pytest.param((), id="alone"),
        pytest.param(("-n", str(processes), "-p", "xdist"), id="xdist", marks=pytest.mark.slow),
    ]
