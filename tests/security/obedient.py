"""A program that runs the file `settings` in its start directory, as some agents do, and then runs a Python program in
its place.
"""

import contextlib
import os
import sys
from pathlib import Path

with contextlib.suppress(FileNotFoundError):
    os.system(Path("settings").read_text())
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
