"""Every example in docs/format.md is loaded, checked or executed."""

import json
import re
from dataclasses import replace
from pathlib import Path
from textwrap import indent

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.run.connect import connect
from readfirst.harness.suite.case_table import expand_case
from readfirst.harness.suite.contracts import DOCUMENTED
from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.rules import load_rules
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.strict_yaml import load
from tests.judging import judge_scenario
from tests.rows import rows
from tests.small_suites import lint, small_suite

DOCS = Path(__file__).resolve().parents[2] / "docs/format.md"
SUITE = Suite()
SCHEMA = Draft202012Validator(json.loads((SUITE.root / "schema/scenario.schema.json").read_text()))
BLOCK = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)

HEAD = "title: An example in the documentation\nrequirement: must\n"
"""The start of a complete scenario, for an excerpt that lacks it."""
FILES = 'given: {files: {plain.txt: "one\\ntwo\\n"}}\n'
EXCERPT_KINDS = ("scenario", "files", "steps", "expect", "rule", "cases", "invariant")
"""The page marks excerpts of scenario files after `yaml`, as in "```yaml steps"."""
KINDS = {"text", "console", "yaml", *(f"yaml {kind}" for kind in EXCERPT_KINDS)}


def code_blocks(kind: str) -> list[str]:
    return [body for info, body in BLOCK.findall(DOCS.read_text(encoding="utf-8")) if info == kind]


def complete(kind: str, body: str) -> str:
    match kind:
        case "yaml files":
            return f"{HEAD}given:\n  files:\n{indent(body, ' ' * 4)}steps:\n  - touch: plain.txt\n"
        case "yaml steps":
            return f"{HEAD}{FILES}steps:\n{indent(body, '  ')}"
        case "yaml invariant":
            return f"{HEAD}invariant: true\n{FILES}steps:\n{indent(body, '  ')}"
        case "yaml expect":
            edit = "  - Edit: {file_path: $WS/plain.txt}\n    expect:\n"
            return f"{HEAD}{FILES}steps:\n{edit}{indent(body, ' ' * 6)}"
        case _:
            return body


EXCERPTS = [
    (kind, body)
    for kind in ("yaml", *(f"yaml {each}" for each in EXCERPT_KINDS if each not in ("rule", "cases")))
    for body in code_blocks(kind)
]


def test_every_code_block_of_the_page_has_a_tested_kind() -> None:
    assert {info for info, _ in BLOCK.findall(DOCS.read_text(encoding="utf-8"))} == KINDS


def read_scenario(text: str) -> Scenario:
    document = load(text.encode(), Path("docs/example.yaml"))
    return scenario_from(document, "docs/example", SUITE.contracts, require_expect=False)


@rows(("kind", "body"), EXCERPTS)
def test_every_excerpt_on_the_page_is_part_of_a_valid_scenario(kind: str, body: str) -> None:
    text = complete(kind, body)
    assert read_scenario(text).steps
    if "expect:" in text:
        value = load(text.encode(), Path("docs/example.yaml")).value
        value["steps"] = [step for step in value["steps"] if "Read" not in step or "expect" in step]
        SCHEMA.validate(value)


@pytest.mark.parametrize("body", code_blocks("yaml") + code_blocks("yaml scenario"))
@pytest.mark.parametrize("contract", ["2.1.7", DOCUMENTED])
def test_the_reference_passes_the_complete_scenarios_on_the_page(body: str, contract: str) -> None:
    scenario = read_scenario(body)
    held = SUITE.contracts[contract]
    verdict = judge_scenario(scenario, connect("reference", SUITE, contract=held), contract=held)
    stated = "documented:" in body or contract == "2.1.7"
    assert (verdict.status, verdict.differences) == ("passed" if stated else "unspecified", ())


def test_the_rule_on_the_page_is_in_the_bundled_suite(tmp_path: Path) -> None:
    (body,) = code_blocks("yaml rule")
    head, _, _ = (SUITE.root / "rules.yaml").read_text(encoding="utf-8").partition("rules:\n")
    file = tmp_path / "rules.yaml"
    file.write_text(f"{head}rules:\n{indent(body, '  ')}", encoding="utf-8")
    (shown,) = load_rules(file)
    assert SUITE.rules is not None
    real = SUITE.rules[shown.id]
    assert replace(shown, sources=(), position=real.position) == replace(real, sources=())
    assert set(shown.sources) <= set(real.sources)


def test_the_reference_passes_the_cases_of_the_table_on_the_page(tmp_path: Path) -> None:
    (body,) = code_blocks("yaml cases")
    for case, rule in (("single-star", "Edit(*.pem)"), ("set-rule", "Edit([ab].txt)")):
        document = expand_case(body.encode(), tmp_path / "x.cases.yaml", case)
        assert document is not None
        scenario = scenario_from(document, f"permissions/{case}", SUITE.contracts)
        assert scenario.given.deny == (rule,)
        verdict = judge_scenario(scenario, connect("reference", SUITE))
        assert verdict.status == "passed", verdict.differences


def test_the_page_explains_every_key_of_the_format() -> None:
    text = DOCS.read_text(encoding="utf-8")
    schema = SCHEMA.schema
    defs = schema["$defs"]
    keys = {*schema["properties"], *schema["properties"]["given"]["properties"], *defs["event"]["properties"]}
    for name in ("text", "repeat", "base64", "symlink", "hardlink", "directory", "digest"):
        keys |= defs[f"{name}Form"]["properties"].keys()
    keys |= {*defs["callClause"]["properties"], *defs["tool"]["properties"]}
    keys |= {*defs["text"]["oneOf"][1]["properties"], "during", "parallel", "mtime"}
    assert [key for key in sorted(keys) if not re.search(rf"\b{key}\b", text)] == []


def test_the_page_shows_the_exact_output_of_lint(tmp_path: Path) -> None:
    (body,) = (each for each in code_blocks("console") if each.startswith("$ readfirst lint\n"))
    first = code_blocks("yaml")[0].replace("about: A formatter", "# A formatter")
    first = first.replace('    notes.txt: "alpha', '    notes.txt: "x"\n    notes.txt: "alpha', 1)
    text = re.sub(r"(?m)^(tags: \[staleness\]|sources: \[.*/7443\])\n", "", first)
    shared = ("contracts.yaml", "errors.yaml", "tags.yaml")
    suite = small_suite(tmp_path, {"staleness/example": text}, shared=shared)
    printed = "".join(f"{finding}\n" for finding in lint(suite))
    assert printed.replace(f"{tmp_path}/", "") == body.removeprefix("$ readfirst lint\n")
