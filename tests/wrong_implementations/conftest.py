"""Makes the wrong implementations importable, here and in child processes that start in this folder."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
