"""Makes importable the implementations, the wrong ones among them, and the tool that writes docs/harm.md."""

import sys
from pathlib import Path

HERE = Path(__file__).parent

sys.path[:0] = [str(HERE), str(HERE.parents[1] / "tools"), str(HERE.parent / "wrong_implementations")]
