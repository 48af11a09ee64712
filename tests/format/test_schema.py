"""The JSON Schemas and the loader accept and reject the same files."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource

from readfirst.harness.suite.load import scenario_from
from readfirst.harness.suite.scenario import CALLS, TOOLS
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import SuiteError

BROKEN = Path(__file__).parent / "broken"
SCHEMAS = default_root() / "schema"
CONTRACTS = Suite().contracts

BY_SCHEMA = ("schema", "unknown-key", "unknown-tool", "unknown-event", "unsafe-path", "missing-expect")
"""Checks that a JSON Schema can make, because they concern the form of the file."""
BY_LOADER = (
    *("path-conflict", "unencodable-text"),
    *("several-documented", "several-recorded", "contract-lacks-tool", "contract-not-needed"),
    "unclear-word",
)
"""Checks that only the loader can make, because they compare parts of the file, or need the contracts."""


@cache
def validator(name: str) -> Any:
    return Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text()))


def value(path: Path) -> Any:
    return strict_yaml.load(strict_yaml.read(path), path).value


@pytest.mark.parametrize(("checks", "by_schema"), [(BY_SCHEMA, True), (BY_LOADER, False)])
def test_the_loader_refuses_all_malformed_files(checks: tuple[str, ...], by_schema: bool) -> None:
    found = [path for check in checks for path in sorted((BROKEN / check / "scenarios").rglob("*.yaml"))]
    assert found
    assert [path for path in found if validator("scenario").is_valid(value(path)) is by_schema] == []
    assert [path for path in found if loads(path)] == []


def loads(path: Path) -> bool:
    try:
        scenario_from(strict_yaml.load(strict_yaml.read(path), path), "family/slug", CONTRACTS)
    except SuiteError:
        return False
    return True


@pytest.mark.slow
def test_every_bundled_scenario_matches_its_schema() -> None:
    check = validator("scenario")
    suite = Suite()
    for scenario_id in suite.ids():
        suite.scenario(scenario_id)
        document = suite.document(scenario_id).value
        if not suite.location(scenario_id).composed:
            errors = [error.message for error in check.iter_errors(document)]
            assert (scenario_id, errors) == (scenario_id, [])


@pytest.mark.parametrize("name", sorted(path.name for path in SCHEMAS.glob("*.schema.json")))
def test_every_schema_is_a_valid_json_schema(name: str) -> None:
    schema = json.loads((SCHEMAS / name).read_text())
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"].endswith("/2020-12/schema")
    assert schema["title"]


def test_the_bundled_tables_of_cases_and_the_corpus_match_their_schema() -> None:
    scenario = json.loads((SCHEMAS / "scenario.schema.json").read_text())
    schema = json.loads((SCHEMAS / "cases.schema.json").read_text())
    whole = Registry().with_resource("scenario.schema.json", Resource.from_contents(scenario))
    check = Draft202012Validator(schema, registry=whole)
    suite = Suite()
    for file in sorted({place.file for place in map(suite.location, suite.ids()) if place.case}):
        check.validate(value(file))
    for wrong in ({"title": "x"}, {"cases": {"a case": {}}}, {"cases": {"one": {}}, "requirement": "may"}):
        assert not check.is_valid(wrong)


@pytest.mark.parametrize("name", ["contracts", "errors", "tags", "claims", "rules"])
def test_the_shared_files_of_the_bundled_suite_match_their_schemas(name: str) -> None:
    validator(name).validate(value(default_root() / f"{name}.yaml"))


def test_the_schemas_list_all_tools() -> None:
    schema = json.loads((SCHEMAS / "scenario.schema.json").read_text())
    assert tuple(schema["$defs"]["tool"]["properties"]) == CALLS
    contracts = json.loads((SCHEMAS / "contracts.schema.json").read_text())
    assert tuple(contracts["$defs"]["tools"]["items"]["enum"]) == TOOLS
