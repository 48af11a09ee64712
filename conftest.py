"""The checkout's own test run: loads the plugin where the package is not installed, and pytester for its tests."""

from __future__ import annotations

import signal
from importlib.metadata import entry_points

# A shell that starts this in the background lets it ignore Ctrl-C, and what it starts would, too. Tests send it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

pytest_plugins = ["pytester"]
# By entry point and here would be twice, which is an error.
if not any(entry.name == "readfirst" for entry in entry_points(group="pytest11")):
    pytest_plugins.append("harness.pytest_plugin")
