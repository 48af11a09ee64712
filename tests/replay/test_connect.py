from pathlib import Path

import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.agents.claude_code import adapter as claude_code
from readfirst.harness.replay.recording_adapter import RecordedAdapter
from readfirst.harness.run.connect import ConnectError, connect, kinds
from readfirst.harness.run.run_options import RunOptions
from readfirst.harness.suite.contracts import Contract
from readfirst.harness.suite.suite import Suite
from tests.rows import rows

ALL = (
    "reference, python:MODULE:FACTORY, mcp:COMMAND, lines:COMMAND, claude-code:VERSION, recording:CONTRACT, "
    "agent:NAME@VERSION, target:NAME@VERSION"
)

MINIATURES = Path(__file__).with_name("miniatures.py")


@rows(
    ("spec", "message"),
    [
        ("", f"'': there is no kind ''. Write one of: {ALL}."),
        ("referense", "'referense': there is no kind 'referense'. Did you mean reference? "),
        ("pyhton:a:b", "Did you mean python:MODULE:FACTORY? "),
        ("reference:2.1.7", "'reference:2.1.7': write reference."),
        ("reference:", "'reference:': write reference."),
        ("python", "'python': write python:MODULE:FACTORY."),
        ("python:", "'python:': write python:MODULE:FACTORY."),
        ("python:module", "'python:module': write python:MODULE:FACTORY, for example python:mymodule:Tools"),
        ("python:a b:c", "'python:a b:c': write python:MODULE:FACTORY, for example"),
        ("python:a:b:c", "'python:a:b:c': write python:MODULE:FACTORY, for example"),
        ("python:minatures.py:Honest", "'python:minatures.py:Honest': there is no file "),
        ("python:miniatures.py:none", f"module {MINIATURES} has no none."),
        ("python:miniatures:none", "'python:miniatures:none': module miniatures has no none."),
        ("python:miniatures:Honset", "module miniatures has no Honset. Did you mean Honest?"),
        ("claude-code", "'claude-code': write claude-code:VERSION."),
        ("recording:0.0.1", "'recording:0.0.1': there is no recorded contract '0.0.1', only 0.2.126"),
        ("recording:documented", "'recording:documented': there is no recorded contract 'documented'"),
        ("mcp", "'mcp': write mcp:COMMAND."),
        ("mcp:no-such-server", "'mcp:no-such-server': there is no program 'no-such-server' on the PATH."),
        ("mcp:--isolation=directory", "'mcp:--isolation=directory': write mcp:COMMAND, for example"),
        ("mcp:miniatures.py", "'miniatures.py' on the PATH. Write ./miniatures.py for the file here."),
        ("mcp:./miniatures.py", f"{MINIATURES} is not executable. Make it so, or start with the program"),
        ("mcp:./none.py", f"there is no file {MINIATURES.with_name('none.py')}."),
        ("mcp:--", "'mcp:--': write mcp:COMMAND, for example"),
        ("mcp:sh 'open", "'mcp:sh 'open': No closing quotation. Write the command as in a shell."),
        ("lines:no-such-program --fast", "there is no program 'no-such-program'."),
        ("lines:'", "No closing quotation. Write the command as in a shell."),
        ("lines: ", "the command is empty"),
        ("target:agnu@3.1.10", "'target:agnu@3.1.10': there is no target 'agnu'. Did you mean agno?"),
        ("target:mine/none.yml", "There is no mapping file with this path. A mapping file must end in .yaml"),
        ("target:agno@1", "agno has no version '1', only 3.1.10. To use another, add a line to agno.yaml."),
        ("agent:agno@3.1.10", "'agent:agno@3.1.10': agno is not an agent. Write target:agno@3.1.10."),
    ],
)
def test_a_wrong_connect_string_is_reported_with_the_correct_form(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, spec: str, message: str
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    with pytest.raises(ConnectError) as error:
        connect(spec, suite)
    assert message in str(error.value)


@rows(
    ("there", "spec", "advice"),
    [
        ("etag.yaml", "target:etag.yml", "A mapping file must end in .yaml. Write target:etag.yaml."),
        ("etag.yaml", "target:etag", "A mapping file must end in .yaml. Write target:etag.yaml."),
        ("other.yml", "target:other.yml", "A mapping file must end in .yaml. Rename the file."),
    ],
)
def test_the_error_about_a_misspelt_mapping_file_names_the_existing_file(
    suite: Suite, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, there: str, spec: str, advice: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / there).touch()
    with pytest.raises(ConnectError) as error:
        connect(spec, suite)
    assert str(error.value).endswith(advice)


def test_a_recording_or_the_reference_is_opened_for_the_contract_that_it_is_compared_with(
    suite: Suite,
) -> None:
    assert isinstance(connect("recording:2.1.7", suite), RecordedAdapter)
    assert isinstance(connect("reference", suite), ReferenceAdapter)
    assert isinstance(connect("reference", suite, contract=suite.contracts["documented"]), ReferenceAdapter)
    with pytest.raises(ConnectError, match=r"cannot follow 9\.9\.9: unknown contract '9\.9\.9'"):
        connect("reference", suite, contract=Contract("9.9.9"))


def test_the_real_product_gets_the_options_of_the_run(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def open_product(version: str, suite: Suite, **options: object) -> str:
        asked.append((version, suite, options))
        return "the product"

    monkeypatch.setattr(claude_code, "open_claude_code", open_product)
    contract = suite.contracts["2.1.7"]
    assert connect("claude-code:2.1.7", suite, RunOptions(time_limit=9), contract=contract) == "the product"
    assert asked == [("2.1.7", suite, {"contract": contract, "time_limit": 9})]


def test_the_error_message_lists_every_kind_of_connect_string() -> None:
    assert ", ".join(each.form for each in kinds().values()) == ALL
