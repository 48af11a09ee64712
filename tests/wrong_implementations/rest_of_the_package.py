"""Makes the whole package readfirst importable in the process of an implementation.

Such a process usually has only a part of the package, but wrong implementations use more of it.
"""

from pathlib import Path

import readfirst
import readfirst.harness
import readfirst.harness.adapters

_HARNESS = Path(__file__).resolve().parents[2] / "harness"

# The suite is searched in the directory of the package.
readfirst.__file__ = str(_HARNESS.parent / "readfirst" / "__init__.py")
readfirst.harness.__path__.append(str(_HARNESS))
readfirst.harness.adapters.__path__.append(str(_HARNESS / "adapters"))
