"""Mutants that make a condition of a rule wrong in one circumstance: the exceptions. A case kills such a mutant if it
has this circumstance and notices the mistake.
"""

import builtins
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice
from pathlib import Path

import pytest
import scenarios
from confinement import Confined
from exceptions import ALWAYS, CIRCUMSTANCES, MODULES, exceptions_of, rules_of
from importing import forget
from measurement import Cases, TrialError
from mutants import Mutant
from page import LEAST_EXCEPTIONS, exceptions_in, exceptions_section, with_exceptions
from panel import Judge, Panel, file_of
from population import Judged, judged_exceptions
from run import CHECKOUT, PAGE, report
from survivors import load_survivors
from trial import MutantResult, trials

from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.observatory.fuzz import generate
from readfirst.observatory.fuzz.conditions import calls_with_conditions
from tests.small_suites import small_suite

pytestmark = pytest.mark.mutation

SOURCE = """\
LIMIT = 3


def clipped(number, behaviours):
    if behaviours.reading.are_clipped:
        return LIMIT if number > LIMIT else number
    if number > LIMIT:
        return LIMIT
    return number


def is_small(number) -> bool:
    if not number:
        return False
    return (
        number <= LIMIT
    )
"""


def list_exceptions(source: str = SOURCE) -> list[Mutant]:
    return exceptions_of(rules_of("tools.edit", source))


def test_a_condition_gets_exceptions_in_both_ways() -> None:
    found = [each for each in list_exceptions() if each.before == "if number > LIMIT:"]
    assert len(found) == 2 * len(set(MODULES["tools.edit"]))
    assert {each.after for each in found} == {
        f'if (number > LIMIT) {how} when("{each.when}"):'
        for each in found
        for how in ("and not", "or")
        if f" {how} " in each.after
    }
    assert all(
        (each.function, each.line, each.reached_by) == ("clipped", 7, frozenset({7})) for each in found
    )
    assert {each.when for each in found} == {*MODULES["tools.edit"]}


def test_the_rule_that_does_not_hold_at_all_is_made_of_the_same_condition() -> None:
    rules = rules_of("tools.edit", SOURCE)
    assert {each.when for each in rules} == {ALWAYS}
    assert len(exceptions_of(rules)) == len(set(MODULES["tools.edit"])) * len(rules) == len(list_exceptions())
    assert exceptions_of(rules[1:2]) == [
        each for each in list_exceptions() if each in exceptions_of(rules[1:2])
    ]


def test_what_a_function_returns_as_true_or_false_is_a_condition_and_a_version_or_a_constant_is_none() -> (
    None
):
    before = {each.before for each in list_exceptions()}
    assert before == {"if number > LIMIT:", "if not number:", "number <= LIMIT"}
    assert all(compile(each.source, "edit.py", "exec") for each in list_exceptions())


def test_an_edit_elsewhere_changes_no_mutant_of_a_condition() -> None:
    later = list_exceptions(f'"""Clip."""\n{SOURCE}'.replace("number <= LIMIT", "number < LIMIT"))
    unchanged = {each.key for each in list_exceptions() if each.before != "number <= LIMIT"}
    assert unchanged == {each.key for each in later if each.before != "number < LIMIT"}


def test_two_conditions_that_are_alike_have_keys_of_their_own() -> None:
    twice = SOURCE + "    if not number:\n        return True\n"
    keys = [each.key for each in list_exceptions(twice)]
    assert len(set(keys)) == len(keys)
    assert sum(each.occurrence == 2 for each in list_exceptions(twice)) == 2 * len(set(MODULES["tools.edit"]))


ALL = "def clipped(number):\n    if number > 3:\n        return 3\n    return number\n"


def tiny(circumstances: Mapping[str, set[str]]) -> Panel:
    """Return a Panel for a package with one function, and for three test cases with these `circumstances`. Mutants call
    `when` to find out whether the running case has a circumstance.
    """
    numbers = {"small": (1, 1), "large": (9, 3), "larger": (99, 3)}

    def open_judge(_: Mapping[str, float]) -> Judge:
        def judge(case: str) -> str:
            from tiny.bounds import clipped

            now = circumstances.get(case, set())
            builtins.when = now.__contains__  # type: ignore[attr-defined]
            given, wanted = numbers[case]
            found = clipped(given)
            return "" if found == wanted else f"{found}, not {wanted}"

        return judge

    return Panel(
        "tiny",
        Path("/nowhere/tiny"),
        {"__init__": "", "bounds": ALL},
        list(numbers),
        open_judge,
        circumstances=lambda case: circumstances.get(case, set()),
    )


def exception(how: str) -> Mutant:
    before, after = "if number > 3:", f'if (number > 3) {how} when("odd"):'
    source = ALL.replace(before, after)
    return Mutant("bounds", "clipped", 2, before, after, source, frozenset({2}), when="odd")


def judge_mutant(mutant: Mutant, **circumstances: set[str]) -> MutantResult:
    panel = tiny(circumstances)
    reached = {("bounds", 2): (1 << len(panel.cases)) - 1}
    cases = Cases(dict.fromkeys(panel.cases, 0.0), reached, frozenset())
    (fate,) = trials(panel, cases, [mutant], jobs=1)
    return fate


def test_an_exception_is_killed_by_a_case_in_which_it_is_so_and_seen() -> None:
    assert judge_mutant(exception("and not"), larger={"odd"}).by == "larger"
    assert judge_mutant(exception("or"), small={"odd"}).by == "small"


def test_an_exception_survives_where_no_case_tells_it() -> None:
    assert judge_mutant(exception("and not"), small={"odd"}) == MutantResult(exception("and not"), "", "", 1)
    assert judge_mutant(exception("or"), large={"odd"}, larger={"odd"}).asked == 2


def test_only_cases_in_which_the_exception_is_so_are_asked() -> None:
    assert judge_mutant(exception("and not"), large={"even"}).asked == 0


def small_checkout(folder: Path, *, hidden: bool) -> Path:
    """Create a checkout whose suite has an Edit of an unread file and, with `hidden`, of a hidden unread file."""
    text = (CHECKOUT / "fixtures" / "scenarios" / "gate" / "edit-unread.yaml").read_text("utf-8")
    names = {"edit-unread": "notes.txt", **({"edit-unread-hidden": ".notes.txt"} if hidden else {})}
    scenarios = {f"gate/{name}": text.replace("notes.txt", file) for name, file in names.items()}
    small_suite(folder / "fixtures", scenarios)
    (folder / "reference_impl").symlink_to(CHECKOUT / "reference_impl")
    return folder


def gate_mutants() -> tuple[Mutant, Mutant]:
    """Return two mutants of the reference: one edits unread files if they are hidden, the other all unread files."""
    module = "session.read_state"
    source = (CHECKOUT / "reference_impl" / file_of(module)).read_text("utf-8")
    (rule,) = (
        each
        for each in rules_of(module, source)
        if each.function == "refuse_unread" and " and not when" in each.after
    )
    (hidden,) = (each for each in exceptions_of([rule]) if each.when == "name: hidden")
    return hidden, rule


@pytest.mark.parametrize(("hidden", "by"), [(True, "2.1.7 gate/edit-unread-hidden"), (False, "")])
def test_an_exception_of_the_reference_is_killed_by_a_scenario_in_which_it_is_so(
    tmp_path: Path, hidden: bool, by: str
) -> None:
    panel = scenarios.scenario_panel(small_checkout(tmp_path, hidden=hidden), {}, exceptions=True)
    mutant, rule = gate_mutants()
    names = list(panel.cases)
    everywhere = {(mutant.module, line): (1 << len(names)) - 1 for line in mutant.reached_by}
    cases = Cases(dict.fromkeys(names, 0.0), everywhere, frozenset())

    def fates() -> list[MutantResult]:
        import readfirst.harness.adapters

        forget(panel)
        sys.modules.pop("readfirst.harness.adapters.reference", None)
        vars(readfirst.harness.adapters).pop("reference", None)
        unchanged = replace(mutant, source=panel.sources[mutant.module])
        return list(trials(panel, cases, [mutant, rule, unchanged], jobs=1))

    confined = Confined(fates)
    try:
        found, without, unchanged = confined.result()
    finally:
        confined.end()
    assert (found.by, found.asked) == (by, int(hidden))
    assert (without.killed, without.asked) == (True, 1)
    assert (unchanged.killed, unchanged.asked) == (False, int(hidden)), unchanged.how


def judged_small(folder: Path, *, hidden: bool, drawn: Sequence[Scenario] = ()) -> dict[str, MutantResult]:
    """Test mutants of the condition in `refuse_unread` in a small checkout. Return the results by circumstance."""
    panel = scenarios.scenario_panel(small_checkout(folder, hidden=hidden), {}, exceptions=True)
    judged = judged_exceptions(panel, folder / "fixtures", ["session.read_state"], drawn)
    _, rule = gate_mutants()
    return {each.mutant.when: each for each in judged.fates if each.mutant.before == rule.before}


def test_the_population_is_what_the_scenarios_and_the_drawn_ones_meet(tmp_path: Path) -> None:
    hidden = Suite(small_checkout(tmp_path / "with", hidden=True) / "fixtures").scenario(
        "gate/edit-unread-hidden"
    )
    fates = judged_small(tmp_path / "told", hidden=True)
    assert (fates["name: hidden"].by, fates["name: hidden"].asked) == ("gate/edit-unread-hidden", 1)
    assert "name: spaces" not in fates
    met = judged_small(tmp_path / "met", hidden=False, drawn=[hidden])
    assert not met["name: hidden"].killed
    assert "name: hidden" not in judged_small(tmp_path / "never", hidden=False)


def test_a_reference_that_fails_its_own_scenarios_judges_nothing(tmp_path: Path) -> None:
    checkout = small_checkout(tmp_path, hidden=False)
    path = checkout / "fixtures" / "scenarios" / "gate" / "edit-unread.yaml"
    expected = path.read_text("utf-8")
    assert "answer: not_read" in expected
    path.write_text(
        expected.replace("answer: not_read", "error: not_read, text: It is unknown."), encoding="utf-8"
    )
    panel = scenarios.scenario_panel(checkout, {}, exceptions=True)
    with pytest.raises(TrialError, match="gate/edit-unread fails on the unchanged package: failed"):
        judged_exceptions(panel, checkout / "fixtures", ["session.read_state"], ())


def test_every_circumstance_is_one_that_calls_can_have() -> None:
    drawn = islice(generate.scenarios(0), 300)
    named = {
        condition
        for scenario in chain(Suite(CHECKOUT / "fixtures").scenarios(), drawn)
        for _, _, conditions in calls_with_conditions(scenario)
        for condition in conditions
    }
    assert {*CIRCUMSTANCES} <= named


def test_the_modules_are_there_and_have_conditions() -> None:
    for module in MODULES:
        assert rules_of(module, (CHECKOUT / "reference_impl" / file_of(module)).read_text("utf-8"))


def test_the_section_of_the_page_has_a_run_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "exceptions.yaml").write_text("left_out: []\nsurvivors: []\n")
    none = load_survivors(tmp_path / "exceptions.yaml")
    killed, living = (
        MutantResult(exception("or"), "small", "wrong", 1),
        MutantResult(exception("and not"), "", "", 2),
    )
    judged = Judged(rules=6, noticed=4, exceptions=9, calls=12_345, fates=(killed, living))
    section = exceptions_section(judged, none, "29 November 2026")
    assert "killed 50.0 % of 2 exceptions, and 50.0 % of the exceptions that are not" in section
    assert "12,345 generated calls" in section
    assert "7 of 9 exceptions took effect in none of these calls" in section
    page = with_exceptions("# A page\n\n## Survivors\n\nSome.\n", section)
    assert page.startswith("# A page\n\n## Survivors\n\nSome.\n\n## Rules with an exception\n")
    assert exceptions_in(page) == section
    assert with_exceptions(page, section) == page
    assert with_exceptions("# A page\n", exceptions_in("# A page\n")) == "# A page\n"


def test_survivors_among_exceptions_fail_the_run_as_others_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "exceptions.yaml").write_text("left_out: []\nsurvivors: []\n")
    none = load_survivors(tmp_path / "exceptions.yaml")
    killed, living = (
        MutantResult(exception("or"), "small", "wrong", 1),
        MutantResult(exception("and not"), "", "", 2),
    )
    mutants = [killed.mutant, living.mutant]
    assert report([killed, living], mutants, ["bounds"], none, least=97, reached=99.0) == 1
    assert 'if (number > 3) and not when("odd"):' in capsys.readouterr().out
    assert report([killed], mutants, ["bounds"], none, least=97, reached=96.0) == 1
    assert "the score is 96.0 %, less than 97 %" in capsys.readouterr().out
    assert report([killed], mutants, ["bounds"], none, least=97, reached=97.0) == 0


def test_the_page_contains_the_score_of_exceptions() -> None:
    section = exceptions_in(PAGE.read_text("utf-8"))
    assert f"All {len(CIRCUMSTANCES)} circumstances" in section
    (share,) = re.findall(r"and ([0-9.]+) % of the exceptions that are not equivalent", section)
    assert float(share) >= LEAST_EXCEPTIONS


def test_in_a_group_a_circumstance_is_that_of_the_call_that_is_executed(tmp_path: Path) -> None:
    from circumstances import attend, now

    from readfirst.harness.adapters import reference
    from readfirst.harness.replay.replay import replay
    from readfirst.harness.suite.file_entry import RegularFile
    from readfirst.harness.suite.scenario import Given, ParallelCalls, ToolCall
    from readfirst.harness.workspace.workspace_dir import WorkspacePool

    names = (".hidden", "Capital.txt")
    reads = tuple(ToolCall("Read", {"file_path": f"$WS/{name}"}) for name in names)
    files = {name: RegularFile(b"alpha\n") for name in names}
    scenario = Scenario("fuzz/group", "A group", "observed", Given(files), (*reads, ParallelCalls(reads)))

    def collect_names() -> list[set[str]]:
        seen: list[set[str]] = []
        run = reference.FileTools._execute_call

        def running(*arguments: object) -> object:
            seen.append({each for each in now() if each.startswith("name: ")})
            return run(*arguments)  # type: ignore[arg-type]

        reference.FileTools._execute_call = running  # type: ignore[method-assign, assignment]
        attend(scenario)
        replay(scenario, reference.ReferenceAdapter("2.1.7"), WorkspacePool())
        return seen

    confined = Confined(collect_names)
    try:
        assert confined.result() == 2 * [{"name: hidden"}, {"name: capitals"}]
    finally:
        confined.end()


def test_what_a_hook_puts_in_place_of_arguments_is_no_call_of_its_own() -> None:
    from circumstances import attend

    from readfirst.harness.adapters import reference
    from readfirst.harness.replay.replay import replay
    from readfirst.harness.workspace.workspace_dir import WorkspacePool

    scenario = Suite().scenario("hooks/replaced-input")

    def find_breakage() -> str:
        attend(scenario)
        outcome = replay(scenario, reference.ReferenceAdapter("2.1.7"), WorkspacePool())
        return str(outcome.error or "")

    confined = Confined(find_breakage)
    try:
        assert confined.result() == ""
    finally:
        confined.end()
