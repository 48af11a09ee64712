"""Index of a suite's scenario files. It finds the file of a scenario, which may contain several scenarios.
`scenarios/<family>/<slug>.yaml` contains one scenario, `scenarios/<family>/<name>.cases.yaml` several.
`corpus/<family>/<theme>.yaml` contains several scenarios that a program composed; their expectations are only in their
recordings.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError

MAX_DEPTH = 8
"""Maximum depth of directories in `scenarios`. Deeper files are ignored."""

_TABLE_SUFFIX = ".cases"


@dataclass(frozen=True, slots=True)
class ScenarioLocation:
    """The file of a scenario. `case` is its name in a file with several scenarios, otherwise empty."""

    file: Path
    case: str = ""
    composed: bool = False


_Cases = tuple[Mapping[str, ScenarioLocation], Sequence[Finding]]


class ScenarioIndex:
    """Finds the files of a suite's scenarios. Cached: create a new index after a file was added."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._scenarios = os.fspath(root / "scenarios")
        self._cases_by_family: dict[str, _Cases] = {}

    def readable(self) -> list[str]:
        """Return all scenario ids, sorted. Ids in a file with several scenarios are omitted if the file is invalid."""
        return sorted({*self._names[0], *self.cases})

    def file_of(self, scenario_id: str) -> Path:
        """Return the path that a file with only this scenario has. The file may be missing."""
        return Path(f"{self._scenarios}/{scenario_id}.yaml")

    def has(self, scenario_id: str) -> bool:
        """Whether a scenario with exactly this id exists. Reads only the files of its family."""
        return (
            scenario_id in self._names[0] or scenario_id in self._cases_in_family(_family_of(scenario_id))[0]
        )

    def find(self, scenario_id: str) -> ScenarioLocation | None:
        """Return the file of a scenario, or None. Raises SuiteError if a file that may contain it cannot be read."""
        if "\0" in scenario_id or not {"", ".", ".."}.isdisjoint(scenario_id.split("/")):
            return None
        if not scenario_id.endswith(_TABLE_SUFFIX) and os.path.lexists(
            f"{self._scenarios}/{scenario_id}.yaml"
        ):
            return ScenarioLocation(self.file_of(scenario_id))
        locations, problems = self._cases_in_family(_family_of(scenario_id))
        location = locations.get(scenario_id)
        if location is None and problems:
            raise SuiteError(problems)
        return location

    def check_unique(self, scenario_id: str) -> None:
        """Raise SuiteError if two files contain a scenario with the id `scenario_id`."""
        problems = self._cases_in_family(_family_of(scenario_id))[1]
        duplicates = [each for each in problems if each.rule == "several-of-one-id"]
        if any(f" {scenario_id}," in each.message for each in duplicates):
            raise SuiteError(duplicates)

    @cached_property
    def cases(self) -> Mapping[str, ScenarioLocation]:
        """The scenarios that are in files with several scenarios: the file of each scenario, by its id."""
        return {
            scenario_id: location
            for family in self._tables
            for scenario_id, location in self._cases_in_family(family)[0].items()
        }

    @cached_property
    def problems(self) -> Sequence[Finding]:
        """The errors that were found in files with several scenarios."""
        return [finding for family in self._tables for finding in self._cases_in_family(family)[1]]

    @cached_property
    def _names(self) -> tuple[list[str], list[str]]:
        """The paths in `scenarios`, without suffix, of files with one scenario, and of files with several scenarios."""
        folder = self.root / "scenarios"
        names = sorted(names_below(os.fspath(folder))) if folder.is_dir() else []
        return [each for each in names if not each.endswith(_TABLE_SUFFIX)], [
            n for n in names if n.endswith(_TABLE_SUFFIX)
        ]

    @cached_property
    def _tables(self) -> Mapping[str, Sequence[tuple[Path, bool]]]:
        """The files with several scenarios, by family. The flag is true for generated files (`corpus`)."""
        tables: dict[str, list[tuple[Path, bool]]] = {}
        for name in self._names[1]:
            tables.setdefault(_family_of(name), []).append((self.file_of(name), False))
        corpus = self.root / "corpus"
        if corpus.is_dir() and not corpus.is_symlink():
            for name in sorted(names_below(os.fspath(corpus))):
                tables.setdefault(_family_of(name), []).append((corpus / f"{name}.yaml", True))
        return tables

    def _cases_in_family(self, family: str) -> _Cases:
        """Return the scenarios of a family that are in files with several scenarios, and the errors of these files."""
        if family not in self._cases_by_family:
            self._cases_by_family[family] = self._read_cases(family)
        return self._cases_by_family[family]

    def _read_cases(self, family: str) -> _Cases:
        from readfirst.harness.suite.case_table import case_headings

        locations: dict[str, ScenarioLocation] = {}
        findings: list[Finding] = []
        tables = self._tables.get(family, ())
        file_of = frozenset(self._names[0] if tables else ())
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
                other = locations.setdefault(scenario_id, ScenarioLocation(file, slug, composed)).file
                if scenario_id in file_of:
                    other = self.file_of(scenario_id)
                if other != file:
                    message = f"there is another scenario {scenario_id}, in {other}"
                    findings.append(
                        Finding("several-of-one-id", Position(file, 1, 1), message, "Rename or remove one.")
                    )
        return locations, findings


def _family_of(scenario_id: str) -> str:
    return scenario_id.rpartition("/")[0]


def names_below(folder: str, suffix: str = ".yaml", prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Yield the paths below `folder` of files with a suffix, without the suffix, in any order. Raises OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < MAX_DEPTH:
                    yield from names_below(entry.path, suffix, f"{prefix}{entry.name}/", depth + 1)
            elif entry.name.endswith(suffix):
                yield f"{prefix}{entry.name.removesuffix(suffix)}"
