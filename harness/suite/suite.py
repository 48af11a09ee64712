"""A directory of scenarios with its contracts, rules and error names, layered on another suite.

The entries of a shared file, such as contracts.yaml, are added to those of the suite below it. The lowest suite is
the bundled one. Files are read when they are needed.
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
from readfirst.harness.suite.shared_files import SharedFiles, part_of
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import Finding, Position, SuiteError
from readfirst.harness.yaml_io.yaml_validation import did_you_mean

if TYPE_CHECKING:
    from readfirst.harness.suite.contracts import Contract
    from readfirst.harness.suite.recordings import Recordings
    from readfirst.harness.suite.scenario import Scenario
    from readfirst.harness.yaml_io.strict_yaml import Document

# The readers are imported with the first file of their kind: a list of scenarios needs only headings.


_HEADING = {"title", "requirement", "rule", "tags"}


class UnknownScenarioError(ReadfirstError, LookupError):
    """The suite has no scenario with this id. The message names the most similar id."""


def default_root() -> Path:
    """Return the directory of the fixtures: in the checkout, otherwise the copy inside the package."""
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
        """Open the suite at `root` (default: `default_root()`). Raises SuiteError for a missing suite.

        `base` is a suite whose scenarios and shared files this suite includes. If both have a scenario with the same
        id, the scenario of this suite is used. Without `base`, only the shared files of the bundled suite are included.
        `copies_bundled`: the harness itself has copied the bundled suite to `root`. `trust`: the user trusts the suite
        (`--trust`).
        """
        self.root = default_root() if root is None else root
        self.bundled = copies_bundled or self.root.resolve() == default_root().resolve()
        """Whether the suite belongs to the package or its checkout. No file in the suite can claim this."""
        self.trust = trust
        """Whether the user trusts the suite. Its paths and programs are then not checked."""
        self.base = base
        """The suite whose scenarios this suite includes, or None."""
        self._shelf = ScenarioIndex(self.root)
        if not (self.root / "scenarios").is_dir():
            message = "there is no directory `scenarios` here" if self.root.exists() else "it does not exist"
            fix = "Name the directory that contains `scenarios`, or `bundled` for the suite of the package."
            raise SuiteError([Finding("no-suite", Position(self.root, 1, 1), message, fix)])

    def __reduce__(self) -> tuple[Callable[..., Suite], tuple[Path]]:
        """Return the data for opening the same suite in a worker process (pickle)."""
        return partial(Suite, base=self.base, copies_bundled=self.bundled, trust=self.trust), (self.root,)

    def reopened(self) -> Suite:
        """Return a new object for the same suite, without cached data."""
        opener, arguments = self.__reduce__()
        return opener(*arguments)

    @property
    def parts(self) -> tuple[Suite, ...]:
        """The suites that this suite includes, in the order of `--fixtures`, and this suite as the last."""
        return (*(self.base.parts if self.base is not None else ()), self)

    @property
    def roots(self) -> tuple[Path, ...]:
        """The directories of the suites in `parts`."""
        return tuple(part.root for part in self.parts)

    def part(self, scenario_id: str) -> Suite:
        """Return the suite among `parts` that contains a scenario. Default: this suite."""
        if self.base is None or self._shelf.find(scenario_id) is not None or not self.base.has(scenario_id):
            return self
        return self.base.part(scenario_id)

    @property
    def needs_wall(self) -> bool:
        """Whether its programs must run in a sandbox, because a part of the suite is neither bundled nor trusted."""
        return any(not (part.bundled or part.trust) for part in self.parts)

    @property
    def installed(self) -> bool:
        """Whether this is the bundled suite inside the installed package, which must not be changed."""
        return self.root.resolve() == Path(readfirst.__file__).parent.resolve() / "fixtures"

    @property
    def scenarios_root(self) -> Path:
        """The directory of the scenario files. Ids are relative to it."""
        return self.root / "scenarios"

    @property
    def recordings_root(self) -> Path:
        """The directory of the recordings, with one file per scenario file."""
        return self.root / "recordings"

    @cached_property
    def recordings(self) -> Recordings:
        """The recordings of the real product."""
        from readfirst.harness.suite.recordings import Recordings

        base = self.base.recordings if self.base is not None else None

        def place(scenario_id: str) -> ScenarioLocation | None:
            return self._shelf.find(scenario_id)

        return Recordings(self.recordings_root, place, base, self.remedy_for_recording)

    def remedy_for_recording(self, scenario_id: str) -> str:
        """Return the remedy for a recording of other files or steps, as a part of a sentence."""
        part = self.part(scenario_id)
        suite = "" if part.bundled else f" --fixtures {part.root}"
        remedies = [f"run `readfirst product record --fix {scenario_id}{suite}`"]
        if not part.needs_recordings:
            file = part.recordings.path(scenario_id)
            what = f"its entry in {file}" if part.place(scenario_id).case else str(file)
            has_product = part.contracts[part.contracts.default].recorded
            remedies = [*(remedies if has_product else ()), f"delete {what}"]
        return ", or ".join(remedies)

    @cached_property
    def _below(self) -> Suite | None:
        """The suite that this suite inherits shared files from: `base` if there is one, otherwise the bundled suite.
        None if this is the bundled suite or the harness's copy of it.
        """
        return Suite() if self.base is None and not self.bundled else self.base

    @property
    def _has_base(self) -> bool:
        return self.base is not None

    @cached_property
    def needs_recordings(self) -> bool:
        """Whether each expectation must be recorded from the product: true for the bundled suite and its copies."""
        return self.bundled or self.name == Suite().name

    @property
    def title(self) -> str:
        """The names and versions of the suites in `parts`; partly used suites are marked. Raises SuiteError."""
        return " + ".join(part._own_title for part in self.parts)

    @property
    def _own_title(self) -> str:
        title = f"{self.name} {self.version}".rstrip()
        return title if self._lacks == 0 else part_of(title)

    @cached_property
    def _lacks(self) -> int:
        """The number of the bundled suite's scenarios that are missing. 0 for a suite with a different name."""
        if self.bundled or (self.name, self.version) != ((whole := Suite()).name, whole.version):
            return 0
        return len({*whole.ids()} - {*ScenarioIndex(self.root).readable()})

    @property
    def is_cut_copy(self) -> bool:
        """Whether it is a copy of the bundled suite with some of its scenarios, but not all."""
        return 0 < self._lacks < len(Suite().ids())

    def ids(self) -> list[str]:
        """Return the ids of all scenarios, sorted. Raises SuiteError for an unreadable file with several scenarios."""
        ids, problems = self.readable()
        if problems:
            raise SuiteError(problems)
        return ids

    def readable(self) -> tuple[list[str], Sequence[Finding]]:
        """Return the ids of all scenarios that are found, and the errors of unreadable files of several scenarios."""
        self._shelf = ScenarioIndex(self.root)
        own, problems = self._shelf.readable(), self._shelf.problems
        if self.base is None:
            return own, problems
        ids, others = self.base.readable()
        return sorted({*ids, *own}), (*others, *problems)

    def has(self, scenario_id: str) -> bool:
        """Whether a scenario with this id exists, in exactly this spelling. Reads only the files of its family."""
        return self._shelf.has(scenario_id) or (self.base is not None and self.base.has(scenario_id))

    def check_unique(self, scenario_id: str) -> None:
        """Raise SuiteError if two files contain a scenario with this id."""
        self._shelf.check_unique(scenario_id)

    def place(self, scenario_id: str) -> ScenarioLocation:
        """Return a scenario's location: its file, and its name in a file with several. Raises UnknownScenarioError."""
        part = self.part(scenario_id)
        place = part._shelf.find(scenario_id)
        if place is None:
            known = self.ids()
            place = self.part(scenario_id)._shelf.find(scenario_id)
            if place is None:
                advice = did_you_mean(scenario_id, known, "`readfirst list` shows which there are.")
                raise UnknownScenarioError(f"there is no scenario {scenario_id!r}. {advice}")
        return place

    def path(self, scenario_id: str) -> Path:
        """Return the path of the file that contains a scenario. Raises UnknownScenarioError."""
        return self.place(scenario_id).file

    def cases_in(self, path: str) -> list[str]:
        """Return the ids of the scenarios in a file with several scenarios. Empty for other files."""
        wanted = path.replace("\\", "/").split("/")[-2:]
        cases = {each: place for part in self.parts for each, place in part._shelf.cases.items()}
        return [each for each, place in cases.items() if [*place.file.parts[-2:]] == wanted]

    def text(self, scenario_id: str) -> str:
        """Return a scenario as YAML: the text of its file, or of an equivalent separate file. Raises SuiteError."""
        place = self.place(scenario_id)
        if not place.case:
            return strict_yaml.read(place.file, suite=self.part(scenario_id).root).decode()
        from readfirst.harness.suite.scenario_writer import scenario_text

        return scenario_text(self.document(scenario_id).value)

    def find_scenario(self, scenario_id: str) -> Scenario | None:
        """Return a scenario. None if it does not exist or is invalid."""
        try:
            return self.scenario(scenario_id)
        except (UnknownScenarioError, SuiteError):
            return None

    def digest(self, scenario_id: str) -> str:
        """Return a digest of the content of a scenario. For a composed scenario, its recording is included."""
        place = self.place(scenario_id)
        if not place.case:
            return hashlib.sha256(place.file.read_bytes()).hexdigest()
        said = [self.document(scenario_id).value]
        if place.composed:
            said.append(repr(self.recordings.recording(scenario_id)))
        return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()

    def document(self, scenario_id: str) -> Document:
        """Return a scenario's YAML document; one of several in a file is expanded. Raises SuiteError."""
        if (part := self.part(scenario_id)) is not self:
            return part.document(scenario_id)
        place = self.place(scenario_id)
        data = strict_yaml.read(place.file, suite=self.root)
        if not place.case:
            return strict_yaml.load(data, place.file)
        from readfirst.harness.suite.case_table import expand_case

        document = expand_case(data, place.file, place.case)
        if document is None:
            raise UnknownScenarioError(f"there is no scenario {scenario_id!r} in {place.file} any more")
        return document

    def scenario(
        self, scenario_id: str, contract: Contract | None = None, *, require_expect: bool = True
    ) -> Scenario:
        """Read one scenario with the expectations of `contract`. None or `documented`: the expectations in the file.

        The expectations of other contracts, and those of composed scenarios, come from the recording. Without a
        recording, the calls have no expectations. Raises UnknownScenarioError, SuiteError with all errors of the file,
        or RecordingError.
        """
        from readfirst.harness.suite.load import scenario_from

        if (part := self.part(scenario_id)) is not self:
            return part.scenario(scenario_id, contract, require_expect=require_expect)
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

        contract = contract.for_scenario(scenario)
        if not contract.recorded or (contract.name == scenario.contract and not scenario.composed):
            return scenario
        recording = self.recordings.of(scenario.id, scenario.inputs)
        return with_expectations_of(scenario, contract.name, recording.transcripts.get(contract.name))

    def in_full(self, scenario: Scenario) -> Scenario:
        """Return a scenario where recorded content replaces digests. If the recording cannot be read, the digests
        stay.

        A digest only shows that a long text or file differs. To report the position of the difference, the whole
        content is needed.
        """
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
        """Yield every scenario, sorted by id. Raises SuiteError for the first invalid one."""
        for scenario_id in self.ids():
            yield self.scenario(scenario_id)

    def heading(self, scenario_id: str) -> Heading:
        """Read the metadata of one scenario: title, requirement, rule and tags. The rest of the file is not read."""
        if (part := self.part(scenario_id)) is not self:
            return part.heading(scenario_id)
        place = self.place(scenario_id)
        data = strict_yaml.read(place.file, suite=self.root)
        if place.case:
            from readfirst.harness.suite.case_table import case_headings

            return heading_of(case_headings(data, place.file)[place.case], scenario_id)
        document = strict_yaml.load(data, place.file, until=("given", "steps"))
        if not isinstance(document.value, dict) or not document.value.keys() >= _HEADING:
            document = strict_yaml.load(data, place.file)  # written in another order
        return heading_of(document, scenario_id)


BUNDLED = "bundled"
"""The name of the bundled suite in a list of directories."""


def open_layers(directories: Sequence[str | Path], *, trust: bool = False) -> Suite:
    """Return one suite that includes the suites in these directories. If the list is empty, return the bundled suite.

    A scenario or shared file of a later directory replaces that of an earlier one. `bundled` stands for the bundled
    suite; a directory of that name is written `./bundled`. Raises SuiteError.
    """
    suite: Suite | None = None
    for directory in directories or (BUNDLED,):
        root = None if directory == BUNDLED else Path(directory)
        suite = Suite(root, base=suite, trust=trust)
    assert suite is not None
    return suite


def load_suite(root: Path | None = None) -> Suite:
    """Return the suite in the directory `root` (for example `fixtures/` of a checkout), by default the bundled suite.

    Raises SuiteError if shared files, such as the contracts, cannot be read. Scenarios are read when they are used.
    """
    suite = Suite(root)
    _ = suite.contracts, suite.vocabulary
    return suite
