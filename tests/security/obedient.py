"""Runs the file `settings` in its start directory, as some agents do, and then becomes a Python program."""

import contextlib
import os
import sys
from pathlib import Path

with contextlib.suppress(FileNotFoundError):
    os.system(Path("settings").read_text())
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
