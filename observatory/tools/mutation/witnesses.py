"""Store the cases that killed mutants which few cases kill, so that the next run uses them first.

Otherwise it would depend on the order of the cases whether such a mutant is killed within the maximum number of cases.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from trial import Fate

MANY = 20
"""If more cases than this pass before a case kills the mutant, this case is stored as a witness."""


class WitnessesError(Exception):
    """The file of witnesses is invalid."""


def load_witnesses(file: Path) -> dict[str, str]:
    """Return the stored witnesses: the case that killed a mutant, by the mutant in one line. Raises WitnessesError."""
    try:
        found = json.loads(file.read_bytes())
    except (OSError, ValueError) as error:
        raise WitnessesError(f"{file}: cannot be read: {error}. Restore it, or write {{}} to it.") from None
    if not isinstance(found, dict) or not all(isinstance(case, str) for case in found.values()):
        raise WitnessesError(f"{file}: must be one object of texts. Restore it, or write {{}} to it.")
    return found


def witnesses_text(fates: Iterable[Fate], known: Mapping[str, str]) -> str:
    """Return the content of the file of witnesses after a complete run: known witnesses that killed their mutant again,
    and new ones.
    """
    found = {
        fate.mutant.described: fate.by
        for fate in fates
        if fate.killed and (fate.asked > MANY or known.get(fate.mutant.described) == fate.by)
    }
    return json.dumps(dict(sorted(found.items())), indent=1, ensure_ascii=False) + "\n"
