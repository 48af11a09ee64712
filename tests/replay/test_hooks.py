import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.agents.claude_code.reminders import extract_hook_reminders
from readfirst.harness.report.export import expand_scenario
from readfirst.harness.report.scenario_text import scenario_lines
from readfirst.harness.report.step_text import given_lines
from readfirst.harness.report.timeline import given_blocks
from readfirst.harness.suite.hooks import hooks_for_scenario
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.yaml_io.finding import SuiteError
from tests.judging import CONTRACT, SUITE, load_scenario_text
from tests.rows import rows

CALL = "  - Read: {file_path: $WS/a.txt}\n    expect: {text: seen}\n"


def load_scenario(hooks: str) -> Scenario:
    return load_scenario_text(f"given:\n  hooks:\n{hooks}steps:\n{CALL}")


@rows(
    ("hook", "message"),
    [
        ("{deny: No.}", "hooks needs exactly one of PreToolUse, PostToolUse"),
        ("{PreToolUse: Edit}", "hooks needs at least 2 keys, not 1"),
        ("{PreToolUse: Edit, deny: No., allow: Yes.}", "hooks has 3 keys, but at most 2 are allowed"),
        ("{PreToolUse: Edit, PostToolUse: Edit, deny: No.}", "exactly one of PreToolUse, PostToolUse"),
        ("{PreToolUse: Edt, deny: No.}", "PreToolUse cannot be 'Edt'"),
        ("{PostToolUse: Edit, deny: No.}", "A hook after the call can block, but not allow"),
        ("{PreToolUse: Edit, deny: 3}", "deny must be a string"),
        ("{PreToolUse: Edit, exit: {code: 300, stderr: No.}}", "The exit code, from 1 to 125"),
        ("{PreToolUse: Edit, exit: {code: 2}}", "lacks the key 'stderr'"),
        ("{PostToolUse: Edit, modify: {}}", "modify is empty"),
        ("{PostToolUse: Edit, modify: {../a.txt: x}}", "leaves the workspace"),
        ('{PostToolUse: Edit, modify: {a: {text: x, mode: "0600"}}}', "writes only the content of a file"),
        ("{PostToolUse: Edit, modify: {a.txt: {symlink: b.txt}}}", "a.txt has no key 'symlink'"),
        ("{PreToolUse: Edit, input: x}", "input must be a mapping"),
        ('{PreToolUse: Edit, deny: "a\\0b"}', "deny cannot be 'a"),
        ("{PreToolUse: Edit, says: x}", "says"),
    ],
)
def test_a_wrong_hook_is_reported_with_its_position(hook: str, message: str) -> None:
    with pytest.raises(SuiteError) as caught:
        load_scenario(f"    - {hook}\n")
    assert message in str(caught.value)
    assert "x.yaml:5:" in str(caught.value)


DENIED, ALLOWED = {"permissionDecision": "deny"}, {"permissionDecision": "allow"}


@pytest.mark.parametrize(
    ("hook", "said"),
    [
        (
            "{PreToolUse: Edit, deny: It's not to be.}",
            {**DENIED, "permissionDecisionReason": "It's not to be."},
        ),
        ("{PreToolUse: Edit, input: {a: $WS/b}}", {**ALLOWED, "updatedInput": {"a": "$WS/b"}}),
        ("{PostToolUse: '*', context: Done.}", {"additionalContext": "Done."}),
    ],
)
def test_a_hook_prints_its_decision_as_json(tmp_path: Path, hook: str, said: Mapping[str, Any]) -> None:
    """Its command runs as an adapter runs it, with much input."""
    [found] = hooks_for_scenario(load_scenario(f"    - {hook}\n"), str(tmp_path))
    shell = ["/bin/sh", "-c", found.command]
    asked = '{"tool_name": "Edit"}' * 9999
    done = subprocess.run(shell, input=asked, capture_output=True, text=True, cwd=tmp_path, check=True)
    found = json.loads(done.stdout.replace(str(tmp_path), "$WS"))
    assert found == {"hookSpecificOutput": {"hookEventName": hook[1:].split(":")[0], **said}}


HOOKS = {
    "{PreToolUse: Edit, deny: No.}": 'PreToolUse Edit: deny "No."',
    "{PreToolUse: '*', input: {a: b}}": 'PreToolUse *: input {a: "b"}',
    "{PostToolUse: Edit, exit: {code: 2, stderr: No.}}": 'PostToolUse Edit: exit 2, stderr "No."',
    "{PostToolUse: Edit, modify: {a.txt: x}}": 'PostToolUse Edit: modify a.txt: "x"',
}


@rows(
    ("hook", "line"),
    [
        *HOOKS.items(),
        ('{PostToolUse: Edit, modify: {a.txt: "a\\tb"}}', 'PostToolUse Edit: modify a.txt: "a\\tb"'),
    ],
)
def test_reports_describe_each_hook(hook: str, line: str) -> None:
    scenario = load_scenario(f"    - {hook}\n")
    assert f"hook {line}" in list(given_lines(scenario.given))
    assert f"  hook: {line}" in list(scenario_lines(scenario, CONTRACT))
    assert {"label": "hook", "value": line} in given_blocks(scenario)


def test_the_export_of_a_scenario_contains_its_hooks_as_commands() -> None:
    scenario = load_scenario("".join(f"    - {hook}\n" for hook in HOOKS))
    value = expand_scenario(scenario, CONTRACT, SUITE.vocabulary)
    assert value is not None
    hooks = value["given"]["hooks"]
    asked = ["PreToolUse Edit", "PreToolUse *", "PostToolUse Edit", "PostToolUse Edit"]
    assert [f"{each['event']} {each['matcher']}" for each in hooks] == asked
    assert hooks[2]["command"] == r"cat >/dev/null; printf '%s\n' No. >&2; exit 2"
    assert hooks[3]["command"] == r"cat >/dev/null; sleep 0.02; printf '\170' >'$WS/a.txt'"


def test_messages_of_hooks_are_separated_from_an_answer_of_the_product() -> None:
    objection = 'PostToolUse:Edit hook blocking error from command: "c": [c]: No.'
    notes = (f"<system-reminder>\n{objection}\n\n</system-reminder>", "Edit operation feedback:\n- No.")
    assert extract_hook_reminders("answer", notes) == ("answer", (objection, notes[1]))
    words = "PostToolUse:Edit operation feedback:\n- No.\n"
    said = f"toolu_1 (Edit) <post-tool-use-hook>{words}</post-tool-use-hook>\n\nGo on."
    merged = f"<system-reminder>\n{said}\n</system-reminder>"
    assert extract_hook_reminders(f"answer\n\n{merged}", ("The user waits.",)) == ("answer", (words.strip(),))
    bare = f"<system-reminder>\n{objection}\n\n</system-reminder>"
    assert extract_hook_reminders(f"answer\n\n{bare}", ()) == ("answer", (objection,))
