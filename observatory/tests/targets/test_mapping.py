"""Mapping files: a complete documented example, errors with their position, and valid bundled files."""

import re
from pathlib import Path

import pytest

from readfirst.harness.yaml_io.finding import SuiteError
from readfirst.observatory.targets.catalogue import baseline_path, find, names, targets
from readfirst.observatory.targets.mapping import load_target
from tests.rows import rows

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "targets.md").read_text("utf-8")
(EXAMPLE,) = re.findall(r"```yaml mapping\n(.*?)```", PAGE, re.DOTALL)


def write_mapping(folder: Path, text: str) -> Path:
    file = folder / "files.yaml"
    file.write_text(text)
    return file


def test_the_documented_mapping_is_whole(tmp_path: Path) -> None:
    target = load_target(write_mapping(tmp_path, EXAMPLE))
    assert (target.name, target.kind, target.paths) == ("files", "mcp", "relative")
    assert target.versions["1.4.0"].npm == ("@example/files@1.4.0",)
    assert (
        target.result.errors.name_of("Edit", "Could not find exact match for edit: x") == "string_not_found"
    )


@rows(
    ("old", "new", "message"),
    [
        ("kind: mcp", "kind: mpc", "kind cannot be 'mpc'"),
        ("kind: mcp", "kind: python", "lacks the key 'python'"),
        ("title:", "titel:", "has no key 'titel' [unknown-key]\n  Did you mean title?"),
        ("path: $file_path, from", "path: $file_paht, from", "$file_paht is unknown in a call of Read"),
        (
            "path: $file_path, content",
            "path: $old_string, content",
            "$old_string is unknown in a call of Write",
        ),
        (
            "unsupported: [pages]",
            "unsupported: [page]",
            "Read has no argument 'page' [reference]\n  Did you mean pages?",
        ),
        ("file_not_found:", "file_missing:", "there is no error 'file_missing'"),
        ("project ([0-9]+) is open", "project [0-9]+ is open", "has 0 groups"),
        ('replace: "^done: "', 'replace: "(done"', "'(done' is not a regular expression"),
        ("capture: {project:", "capture: {content:", "'content' is already an argument of a tool"),
        (
            "[Read, Edit, Write]",
            "[Read, Edit, Write, NotebookEdit]",
            "NotebookEdit is listed as a capability, but `tools` has no",
        ),
        ('@example/files@1.4.0"]', '@example/files"]', "cannot be '@example/files'"),
        ("replace_all: unsupported", "replace_all: never", "replace_all cannot be 'never'"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in EXAMPLE
    file = write_mapping(tmp_path, EXAMPLE.replace(old, new))
    with pytest.raises(SuiteError) as error:
        load_target(file)
    assert message in str(error.value)
    assert re.match(rf"{re.escape(str(file))}:\d+:\d+: ", str(error.value))


def test_what_is_not_yaml_is_reported_too(tmp_path: Path) -> None:
    with pytest.raises(SuiteError, match=r"files\.yaml:2:1"):
        load_target(write_mapping(tmp_path, "title: [\n"))


def test_every_shipped_target_is_pinned_exactly_and_says_where_it_is_found() -> None:
    assert len(names()) >= 8
    for target in targets():
        assert target.about, target.name
        assert target.home, target.name
        packages = (*target.release.pip, *target.release.npm)
        assert any(each.endswith(target.release.version) for each in packages), (target.name, packages)


def test_a_name_without_version_means_the_newest() -> None:
    assert find("deepagents").release.version == "0.7.32"
    assert find("deepagents@0.6.12").release.version == "0.6.12"


def test_a_file_of_ones_own_is_a_target(tmp_path: Path) -> None:
    file = write_mapping(tmp_path, EXAMPLE)
    target = find(f"{file}@1.4.0")
    assert target.pinned == "files@1.4.0"
    assert baseline_path(target) == tmp_path / "baselines" / "files@1.4.0.yaml"


(OWN,) = re.findall(r"```yaml own mapping\n(.*?)```", PAGE, re.DOTALL)


def test_the_newest_of_what_is_installed_comes_before_what_is_developed(tmp_path: Path) -> None:
    released = '  "1.0": {npm: ["files@1.0.0"]}\n  "1.10": {npm: ["files@1.10.0"]}\nmcp: {command: [node, x]}\ntools:'
    file = write_mapping(tmp_path, OWN.replace("tools:", released, 1))
    assert find(str(file)).release.version == "1.10"
    assert find(f"{file}@dev").release.command == ("node", "renamed.mjs")


@rows(
    ("old", "new", "message"),
    [
        ("{command: [node, renamed.mjs]}", "{}", "dev lacks the key"),
        ("{command: [node, renamed.mjs]}", "{command: []}", "command is empty"),
        ("{command: [node, renamed.mjs]}", "{command: node renamed.mjs}", "command must be a list, not a string"),
        ("{command: [node, renamed.mjs]}", '{command: [node], npm: ["files@1.0.0"]}',
         "a version with `command` cannot install packages"),
        ("{command: [node, renamed.mjs]}", '{npm: ["files@1.0.0"]}', "version dev has no command"),
        ("kind: mcp", "kind: python\npython: {code: import m}",
         "`command` is only possible with kind: mcp"),
        ("    call: read_file\n", "", "lacks the key 'call'"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_ones_own_is_reported(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in OWN
    with pytest.raises(SuiteError) as error:
        load_target(write_mapping(tmp_path, OWN.replace(old, new, 1)))
    assert message in str(error.value)


def test_every_target_has_a_row_with_its_versions_and_its_level() -> None:
    rows = re.findall(r"^\| (`[^|]*@[^|]*`) \| ([a-z]+) \|", PAGE, re.MULTILINE)
    shown = {(name, level) for names, level in rows for name in re.findall(r"`([^`]+)`", names)}
    assert shown == {(target.pinned, target.level) for target in targets()}
