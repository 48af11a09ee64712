"""Generate scenarios from a seed, and replay them on a target and on the reference."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.compare.verdict import Level
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.run.connect import connect
from readfirst.harness.run.run_options import DEFAULT, RunOptions
from readfirst.harness.suite.error_names import Vocabulary
from readfirst.harness.suite.harm_kinds import HARMS
from readfirst.harness.suite.scenario import Scenario, calls_of
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.differential import Campaign, DifferentialRunner, Finding, FindingKey
from readfirst.observatory.fuzz.disagreement import Cause, Disagreement
from readfirst.observatory.fuzz.generate import long_sessions, scenarios
from readfirst.observatory.fuzz.known_disagreements import load_known, only_supported
from readfirst.observatory.fuzz.likely_rule import example_index, with_probable_rule


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The options of one `readfirst fuzz`. The search ends after `steps` on each implementation, or after `minutes`. A
    finding is not reported if the file `known` or `baseline` accepts it, or if its rule's class is not in `classes`.
    """

    suite: Suite
    target: str
    contract: str
    steps: int | None
    seed: int
    level: Level
    output: Path
    against: str = "reference"
    minutes: float | None = None
    known: Path | None = None
    baseline: Path | None = None
    classes: tuple[str, ...] = ()
    options: RunOptions = DEFAULT
    long: bool = False

    @property
    def reference_name(self) -> str:
        """The name of the implementation that the target is compared with, for messages. Empty at the level `safe`."""
        if self.level == "safe":
            return "nothing beside it"
        return f"the {self.against}" if self.against == "reference" else self.against


@contextmanager
def search(request: SearchRequest) -> Iterator[Campaign]:
    """Connect both implementations, yield the search, and close them. Raises ConnectError, AdapterError, SuiteError."""
    suite, contract = request.suite, request.suite.contracts.find(request.contract)
    known = load_known(request.known, suite.contracts) if request.known is not None else {}
    alone = request.level == "safe"
    with ExitStack() as stack:
        place = stack.enter_context(WorkspacePool(confined=suite.needs_sandbox))

        def connected(spec: str) -> Adapter:
            adapter = connect(spec, suite, request.options, contract=contract)
            stack.callback(traits_of(adapter).close)
            return adapter

        reference = None if alone else connected(request.against)
        target = connected(request.target)
        runner: DifferentialRunner = SingleRunner(target, place, suite.vocabulary)
        if reference is not None:
            sides = reference, target, place, request.level, suite.vocabulary, request.reference_name
            runner = DifferentialRunner(*sides, apart=request.long)
        accepted, gone = _accepted(runner, known)
        index = example_index(suite)
        drawn = (
            long_sessions(request.seed)
            if request.long
            else scenarios(request.seed, large=alone, seen=index.pairs)
        )
        generated = only_supported(drawn, (runner.reference, target))
        seconds = None if request.minutes is None else 60 * request.minutes
        campaign = Campaign(runner, generated, steps=request.steps, seconds=seconds, accepted=accepted)
        campaign.tally.gone = gone
        if not alone:
            campaign.named = lambda finding: with_probable_rule(
                finding, suite, index, runner, campaign.is_late
            )
        yield campaign


def _accepted(
    runner: DifferentialRunner, known: Mapping[Path, Scenario]
) -> tuple[frozenset[FindingKey], tuple[Path, ...]]:
    """Replay the accepted disagreements. Return the keys of those that still occur, and the files of all others."""
    found = {file: runner(scenario) for file, scenario in known.items()}
    accepted = frozenset(Finding(known[file], each).key for file, each in found.items() if each is not None)
    return accepted, tuple(file for file, each in found.items() if each is None)


class SingleRunner(DifferentialRunner):
    """Replays scenarios only on the target (level `safe`), and counts the calls that would change files."""

    def __init__(self, target: Adapter, place: WorkspacePool, vocabulary: Vocabulary) -> None:
        super().__init__(target, target, place, "safe", vocabulary, "itself")

    def differences(self, scenario: Scenario) -> Sequence[Disagreement]:
        """Return the first harm in a scenario, if any. Raises AdapterError after several consecutive errors."""
        outcome = self._on_target(scenario)
        for step, happened in zip(scenario.steps, outcome.steps, strict=False):
            for call, result in zip(calls_of(step), happened.results, strict=False):
                if call.tool != "Read":
                    self.tally.changing_calls += 1
                    self.tally.accepted_calls += not result.is_error
        found = next((each for each in harms_of(scenario, outcome) if each.kind in HARMS), None)
        self.tally.scenarios += 1
        self.tally.steps += len(outcome.steps) if found is None else found.step + 1
        if found is None:
            return ()
        calls = calls_of(scenario.steps[found.step])
        tool = calls[min(found.call, len(calls) - 1)].tool if calls else "afterwards"
        cause = Cause(tool, "safe", "", found.kind)
        return (Disagreement(cause, found.step, found.call, found.line, found.before, found.after),)
