"""Find the published versions that changed answers to scenarios, by installing and replaying them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from packaging.version import Version

from readfirst.harness.adapter_api import Adapter, AdapterError
from readfirst.harness.compare.verdict import Level
from readfirst.harness.errors import ReadfirstError
from readfirst.harness.record.confirmation import Confirmation
from readfirst.harness.record.record import replay_scenarios
from readfirst.harness.record.replay_samples import ProductReplayResult, StoredReplays
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Transcript

ComparedParts = tuple[Any, ...]
Answers = Mapping[str, object]
"""One version's answers by scenario id: the parts that the level compares. Missing answers are omitted."""


class BisectError(ReadfirstError):
    """The versions between two versions cannot be searched. The message names the version and the reason."""


@dataclass(frozen=True, slots=True)
class AnswerChange:
    """A changed answer: `before` is the last version with the old answer, `after` the first with the new answer. The
    versions `silent` between them (oldest first) gave no answer.
    """

    scenario_id: str
    before: str
    after: str
    silent: tuple[str, ...] = ()


@dataclass
class VersionReplays:
    """Replays scenarios on product versions, and stores the replays in `takes`."""

    suite: Suite
    takes: StoredReplays
    connect: Callable[[Contract], Callable[[], Adapter]]  # opens the product of a contract
    variant: str = ""  # `+gated` for older models, or empty
    # reasons for missing answers, by scenario and version
    silent: dict[tuple[str, str], str] = field(default_factory=dict)
    jobs: int = 1

    def contract(self, version: str) -> Contract:
        """Return the contract that a replay of a version uses, with the model that `variant` selects."""
        return self.suite.contracts.find(version + self.variant)

    def __call__(
        self,
        version: str,
        ids: Sequence[str],
        progress: Callable[[ProductReplayResult], None] = lambda _: None,
    ) -> dict[str, Transcript]:
        """Replay scenarios on a version. Return answers that are equal in all replays; add missing ones to `silent`."""
        contract = self.contract(version)
        failures: dict[str, str] = {}
        try:
            for each in replay_scenarios(
                self.suite, {contract.name: ids}, self.connect, self.takes, jobs=self.jobs
            ):
                progress(each)
                if each.status in ("error", "unsupported"):
                    failures[each.scenario_id] = each.message
        except AdapterError as error:
            failures = dict.fromkeys(ids, str(error))
        found = {}
        for scenario_id in ids:
            transcript = None if scenario_id in failures else self.confirmed_answer(version, scenario_id)
            if transcript is not None:
                found[scenario_id] = transcript
                continue
            self.takes.drop(scenario_id, contract.name)
            why = failures.get(scenario_id, "two replays gave different transcripts")
            self.silent[scenario_id, version] = why
        return found

    def confirmed_answer(self, version: str, scenario_id: str) -> Transcript | None:
        """Return the answer to a scenario if the stored replays agree on it. None if replays differ or are missing."""
        scenario = self.suite.scenario(scenario_id, require_expect=False)
        return Confirmation(self.suite, self.takes).accepted(scenario, self.contract(version))


def find_changes(
    versions: Sequence[str], ids: Sequence[str], ask: Callable[[str, Sequence[str]], Answers]
) -> Iterator[AnswerChange]:
    """Yield each change in the answers to the scenarios `ids` between the first and the last of `versions` (oldest
    first). A range of versions whose ends give equal answers counts as unchanged. `ask` returns one version's answers.
    """
    if len(versions) < 2:
        raise BisectError("fewer than two published versions lie in this range")
    low = ask(versions[0], ids)
    yield from _search_range(versions, versions, low, ask(versions[-1], ids), ask)


def _search_range(
    published: Sequence[str],
    versions: Sequence[str],
    low: Answers,
    high: Answers,
    ask: Callable[[str, Sequence[str]], Answers],
) -> Iterator[AnswerChange]:
    """Yield changes in the range `versions`. Its ends gave the answers `low` and `high`. `published`: all versions."""
    changed = [
        scenario_id for scenario_id in low if scenario_id in high and low[scenario_id] != high[scenario_id]
    ]
    if not changed:
        return
    if len(versions) == 2:
        before, after = versions
        silent = tuple(published[published.index(before) + 1 : published.index(after)])
        yield from (AnswerChange(scenario_id, before, after, silent) for scenario_id in changed)
        return
    middle = len(versions) // 2
    seen = ask(versions[middle], changed)
    yield from _search_range(published, versions[: middle + 1], _select_answers(low, seen), seen, ask)
    yield from _search_range(published, versions[middle:], seen, high, ask)
    unanswered = [scenario_id for scenario_id in changed if scenario_id not in seen]
    others = [*versions[:middle], *versions[middle + 1 :]]
    yield from _search_range(published, others, _select_answers(low, unanswered), high, ask)


def _select_answers(answers: Answers, ids: Sequence[str] | Answers) -> Answers:
    return {scenario_id: answer for scenario_id, answer in answers.items() if scenario_id in ids}


def versions_between(versions: Sequence[str], oldest: str, newest: str) -> list[str]:
    """Return the versions from `oldest` to `newest`. Raises BisectError if unpublished or not in this order."""
    for end in (oldest, newest):
        if end not in versions:
            raise BisectError(f"{end} is not published, or cannot be installed; use a neighbouring version")
    if Version(oldest) >= Version(newest):
        raise BisectError(f"{oldest} is not older than {newest}")
    return [version for version in versions if Version(oldest) <= Version(version) <= Version(newest)]


def compared_parts(transcript: Transcript, level: Level) -> ComparedParts:
    """Return the parts of a transcript that a level compares, for example only changed files and refusals."""
    return tuple(
        (
            tuple(_compared_result_parts(result, level) for result in step.results),
            tuple(sorted(step.changes.items())),
            tuple(sorted(step.created.items())),
            step.reminders if level in ("text", "verbatim") else len(step.reminders),
        )
        for step in transcript.steps
    )


def _compared_result_parts(result: RecordedResult, level: Level) -> ComparedParts:
    match level:
        case "safe" | "effects":
            return (result.is_error,)
        case "reason":
            return (result.error,)
        case "text":
            return (result.is_error, result.text, result.cut)
        case "verbatim":
            return (result,)
