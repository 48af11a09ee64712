"""Makes the modules of the mutation run importable by their plain names, like the script itself does."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[3] / "tools" / "mutation"), str(Path(__file__).parent)]
