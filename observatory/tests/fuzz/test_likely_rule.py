"""Each finding of the search names the rule that the implementation most probably breaks, if a rule fits."""

import pytest
import wrong_state
import wrong_text
from altered import Altered

from readfirst.harness.adapter_api import ToolResult
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.suite.file_entry import RegularFile, TextContent
from readfirst.harness.suite.scenario import Given, Scenario, Step, ToolCall, WorldEvent
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from readfirst.observatory.fuzz.command import probable_rules
from readfirst.observatory.fuzz.differential import DifferentialRunner, Finding
from readfirst.observatory.fuzz.disagreement import Cause, Disagreement
from readfirst.observatory.fuzz.likely_rule import ExampleIndex, with_probable_rule

FILE = {"notes.txt": RegularFile(TextContent("alpha\nbeta\nalpha\n"))}
PATH = "$WS/notes.txt"
READ = ToolCall("Read", {"file_path": PATH})
WRITE = ToolCall("Write", {"file_path": PATH, "content": "x"})
CHANGED = WorldEvent("modify", "notes.txt", RegularFile(TextContent("other\n")), mtime=2)


def edit(old: str, new: str, **more: bool) -> ToolCall:
    return ToolCall("Edit", {"file_path": PATH, "old_string": old, "new_string": new, **more})


def find_rule(
    target: type[Altered], some: Suite, index: ExampleIndex, place: WorkspacePool, *steps: Step
) -> Finding:
    """Return the disagreement of the target and the reference in these steps, with the probably broken rule."""
    runner = DifferentialRunner(ReferenceAdapter("2.1.7"), target, place, "effects", some.vocabulary)  # type: ignore[arg-type]
    scenario = Scenario("fuzz/one", "Some steps", "observed", Given(FILE), steps)
    found = runner(scenario)
    assert found is not None
    return with_probable_rule(Finding(scenario, found), some, index, runner)


@pytest.mark.parametrize(
    ("target", "steps", "rule"),
    [
        (wrong_state.NoStalenessCheck, (READ, CHANGED, edit("other", "x")), "edit-refuses-changed-file"),
        (wrong_state.NoStalenessCheck, (READ, CHANGED, WRITE), "write-refuses-changed-file"),
        (wrong_text.ReplaceAllReplacesFirst, (READ, edit("alpha", "x", replace_all=True)), "replace-all"),
        (wrong_text.ReplacesFirstOfSeveral, (READ, edit("alpha", "x")), "ambiguous-match"),
    ],
)
def test_the_suite_names_the_rule_of_a_fault_that_it_shows(
    target: type[Altered],
    steps: tuple[Step, ...],
    rule: str,
    some: Suite,
    index: ExampleIndex,
    place: WorkspacePool,
) -> None:
    finding = find_rule(target, some, index, place, *steps)
    assert finding.rule == rule
    assert some.scenario(finding.shown_by).rule == rule


class NoRefusalForUnheardOfName(Altered):
    """Reports success for calls about a file `unheard-of` that must be refused. No scenario has a file of this name."""

    def alter(self, tool, arguments, interfere):  # type: ignore[no-untyped-def]
        result = self.reference(tool, arguments, interfere)
        if result.is_error and "unheard-of" in str(arguments.get("file_path")):
            return ToolResult("done")
        return result


def test_a_fault_that_only_the_search_shows_has_the_rule_of_what_is_like_it(
    some: Suite, index: ExampleIndex, place: WorkspacePool
) -> None:
    write = ToolCall("Write", {"file_path": "$WS/.unheard-of", "content": "x"})
    modify = WorldEvent("modify", ".unheard-of", RegularFile(TextContent("other\n")), mtime=2)
    finding = find_rule(NoRefusalForUnheardOfName, some, index, place, modify, write)
    assert (finding.rule, finding.shown_by) == ("write-refuses-unread-file", "")


def test_few_scenarios_are_replayed_when_the_time_is_over(
    some: Suite, index: ExampleIndex, place: WorkspacePool
) -> None:
    runner = DifferentialRunner(
        ReferenceAdapter("2.1.7"),
        wrong_text.ReplacesFirstOfSeveral,  # type: ignore[arg-type]
        place,
        "effects",
        some.vocabulary,
    )
    scenario = Scenario("fuzz/one", "Some steps", "observed", Given(FILE), (READ, edit("alpha", "x")))
    found = runner(scenario)
    assert found is not None
    before = runner.tally.scenarios
    finding = with_probable_rule(Finding(scenario, found), some, index, runner, lambda: True)
    assert (runner.tally.scenarios - before, finding.rule != "") == (4, True)


def test_what_nothing_is_like_breaks_no_rule(some: Suite, index: ExampleIndex, place: WorkspacePool) -> None:
    runner = DifferentialRunner(
        ReferenceAdapter("2.1.7"), ReferenceAdapter("2.1.7"), place, "effects", some.vocabulary
    )
    cause = Cause("Read", "effects", "an error that no scenario has", "done")
    scenario = Scenario("fuzz/one", "A Read", "observed", Given(FILE), (READ,))
    finding = Finding(scenario, Disagreement(cause, 0, 0, "answer", "a", "b"))
    assert with_probable_rule(finding, some, index, runner) == finding


def test_findings_are_listed_by_rule_the_worst_class_first(some: Suite) -> None:
    cause = Cause("Edit", "effects", "done", "done")
    scenario = Scenario("fuzz/one", "An Edit", "observed", Given(), (READ,))
    found = Disagreement(cause, 0, 0, "answer", "a", "b")

    def finding(rule: str, shown_by: str = "") -> Finding:
        return Finding(scenario, found, rule=rule, shown_by=shown_by)

    findings = [
        finding(""),
        finding("replace-all"),
        finding("ambiguous-match", "a/b"),
        finding("replace-all"),
    ]
    assert some.rules is not None
    assert list(probable_rules(findings, some.rules)) == [
        "Rules that are probably broken, worst first: 2",
        "safety",
        f"  1  {some.rules['ambiguous-match'].title}",
        "     ambiguous-match; the suite shows it, too: a/b",
        "design",
        f"  2  {some.rules['replace-all'].title}",
        "     replace-all; no similar scenario of the suite shows it",
        "no rule",
        "  1  No scenario of the suite is similar",
    ]
    assert (
        list(probable_rules([finding("replace-all")], None))[-1] == "  1  No scenario of the suite is similar"
    )
    assert list(probable_rules([], some.rules)) == []
