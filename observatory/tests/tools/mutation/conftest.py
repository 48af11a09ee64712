"""Makes the modules of the mutation run importable, as they are for the script itself."""

import sys
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[3] / "tools" / "mutation"), str(Path(__file__).parent)]
