"""Suite: a folder of scenarios with its contracts and vocabulary; files are read when they are asked for."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import readfirst
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.scenario_index import ScenarioIndex, ScenarioLocation
from readfirst.harness.suite.scenario_metadata import Heading, heading_of
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError
from readfirst.harness.yaml_io.last_file import LastFileCache
from readfirst.harness.yaml_io.yaml_validation import did_you_mean

if TYPE_CHECKING:
    from readfirst.harness.suite.contracts import Contract, Contracts
    from readfirst.harness.suite.error_names import Vocabulary
    from readfirst.harness.suite.recordings import Recordings
    from readfirst.harness.suite.rules import Rules
    from readfirst.harness.suite.scenario import Scenario
    from readfirst.harness.yaml_io.strict_yaml import Document

# What reads each kind of file is imported with the first of them: a list of scenarios needs headings only.


_HEADING = {"title", "requirement", "rule", "tags"}


class UnknownScenarioError(ReadfirstError, LookupError):
    """No scenario of this suite has that id; the message names the closest one."""


def default_root() -> Path:
    """Return the folder of the fixtures: that of the checkout, else the copy inside the package."""
    package = Path(readfirst.__file__).parent
    checkout = package.parent / "fixtures"
    return checkout if (checkout / "contracts.yaml").is_file() else package / "fixtures"


class Suite:
    """The fixtures below `root`. No scenario is kept once it was handed out, so memory stays flat."""

    def __init__(
        self, root: Path | None = None, *, copies_bundled: bool = False, trust: bool = False
    ) -> None:
        """Open the suite at `root` (default: `default_root()`). Raises SuiteError if there is none.

        `copies_bundled`: the harness itself has copied the bundled suite there. `trust`: the user trusts the suite
        (`--trust`).
        """
        self.root = default_root() if root is None else root
        self.bundled = copies_bundled or self.root.resolve() == default_root().resolve()
        """Whether it comes with the package, or its checkout: no file in it can say so."""
        self.trust = trust
        """Whether the user trusts it: then its paths and programs are not checked."""
        self._shelf = ScenarioIndex(self.root)
        self._files = LastFileCache(self.root)
        self._headings: dict[Path, Mapping[str, Document]] = {}
        if not (self.root / "scenarios").is_dir():
            message = "there is no folder `scenarios` here"
            fix = "Name the folder that holds scenarios, contracts.yaml and errors.yaml."
            raise SuiteError([Finding("no-suite", Position(self.root, 1, 1), message, fix)])

    def __reduce__(self) -> tuple[Callable[..., Suite], tuple[Path]]:
        """Let a worker open the same suite anew."""
        return partial(Suite, copies_bundled=self.bundled, trust=self.trust), (self.root,)

    @property
    def needs_wall(self) -> bool:
        """Whether its programs run behind a wall: it was not reviewed with this package, and is not trusted."""
        return not (self.bundled or self.trust)

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
        """The folder of the recordings, a file for each file of scenarios."""
        return self.root / "recordings"

    @cached_property
    def recordings(self) -> Recordings:
        """What the real product was recorded to do."""
        from readfirst.harness.suite.recordings import Recordings

        return Recordings(self.recordings_root, lambda scenario_id: self._shelf.find(scenario_id))

    @cached_property
    def contracts(self) -> Contracts:
        """The contracts of this suite. Raises SuiteError."""
        from readfirst.harness.suite.contracts import load_contracts

        return load_contracts(self.root / "contracts.yaml")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The error names of this suite. Raises SuiteError."""
        from readfirst.harness.suite.error_names import load_vocabulary

        return load_vocabulary(self.root / "errors.yaml")

    @cached_property
    def tags(self) -> Mapping[str, str] | None:
        """The tags that scenarios may have, each with its meaning; None where none are listed. Raises SuiteError."""
        from readfirst.harness.suite.schema import checked

        path = self.root / "tags.yaml"
        if not os.path.lexists(path):
            return None
        with checked(path, "tags") as look:
            tags: Mapping[str, str] = look.document.value["tags"]
            return tags

    @cached_property
    def rules(self) -> Rules | None:
        """The rules that scenarios belong to; None where none are listed. Raises SuiteError."""
        from readfirst.harness.suite.rules import load_rules, rules_file

        path = rules_file(self.root)
        return load_rules(path) if os.path.lexists(path) else None

    @cached_property
    def version(self) -> str:
        """The suite's version, as `suite.yaml` says; empty for a suite without that file. Raises SuiteError."""
        path = self.root / "suite.yaml"
        if not os.path.lexists(path):
            return ""
        from readfirst.harness.suite.schema import checked

        with checked(path, "suite") as look:
            return str(look.document.value["version"])

    def ids(self) -> list[str]:
        """Return the ids of all scenarios, sorted. Raises SuiteError where a file of several cannot be read."""
        self._shelf, self._headings = ScenarioIndex(self.root), {}
        return self._shelf.ids()

    def readable(self) -> tuple[list[str], Sequence[Finding]]:
        """Return the ids of all scenarios but those in files of several that cannot be read, and their faults."""
        self._shelf, self._headings = ScenarioIndex(self.root), {}
        return self._shelf.readable(), self._shelf.problems

    def has(self, scenario_id: str) -> bool:
        """Whether there is a scenario with this id, in this spelling. Only the tables of its family are read."""
        return self._shelf.has(scenario_id)

    def place(self, scenario_id: str) -> ScenarioLocation:
        """Return which file a scenario is in, and which case of it; UnknownScenarioError if there is none."""
        place = self._shelf.find(scenario_id)
        if place is None:
            known = self.ids()
            place = self._shelf.find(scenario_id)
            if place is None:
                advice = did_you_mean(scenario_id, known, "`readfirst list` shows which there are.")
                raise UnknownScenarioError(f"there is no scenario {scenario_id!r}. {advice}")
        return place

    def path(self, scenario_id: str) -> Path:
        """Return the file that a scenario is in; UnknownScenarioError if there is none."""
        return self.place(scenario_id).file

    def cases_in(self, path: str) -> list[str]:
        """Return the ids of the scenarios in a file of several, named by its path; none where it is no such file."""
        wanted = path.replace("\\", "/").split("/")[-2:]
        return [each for each, place in self._shelf.cases.items() if [*place.file.parts[-2:]] == wanted]

    def text(self, scenario_id: str) -> str:
        """Return a scenario as YAML: its file, and of a case what its file would be. Raises SuiteError."""
        place = self.place(scenario_id)
        if not place.case:
            return strict_yaml.read(place.file, suite=self.root).decode()
        from readfirst.harness.suite.scenario_writer import scenario_text

        return scenario_text(self.document(scenario_id).value)

    def may_pin_beginnings(self, scenario_id: str) -> bool:
        """Whether of an answer of a scenario only the beginning may be expected; without reading it."""
        place = self.place(scenario_id)
        if place.composed:
            return b'"starts"' in (self.recordings.find(scenario_id).data or b"")
        return place.file.is_file() and b"starts:" in place.file.read_bytes()

    def digest(self, scenario_id: str) -> str:
        """Return what is equal for equal scenarios: of what is written, and of a composed one what was recorded."""
        place = self.place(scenario_id)
        if not place.case:
            return hashlib.sha256(place.file.read_bytes()).hexdigest()
        said = [self.document(scenario_id).value]
        if place.composed:
            said.append(repr(self.recordings.recording(scenario_id)))
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    def document(self, scenario_id: str) -> Document:
        """Read a scenario as it is written, a case of several as if it stood alone. Raises SuiteError."""
        place = self.place(scenario_id)
        data = self._files.read(place.file) or strict_yaml.read(place.file)  # which says what is wrong
        if not place.case:
            return strict_yaml.load(data, place.file)
        from readfirst.harness.suite.case_table import expanded

        document = expanded(data, place.file, place.case)
        if document is None:
            raise UnknownScenarioError(f"there is no scenario {scenario_id!r} in {place.file} any more")
        return document

    def scenario(
        self, scenario_id: str, contract: Contract | None = None, *, require_expect: bool = True
    ) -> Scenario:
        """Read one scenario with what `contract` expects: None or `documented` leave what the file states.

        Of another contract than the file's own the recording tells, and of one that a program composed always; where
        there is none, nothing is expected.
        Raises UnknownScenarioError, SuiteError with all that is wrong in it, or RecordingError.
        """
        from readfirst.harness.suite.load import scenario_from

        composed = self.place(scenario_id).composed
        scenario = scenario_from(
            self.document(scenario_id),
            scenario_id,
            self.contracts,
            require_expect=require_expect and not composed,
            trusted=self.trust,
            composed=composed,
            words=lambda: self.vocabulary.words,
        )
        if contract is None and not (composed and require_expect):
            return scenario
        return self.with_expectations_of(scenario, contract or self.contracts[scenario.contract])

    def with_expectations_of(self, scenario: Scenario, contract: Contract) -> Scenario:
        """Return a scenario of this suite with the expectations of another contract. Raises RecordingError."""
        from readfirst.harness.suite.contract_expectations import with_expectations_of

        if not contract.recorded or (contract.name == scenario.contract and not scenario.composed):
            return scenario
        recording = self.recordings.of(scenario.id, scenario.inputs)
        return with_expectations_of(scenario, contract.name, recording.transcripts.get(contract.name))

    def in_full(self, scenario: Scenario) -> Scenario:
        """Return a scenario of this suite with what was recorded where its file keeps digests, if that can be read.

        A digest shows that a long text or file differs; where it differs takes all of it.
        """
        from readfirst.harness.suite.contract_expectations import expand_digests, has_digests
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
        place = self.place(scenario_id)
        if place.case:
            return heading_of(self._headings_in(place.file)[place.case], scenario_id)
        data = strict_yaml.read(place.file, suite=self.root)
        document = strict_yaml.load(data, place.file, until=("given", "steps"))
        if not isinstance(document.value, dict) or not document.value.keys() >= _HEADING:
            document = strict_yaml.load(data, place.file)  # written in another order
        return heading_of(document, scenario_id)

    def _headings_in(self, file: Path) -> Mapping[str, Document]:
        if file not in self._headings:
            from readfirst.harness.suite.case_table import case_headings

            self._headings[file] = case_headings(strict_yaml.read(file, suite=self.root), file)
        return self._headings[file]


def load_suite(root: Path | None = None) -> Suite:
    """Return the suite below the folder `root` (`fixtures/` of a checkout), the bundled one without it.

    Raises SuiteError if what all scenarios share, like the contracts, cannot be read. Scenarios are read when they
    are asked for.
    """
    suite = Suite(root)
    _ = suite.contracts, suite.vocabulary
    return suite
