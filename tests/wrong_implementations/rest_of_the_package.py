"""Makes all of readfirst importable in an implementation's process, which usually has only a part of it."""

from pathlib import Path

import readfirst
import readfirst.harness
import readfirst.harness.adapters

_HARNESS = Path(__file__).resolve().parents[2] / "harness"

# The suite is searched in the directory of the package.
readfirst.__file__ = str(_HARNESS.parent / "readfirst" / "__init__.py")
readfirst.harness.__path__.append(str(_HARNESS))
readfirst.harness.adapters.__path__.append(str(_HARNESS / "adapters"))
