"""Executes the file `settings` of its start directory, like an agent, and then replaces itself by a Python program."""

import contextlib
import os
import sys
from pathlib import Path

with contextlib.suppress(FileNotFoundError):
    os.system(Path("settings").read_text())
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
