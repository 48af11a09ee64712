"""Store *witnesses*: test cases that killed a mutant that only few test cases kill. The next run uses them first.

Without witnesses, such a mutant might survive the maximum number of test cases, depending on their order.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from trial import MutantResult

MANY = 20
"""If more than this many test cases were run until a case killed a mutant, the case is stored as a witness."""


class WitnessesError(Exception):
    """The file witnesses.json is invalid."""


def load_witnesses(file: Path) -> dict[str, str]:
    """Return the test case that killed each mutant (described in one line). Raises WitnessesError."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise WitnessesError(f"{file}: cannot be read: {error}. Restore it, or write {{}} to it.") from None
    if not isinstance(found, dict) or not all(isinstance(case, str) for case in found.values()):
        raise WitnessesError(
            f"{file}: must be one JSON object whose values are texts. Restore it, or write {{}} to it."
        )
    return found


def witnesses_text(fates: Iterable[MutantResult], known: Mapping[str, str]) -> str:
    """Return witnesses.json after a complete run: `known` cases that killed their mutant again, and new cases."""
    found = {
        fate.mutant.described: fate.by
        for fate in fates
        if fate.killed and (fate.asked > MANY or known.get(fate.mutant.described) == fate.by)
    }
    return json.dumps(dict(sorted(found.items())), indent=1, ensure_ascii=False) + "\n"
