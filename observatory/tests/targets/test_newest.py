"""Newer versions of targets: requested as the installer does, listed, added to a mapping file, compared by rule."""

import json
import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from readfirst.harness.adapter_api import AdapterError
from readfirst.observatory.cli import targets as command
from readfirst.observatory.report.rule_diff import change_page, rule_changes
from readfirst.observatory.targets import catalogue
from readfirst.observatory.targets.mapping import load_target
from readfirst.observatory.targets.outdated import PinError, add_version, outdated_targets
from tests.command_line import Cli
from tests.rows import rows

CHECKOUT = Path(__file__).resolve().parents[3]

CLIENT = """\
#!{python}
import json, pathlib, sys
with open({log!r}, "a") as log:
    print(*sys.argv[1:], file=log)
newest = json.loads(pathlib.Path({newest!r}).read_text())
name = sys.argv[2] if sys.argv[1] == "view" else sys.argv[-1]
if name not in newest:
    sys.exit("there is no way to the registry")
print(newest[name] if sys.argv[1] == "view" else name + " (" + newest[name] + ")")
"""
"""The source of a program that replaces both npm and pip: it answers with the newest version of a package."""

TARGET = """\
title: Tools of nobody
kind: {kind}
versions:
  "1.0.0": {{{packages}, released: 2026-01-01}}
  dev: {{command: [node, server.mjs]}}
{launch}
tools:
  Read: {{call: read}}
result: {{error: {{exception: true}}}}
"""


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """A function that replaces npm and pip by a table of newest versions. Returns the list of later requests."""
    log, newest = tmp_path / "asked", tmp_path / "newest.json"
    text = CLIENT.format(python=sys.executable, log=str(log), newest=str(newest))
    for path in (tmp_path / "bin" / "npm", tmp_path / "modules" / "pip" / "__main__.py"):
        path.parent.mkdir(parents=True)
        path.write_text(text)
        path.chmod(0o755)
    (tmp_path / "modules" / "pip" / "__init__.py").touch()
    monkeypatch.setenv("PATH", os.pathsep.join([str(tmp_path / "bin"), os.environ["PATH"]]))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "modules"))

    class Asked(list[str]):
        def __iter__(self) -> Iterator[str]:
            return iter(sorted(log.read_text().splitlines()))

    def say(versions: dict[str, str]) -> list[str]:
        newest.write_text(json.dumps(versions))
        return Asked()

    return say


@pytest.fixture
def targets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Mappings instead of the bundled targets: a server from npm, and a library from PyPI that needs Python 3.13."""
    folder = tmp_path / "targets"
    folder.mkdir()
    launch = "mcp: {command: [node, x]}"
    packages = 'npm: ["@nobody/files@1.0.0"], pip: ["nodejs==91.0.0"]'
    (folder / "files.yaml").write_text(TARGET.format(kind="mcp", packages=packages, launch=launch))
    library = TARGET.format(
        kind="python",
        packages='pip: ["nobody==1.0.0"]',
        launch='python: {code: "import nobody", at_least: "3.13"}',
    )
    (folder / "library.yaml").write_text(library.replace("  dev: {command: [node, server.mjs]}\n", ""))
    monkeypatch.setattr(catalogue, "root", lambda: folder)
    return folder


Run = Cli
Say = Callable[..., list[str]]


def test_targets_with_newer_versions_are_listed(readfirst: Run, registry: Say, targets: Path) -> None:
    asked = registry({"@nobody/files": "1.10.0", "nobody": "1.0.0"})
    listed = readfirst("targets", "list", "--outdated")
    assert (listed.code, listed.out) == (1, "target:files@1.0.0\tmcp\t@nobody/files\t1.10.0\n")
    assert listed.err == "1 target with a newer version\n"
    assert list(asked) == [
        "--disable-pip-version-check --no-input index versions --python-version 3.13 nobody",
        "view @nobody/files version",
    ]
    data = readfirst("targets", "list", "--outdated", "--format", "json").out
    assert json.loads(data) == [
        {"name": "files", "pinned": "1.0.0", "newest": "1.10.0", "kind": "mcp", "package": "@nobody/files"}
    ]
    file = targets / "files.yaml"
    file.write_text("last: 1.10.0 is another program.\n" + file.read_text())
    listed = readfirst("targets", "list", "--outdated")
    assert (listed.code, listed.out) == (0, "")
    assert sum("@nobody/files" in each for each in asked) == 2, "nobody is asked for a version after the last"


def test_an_agent_names_the_python_that_it_needs(targets: Path, readfirst: Run, registry: Say) -> None:
    launch = 'agent: {wire: openai, command: [agent], python: "3.13"}'
    agent = TARGET.format(kind="agent", packages='pip: ["someone==1.0.0"]', launch=launch)
    (targets / "agent.yaml").write_text(agent.replace("  dev: {command: [node, server.mjs]}\n", ""))
    assert catalogue.find("agent").oldest_python == "3.13"
    asked = registry({"@nobody/files": "1.0.0", "nobody": "1.0.0", "someone": "2.0.0"})
    assert readfirst("targets", "list", "--outdated").out == "target:agent@1.0.0\tagent\tsomeone\t2.0.0\n"
    assert "--disable-pip-version-check --no-input index versions --python-version 3.13 someone" in list(
        asked
    )


@pytest.mark.usefixtures("targets")
def test_targets_that_are_up_to_date_are_not_listed(readfirst: Run, registry: Say) -> None:
    registry({"@nobody/files": "1.0.0", "nobody": "0.9"})
    listed = readfirst("targets", "list", "--outdated")
    assert (listed.code, listed.out, listed.err) == (0, "", "no targets with a newer version\n")
    assert readfirst("targets", "list", "--outdated", "--format", "json").out == "[]\n"


@pytest.mark.usefixtures("targets")
@pytest.mark.parametrize(
    ("known", "client", "package"),
    [({"nobody": "1.0.0"}, "npm", "@nobody/files"), ({"@nobody/files": "1.0.0"}, "pip", "nobody")],
)
def test_a_registry_that_cannot_be_asked_is_an_error_of_the_environment(
    readfirst: Run, registry: Say, known: dict[str, str], client: str, package: str
) -> None:
    registry(known)
    ended = readfirst("targets", "list", "--outdated")
    assert (ended.code, ended.out) == (3, "")
    assert f"{client} cannot find the newest version of {package}: check the network" in ended.err
    assert "there is no way to the registry" in ended.err


@pytest.mark.slow
def test_every_published_target_has_a_package_that_is_asked_for(registry: Say) -> None:
    asked = registry(AnyVersion())
    wanted = {name for name in catalogue.names() if not catalogue.find(name).last}
    assert {each.name for each in outdated_targets()} == wanted
    assert len(list(asked)) == len(wanted) >= 30


class AnyVersion(dict[str, str]):
    """A table of newest versions. The version of each package of every target is newer than any published version."""

    def __init__(self) -> None:
        names = {
            package.rpartition(sign)[0].partition("[")[0]
            for release in (each.release for each in catalogue.targets())
            for sign, packages in (("@", release.npm), ("==", release.pip))
            for package in packages
        }
        super().__init__(dict.fromkeys(names, "9999.1.0"))


def test_a_version_is_added_as_the_newest_one_is_installed(
    targets: Path, readfirst: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "renew_locks", lambda target: [Path(f"{target.pinned}.txt")])
    ended = readfirst("targets", "list", "--pin", "files@1.10.0")
    printed = "added 1.10.0 to files.yaml, as a copy of the line of 1.0.0\nwrote locks/files@1.10.0.txt\n"
    assert (ended.code, ended.out) == (0, printed)
    renewed = readfirst("targets", "list", "--pin", "files@1.0.0")
    assert (renewed.code, renewed.out) == (0, "wrote locks/files@1.0.0.txt\n")
    target = load_target(targets / "files.yaml")
    assert list(target.versions) == ["1.0.0", "1.10.0", "dev"]
    added = target.versions["1.10.0"]
    assert (added.npm, added.pip, added.released) == (("@nobody/files@1.10.0",), ("nodejs==91.0.0",), "")
    assert target.versions["1.0.0"].released == "2026-01-01"


@rows(
    ("options", "message"),
    [
        (("--pin", "files@../x"), "'../x' is not a version"),
        (("--pin", "files"), "'files': write NAME@VERSION"),
        (("--pin", "flies@1.1"), "there is no target 'flies'. Did you mean files?"),
        (("--pin", "files@2", "--outdated"), "--outdated and --pin exclude each other"),
        (("--format", "json"), "--format can only be combined with --outdated"),
    ],
)
@pytest.mark.usefixtures("targets")
def test_what_cannot_be_listed_or_added_is_a_usage_error(
    readfirst: Run, options: tuple[str, ...], message: str
) -> None:
    ended = readfirst("targets", "list", *options)
    assert ended.code == 2
    assert message in ended.err


def test_a_version_that_nobody_has_is_not_added(
    targets: Path, readfirst: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise AdapterError("there is no such version", blame="environment")

    monkeypatch.setattr(command, "renew_locks", fail)
    before = (targets / "files.yaml").read_bytes()
    assert readfirst("targets", "list", "--pin", "files@1.10.0").code == 3
    assert (targets / "files.yaml").read_bytes() == before


def test_a_version_on_several_lines_is_left_to_a_person(targets: Path) -> None:
    file = targets / "library.yaml"
    file.write_text(file.read_text().replace('{pip: ["nobody==1.0.0"],', '{pip: ["nobody==1.0.0"],\n    '))
    before = file.read_text()
    target = load_target(file)
    with pytest.raises(PinError, match=r"does not contain 1\.0\.0 on one line: add 2\.0 by hand"):
        add_version(replace(target, release=target.versions["1.0.0"]), "2.0")
    assert file.read_text() == before


def test_every_published_version_can_be_followed_by_another(tmp_path: Path) -> None:
    for name in catalogue.names():
        file = tmp_path / f"{name}.yaml"
        shutil.copyfile(catalogue.root() / f"{name}.yaml", file)
        target = load_target(file)
        add_version(replace(target, release=next(reversed(target.versions.values()))), "9999.1.0")
        assert "9999.1.0" in load_target(file).versions


def table(**cells: tuple[dict[str, Any], dict[str, Any]]) -> dict[str, Any]:
    return {
        "implementations": {"mine@1": {}, "mine@2": {}},
        "rules": {
            rule.replace("_", "-"): {
                "title": f"About {rule}",
                "class": "safety" if rule.startswith("s") else "quirk",
                "implementations": {"mine@1": before, "mine@2": after},
            }
            for rule, (before, after) in cells.items()
        },
    }


def cell(holding: int, judged: int, shortest: str = "") -> dict[str, Any]:
    holds = "not claimed" if not judged else "yes" if holding == judged else "partly" if holding else "no"
    return {"holds": holds, "holding": holding, "judged": judged} | (
        {"shortest": shortest} if shortest else {}
    )


def test_what_changed_is_listed_by_rule_the_worse_first() -> None:
    data = table(
        p_worse=(cell(3, 3), cell(2, 3, "a/b")),
        s_worse=(cell(3, 4, "a/a"), cell(1, 4, "a/c")),
        s_better=(cell(0, 2, "a/d"), cell(1, 2, "a/d")),
        s_same=(cell(1, 2, "a/e"), cell(2, 4, "a/e")),
        s_asked_more=(cell(2, 2), cell(2, 3, "a/f")),
        s_gone=(cell(2, 2), cell(0, 0)),
    )
    common = {
        "p-worse": {"holding": [3, 2], "judged": 3, "shortest": "a/b"},
        "s-worse": {"holding": [3, 1], "judged": 4, "shortest": "a/c"},
        "s-better": {"holding": [0, 1], "judged": 2, "shortest": "a/d"},
    }
    changes = rule_changes(data, "mine@1", "mine@2", common)
    assert change_page(changes, "mine@1", "mine@2") == (
        "# mine@1 → mine@2: 4 rules changed\n\n"
        "## Worse\n\n"
        "- safety, `s-worse`: partly (3/4) → partly (1/4), for example `a/c`. About s_worse.\n"
        "- quirk, `p-worse`: yes (3/3) → partly (2/3), for example `a/b`. About p_worse.\n\n"
        "## Better\n\n"
        "- safety, `s-better`: no (0/2) → partly (1/2). About s_better.\n\n"
        "## Otherwise\n\n"
        "- safety, `s-gone`: yes (0/0) → not claimed (0/0). About s_gone.\n"
    )
    assert change_page([], "mine@1", "mine@2") == "# mine@1 → mine@2: no rule changed\n"


@pytest.mark.slow
@pytest.mark.usefixtures("_read_once")
def test_two_versions_of_a_target_are_compared(readfirst: Run) -> None:
    fixtures = ("--fixtures", str(CHECKOUT / "fixtures"))
    names = ("opencode@1.3.2", "opencode@1.18.33")
    compared = readfirst("targets", "compatibility", "--compare", *names, *fixtures)
    assert compared.code == 1
    assert compared.out.startswith("# opencode@1.3.2 → opencode@1.18.33: ")
    worse = compared.out.partition("## Worse")[2].partition("## Better")[0]
    assert re.search(r"^- safety, `[a-z-]+`: ", worse, re.MULTILINE)
    same = readfirst("targets", "compatibility", "--compare", names[0], names[0], *fixtures)
    assert (same.code, same.out) == (0, "# opencode@1.3.2 → opencode@1.3.2: no rule changed\n")


@pytest.fixture
def _read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all comparisons in a test share the list of known scenarios, because reading it takes long."""
    from readfirst.observatory.survey import compatibility

    known = compatibility.known_scenarios
    read: list[Any] = []
    monkeypatch.setattr(
        compatibility, "known_scenarios", lambda suite: read or read.extend(known(suite)) or read
    )


def test_a_comparison_with_what_was_not_run_is_a_usage_error(readfirst: Run) -> None:
    ended = readfirst(
        "targets",
        "compatibility",
        "--compare",
        "agno@3.1.10",
        "agno@3.1.1",
        "--fixtures",
        str(CHECKOUT / "fixtures"),
    )
    assert ended.code == 2
    assert "there are no results of 'agno@3.1.1'. Did you mean agno@3.1.10?" in ended.err
    assert readfirst("targets", "compatibility", "--compare", "a@1", "b@1", "--check").code == 2
