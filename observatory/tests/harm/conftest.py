"""Makes the wrong implementations importable, and the tool that writes docs/harm.md."""

import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]

sys.path[:0] = [
    *(str(CHECKOUT / "tests" / name) for name in ("harm", "wrong_implementations")),
    str(CHECKOUT / "observatory" / "tools"),
]
