"""Each harm that a rule prevents was observed: in recordings, in published implementations, or in a wrong
implementation.
"""

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

from readfirst.harness.compare.level_reached import in_families
from readfirst.harness.harm.judge import harms_of
from readfirst.harness.replay.replay import replay
from readfirst.harness.suite.harm_kinds import KINDS
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests.rows import rows

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

Guard = tuple[str, str]

InsertsInCapitals = treating(TreatingInsertions, str.upper)

KINDS_OF_FAULT = {**wrong_looks.every(), **wrong_surroundings.every(), **wrong_thresholds.every()}

WRONG: dict[Guard, tuple[Any, str]] = {
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
    ("refusal-leaves-no-trace", "stray"): (
        files.MakesDirectoriesBeforeRefusing,
        "gate/refused-edit-creates-no-directory",
    ),
    ("deny-read", "trespass"): (files.IgnoresDenyRules, "permissions/read-denied"),
    ("deny-wildcards", "trespass"): (files.IgnoresDenyRules, "permissions/by-extension"),
    ("deny-rules-and-tools", "trespass"): (careful.EditsUnread, "permissions/edit-taken-away"),
    ("edit-creates-files", "altered"): (InsertsInCapitals, "creation/tabs-and-quotes"),
    ("interrupted-calls-change-nothing", "stray"): (
        interrupted.MakesFoldersFirst,
        "interrupted/new-file-given-up",
    ),
    ("interrupted-calls-change-nothing", "untrue"): (
        interrupted.ExecutesWhatWasGivenUp,
        "interrupted/edit-given-up",
    ),
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
"""Harms, with the rule that prevents each, that were observed only in a wrong implementation: the implementation,
and a scenario of the rule.
"""

NO_MULTI_EDIT = "no recorded version with MultiEdit did it, and no published implementation has that tool"
NO_OTHER_HOOKS = "no product was seen to do it, and nothing else runs hooks"
NO_OLD_COPY = "it takes an Edit made in an old copy of the file, and nothing that was run does that there"

UNSEEN: dict[Guard, str] = {
    (
        "unknown-arguments",
        "untrue",
    ): "An implementation that ignores the argument still does what the others ask.",
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
"""Harms that a rule prevents but that were never observed, by rule and kind, with the reason."""


@pytest.fixture(scope="module")
def observed_guards(suite: Suite) -> set[Guard]:
    """The kinds of harm in recordings and in published implementations, each as a pair with its rule."""
    recorded = json.loads((DOCS / "harm.json").read_text("utf-8"))["rules"]
    found = {(rule, kind) for rule, kinds in recorded.items() for kind in kinds}
    rules = {scenario_id: suite.heading(scenario_id).rule for scenario_id in suite.ids()}
    for target in json.loads((DOCS / "implementations.json").read_text("utf-8"))["targets"]:
        for kind, families in target["harm"]["scenarios"].items():
            found |= {(rules[each], kind) for each in in_families(families) if each in rules}
    return found


def test_every_guard_was_observed_or_has_a_reason(suite: Suite, observed_guards: set[Guard]) -> None:
    guards = {(rule.id, kind) for rule in suite.rules or () for kind in rule.guards}
    assert sorted(guards - observed_guards - WRONG.keys() - UNSEEN.keys()) == []
    assert sorted((WRONG.keys() | UNSEEN.keys()) - guards) == []
    assert sorted(UNSEEN.keys() & (observed_guards | WRONG.keys())) == []


@rows("guard", WRONG)
def test_a_wrong_implementation_does_the_harm(suite: Suite, place: WorkspacePool, guard: Guard) -> None:
    implementation, scenario_id = WRONG[guard]
    rule, kind = guard
    assert suite.heading(scenario_id).rule == rule
    scenario = suite.scenario(scenario_id)
    outcome = replay(scenario, implementation, place)
    assert kind in {each.kind for each in harms_of(scenario, outcome)}


def test_rules_of_safety_have_sorted_guards(suite: Suite) -> None:
    rules = suite.rules
    assert rules is not None
    assert all(rule.guards for rule in rules.of("safety"))
    assert all(list(rule.guards) == sorted(rule.guards, key=KINDS.index) for rule in rules)


def test_rules_that_guard_against_loss_have_class_safety(suite: Suite) -> None:
    """This holds in any design: a refusal that a different design does not make may be the only protection of work."""
    rules = suite.rules
    assert rules is not None
    assert [rule.id for rule in rules if "lost" in rule.guards and rule.class_ != "safety"] == []


def test_rules_with_a_recorded_loss_have_class_safety(suite: Suite) -> None:
    rules = suite.rules
    assert rules is not None
    recorded = json.loads((DOCS / "harm.json").read_text("utf-8"))["rules"]
    losing = {rule for rule, kinds in recorded.items() if "lost" in kinds}
    assert losing
    assert sorted(rule for rule in losing if rules[rule].class_ != "safety") == []


def test_class_safety_detects_each_implementation_that_loses_work(suite: Suite) -> None:
    """Its mistakes may lose work in scenarios of other classes, too; `--level safe` shows these."""
    rules = suite.rules
    assert rules is not None
    lost = {
        target["target"]: in_families(target["harm"]["scenarios"].get("lost", {}))
        for target in json.loads((DOCS / "implementations.json").read_text("utf-8"))["targets"]
    }
    losing = {name: {*scenarios} & {*suite.ids()} for name, scenarios in lost.items() if scenarios}
    assert len(losing) > 30
    classes = {
        name: {rules[suite.heading(scenario_id).rule].class_ for scenario_id in scenarios}
        for name, scenarios in losing.items()
    }
    assert [name for name, found in classes.items() if "safety" not in found] == []
