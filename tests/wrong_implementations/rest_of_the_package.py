"""Makes the rest of the package importable: the process of an implementation has a part of it, and these need more."""

from pathlib import Path

import readfirst.harness
import readfirst.harness.adapters

_HARNESS = Path(__file__).resolve().parents[2] / "harness"

readfirst.harness.__path__.append(str(_HARNESS))
readfirst.harness.adapters.__path__.append(str(_HARNESS / "adapters"))
