import base64
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.report.export import FORMAT, expand_scenario, export
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.strict_yaml import load
from tests.command_line import exit_code

SUITE = Suite()
DEFAULT = SUITE.contracts["2.1.7"]
DOCUMENTED = SUITE.contracts["documented"]
SCHEMA = Draft202012Validator(json.loads((SUITE.root / "schema/export.schema.json").read_text()))

TEXT = """\
title: A title of some words
requirement: must
given:
  deny: ["Edit($WS/secret/**)"]
  files:
    a.txt: {text: "é\\n", encoding: latin-1, eol: crlf, mode: "0600", mtime: -10s}
    b.txt: {repeat: "{n}\\n", times: 2}
    c: {symlink: $WS/b.txt}
    d: {hardlink: b.txt}
    e: {directory: true}
steps:
  - Read: {file_path: $WS/b.txt}
    expect: {text: "1\\n2"}
  - modify: {b.txt: {text: x, mtime: same}, f.txt: y}
  - touch: a.txt
  - rename: {f.txt: g.txt}
  - chmod: {b.txt: "0444"}
  - mkdir: h
  - symlink: {i: h}
  - delete: h
  - Edit: {file_path: $WS/b.txt, old_string: x, new_string: y}
    during: [{modify: {b.txt: z}}]
    expect:
      - {documented: "a.txt, B", error: not_read}
      - text: {sha256: SHA, lines: 7}
        files: {b.txt: y, g.txt: null, j: {sha256: SHA, size: 9000, mode: "0755"}, k: {directory: true}}
  - parallel:
      - Read: {file_path: $WS/a.txt}
        expect: {text: a}
      - Write: {file_path: $WS/l, content: ""}
        expect: {error: file_exists, text: b}
    expect: {files: {l: ""}}
""".replace("SHA", "0" * 64)
"""A scenario that uses most keys of the format."""


def scenario(text: str = TEXT) -> Scenario:
    return scenario_from(load(text.encode(), Path("a/b.yaml")), "a/b", SUITE.contracts)


def value(text: str = TEXT, contract: str = "2.1.7") -> dict[str, Any]:
    """Return the exported form of a scenario, checked with the schema."""
    found = expand_scenario(scenario(text), SUITE.contracts[contract], SUITE.vocabulary)
    assert found is not None
    SCHEMA.validate(found)
    return json.loads(json.dumps(found))  # type: ignore[no-any-return]


def text(content: str) -> dict[str, str]:
    return {"type": "file", "utf8": content}


def content(value: dict[str, Any]) -> bytes:
    """Return the bytes of an exported content, expanded as docs/export.md describes."""
    if "utf8" in value:
        return value["utf8"].encode()  # type: ignore[no-any-return]
    if "base64" in value:
        return base64.b64decode(value["base64"])
    unit, times = content(value["repeat"]), value["times"]
    if b"{n}" not in unit:
        return unit * times  # type: ignore[no-any-return]
    return b"".join(unit.replace(b"{n}", str(number).encode()) for number in range(1, times + 1))


def test_arguments_with_repeated_text_are_exported_without_expanding_them() -> None:
    short = "{repeat: 'x{n}', times: 3}"
    called = TEXT.replace('$WS/l, content: ""', f"$WS/l, content: {short}")
    assert scenario(called).steps[-1].calls[1].arguments["content"] == "x1x2x3"  # type: ignore[union-attr]
    exported = value(called)["steps"][-1]["calls"][1]["arguments"]
    assert exported["content"] == {"repeat": "x{n}", "times": 3}
    assert scenario(called).inputs == scenario(called.replace(short, "x1x2x3")).inputs


def test_a_header_and_an_end_show_that_an_export_is_complete() -> None:
    first, *scenarios, last = export(SUITE, DEFAULT, ["gate/edit-unread", "gate/write-unread"])
    for each in (first, *scenarios, last):
        SCHEMA.validate(each)
    assert (first["type"], first["format"], first["contract"]) == ("header", FORMAT, "2.1.7")
    assert first["suite"] == f"part of {SUITE.title}"
    assert next(export(SUITE, DEFAULT))["suite"] == SUITE.title
    assert [each["class"] for each in scenarios] == ["safety", "safety"]
    assert last == {"type": "end", "scenarios": 2}


def test_an_export_to_a_gz_file_is_compressed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.gz"
    for file in (plain, packed):
        assert exit_code("export", "--family", "gate", "--shard", "1/2", "--output", file) == 0
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    ids = [json.loads(line).get("id") for line in plain.read_text().splitlines()][1:-1]
    assert ids == [name for name in SUITE.ids() if name.startswith("gate/")][::2]


def test_an_export_contains_the_data_that_a_runner_needs_for_the_level_safe() -> None:
    _, gate, hooked, _ = export(SUITE, DEFAULT, ["gate/edit-unread", "hooks/replaced-input"])
    assert gate["courses"] == ["r", "a"]
    (hook,) = hooked["given"]["hooks"]
    assert (hook["refuses"], hook["replaces"]["file_path"], hook["writes"]) == (False, "$WS/notes.txt", [])


def test_an_exported_call_has_only_the_expectation_of_the_chosen_contract() -> None:
    call = next(step for step in value()["steps"] if step.get("tool") == "Edit")
    assert call["arguments"] == {"file_path": "$WS/b.txt", "old_string": "x", "new_string": "y"}
    after = {"entry": text("z"), "mtime_shift_ns": 2 * 10**9}
    assert call["during"] == [{"event": "modify", "path": "b.txt", **after}]
    no_error = {"refused": False, "error": None, "code": None, "documented": None, "reminders": []}
    assert call["expect"] == no_error | {
        "judge": "text",
        "text": {"sha256": "0" * 64, "lines": 7},
        "files": {
            "b.txt": text("y"),
            "g.txt": None,
            "j": {"type": "file", "sha256": "0" * 64, "size": 9000, "mode": "0755"},
            "k": {"type": "directory"},
        },
    }


def test_in_an_export_for_documented_a_call_without_a_description_is_judged_by_effects() -> None:
    steps = value(contract="documented")["steps"]
    assert steps[0]["expect"]["judge"] == "effects"
    assert steps[0]["expect"]["documented"] is None
    edit = next(step for step in steps if step.get("tool") == "Edit")["expect"]
    assert (edit["judge"], edit["error"], edit["code"], edit["text"]) == ("reason", "not_read", 6, None)
    assert edit["documented"] == "a.txt, B"
    assert edit["files"] == {}
    assert steps[-1]["expect"] == {"files": {"l": text("")}, "reminders": []}


@pytest.mark.slow
@pytest.mark.parametrize("contract", ["2.1.7", "documented"])
def test_the_whole_export_matches_its_schema(contract: str) -> None:
    count = 0
    for item in export(SUITE, SUITE.contracts[contract]):
        # Every value must survive a conversion to JSON. Validation is slow, so only every tenth value is validated.
        again = json.loads(json.dumps(item))
        assert again == item
        if item["type"] != "scenario":
            continue
        if count % 10 == 0:
            SCHEMA.validate(item)
        count += 1
    assert count >= 70
    if contract == "2.1.7":
        held = SUITE.contracts[contract]
        own = [each for each in SUITE.scenarios() if each.contract == contract]
        assert count == sum(each.needs <= held.capabilities for each in own)


def test_a_long_content_of_a_file_is_exported_as_a_digest() -> None:
    _, scenario, _ = export(SUITE, SUITE.contracts["1.0.60"], ["sizes/edit-after-a-megabyte"])
    expected = [step["expect"] for step in scenario["steps"] if "expect" in step]
    states = [state for each in expected for state in each["files"].values()]
    assert states
    assert all(state.keys() == {"type", "sha256", "size"} and state["size"] > 10**6 for state in states)


def test_permission_rules_and_the_permission_mode_are_exported() -> None:
    more = "\n  mode: acceptEdits\n  allow: [Read]\n  additional_directories: [shared]\nsteps:"
    given = value(TEXT.replace("\nsteps:", more, 1))["given"]
    more = {"working_directory": "", "additional_directories": ["shared"]}
    assert given["permissions"] == {"mode": "acceptEdits", "allow": ["Read"], **more}


def test_a_scenario_is_exported_only_if_the_contract_has_an_answer_for_every_call() -> None:
    undocumented = TEXT.replace('      - {documented: "a.txt, B", error: not_read}\n', "")
    assert expand_scenario(scenario(undocumented), DOCUMENTED, SUITE.vocabulary) is None
    assert expand_scenario(scenario(undocumented), DEFAULT, SUITE.vocabulary) is not None
    partly = TEXT.replace("  - touch: a.txt\n", "  - touch: a.txt\n  - Read: {file_path: a}\n")
    document = load(partly.encode(), Path("a/b.yaml"))
    loose = scenario_from(document, "a/b", SUITE.contracts, require_expect=False)
    assert expand_scenario(loose, DEFAULT, SUITE.vocabulary) is None
