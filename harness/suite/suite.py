"""Suite: a folder of scenarios with its contracts and vocabulary; files are read when they are asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import readfirst
from readfirst.harness.exit_code import ReadfirstError
from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import Finding, Position, SuiteError
from readfirst.harness.source.inspection import Inspection, did_you_mean
from readfirst.harness.suite.heading import REQUIREMENTS, Heading, plain_heading

if TYPE_CHECKING:
    from readfirst.harness.suite.contracts import Contract, Contracts
    from readfirst.harness.suite.editions import Editions
    from readfirst.harness.suite.heading import Requirement
    from readfirst.harness.suite.recordings import Recordings
    from readfirst.harness.suite.rules import Rules
    from readfirst.harness.suite.scenario import Scenario
    from readfirst.harness.suite.vocabulary import Vocabulary

# What reads each kind of file is imported with the first of them: a list of scenarios needs headings only.

__all__ = ["DEEPEST", "Heading", "Suite", "UnknownScenarioError", "default_root", "ids_below", "load_suite"]


_HEADING = {"title", "requirement", "rule", "tags"}


class UnknownScenarioError(ReadfirstError, LookupError):
    """No scenario of this suite has that id; the message names the closest one."""


def default_root() -> Path:
    """Return the folder of the fixtures: that of the checkout, else the copy inside the package."""
    package = Path(readfirst.__file__).parent
    checkout = package.parent / "fixtures"
    return checkout if (checkout / "contracts.yaml").is_file() else package / "fixtures"


DEEPEST = 8
"""Folders in which a scenario may lie; what lies deeper is not looked at."""


class Suite:
    """The fixtures below `root`. No scenario is kept once it was handed out, so memory stays flat."""

    def __init__(self, root: Path | None = None, *, copies_bundled: bool = False) -> None:
        """Open the suite at `root` (default: `default_root()`). Raises SuiteError if there is none.

        `copies_bundled`: the harness itself has copied the bundled suite there.
        """
        self.root = default_root() if root is None else root
        self.bundled = copies_bundled or self.root.resolve() == default_root().resolve()
        """Whether it comes with the package, or its checkout: no file in it can say so."""
        if not (self.root / "scenarios").is_dir():
            message = "there is no folder `scenarios` here"
            fix = "Name the folder that holds scenarios, contracts.yaml and errors.yaml."
            raise SuiteError([Finding("no-suite", Position(self.root, 1, 1), message, fix)])

    @property
    def installed(self) -> bool:
        """Whether it is the copy inside the installed package, which nothing is written to."""
        return self.root.resolve() == Path(readfirst.__file__).parent.resolve() / "fixtures"

    @property
    def scenarios_root(self) -> Path:
        """The folder that ids are relative to."""
        return self.root / "scenarios"

    @property
    def recordings_root(self) -> Path:
        """The folder of the recordings, one file per scenario with the same id."""
        return self.root / "recordings"

    @cached_property
    def recordings(self) -> Recordings:
        """What the real product was recorded to do."""
        from readfirst.harness.suite.recordings import Recordings

        return Recordings(self.recordings_root)

    @cached_property
    def contracts(self) -> Contracts:
        """The contracts of this suite. Raises SuiteError."""
        from readfirst.harness.suite.contracts import load_contracts

        return load_contracts(self.root / "contracts.yaml")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The error names of this suite. Raises SuiteError."""
        from readfirst.harness.suite.vocabulary import load_vocabulary

        return load_vocabulary(self.root / "errors.yaml")

    @cached_property
    def tags(self) -> Mapping[str, str] | None:
        """The tags that scenarios may have, each with its meaning; None where none are listed. Raises SuiteError."""
        from readfirst.harness.suite.tags import load_tags

        path = self.root / "tags.yaml"
        return load_tags(path) if os.path.lexists(path) else None

    @cached_property
    def rules(self) -> Rules | None:
        """The rules that scenarios belong to; None where none are listed. Raises SuiteError."""
        from readfirst.harness.suite.rules import load_rules, rules_file

        path = rules_file(self.root)
        return load_rules(path) if os.path.lexists(path) else None

    @cached_property
    def editions(self) -> Editions:
        """The releases of this suite, and what became of former ids. Raises SuiteError."""
        from readfirst.harness.suite.editions import load_editions

        return load_editions(self.root)

    def ids(self) -> list[str]:
        """Return the ids of all scenario files, sorted. Only names are read."""
        return sorted(ids_below(os.fspath(self.scenarios_root)))

    def path(self, scenario_id: str) -> Path:
        """Return the file of a scenario; UnknownScenarioError if there is none."""
        path = self.scenarios_root / f"{scenario_id}.yaml"
        if "\0" in scenario_id or ".." in scenario_id.split("/") or not os.path.lexists(path):
            raise UnknownScenarioError(
                f"there is no scenario {scenario_id!r}. {did_you_mean_id(scenario_id, self.ids())}"
            )
        return path

    def scenario(
        self, scenario_id: str, contract: Contract | None = None, *, require_expect: bool = True
    ) -> Scenario:
        """Read one scenario with what `contract` expects: None or `documented` leave what the file states.

        Of another contract than the file's own the recording tells; where there is none, nothing is expected.
        Raises UnknownScenarioError, SuiteError with all that is wrong in it, or RecordingError.
        """
        from readfirst.harness.suite.load import load_scenario

        scenario = load_scenario(
            self.path(scenario_id),
            self.scenarios_root,
            self.contracts,
            require_expect=require_expect,
            bundled=self.bundled,
        )
        return scenario if contract is None else self.seen_by(scenario, contract)

    def seen_by(self, scenario: Scenario, contract: Contract) -> Scenario:
        """Return a scenario of this suite with the expectations of another contract. Raises RecordingError."""
        from readfirst.harness.suite.expected import seen_by

        if not contract.recorded or contract.name == scenario.contract:
            return scenario
        recording = self.recordings.of(scenario.id, scenario.inputs)
        return seen_by(scenario, contract.name, recording.transcripts.get(contract.name))

    def in_full(self, scenario: Scenario) -> Scenario:
        """Return a scenario of this suite with what was recorded where its file keeps digests, if that can be read.

        A digest shows that a long text or file differs; where it differs takes the whole.
        """
        from readfirst.harness.suite.expected import expand_digests, has_digests
        from readfirst.harness.suite.transcript import RecordingError

        if not has_digests(scenario):
            return scenario
        try:
            recording = self.recordings.of(scenario.id, scenario.inputs)
        except RecordingError:
            return scenario  # what is wrong with it does not matter here
        transcript = recording.transcripts.get(scenario.contract)
        return scenario if transcript is None else expand_digests(scenario, transcript)

    def scenarios(self) -> Iterator[Scenario]:
        """Yield every scenario in the order of the ids. Raises SuiteError at the first bad one."""
        for scenario_id in self.ids():
            yield self.scenario(scenario_id)

    def heading(self, scenario_id: str) -> Heading:
        """Read title, requirement, rule and tags of one scenario; what follows them is not read."""
        path = self.path(scenario_id)
        data = strict_yaml.read(path, suite=self.root)
        plain = plain_heading(scenario_id, data)
        if plain is not None:
            return plain
        document = strict_yaml.load(data, path, until=("given", "steps"))
        if not isinstance(document.value, dict) or not document.value.keys() >= _HEADING:
            document = strict_yaml.load(data, path)  # written in another order
        look = Inspection(document)
        top = look.mapping(look.document.value, (), "a scenario", required=("title", "requirement")) or {}
        title = look.string(top["title"], ("title",), "title") if "title" in top else None
        requirement = None
        if "requirement" in top:
            requirement = look.choice(top["requirement"], ("requirement",), "requirement", REQUIREMENTS)
        tags = look.strings(top["tags"], ("tags",), "tags") if "tags" in top else ()
        rule = look.string(top["rule"], ("rule",), "rule") if "rule" in top else None
        if look.findings:
            from readfirst.harness.suite.load import ScenarioError

            look.finish(ScenarioError)
        return Heading(scenario_id, title or "", cast("Requirement", requirement), tags, rule or "")


def load_suite(root: Path | None = None) -> Suite:
    """Return the suite below the folder `root` (`fixtures/` of a checkout), the bundled one without it.

    Raises SuiteError if what all scenarios share, like the contracts, cannot be read. Scenarios are read when they
    are asked for.
    """
    suite = Suite(root)
    _ = suite.contracts, suite.vocabulary
    return suite


def did_you_mean_id(scenario_id: str, ids: list[str]) -> str:
    """Return a suggestion, without listing hundreds of ids where none is close."""
    suggestion = did_you_mean(scenario_id, ids) if ids else ""
    return suggestion if suggestion.startswith("Did") else "`readfirst list` shows which there are."


def ids_below(folder: str, prefix: str = "", depth: int = 1) -> Iterator[str]:
    """Yield the ids of the YAML files below a folder, as the system lists them. Raises OSError."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.startswith("."):
                continue
            if entry.is_dir(follow_symlinks=False):
                if depth < DEEPEST:
                    yield from ids_below(entry.path, f"{prefix}{entry.name}/", depth + 1)
            elif entry.name.endswith(".yaml"):
                yield f"{prefix}{entry.name[:-5]}"
