"""Known disagreements: those that somebody has looked into, each a scenario and the reason why it may stay."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from readfirst.harness.source import strict_yaml
from readfirst.harness.source.finding import SuiteError
from readfirst.harness.source.inspection import Inspection
from readfirst.harness.suite.contracts import Contracts
from readfirst.harness.suite.load import load_scenario
from readfirst.harness.suite.scenario import Scenario


class KnownError(SuiteError):
    """The file of known disagreements is not in its format."""


@dataclass(frozen=True, slots=True)
class KnownDisagreement:
    """One accepted disagreement: the smallest scenario that shows it, and why it is accepted."""

    scenario: Scenario
    reason: str


def load_known(path: Path, contracts: Contracts) -> tuple[KnownDisagreement, ...]:
    """Read a file `known: [{scenario: FILE, reason: TEXT}]`; each FILE is relative to it.

    Raises KnownError or StrictYamlError for the file, ScenarioError for a scenario.
    """
    document = strict_yaml.load(strict_yaml.read(path), path)
    look = Inspection(document)
    top = look.mapping(document.value, (), "the file", ("known",), required=("known",)) or {}
    found: list[tuple[Path, str]] = []
    for number, value in enumerate(look.sequence(top.get("known", []), ("known",), "known") or ()):
        place = ("known", number)
        keys = ("scenario", "reason")
        fields = look.mapping(value, place, "a known disagreement", keys, required=keys) or {}
        file = look.string(fields.get("scenario", ""), (*place, "scenario"), "scenario")
        reason = look.string(fields.get("reason", ""), (*place, "reason"), "reason")
        if not (file and reason):
            continue
        if not (path.parent / file).is_file():
            fix = "Name the scenario's file, relative to this one."
            look.note((*place, "scenario"), f"there is no file {file!r}", fix)
            continue
        found.append((path.parent / file, reason))
    look.finish(KnownError)
    return tuple(
        KnownDisagreement(load_scenario(file, path.parent, contracts, require_expect=False), reason)
        for file, reason in found
    )
