"""Store the results of mutants in a file of JSON Lines, so that an interrupted run can be continued."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path

from mutants import Key, Mutant
from trial import MutantResult


def digest(files: Iterable[Path]) -> str:
    """Return a SHA-256 digest of the contents of files, in hexadecimal digits."""
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(hashlib.sha256(file.read_bytes()).digest())
    return found.hexdigest()


class Results:
    """Stores the results of mutants in a file, so that an interrupted run can be continued. `about` identifies the
    mutated code and its test cases. A file with results for a different `about` is overwritten.
    """

    def __init__(self, file: Path, about: str) -> None:
        self._file = file
        self._known: dict[Key, tuple[str, str, int, str]] = {}
        lines = file.read_text("utf-8").splitlines() if file.exists() else []
        if lines[:1] != [json.dumps({"about": about})]:
            file.write_text(json.dumps({"about": about}) + "\n", "utf-8")
            return
        for line in lines[1:]:
            try:
                where, before, after, occurrence, *fate = json.loads(line)
            except ValueError:  # the run ended while it was writing
                continue
            self._known[where, before, after, occurrence] = (*fate,)

    def of(self, mutants: Sequence[Mutant]) -> list[MutantResult]:
        """Return the stored results of these mutants. Mutants without a stored result are omitted."""
        return [MutantResult(each, *self._known[each.key]) for each in mutants if each.key in self._known]

    def add(self, fate: MutantResult) -> None:
        """Append the result of a mutant to the file."""
        with self._file.open("a", encoding="utf-8") as file:
            file.write(json.dumps([*fate.mutant.key, fate.by, fate.how, fate.asked, fate.worst]) + "\n")
