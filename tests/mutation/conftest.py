"""Makes the modules of the mutation run importable, as they are for the script itself."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
