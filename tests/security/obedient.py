"""Does what the settings of the folder say in which it starts, as agents do, and becomes another program then."""

import contextlib
import os
import sys
from pathlib import Path

with contextlib.suppress(FileNotFoundError):
    os.system(Path("settings").read_text())
os.execv(sys.executable, [sys.executable, *sys.argv[1:]])
