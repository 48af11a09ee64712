"""Calls are translated to those of the target, and its answers to results, according to the mapping."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.observatory.targets.mapping import Target, load_target
from readfirst.observatory.targets.translate import (
    CapturedText,
    Scope,
    TargetAnswer,
    captured_values,
    contract_result,
    fill_template,
    missing_capability,
    translate_call,
)
from tests.rows import rows

ROOT = Path(__file__).parents[3]
(EXAMPLE,) = re.findall(r"```yaml mapping\n(.*?)```", (ROOT / "docs" / "targets.md").read_text(), re.DOTALL)


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Target:
    file = tmp_path_factory.mktemp("targets") / "files.yaml"
    file.write_text(EXAMPLE)
    return load_target(file)


@pytest.fixture
def scope(tmp_path: Path) -> Scope:
    return Scope(tmp_path, tmp_path / "home", {"project": "7"})


def test_what_a_call_does_not_have_is_left_out(target: Target, scope: Scope) -> None:
    assert translate_call(target, "Read", {"file_path": "x"}, scope).arguments == {
        "project": "7",
        "path": "x",
    }
    ranged = translate_call(target, "Read", {"file_path": "x", "offset": 3, "limit": 2}, scope)
    assert ranged.arguments == {"project": "7", "path": "x", "from": 3, "to": 4}


def test_arguments_that_the_mapping_does_not_know_are_passed_on(target: Target, scope: Scope) -> None:
    assert translate_call(target, "Write", {"colour": "red"}, scope).arguments == {
        "project": "7",
        "colour": "red",
    }


def test_values_of_a_wrong_type_stay_wrong(target: Target, scope: Scope) -> None:
    made = translate_call(target, "Read", {"file_path": 5, "offset": "1", "limit": 2}, scope)
    assert made.arguments == {"project": "7", "path": 5, "from": "1"}


@rows(
    ("paths", "given", "wanted"),
    [
        ("absolute", "{root}/a", "{root}/a"),
        ("relative", "{root}/a/b", "a/b"),
        ("relative", "{root}", "."),
        ("relative", "{root}x/a", "{root}x/a"),
        ("virtual", "{root}/a", "/a"),
        ("virtual", "/etc/hosts", "/etc/hosts"),
        ("virtual", "a", "a"),
    ],
)
def test_paths_are_written_as_the_target_wants_them(
    target: Target, scope: Scope, paths: Any, given: str, wanted: str
) -> None:
    call = translate_call(
        replace(target, paths=paths), "Read", {"file_path": given.format(root=scope.root)}, scope
    )
    assert call.arguments["path"] == wanted.format(root=scope.root)


@rows(
    ("rule", "arguments", "extra"),
    [
        ({"flag": "all"}, {"replace_all": True}, {"all": True}),
        ({"flag": "all"}, {}, {}),
        ({"count": "expected"}, {"replace_all": True, "old_string": "ab"}, {"expected": 2}),
        ({"count": "expected"}, {"replace_all": True, "old_string": "none"}, {"expected": 1}),
        ({"count": "expected"}, {"replace_all": False, "old_string": "ab"}, {}),
        (None, {"replace_all": True}, {"replace_all": True}),
    ],
)
def test_replace_all_is_said_in_the_targets_way(
    target: Target,
    scope: Scope,
    rule: dict[str, str] | None,
    arguments: dict[str, Any],
    extra: dict[str, Any],
) -> None:
    (scope.root / "a.txt").write_text("ab ab")
    tools = {"Edit": replace(target.tools["Edit"], replace_all=rule, arguments={"path": "$file_path"})}
    made = translate_call(
        replace(target, tools=tools, paths="absolute"), "Edit", {"file_path": "a.txt", **arguments}, scope
    )
    left = {key: value for key, value in made.arguments.items() if key not in ("path", "old_string")}
    assert left == extra


@rows(
    ("tool", "arguments", "expected"),
    [
        ("Read", {"pages": "1"}, "Read with pages"),
        ("Read", {"file_path": "/a"}, ""),
        ("Edit", {"replace_all": True}, "Edit with replace_all"),
        ("Edit", {"replace_all": False}, ""),
        ("NotebookEdit", {}, "NotebookEdit"),
    ],
)
def test_what_is_not_claimed_is_reported(
    target: Target, tool: str, arguments: dict[str, Any], expected: str
) -> None:
    assert missing_capability(target, tool, arguments) == expected


def test_files_that_are_not_claimed_are_reported(target: Target) -> None:
    tools = {"Read": replace(target.tools["Read"], unsupported_files=("*.png",))}
    images = replace(target, tools=tools)
    assert missing_capability(images, "Read", {"file_path": "/w/a.PNG"}) == "Read of *.png"
    assert missing_capability(images, "Read", {"file_path": "/w/png"}) == ""


def test_sums_and_choices_are_filled_in() -> None:
    template = {"a": {"$first": ["$x", "$y", 5]}, "b": [1, "$x"], "c": {"$sum": ["$y", 1]}, "d": "at $WS/z"}
    assert fill_template(template, {"WS": "/w"}) == {"a": 5, "d": "at /w/z"}
    assert fill_template(template, {"y": 2}) == {"a": 2, "c": 3, "d": "at $WS/z"}
    assert fill_template(template, {"x": True})["b"] == [1, True]


@rows(
    ("rules", "value", "is_error"),
    [
        ({"at": ("status",), "is_error": ("error",)}, {"content": [{"text": "x"}], "status": "error"}, True),
        ({"at": ("status",), "is_error": ("error",)}, {"content": [{"text": "x"}], "status": "fine"}, False),
        ({"at": ("status",), "is_error": ("error",)}, {"content": [{"text": "x"}]}, False),
        ({"matches": (re.compile(r"\AError"),)}, {"content": [{"text": "Error: x"}]}, True),
        ({"matches": (re.compile(r"\AError"),)}, {"content": [{"text": "no Error"}]}, False),
    ],
)
def test_an_error_is_found_where_the_mapping_says(
    target: Target, scope: Scope, rules: dict[str, Any], value: Any, is_error: bool
) -> None:
    changed = replace(target, result=replace(target.result, flag=False, **rules))
    assert contract_result(changed, "Edit", TargetAnswer(value), scope).is_error is is_error


def test_an_exception_is_a_refusal_only_where_the_mapping_says(target: Target, scope: Scope) -> None:
    raised = TargetAnswer("ValueError: no", raised=True)
    with pytest.raises(AdapterError, match="the target raised ValueError: no"):
        contract_result(target, "Edit", raised, scope)
    refusing = replace(target, result=replace(target.result, exception=True))
    assert contract_result(refusing, "Edit", raised, scope).is_error


def test_an_answer_without_text_breaks(target: Target, scope: Scope) -> None:
    with pytest.raises(AdapterError, match=r"content\.0\.text is not a text"):
        contract_result(target, "Edit", TargetAnswer({"content": []}), scope)


def test_a_captured_number_can_be_an_integer() -> None:
    template = {"version": {"$sum": ["$version"]}, "etag": "$etag"}
    assert fill_template(template, {"version": CapturedText("12"), "etag": CapturedText("12")}) == {
        "version": 12,
        "etag": "12",
    }
    assert fill_template(template, {"version": CapturedText("v12")}) == {}


def test_the_first_text_that_matches_is_captured() -> None:
    patterns = {"id": re.compile("id=(.)"), "etag": re.compile('"etag": "(.+?)"')}
    assert captured_values(("id=7", '{"etag": "x"}'), patterns) == {"id": "7", "etag": "x"}
    assert captured_values(("nothing", "id="), patterns) == {}
