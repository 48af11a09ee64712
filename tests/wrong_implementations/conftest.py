"""Makes the wrong implementations importable, also in child processes that are started in this directory."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
