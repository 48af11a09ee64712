"""The data that the pages of the website use, read once from a suite and its docs."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.report.markdown_escape import prose
from readfirst.harness.report.rule_text import scenarios_by_rule
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.scenario_metadata import Heading
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.json_file import reading
from readfirst.observatory.report.compatibility import for_contract
from readfirst.observatory.report.harm_heatmap import MapRow, map_rows

_Data = Mapping[str, Any]
_NAME = re.compile(r"\w[\w.+-]*(@[\w.+-]+)?")


class SiteError(ReadfirstError):
    """The website cannot be generated. The message names the file and the solution."""


@dataclass(frozen=True)
class SiteData:
    """The data of the website's pages, from a suite with rules and the published results in `docs`."""

    suite: Suite
    docs: Path

    @cached_property
    def rules(self) -> Rules:
        """The rules of the suite. Raises SiteError if the suite has none."""
        if self.suite.rules is None:
            raise SiteError(f"{self.suite.root} has no rules, which the pages of a site need.")
        return self.suite.rules

    @cached_property
    def scenarios(self) -> Mapping[str, Sequence[Heading]]:
        """The headings (id, title, requirement, tags) of the scenarios of each rule, by rule id."""
        return scenarios_by_rule(self.suite)

    @cached_property
    def table(self) -> _Data:
        """The content of compatibility.json, with results only for the default contract."""
        return for_contract(self.compatibility, self.compatibility["contract"])

    @cached_property
    def compatibility(self) -> _Data:
        """The content of compatibility.json. Raises SiteError if missing, invalid or without a rule of the suite."""
        table = self._read_json("compatibility.json", "readfirst targets compatibility --write")
        _check_names((*table["implementations"], *table["versions"]))
        missing = [rule.id for rule in self.rules if rule.id not in table["rules"]]
        if missing:
            raise SiteError(
                f"{self.docs / 'compatibility.json'} lacks the rule {missing[0]!r} of the suite."
                " Write the file again: `readfirst targets compatibility --write`."
            )
        return table

    @property
    def against(self) -> str:
        """The default contract as Markdown. Implementations and versions are compared with it."""
        return prose(self.table["contract"])

    @cached_property
    def results(self) -> Mapping[str, _Data]:
        """The entry of each target in implementations.json, by the target's name. Raises SiteError."""
        data = self._read_json("implementations.json", "readfirst targets implementations --write")
        _check_names(each["target"] for each in data["targets"])
        return {each["target"]: each for each in data["targets"]}

    @cached_property
    def rows(self) -> Mapping[str, MapRow]:
        """The rows of the harm map, by the name of the implementation or version, in the order of the map."""
        return {row.name: row for row in map_rows(self.table)}

    @cached_property
    def recorded(self) -> list[str]:
        """The names of the recorded contracts that have a page, oldest first."""
        return [
            each.name
            for each in self.suite.contracts
            if each.recorded and each.name in self.table["versions"]
        ]

    def harm_address(self, row: MapRow, kind: str) -> str:
        """Return the site path of a row's page or, with `kind`, of its section about this harm. Empty if missing."""
        if row.product and row.name not in self.recorded:
            return ""
        folder = "versions" if row.product else "implementations"
        return f"{folder}/{quote(row.name, safe='@+')}.html" + (f"#{kind}" if kind else "")

    @cached_property
    def recorded_harm(self) -> _Data:
        """The harm of each contract's recordings, and its causes, from harm.json. Raises SiteError."""
        return self._read_json("harm.json", "python3 observatory/tools/harms.py")

    @cached_property
    def diagnoses(self) -> Mapping[str, _Data]:
        """The diagnosis of each target in diagnosis.json, by the target's name. Raises SiteError."""
        data = self._read_json("diagnosis.json", "readfirst diagnose results/*.jsonl --format json")
        return {each["target"].removeprefix("target:"): each for each in data["diagnoses"]}

    def shortest(self, rule_id: str) -> Heading:
        """Return the heading of the shortest scenario of a rule, which pages use as the example."""
        return min(self.scenarios[rule_id], key=lambda each: (self.suite.scenario(each.id).length, each.id))

    def _read_json(self, name: str, command: str) -> _Data:
        with reading(self.docs / name, command) as data:
            return dict(data)


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not _NAME.fullmatch(name):
            raise SiteError(f"{name!r} is not a valid name of an implementation or a version for a page.")
