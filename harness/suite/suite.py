"""A suite: a directory of scenarios with contracts, rules and error names, which extends another suite. The definitions
in a shared file, such as the contracts in contracts.yaml, are added to the definitions of the extended suite. The
bundled suite extends no suite. Files are read when they are needed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

import readfirst
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.scenario_index import ScenarioIndex, ScenarioLocation
from readfirst.harness.suite.scenario_metadata import Heading, heading_of
from readfirst.harness.suite.shared_files import SharedFiles, partial_title
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError
from readfirst.harness.yaml_io.yaml_validation import did_you_mean

if TYPE_CHECKING:
    from readfirst.harness.suite.contracts import Contract
    from readfirst.harness.suite.recordings import Recordings
    from readfirst.harness.suite.scenario import Scenario
    from readfirst.harness.yaml_io.strict_yaml import Document

# The parsers are imported with the first file of their kind, because a list of scenarios needs only metadata.

_METADATA_KEYS = {"title", "requirement", "rule", "tags"}


class UnknownScenarioError(ReadfirstError, LookupError):
    """The suite has no scenario with this id. The message names the most similar id."""


def default_root() -> Path:
    """Return the directory of the bundled suite: `fixtures` of a checkout, or the copy in the installed package."""
    package = Path(readfirst.__file__).parent
    checkout = package.parent / "fixtures"
    return checkout if (checkout / "contracts.yaml").is_file() else package / "fixtures"


class Suite(SharedFiles):
    """The scenarios, recordings and shared files in the directory `root`. Scenarios are not cached, to save memory."""

    def __init__(
        self,
        root: Path | None = None,
        *,
        base: Suite | None = None,
        copies_bundled: bool = False,
        trust: bool = False,
    ) -> None:
        """Use the suite in the directory `root` (default: `default_root()`). Raises SuiteError for a missing suite.

        This suite includes the scenarios and shared files of the suite `base`, except scenarios with the id of a
        scenario in this suite. Without `base`, only the shared files of the bundled suite are included.
        `copies_bundled` means that the harness has copied the bundled suite to `root`, `trust` that the user trusts the
        suite (`--trust`).
        """
        self.root = default_root() if root is None else root
        self.bundled = copies_bundled or self.root.resolve() == default_root().resolve()
        """Whether the suite belongs to the package or its checkout. No file in the suite can claim this."""
        self.trust = trust
        """Whether the user trusts the suite. Its paths and programs are then not checked."""
        self.base = base
        """The suite whose scenarios this suite includes, or None."""
        self._has_base = base is not None
        self._index = ScenarioIndex(self.root)
        if not (self.root / "scenarios").is_dir():
            message = "there is no directory `scenarios` here" if self.root.exists() else "it does not exist"
            fix = "Name the directory that contains `scenarios`, or `bundled` for the suite of the package."
            raise SuiteError([Finding("no-suite", Position(self.root, 1, 1), message, fix)])

    def __reduce__(self) -> tuple[Callable[..., Suite], tuple[Path]]:
        """Support pickle, to send the suite to worker processes: return a function and its arguments."""
        return partial(Suite, base=self.base, copies_bundled=self.bundled, trust=self.trust), (self.root,)

    def reopened(self) -> Suite:
        """Return a new object for the same suite, without cached data. Used after files of the suite have changed."""
        opener, arguments = self.__reduce__()
        return opener(*arguments)

    @property
    def parts(self) -> tuple[Suite, ...]:
        """All suites that this suite includes, in the order of the option `--fixtures`. This suite is the last."""
        return (*(self.base.parts if self.base is not None else ()), self)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The directories of all suites that this suite includes."""
        return tuple(part.root for part in self.parts)

    def suite_containing(self, scenario_id: str) -> Suite:
        """Return the suite in `parts` that contains a scenario. Return this suite for an unknown scenario."""
        if self.base is None or self._index.find(scenario_id) is not None or not self.base.has(scenario_id):
            return self
        return self.base.suite_containing(scenario_id)

    @property
    def needs_sandbox(self) -> bool:
        """Whether programs must run in a sandbox: an included suite is neither bundled nor trusted by the user."""
        return any(not (part.bundled or part.trust) for part in self.parts)

    @property
    def installed(self) -> bool:
        """Whether this is the bundled suite inside the installed package. Commands must not change its files."""
        return self.root.resolve() == Path(readfirst.__file__).parent.resolve() / "fixtures"

    @property
    def scenarios_root(self) -> Path:
        """The directory of the scenario files. The id of a scenario is a path relative to this directory."""
        return self.root / "scenarios"

    @property
    def recordings_root(self) -> Path:
        """The directory of the recording files. It contains one recording file per scenario file."""
        return self.root / "recordings"

    @cached_property
    def recordings(self) -> Recordings:
        """The recordings of the scenarios of this suite."""
        from readfirst.harness.suite.recordings import Recordings

        base = self.base.recordings if self.base is not None else None
        # `self._index` is replaced by `readable`.
        return Recordings(
            self.recordings_root, lambda id_: self._index.find(id_), base, self.remedy_for_recording
        )

    def remedy_for_recording(self, scenario_id: str) -> str:
        """Return the advice, a part of an error message, for a scenario that has changed since its recording."""
        part = self.suite_containing(scenario_id)
        suite = "" if part.bundled else f" --fixtures {part.root}"
        remedies = [f"run `readfirst product record --fix {scenario_id}{suite}`"]
        if not part.needs_recordings:
            file = part.recordings.path(scenario_id)
            what = f"its entry in {file}" if part.location(scenario_id).case else str(file)
            has_product = part.contracts[part.contracts.default].recorded
            remedies = [*(remedies if has_product else ()), f"delete {what}"]
        return ", or ".join(remedies)

    @cached_property
    def _below(self) -> Suite | None:
        """The suite whose shared files are inherited: `base` or the bundled suite. None for the bundled suite."""
        return Suite() if self.base is None and not self.bundled else self.base

    @cached_property
    def needs_recordings(self) -> bool:
        """Whether each scenario must have recorded answers. True for the bundled suite and its copies."""
        return self.bundled or self.name == Suite().name

    @property
    def title(self) -> str:
        """Names and versions of all suites: `readfirst 1.0 + ours 0.1`. Marks partial copies. Raises SuiteError."""
        return " + ".join(part._own_title for part in self.parts)

    @property
    def _own_title(self) -> str:
        title = f"{self.name} {self.version}".rstrip()
        return title if self._missing_count == 0 else partial_title(title)

    @cached_property
    def _missing_count(self) -> int:
        """The number of scenarios that this copy of the bundled suite lacks. 0 if the suite has a different name."""
        bundled = Suite()
        if self.bundled or (self.name, self.version) != (bundled.name, bundled.version):
            return 0
        return len({*bundled.ids()} - {*ScenarioIndex(self.root).readable()})

    @property
    def is_cut_copy(self) -> bool:
        """Whether the suite is a copy of the bundled suite that lacks some of its scenarios."""
        return 0 < self._missing_count < len(Suite().ids())

    def ids(self) -> list[str]:
        """Return the ids of all scenarios, sorted. Raises SuiteError for an unreadable file with several scenarios."""
        ids, problems = self.readable()
        if problems:
            raise SuiteError(problems)
        return ids

    def readable(self) -> tuple[list[str], Sequence[Finding]]:
        """Return the ids of all readable scenarios, and the errors of files that cannot be read."""
        self._index = ScenarioIndex(self.root)
        own, problems = self._index.readable(), self._index.problems
        if self.base is None:
            return own, problems
        ids, base_problems = self.base.readable()
        return sorted({*ids, *own}), (*base_problems, *problems)

    def has(self, scenario_id: str) -> bool:
        """Whether the suite has a scenario with exactly this id. Reads only the files of the scenario's family."""
        return self._index.has(scenario_id) or (self.base is not None and self.base.has(scenario_id))

    def check_unique(self, scenario_id: str) -> None:
        """Raise SuiteError if two files contain a scenario with the id `scenario_id`."""
        self._index.check_unique(scenario_id)

    def location(self, scenario_id: str) -> ScenarioLocation:
        """Return the file of a scenario, and its case name if any. Raises UnknownScenarioError."""
        part = self.suite_containing(scenario_id)
        location = part._index.find(scenario_id)
        if location is None:
            known = self.ids()
            location = self.suite_containing(scenario_id)._index.find(scenario_id)
            if location is None:
                advice = did_you_mean(scenario_id, known, "`readfirst list` shows which there are.")
                raise UnknownScenarioError(f"there is no scenario {scenario_id!r}. {advice}")
        return location

    def path(self, scenario_id: str) -> Path:
        """Return the path of the file that contains a scenario. Raises UnknownScenarioError."""
        return self.location(scenario_id).file

    def cases_in(self, path: str) -> list[str]:
        """Return the ids of the scenarios in the file `path`. Empty if the file contains only one scenario."""
        path_end = path.replace("\\", "/").split("/")[-2:]
        cases = {each: location for part in self.parts for each, location in part._index.cases.items()}
        return [each for each, location in cases.items() if [*location.file.parts[-2:]] == path_end]

    def text(self, scenario_id: str) -> str:
        """Return a scenario as YAML, as it would be in a file with no other scenario. Raises SuiteError."""
        location = self.location(scenario_id)
        if not location.case:
            return strict_yaml.read(location.file, suite=self.suite_containing(scenario_id).root).decode()
        from readfirst.harness.suite.scenario_writer import scenario_text

        return scenario_text(self.document(scenario_id).value)

    def find_scenario(self, scenario_id: str) -> Scenario | None:
        """Return a scenario. None if it does not exist or is invalid."""
        try:
            return self.scenario(scenario_id)
        except (UnknownScenarioError, SuiteError):
            return None

    def digest(self, scenario_id: str) -> str:
        """Return a digest of a scenario, to detect changes. Includes the recording of a `corpus` scenario."""
        location = self.location(scenario_id)
        if not location.case:
            return hashlib.sha256(location.file.read_bytes()).hexdigest()
        values = [self.document(scenario_id).value]
        if location.composed:
            values.append(repr(self.recordings.recording(scenario_id)))
        return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()

    def document(self, scenario_id: str) -> Document:
        """Return a scenario as a document, as it would be in a file with no other scenario. Raises SuiteError."""
        if (part := self.suite_containing(scenario_id)) is not self:
            return part.document(scenario_id)
        location = self.location(scenario_id)
        data = strict_yaml.read(location.file, suite=self.root)
        if not location.case:
            return strict_yaml.load(data, location.file)
        from readfirst.harness.suite.case_table import expand_case

        document = expand_case(data, location.file, location.case)
        if document is None:
            raise UnknownScenarioError(f"there is no scenario {scenario_id!r} in {location.file} any more")
        return document

    def scenario(
        self, scenario_id: str, contract: Contract | None = None, *, require_expect: bool = True
    ) -> Scenario:
        """Read one scenario with the expectations of `contract`: for None and `documented` those in the scenario file,
        otherwise those in the recording. The expectations of a generated scenario (`corpus`) are always in the
        recording. Without a recording, the calls have no expectations. Raises UnknownScenarioError, SuiteError with all
        errors of the file, or RecordingError.
        """
        if (part := self.suite_containing(scenario_id)) is not self:
            return part.scenario(scenario_id, contract, require_expect=require_expect)
        scenario = self.parse_scenario(self.document(scenario_id), scenario_id, require_expect=require_expect)
        if contract is None and not (scenario.composed and require_expect):
            return scenario
        return self.with_expectations_of(scenario, contract or self.contracts[scenario.contract])

    def parse_scenario(self, document: Document, scenario_id: str, *, require_expect: bool) -> Scenario:
        """Create a scenario of this suite from its document, without its recording. Raises SuiteError."""
        from readfirst.harness.suite.load import scenario_from

        composed = self.location(scenario_id).composed
        return scenario_from(
            document,
            scenario_id,
            self.contracts,
            require_expect=require_expect and not composed,
            trusted=self.trust,
            composed=composed,
            words=lambda: self.vocabulary.words,
        )

    def with_expectations_of(self, scenario: Scenario, contract: Contract) -> Scenario:
        """Return a copy of a scenario of this suite, with the expectations of `contract`. Raises RecordingError."""
        from readfirst.harness.suite.contract_expectations import with_expectations_of

        contract = contract.for_scenario(scenario)
        if not contract.recorded or (contract.name == scenario.contract and not scenario.composed):
            return scenario
        recording = self.recordings.of(scenario.id, scenario.inputs)
        return with_expectations_of(scenario, contract.name, recording.transcripts.get(contract.name))

    def with_full_contents(self, scenario: Scenario) -> Scenario:
        """Return the scenario with full recorded contents in place of digests, if the recording can be read."""
        from readfirst.harness.suite.contract_expectations import expand_digests, has_digests
        from readfirst.harness.suite.transcript import RecordingError

        if not has_digests(scenario):
            return scenario
        try:
            recording = self.recordings.of(scenario.id, scenario.inputs)
        except RecordingError:
            return scenario  # the error is not relevant here
        transcript = recording.transcripts.get(scenario.contract)
        return scenario if transcript is None else expand_digests(scenario, transcript)

    def scenarios(self) -> Iterator[Scenario]:
        """Yield every scenario of the suite, sorted by id. Raises SuiteError for the first invalid scenario."""
        for scenario_id in self.ids():
            yield self.scenario(scenario_id)

    def heading(self, scenario_id: str) -> Heading:
        """Read only the metadata of one scenario: title, requirement, rule and tags."""
        if (part := self.suite_containing(scenario_id)) is not self:
            return part.heading(scenario_id)
        location = self.location(scenario_id)
        data = strict_yaml.read(location.file, suite=self.root)
        if location.case:
            from readfirst.harness.suite.case_table import case_headings

            return heading_of(case_headings(data, location.file)[location.case], scenario_id)
        document = strict_yaml.load(data, location.file, until=("given", "steps"))
        if not isinstance(document.value, dict) or not document.value.keys() >= _METADATA_KEYS:
            document = strict_yaml.load(data, location.file)  # written in another order
        return heading_of(document, scenario_id)


BUNDLED = "bundled"
"""The name that users write for the bundled suite in a list of suite directories."""


def open_layers(directories: Sequence[str | Path], *, trust: bool = False) -> Suite:
    """Return one suite that includes all suites in these directories. A scenario or shared file of a later directory
    replaces the file of an earlier directory. An empty list, or `bundled`, stands for the bundled suite. Raises
    SuiteError.
    """
    suite: Suite | None = None
    for directory in directories or (BUNDLED,):
        root = None if directory == BUNDLED else Path(directory)
        suite = Suite(root, base=suite, trust=trust)
    assert suite is not None
    return suite


def load_suite(root: Path | None = None) -> Suite:
    """Return the suite in the directory `root` (for example `fixtures/` of a checkout). Default: the bundled suite.
    Raises SuiteError if shared files, such as the contracts, cannot be read.
    """
    suite = Suite(root)
    _ = suite.contracts, suite.vocabulary
    return suite
