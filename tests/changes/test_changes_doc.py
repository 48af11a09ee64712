"""The examples of docs/changes.md are executed, and their output is unchanged."""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.suite.suite import default_root
from readfirst.harness.yaml_io import strict_yaml

from .conftest import Run, Says, Small, edit, read, refusal, success

PAGE = (Path(__file__).resolve().parents[2] / "docs/changes.md").read_text(encoding="utf-8")
LINES = read({"2.1.7": Says("     1→alpha\n     2→beta"), "2.1.228": Says("1\talpha\n2\tbeta")})


@pytest.fixture
def suite_of_page(
    small: Small,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Small:
    """The suite that docs/changes.md uses, with the recorded run that the page names in the current directory."""
    gated = {"2.1.7": refusal(), "2.1.228": success(), "2.1.228+gated": refusal()}
    small.scenario("gate/unread", edit(gated, refusal()))
    small.scenario("reading/lines", LINES)
    small.scenario("reading/more-lines", LINES)
    small.scenario("writing/alike", edit({"2.1.7": success()}))
    monkeypatch.chdir(tmp_path)
    run("run", "reference", "--format", "jsonl", "--output", "run.jsonl")
    return small


def test_the_page_shows_the_printed_output(suite_of_page: Small, run: Run) -> None:
    shown, _ = re.findall(r"^```text\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert run("diff", "2.1.7", "2.1.228")[1] == shown


def test_the_list_of_versions_fits_its_schema() -> None:
    schema = json.loads((default_root() / "schema/releases.schema.json").read_bytes())
    file = default_root() / "releases.yaml"
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert validator.is_valid(strict_yaml.load(strict_yaml.read(file), file).value)
    assert not validator.is_valid({"versions": ["latest"]})
