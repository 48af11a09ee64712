"""The descriptions of tools for the model: their file, `show --tools`, `record --tools`, and comparison by `diff`."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.diff.diff import tool_changes
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.tool_schemas import OfferedTool, load_tools
from readfirst.harness.yaml_io.json_file import JsonFileError
from readfirst.observatory import product_data
from readfirst.observatory.product_data import TOOLS, offered_tool, offered_tools, tools_text
from tests.command_line import Cli, exit_code
from tests.judging import SUITE
from tests.rows import rows
from tests.small_suites import small_suite

CHECKOUT = Path(__file__).resolve().parents[3]


@pytest.fixture
def read_first(readfirst: Cli) -> Cli:
    return lambda *arguments: readfirst(*arguments, "--fixtures", SUITE.root)


def test_every_recorded_contract_has_the_tools_that_it_offers() -> None:
    known = load_tools(TOOLS.file(SUITE.root))
    assert list(known) == [contract.name for contract in SUITE.contracts.recorded]
    for contract in SUITE.contracts.recorded:
        assert {"Read", "Edit", "Write"} <= known[contract.name].keys()
        assert ("MultiEdit" in known[contract.name]) == ("MultiEdit" in contract.tools)


def test_the_file_fits_its_schema_and_is_written_as_it_is_read() -> None:
    schema = json.loads((SUITE.root / "schema/tools.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    text = TOOLS.file(SUITE.root).read_text("utf-8")
    data = json.loads(text)
    assert Draft202012Validator(schema).is_valid(data)
    data["tools"]["Read"][0]["description"]["text"] = "the product's own"
    assert not Draft202012Validator(schema).is_valid(data)
    known = load_tools(TOOLS.file(SUITE.root))
    assert tools_text(known, [contract.name for contract in SUITE.contracts.recorded]) == text


def test_a_schema_is_one_that_refuses_what_the_product_refuses() -> None:
    schema = load_tools(TOOLS.file(SUITE.root))["2.1.7"]["Edit"].schema
    Draft202012Validator.check_schema(dict(schema))
    edit = {"file_path": "/a", "old_string": "a", "new_string": "b"}
    assert Draft202012Validator(schema).is_valid(edit)
    assert not Draft202012Validator(schema).is_valid({**edit, "colour": "red"})


def test_of_a_description_only_facts_are_kept() -> None:
    text = "Changes files in place, whatever they hold, and however long the sentence is. More. " + (
        "You must use your `Read` tool first. It reads up to 2000 lines. Maximum 20 pages. "
    )
    facts = offered_tool(text, {}).facts
    assert facts["begins"] == "Changes files in place, whatever they hold, and however long"
    assert facts["characters"] == len(text)
    assert facts["states"] == {"demands_a_read": True, "lines": 2000, "pages_at_once": 20}


def test_show_prints_what_an_implementer_copies(read_first: Callable[..., tuple[object, str, str]]) -> None:
    code, out, _ = read_first("show", "--tools", "2.1.7")
    assert code == ExitCode.CONFORMANT
    shown = json.loads(out)
    assert list(shown["Edit"]["input_schema"]["properties"]) == [
        "file_path",
        "old_string",
        "new_string",
        "replace_all",
    ]
    assert shown["Edit"]["description"]["states"]["demands_a_read"] is True


@rows(
    ("arguments", "code", "message"),
    [
        (("show",), ExitCode.USAGE, "name the ID of a scenario, or a contract with --tools"),
        (
            ("show", "gate/edit-unread", "--tools", "2.1.7"),
            ExitCode.USAGE,
            "name the ID of a scenario, or a contract",
        ),
        (("show", "--tools", "2.1.6"), ExitCode.USAGE, "2.1.7"),
        (("show", "--tools", "documented"), ExitCode.NOTHING, "no product answers for it"),
    ],
)
def test_what_cannot_be_shown_is_reported(
    read_first: Callable[..., tuple[object, str, str]], arguments: tuple[str, ...], code: int, message: str
) -> None:
    found = read_first(*arguments)
    assert (found[0], message in found[2]) == (code, True), found[2]


@rows("text", ["", "{}", '{"format": 2, "tools": {}}', '{"format": 1, "tools": {"Edit": [1]}}'])
def test_a_damaged_file_is_reported_with_what_writes_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "tools.json").write_text(text)
    with pytest.raises(JsonFileError, match=r"tools\.json.*`readfirst product tools` writes it"):
        load_tools(TOOLS.file(tmp_path))


FAKE = """\
import json, os, urllib.request
body = {"model": "m", "stream": False, "messages": [], "tools": json.loads(%r)}
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())).read()
"""


def product(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tools: list[dict[str, Any]]) -> None:
    program = tmp_path / "product.py"
    program.write_text(FAKE % json.dumps(tools))
    monkeypatch.setattr(product_data, "install", lambda _: (sys.executable, str(program)))


def test_the_product_is_asked_what_it_offers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = {"type": "object", "properties": {"file_path": {"type": "string"}}}
    edit = {"name": "Edit", "description": "Edits. Well.", "input_schema": schema}
    product(tmp_path, monkeypatch, [edit, {**edit, "name": "Bash"}])
    assert offered_tools(SUITE.contracts["2.1.7"]) == {"Edit": offered_tool("Edits. Well.", schema)}


def test_changes_are_written_and_a_check_only_tells_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "fixtures"
    small_suite(root)
    (root / "tools.json").write_text(
        tools_text(load_tools(TOOLS.file(SUITE.root)), [each.name for each in SUITE.contracts.recorded])
    )
    before = (root / "tools.json").read_bytes()
    product(tmp_path, monkeypatch, [{"name": "Edit", "description": "Edits.", "input_schema": {}}])
    arguments = ["product", "tools", "--contract", "2.1.7", "--fixtures", str(root)]
    for more, code, message in ((["--check"], 1, "differs"), ([], 0, "recorded"), (["--check"], 0, "")):
        assert exit_code(*arguments, *more) == code
        out = capsys.readouterr().out
        assert out == (f"{message} 2.1.7 tools\n" if message else "")
        assert ((root / "tools.json").read_bytes() == before) == (more == ["--check"] and message != "")
    known = load_tools(TOOLS.file(root))
    assert known["2.1.7"] == {"Edit": offered_tool("Edits.", {})}
    assert known["2.1.40"] == load_tools(TOOLS.file(SUITE.root))["2.1.40"]


def test_a_product_that_offers_no_file_tool_is_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    product(tmp_path, monkeypatch, [{"name": "Agent", "description": "Other.", "input_schema": {}}])
    with pytest.raises(Exception, match=r"2\.1\.7 offers no file tools, but Agent"):
        offered_tools(SUITE.contracts["2.1.7"])


def test_a_tool_without_a_schema_is_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    product(tmp_path, monkeypatch, [{"name": "Edit", "description": "Edits."}])
    with pytest.raises(Exception, match=r"2\.1\.7 offers Edit without a description or a schema"):
        offered_tools(SUITE.contracts["2.1.7"])


def test_every_kind_of_change_has_its_sentence() -> None:
    one = offered_tool(
        "You must use your `Read` tool.",
        {
            "properties": {"a": {"type": "string", "description": "x"}, "b": {"type": "number"}, "c": {}},
            "required": ["a"],
        },
    )
    other = OfferedTool(
        {
            "properties": {"a": {"type": "string", "description": "y"}, "b": {"type": "integer"}, "d": {}},
            "additionalProperties": False,
        },
        offered_tool("reads up to 10 lines", {}).facts,
    )
    assert list(tool_changes({"Edit": one, "MultiEdit": one}, {"Edit": other, "Read": one})) == [
        "Edit: the argument a is explained in other words",
        'Edit: the argument b is {"type": "integer"} instead of {"type": "number"}',
        "Edit: the argument c is gone",
        "Edit: the argument d is new: {}",
        'Edit: required of the arguments is nothing instead of ["a"]',
        "Edit: additionalProperties of the arguments is false instead of nothing",
        "Edit: another description, of 20 characters instead of 30",
        "Edit: the description states demands_a_read: nothing instead of true",
        "Edit: the description states lines: 10 instead of nothing",
        "MultiEdit is no longer offered at the start",
        "Read is offered at the start",
    ]
    assert list(tool_changes({"Edit": one}, {"Edit": replace(one)})) == []


@pytest.mark.parametrize("form", ["text", "markdown", "json"])
def test_diff_shows_the_tools_in_every_format(
    read_first: Callable[..., tuple[object, str, str]], form: str
) -> None:
    _, out, _ = read_first("diff", "2.1.7", "2.1.40", "--family", "gate", "--format", form)
    sentence = "Read: the argument pages is new: "
    if form == "json":
        assert any(line.startswith(sentence) for line in json.loads(out)["tools"])
    else:
        assert "What the model is given of the tools" in out
        assert sentence in out.replace("\\", "")
