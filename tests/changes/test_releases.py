"""The list of published versions: its format, and the neighbours of a version."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from readfirst.harness.suite.product_versions import UnlistedVersionError, load_releases
from readfirst.harness.suite.suite import default_root
from readfirst.harness.yaml_io import strict_yaml
from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.observatory.versions.history import releases_text
from tests.rows import rows


def write_releases(folder: Path, text: str) -> Path:
    file = folder / "releases.yaml"
    file.write_text(text)
    return file


def test_a_list_of_releases_is_read_as_it_was_written(tmp_path: Path) -> None:
    versions = ("0.2.9", "2.1.7", "2.1.10")
    assert load_releases(write_releases(tmp_path, releases_text(versions))).versions == versions
    assert load_releases(tmp_path / "missing.yaml").versions == ()


def test_the_neighbours_of_a_version_are_those_in_the_list(tmp_path: Path) -> None:
    releases = load_releases(write_releases(tmp_path, releases_text(("2.1.7", "2.1.10", "2.1.11"))))
    assert releases.are_adjacent("2.1.7", "2.1.10")
    assert not releases.are_adjacent("2.1.7", "2.1.11")
    assert not releases.are_adjacent("2.1.11", "2.1.12")
    assert releases.position("2.1.10") == 1
    message = r"does not list 2\.1\.12; its newest version is 2\.1\.11.*history --published --write"
    with pytest.raises(UnlistedVersionError, match=message):
        releases.position("2.1.12")


@rows(
    ("text", "message"),
    [
        ("versions: [2.1.10, 2.1.9]\n", r"releases\.yaml:1:20: 2\.1\.9 comes after 2\.1\.10"),
        ("versions: [2.1.9, 2.1.9]\n", "2.1.9 comes after 2.1.9"),
        ("versions: [latest]\n", "versions cannot be 'latest'"),
        ("versions: [2.1.9-rc.1]\n", "A version as in 2.1.7"),
        ("released: []\n", "versions"),
        ("versions: 2.1.9\n", "versions"),
    ],
)
def test_an_invalid_list_of_releases_is_refused(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(SuiteError, match=message):
        load_releases(write_releases(tmp_path, text))


def test_the_bundled_list_of_releases_matches_its_schema_and_has_no_excluded_version() -> None:
    file = default_root() / "releases.yaml"
    schema = json.loads((default_root() / "schema/releases.schema.json").read_bytes())
    validator = Draft202012Validator(schema)
    value = strict_yaml.load(strict_yaml.read(file), file).value
    validator.validate(value)
    assert not validator.is_valid({"versions": ["latest"]})
    assert ("2.1.7" in value["versions"], "2.1.88" in value["versions"]) == (True, False)
