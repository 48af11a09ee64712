"""The structured results of calls (`tool_use_result`): their file, `show --results` and `record --results`."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.adapter_api import AdapterError
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.tool_schemas import StructuredResult, fields_by_tool, load_results
from readfirst.harness.yaml_io.json_file import JsonFileError
from readfirst.observatory import product_data
from readfirst.observatory.product_data import RESULTS, SAMPLE_CALLS, results_text, structured_results
from tests.command_line import Cli
from tests.judging import SUITE
from tests.rows import rows

CHECKOUT = Path(__file__).resolve().parents[3]


def test_every_recorded_contract_was_asked_all_that_its_tools_allow() -> None:
    known = load_results(RESULTS.file(SUITE.root))
    assert set(known) == {contract.name for contract in SUITE.contracts.recorded}
    for contract in SUITE.contracts.recorded:
        wanted = [(each.tool, each.case) for each in SAMPLE_CALLS if each.tool in contract.tools]
        assert sorted((each.tool, each.case) for each in known[contract.name]) == sorted(wanted)


def test_the_file_fits_its_schema_and_is_written_as_it_is_read() -> None:
    schema = json.loads((SUITE.root / "schema/results.schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    text = RESULTS.file(SUITE.root).read_text("utf-8")
    assert Draft202012Validator(schema).is_valid(json.loads(text))
    assert not Draft202012Validator(schema).is_valid({"format": 1, "cases": [{"tool": "Edit"}]})
    known = load_results(RESULTS.file(SUITE.root))
    assert results_text(known, [contract.name for contract in SUITE.contracts.recorded]) == text


def test_fields_say_their_types_and_whether_they_are_always_there() -> None:
    results = [
        StructuredResult(
            "one", "Edit", {"patch": [{"lines": ["a"]}, {"lines": [], "more": 1.5}], "old": None}
        ),
        StructuredResult("two", "Edit", {"patch": [], "flag": True}),
        StructuredResult("refused", "Edit", "Error: no"),
        StructuredResult("none", "Read", None),
    ]
    assert fields_by_tool(results) == {
        "Edit": {
            "": {"types": ["object", "string"], "always": True},
            "patch": {"types": ["array"], "always": True},
            "patch[]": {"types": ["object"], "always": True},
            "patch[].lines": {"types": ["array"], "always": True},
            "patch[].lines[]": {"types": ["string"], "always": True},
            "patch[].more": {"types": ["number"], "always": False},
            "old": {"types": ["null"], "always": False},
            "flag": {"types": ["boolean"], "always": False},
        },
        "Read": {},
    }


def test_what_is_known_of_edits() -> None:
    known = load_results(RESULTS.file(SUITE.root))
    fields = fields_by_tool(known["2.1.7"])["Edit"]
    always = {name for name, each in fields.items() if each["always"] and name.isalpha()}
    assert always == {
        *("filePath", "oldString", "newString", "originalFile"),
        *("structuredPatch", "userModified", "replaceAll"),
    }
    assert "contentNotInModelContext" in fields_by_tool(known["2.1.328"])["Edit"]
    assert all(each.value is None for each in known["2.0.0"])


@rows(
    ("name", "code", "message"),
    [
        ("2.1.7", ExitCode.CONFORMANT, '"structuredPatch[].lines"'),
        ("2.0.0", ExitCode.NOTHING, "its answers come without structured results"),
        ("documented", ExitCode.NOTHING, "nothing was recorded of its results"),
        ("9", ExitCode.USAGE, "9"),
    ],
)
def test_show_prints_them(name: str, code: int, message: str, readfirst: Cli) -> None:
    ran = readfirst("show", "--results", name, "--fixtures", SUITE.root)
    assert (ran.code, message in ran.out + ran.err) == (code, True), ran.err


@rows("text", ["", "[]", '{"format": 2}', '{"format": 1, "cases": [{}]}'])
def test_a_damaged_file_is_reported_with_what_writes_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "results.json").write_text(text)
    with pytest.raises(JsonFileError, match=r"results\.json.*`readfirst product tools --results` writes it"):
        load_results(RESULTS.file(tmp_path))


FAKE = """\
import json, os, sys, urllib.request
assert sys.argv[-3:] == ["--output-format", "stream-json", "--verbose"], sys.argv
tools = [{"name": "Edit"}]
messages = []
while True:
    body = {"model": "m", "stream": False, "messages": messages, "tools": tools}
    url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
    with urllib.request.urlopen(urllib.request.Request(url, json.dumps(body).encode())) as answer:
        said = json.load(answer)
    uses = [each for each in said["content"] if each["type"] == "tool_use"]
    if not uses:
        break
    result = {"type": "tool_result", "tool_use_id": uses[0]["id"], "content": "done"}
    path = next(iter(uses[0]["input"].values()))
    if %r:
        print(json.dumps({"type": "user", "message": {"content": [result]}, "tool_use_result": {"path": path}}))
    print("a warning")
    messages += [{"role": "assistant", "content": said["content"]}, {"role": "user", "content": [result]}]
"""


@pytest.mark.parametrize("prints", [True, False])
def test_the_product_is_asked_call_by_call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, prints: bool
) -> None:
    program = tmp_path / "product.py"
    program.write_text(FAKE % prints)
    monkeypatch.setattr(product_data, "install", lambda _: (sys.executable, str(program)))
    contract = SUITE.contracts["2.1.7"]
    wanted: list[Any] = [each for each in SAMPLE_CALLS if each.tool in contract.tools]
    if not prints:
        with pytest.raises(
            AdapterError, match=rf"2\.1\.7 printed 0 structured results for {len(wanted)} calls"
        ):
            structured_results(contract)
        return
    found = structured_results(contract)
    assert [(each.tool, each.case) for each in found] == [(each.tool, each.case) for each in wanted]
    assert [each.value for each in found] == [
        {"path": next(iter(each.arguments.values()))} for each in wanted
    ]
