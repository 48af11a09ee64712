"""Each harm that a rule should prevent was observed in a recording or in an implementation."""

import json
from pathlib import Path
from typing import Any

import careful
import pytest
import through_an_editor as editor
import wrong_files as files
import wrong_interruptions as interrupted
import wrong_life as life
import wrong_looks
import wrong_modes as modes
import wrong_state as state
import wrong_surroundings
import wrong_text as text
import wrong_thresholds
from wrong_contents import TreatingInsertions, treating

from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.harm_kinds import KINDS
from readfirst.harness.suite.rules import Rules
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.survey.packed_results import in_families
from tests.rows import rows

DOCS = Path(__file__).parents[2] / "docs"
Guard = tuple[str, str]
"""The id of a rule, and a kind of harm that it prevents."""

InsertsInCapitals = treating(TreatingInsertions, str.upper)

KINDS_OF_FAULT = {
    **wrong_looks.implementations_by_name(),
    **wrong_surroundings.implementations_by_name(),
    **wrong_thresholds.implementations_by_name(),
}

GIVEN_UP, REFUSED = "interrupted-calls-change-nothing", "gate/refused-edit-creates-no-directory"
OBSERVED_IN_WRONG_TOOLS: dict[Guard, tuple[Any, str]] = {
    ("edit-takes-file-as-it-is", "lost"): (careful.EditsAnOldCopy, "staleness/same-time-target-gone"),
    ("replace-all", "altered"): (text.ReplaceAllReplacesFirst, "replace-all/every-occurrence"),
    ("deletion-is-exact", "lost"): (files.DeletesEmptiedFiles, "deletion/everything"),
    ("parallel-edits", "untrue"): (state.LosesParallelUpdates, "parallel/two-disjoint-edits"),
    ("markup", "altered"): (InsertsInCapitals, "literal-text/code-fence"),
    ("inserted-indentation", "altered"): (InsertsInCapitals, "whitespace/indentation-added-by-edit"),
    ("utf-16-kept", "spoiled"): (text.LosesEncoding, "encodings/utf-16-kept-by-edit"),
    ("changes-need-permission", "trespass"): (modes.NeverAsks, "permission-modes/default-edit"),
    ("plan-mode-changes-nothing", "trespass"): (modes.PlansByDoing, "permission-modes/plan-edit"),
    ("nobody-is-asked", "trespass"): (modes.BypassesDenyRules, "permission-modes/bypass-and-denied"),
    ("refusal-leaves-no-trace", "stray"): (files.MakesDirectoriesBeforeRefusing, REFUSED),
    ("deny-read", "trespass"): (files.IgnoresDenyRules, "permissions/read-denied"),
    ("deny-wildcards", "trespass"): (files.IgnoresDenyRules, "permissions/by-extension"),
    ("deny-rules-and-tools", "trespass"): (careful.EditsUnread, "permissions/edit-taken-away"),
    ("edit-creates-files", "altered"): (InsertsInCapitals, "creation/tabs-and-quotes"),
    (GIVEN_UP, "stray"): (interrupted.MakesFoldersFirst, "interrupted/new-file-given-up"),
    (GIVEN_UP, "untrue"): (interrupted.ExecutesWhatWasGivenUp, "interrupted/edit-given-up"),
    ("large-messages-arrive", "altered"): (InsertsInCapitals, "large-messages/edit-inserts-64-kib"),
    ("large-messages-arrive", "untrue"): (careful.DoesNothing, "large-messages/write-of-64-kib"),
    ("unsaved-text", "lost"): (editor.ReadsTheDisk, "unsaved-buffers/typed-after-the-read"),
    ("unsaved-text", "untrue"): (editor.WritesTheDisk, "unsaved-buffers/typed-after-the-read"),
    ("looks-are-no-reason", "spoiled"): KINDS_OF_FAULT["obeys .gitattributes"],
    ("looks-are-no-reason", "altered"): KINDS_OF_FAULT["obeys .editorconfig"],
    ("looks-are-no-reason", "untrue"): KINDS_OF_FAULT["refuses Python that does not parse"],
    ("equal-neighbours-stay", "lost"): KINDS_OF_FAULT["drops equal lines"],
    ("equal-neighbours-stay", "altered"): KINDS_OF_FAULT["drops the last line"],
    ("nothing-else-changes", "stray"): KINDS_OF_FAULT["RefreshesTheIndex in repositories/edit-and-write"],
    ("rewind-leaves-others-alone", "stray"): (life.RewindsTheWorkOfOthers, "rewind/changed-by-others"),
}
"""The implementation and the scenario of harms that were observed only in a wrong implementation."""

NO_MULTI_EDIT = "no recorded version with MultiEdit did it, and no published implementation has that tool"
NO_OTHER_HOOKS = "no product was seen to do it, and nothing else runs hooks"
IGNORED = "an implementation that ignores the argument still does what the others ask"
NO_OLD_COPY = "it takes an Edit made in an old copy of the file, and nothing that was run does that there"

NEVER_OBSERVED: dict[Guard, str] = {
    ("unknown-arguments", "untrue"): IGNORED,
    ("multi-edit-all-or-nothing", "untrue"): NO_MULTI_EDIT,
    ("multi-edit-needs-a-read", "blind"): NO_MULTI_EDIT,
    ("multi-edit-writes-like-edit", "altered"): NO_MULTI_EDIT,
    ("multi-edit-arguments", "untrue"): NO_MULTI_EDIT,
    ("command-changes-are-noticed", "lost"): NO_OLD_COPY,
    ("changes-after-resume-or-summary", "lost"): NO_OLD_COPY,
    ("read-knows-what-it-showed", "lost"): NO_OTHER_HOOKS,
    ("formatter-hook-is-no-stranger", "lost"): NO_OTHER_HOOKS,
    ("deny-exceptions", "trespass"): "where a rule opens what another closed, the judge takes nobody's side",
}
"""By rule and kind, each with the reason."""


@pytest.fixture(scope="module")
def rule_by_scenario(suite: Suite) -> dict[str, str]:
    return {scenario_id: suite.heading(scenario_id).rule for scenario_id in suite.ids()}


@pytest.fixture(scope="module")
def rules(suite: Suite) -> Rules:
    assert suite.rules is not None
    return suite.rules


def read_harm_by_target() -> dict[str, Any]:
    """Return the scenarios with each kind of harm, by published implementation. The ids are grouped by family."""
    targets = json.loads((DOCS / "implementations.json").read_text("utf-8"))["targets"]
    return {target["target"]: target["harm"]["scenarios"] for target in targets}


def read_harm_by_rule() -> dict[str, list[str]]:
    return json.loads((DOCS / "harm.json").read_text("utf-8"))["rules"]  # type: ignore[no-any-return]


def test_every_harm_that_a_rule_prevents_was_observed_or_has_a_reason_why_not(
    rules: Rules, rule_by_scenario: dict[str, str]
) -> None:
    guards = {(rule.id, kind) for rule in rules for kind in rule.guards}
    observed = {(rule, kind) for rule, kinds in read_harm_by_rule().items() for kind in kinds}
    for scenarios_by_kind in read_harm_by_target().values():
        for kind, families in scenarios_by_kind.items():
            observed |= {(rule_by_scenario.get(each, ""), kind) for each in in_families(families)}
    assert sorted(guards - observed - OBSERVED_IN_WRONG_TOOLS.keys() - NEVER_OBSERVED.keys()) == []
    assert sorted((OBSERVED_IN_WRONG_TOOLS.keys() | NEVER_OBSERVED.keys()) - guards) == []
    assert sorted(NEVER_OBSERVED.keys() & (observed | OBSERVED_IN_WRONG_TOOLS.keys())) == []


@rows("guard", OBSERVED_IN_WRONG_TOOLS)
def test_the_listed_wrong_implementation_does_the_harm_that_the_rule_prevents(
    suite: Suite, place: WorkspacePool, guard: Guard
) -> None:
    implementation, scenario_id = OBSERVED_IN_WRONG_TOOLS[guard]
    rule, kind = guard
    assert suite.heading(scenario_id).rule == rule
    scenario = suite.scenario(scenario_id)
    assert kind in {each.kind for each in harms_of(scenario, replay(scenario, implementation, place))}


def test_every_rule_of_class_safety_lists_the_kinds_of_harm_that_it_prevents_in_order(rules: Rules) -> None:
    assert all(rule.guards for rule in rules.of("safety"))
    assert all(list(rule.guards) == sorted(rule.guards, key=KINDS.index) for rule in rules)


def test_a_rule_that_prevents_the_kind_lost_has_class_safety(rules: Rules) -> None:
    """In any design: if a design leaves out a refusal, another one may be the only protection of the work."""
    assert [rule.id for rule in rules if "lost" in rule.guards and rule.class_ != "safety"] == []
    losing = {rule for rule, kinds in read_harm_by_rule().items() if "lost" in kinds}
    assert losing
    assert sorted(rule for rule in losing if rules[rule].class_ != "safety") == []


def test_an_implementation_that_loses_work_fails_a_rule_of_class_safety(
    rules: Rules, rule_by_scenario: dict[str, str]
) -> None:
    """It may also lose work in scenarios of other classes, which `--level safe` shows."""
    classes = {
        name: {rules[rule_by_scenario[each]].class_ for each in in_families(lost) if each in rule_by_scenario}
        for name, scenarios_by_kind in read_harm_by_target().items()
        if (lost := scenarios_by_kind.get("lost"))
    }
    losing = {name: found for name, found in classes.items() if found}
    assert len(losing) > 30
    assert [name for name, found in losing.items() if "safety" not in found] == []
