"""Find the rule that a target most probably breaks in a finding, using the most similar scenarios of the suite."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.suite.scenario import ParallelCalls
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.fuzz.conditions import Pair, calls_with_conditions, condition_pairs
from readfirst.observatory.fuzz.differential import DifferentialRunner, Finding
from readfirst.observatory.fuzz.disagreement import DONE

_UNSHARED_WEIGHT = 0.3
"""In the similarity of two calls, the weight of a condition that only one call has. A shared condition has weight 1."""


@dataclass(frozen=True, slots=True)
class Example:
    """An example of a rule: the last call in one of its scenarios that uses a tool of the rule. Findings are compared
    with examples to guess the broken rule. `result` is the name of the call's error, or `done`.
    """

    scenario_id: str
    rule: str
    tool: str
    result: str
    conditions: frozenset[str]
    needs: frozenset[str]


@dataclass(frozen=True, slots=True)
class ExampleIndex:
    """The examples of a suite's rules, by tool and result. `pairs` counts the calls with each pair of conditions."""

    pairs: Mapping[Pair, int]
    examples: Mapping[tuple[str, str], Sequence[Example]]

    def nearest(self, tool: str, result: str, conditions: Iterable[str], limit: int) -> list[Example]:
        """Return at most `limit` examples with this tool and result, most similar first. Rare conditions weigh more."""
        pool = self.examples.get((tool, result), ())
        own = frozenset(conditions)
        common = Counter(condition for example in pool for condition in example.conditions)
        weights = {each: math.log((len(pool) + 1) / number) for each, number in common.items()}

        def likeness(example: Example) -> float:
            both = sum(weights[each] for each in example.conditions & own)
            return both - _UNSHARED_WEIGHT * sum(weights.get(each, 0.0) for each in example.conditions ^ own)

        return sorted(pool, key=lambda example: (-likeness(example), example.scenario_id))[:limit]


def example_index(suite: Suite) -> ExampleIndex:
    """Return the examples of the rules, from all scenarios of a suite. Takes about a second. Raises SuiteError."""
    pairs: Counter[Pair] = Counter()
    examples: dict[tuple[str, str], list[Example]] = {}
    rules = suite.rules
    for scenario in suite.scenarios():
        tools = rules[scenario.rule].tools if rules is not None and scenario.rule in rules else ()
        last: Example | None = None
        for _, call, conditions in calls_with_conditions(scenario):
            pairs.update(condition_pairs(call.tool, conditions))
            clause = call.expect.recorded
            if call.tool in tools and clause is not None:
                result = clause.error or DONE
                last = Example(
                    scenario.id, scenario.rule, call.tool, result, frozenset(conditions), scenario.needs
                )
        if last is not None:
            examples.setdefault((last.tool, last.result), []).append(last)
    return ExampleIndex(pairs, examples)


_MAX_REPLAYS, _MIN_REPLAYS = 24, 4
"""Maximum number of scenarios that are replayed to find a broken rule: with time left, and after the time limit."""
_MAX_VOTERS = 5
"""If no replayed scenario shows the disagreement, this many of the most similar scenarios decide on the rule."""
_TEXT_CLASSES = ("wording", "quirk")
"""If a target differs only in the text of an answer, only rules of these classes can be broken."""


def with_probable_rule(
    finding: Finding,
    suite: Suite,
    index: ExampleIndex,
    runner: DifferentialRunner,
    is_over: Callable[[], bool] = lambda: False,
) -> Finding:
    """Return a copy of the finding. Its `rule` is the rule that the target most probably breaks, or empty. `shown_by`
    is a scenario that shows the same disagreement, or empty. Once `is_over` returns True, few scenarios are replayed.
    """
    found = finding.disagreement
    rules = suite.rules
    step = finding.scenario.steps[found.step]
    call_index = (found.step, found.call if isinstance(step, ParallelCalls) else None)
    alike = next(
        (
            index.nearest(call.tool, found.cause.reference, conditions, len(index.pairs))
            for position, call, conditions in calls_with_conditions(finding.scenario)
            if position == call_index and call.tool == found.cause.tool
        ),
        [],
    )
    if rules is None:
        return finding
    if found.cause.level == "text":
        alike = [each for each in alike if rules[each.rule].class_ in _TEXT_CLASSES]
    failing = []
    capabilities = traits_of(runner.reference).capabilities & traits_of(runner.target).capabilities
    replayable = [each for each in alike if each.needs <= capabilities]
    for number, example in enumerate(replayable[:_MAX_REPLAYS]):
        if number >= _MIN_REPLAYS and is_over():
            break
        if _shows_disagreement(example, finding, suite, runner):
            failing.append(example)
    if failing:
        votes = _votes(failing)
        rule = max(votes, key=lambda each: votes[each])
        shown_by = next(each.scenario_id for each in failing if each.rule == rule)
        return replace(finding, rule=rule, shown_by=shown_by)
    if found.cause.level != "text":
        alike = [each for each in alike if rules[each.rule].class_ not in _TEXT_CLASSES]
    votes = _votes(alike[:_MAX_VOTERS])
    half = sum(votes.values()) / 2
    return replace(finding, rule=next((rule for rule, weight in votes.items() if weight > half), ""))


def _shows_disagreement(example: Example, finding: Finding, suite: Suite, runner: DifferentialRunner) -> bool:
    """Whether a replay of the example's scenario shows a disagreement with the same tool and level as the finding."""
    try:
        seen = runner(suite.scenario(example.scenario_id))
    except AdapterError:
        return False
    cause = finding.disagreement.cause
    return seen is not None and (seen.cause.tool, seen.cause.level) == (cause.tool, cause.level)


def _votes(examples: Sequence[Example]) -> dict[str, float]:
    votes: dict[str, float] = defaultdict(float)
    for number, example in enumerate(examples):
        votes[example.rule] += 1 / math.sqrt(number + 1)
    return votes
