"""Read the accepted disagreements, and remove calls that one of the two sides does not support from scenarios."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from readfirst.harness.adapter_api import Adapter
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.suite.contracts import Contracts
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import ParallelCalls, Scenario, Step, ToolCall, WorldEvent
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.yaml_validation import Inspection


def load_known(path: Path, contracts: Contracts) -> dict[Path, Scenario]:
    """Return the scenarios of accepted disagreements by path, from a file for `--known`. Raises SuiteError."""
    look = Inspection(strict_yaml.load(strict_yaml.read(path), path))
    keys = ("scenario", "reason")
    files: list[Path] = []
    with look.reading() as top:
        for item in top.mapping(("known",), ("known",))["known"].listed():
            fields = item.called("a known disagreement").mapping(keys, keys)
            file, _ = fields.text("scenario"), fields.text("reason")
            if not (path.parent / file).is_file():
                fix = "Name the scenario's file, relative to this one."
                fields["scenario"].note(f"there is no file {file!r}", fix)
            files.append(path.parent / file)
    return {file: load_scenario(file, path.parent, contracts, require_expect=False) for file in files}


def load_scenario(path: Path, root: Path, contracts: Contracts, *, require_expect: bool = True) -> Scenario:
    """Read a scenario file; its id is its path in `root`. Raises SuiteError with all problems, or StrictYamlError."""
    document = strict_yaml.load(strict_yaml.read(path, suite=root.parent), path)
    scenario_id = path.relative_to(root).with_suffix("").as_posix()
    return scenario_from(document, scenario_id, contracts, require_expect)


def only_supported(scenarios: Iterable[Scenario], sides: Iterable[Adapter]) -> Iterator[Scenario]:
    """Yield the scenarios without the calls and permission rules that an adapter in `sides` does not support."""
    traits = [*map(traits_of, sides)]
    capabilities = frozenset.intersection(*(each.capabilities for each in traits))

    def claims(call: ToolCall) -> bool:
        return call.tool in capabilities and not any(
            each.unsupported_reason(call.tool, call.arguments) for each in traits
        )

    for scenario in scenarios:
        steps = tuple(step for each in scenario.steps for step in _supported_step(each, capabilities, claims))
        if all(isinstance(step, WorldEvent) for step in steps):
            continue
        given = scenario.given if "deny" in capabilities else replace(scenario.given, deny=())
        yield replace(scenario, given=given, steps=steps)


def _supported_step(
    step: Step, capabilities: frozenset[str], claims: Callable[[ToolCall], bool]
) -> Iterator[Step]:
    match step:
        case WorldEvent():
            yield step
        case ToolCall(during=during) if during and "during" not in capabilities:
            yield from during
            yield from _supported_step(replace(step, during=()), capabilities, claims)
        case ToolCall():
            if claims(step):
                yield step
        case ParallelCalls(calls):
            left = tuple(call for call in calls if claims(call))
            if "parallel" not in capabilities or len(left) == 1:
                yield from left
            elif left:
                yield replace(step, calls=left)
