"""The checkout's own test run: the plugin is loaded from here where the package is not installed."""

from __future__ import annotations

from importlib.metadata import entry_points

# Loading it twice, by entry point and here, is an error.
if not any(entry.name == "readfirst" for entry in entry_points(group="pytest11")):
    pytest_plugins = ["harness.pytest_plugin"]
