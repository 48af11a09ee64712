"""Index of the scenario files of a suite: the file of each scenario, which may contain several cases, and its
recording.

`scenarios/<family>/<slug>.yaml` is one scenario, `scenarios/<family>/<name>.cases.yaml` a table of them.
`corpus/<family>/<theme>.yaml` is a table of scenarios that a program composed; their expectations are only in their
recordings.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError

DEEPEST = 8
"""Maximum depth of directories below `scenarios`. Deeper files are ignored."""

_TABLE = ".cases"


@dataclass(frozen=True, slots=True)
class ScenarioLocation:
    """The file of a scenario. `case` is its name in a file of several, otherwise empty."""

    file: Path
    case: str = ""
    composed: bool = False


_Cases = tuple[Mapping[str, ScenarioLocation], Sequence[Finding]]


class ScenarioIndex:
    """Finds the files of a suite's scenarios. Results are cached, so a new index is needed after a file was added."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._scenarios = os.fspath(root / "scenarios")
        self._read: dict[str, _Cases] = {}

    def ids(self) -> list[str]:
        """Return the ids of all scenarios, sorted. Raises SuiteError for an unreadable file with several scenarios."""
        if self.problems:
            raise SuiteError(self.problems)
        return self.readable()

    def readable(self) -> list[str]:
        """Return the ids of all scenarios except those in unreadable files, sorted."""
        return sorted({*self._names[0], *self.cases})

    def own(self, scenario_id: str) -> Path:
        """Return the path of a file that contains only this scenario. The file may be missing."""
        return Path(f"{self._scenarios}/{scenario_id}.yaml")

    def has(self, scenario_id: str) -> bool:
        """Whether a scenario with this id exists, in exactly this spelling. Reads only the files of its family."""
        return scenario_id in self._names[0] or scenario_id in self._cases_of(_family_of(scenario_id))[0]

    def find(self, scenario_id: str) -> ScenarioLocation | None:
        """Return the location of a scenario, or None. Raises SuiteError for an unreadable file of several scenarios."""
        if "\0" in scenario_id or not {"", ".", ".."}.isdisjoint(scenario_id.split("/")):
            return None
        if not scenario_id.endswith(_TABLE) and os.path.lexists(f"{self._scenarios}/{scenario_id}.yaml"):
            return ScenarioLocation(self.own(scenario_id))
        places, problems = self._cases_of(_family_of(scenario_id))
        place = places.get(scenario_id)
        if place is None and problems:
            raise SuiteError(problems)
        return place

    def check_unique(self, scenario_id: str) -> None:
        """Raise SuiteError if two files contain a scenario with this id."""
        problems = self._cases_of(_family_of(scenario_id))[1]
        several = [each for each in problems if each.rule == "several-of-one-id"]
        if any(f" {scenario_id}," in each.message for each in several):
            raise SuiteError(several)

    @cached_property
    def cases(self) -> Mapping[str, ScenarioLocation]:
        """The locations of all scenarios in files with several scenarios, by id."""
        return {
            scenario_id: place
            for family in self._tables
            for scenario_id, place in self._cases_of(family)[0].items()
        }

    @cached_property
    def problems(self) -> Sequence[Finding]:
        """The errors of the files with several scenarios."""
        return [finding for family in self._tables for finding in self._cases_of(family)[1]]

    @cached_property
    def _names(self) -> tuple[list[str], list[str]]:
        """The names of the files below `scenarios`: first those with one scenario, then those with several."""
        folder = self.root / "scenarios"
        names = sorted(names_below(os.fspath(folder))) if folder.is_dir() else []
        return [each for each in names if not each.endswith(_TABLE)], [n for n in names if n.endswith(_TABLE)]

    @cached_property
    def _tables(self) -> Mapping[str, Sequence[tuple[Path, bool]]]:
        """The files with several scenarios, by family. Each is paired with whether a program composed it."""
        tables: dict[str, list[tuple[Path, bool]]] = {}
        for name in self._names[1]:
            tables.setdefault(_family_of(name), []).append((self.own(name), False))
        corpus = self.root / "corpus"
        if corpus.is_dir() and not corpus.is_symlink():
            for name in sorted(names_below(os.fspath(corpus))):
                tables.setdefault(_family_of(name), []).append((corpus / f"{name}.yaml", True))
        return tables

    def _cases_of(self, family: str) -> _Cases:
        """Return the scenarios of a family in files with several scenarios, and the errors of these files."""
        if family not in self._read:
            self._read[family] = self._read_cases(family)
        return self._read[family]

    def _read_cases(self, family: str) -> _Cases:
        from readfirst.harness.suite.case_table import case_headings

        found: dict[str, ScenarioLocation] = {}
        findings: list[Finding] = []
        tables = self._tables.get(family, ())
        own = frozenset(self._names[0] if tables else ())
        for file, composed in tables:
            if not family:
                message = "a file of several scenarios must be in the directory of a family"
                findings.append(Finding("cases-form", Position(file, 1, 1), message, "Move it into one."))
                continue
            try:
                slugs = case_headings(strict_yaml.read(file, suite=self.root), file)
            except SuiteError as error:
                findings += error.findings
                continue
            for slug in slugs:
                scenario_id = f"{family}/{slug}"
                other = found.setdefault(scenario_id, ScenarioLocation(file, slug, composed)).file
                if scenario_id in own:
                    other = self.own(scenario_id)
                if other != file:
                    message = f"there is another scenario {scenario_id}, in {other}"
                    findings.append(
                        Finding("several-of-one-id", Position(file, 1, 1), message, "Rename or remove one.")
                    )
        return found, findings


def _family_of(scenario_id: str) -> str:
    return scenario_id.rpartition("/")[0]


def names_below(folder: str, suffix: str = ".yaml", prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Yield the names, without the suffix and unsorted, of files with a suffix below a directory. Raises OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST:
                    yield from names_below(entry.path, suffix, f"{prefix}{entry.name}/", depth + 1)
            elif entry.name.endswith(suffix):
                yield f"{prefix}{entry.name.removesuffix(suffix)}"
