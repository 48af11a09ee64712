"""Versions as they are published: `bisect` finds what changed between them, `snapshot` records a new one.

Deselected unless asked for (`pytest -m live`), because it needs npm, node and, for the list of versions and for what is
not in the user's cache yet, the registry.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from readfirst.harness.adapter_api import BrokenAdapter
from readfirst.harness.agents.claude_code.install import cache_root, installed
from readfirst.harness.cli.main import main
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.contracts import order
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import Scenario
from readfirst.harness.suite.suite import Suite
from readfirst.harness.versions.npm_versions import newest, published

pytestmark = pytest.mark.live

CHANGED = "read-output/numbered-lines"
"""Until 1.0.17 a tab follows the number of a line, from 1.0.21 on, the version published after it, an arrow."""
UNCHANGED = "gate/edit-unread"
BEFORE, CHANGE, AFTER = "1.0.17", "1.0.21", "1.0.22"

CONTRACT = f"""\
default: {BEFORE}
contracts:
  {BEFORE}:
    package: "@anthropic-ai/claude-code"
    version: {BEFORE}
    model: claude-sonnet-4-5-20250929
    read_gate: enforced
    tools: [Read, Edit, Write, MultiEdit, NotebookEdit]
    summary: The last version with a tab after the number of a line.
"""


@pytest.fixture
def suite(tmp_path: Path) -> Suite:
    """Return a suite of two bundled scenarios that expects nothing yet, with one contract."""
    bundled = Suite()
    root = tmp_path / "fixtures"
    (root / "recordings").mkdir(parents=True)
    for name in ("errors.yaml", "releases.yaml"):
        (root / name).write_bytes((bundled.root / name).read_bytes())
    (root / "contracts.yaml").write_text(CONTRACT, "utf-8")
    for name in (CHANGED, UNCHANGED):
        path = root / "scenarios" / f"{name}.yaml"
        path.parent.mkdir(parents=True)
        scenario = yaml.safe_load(bundled.path(name).read_bytes())
        for step in scenario["steps"]:
            del step["expect"]
        path.write_text(yaml.safe_dump(scenario, allow_unicode=True, sort_keys=False), "utf-8")
    return Suite(root)


def readfirst(capsys: pytest.CaptureFixture[str], expected: ExitCode, *arguments: Any) -> str:
    """Run a command and return what it printed; with another exit code, fail with all it said."""
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    command = f"readfirst {' '.join(map(str, arguments))}"
    if ended.value.code == ExitCode.BROKEN != expected:
        pytest.fail(
            f"{command} could not ask the product (npm, node, the registry, or the product itself):\n"
            f"{printed.out}{printed.err}",
            pytrace=False,
        )
    assert ended.value.code == expected, f"{command} printed:\n{printed.out}{printed.err}"
    return printed.out


def kept() -> dict[str, int]:
    """Return when each version in the cache was installed."""
    return {each: (cache_root() / each / "node_modules").stat().st_ctime_ns for each in installed()}


def stated_text(scenario: Scenario) -> str:
    """Return what the first call is expected to answer."""
    clause = next(scenario.calls()).expect.recorded
    assert clause is not None
    assert isinstance(clause.text, str)
    return clause.text


def test_the_registry_shows_the_newest_version() -> None:
    try:
        versions, latest = published(), newest()
    except BrokenAdapter as error:
        raise pytest.fail.Exception(f"{error}\n{error.details}", pytrace=False) from None
    assert latest in versions
    assert list(versions) == sorted(versions, key=order)
    assert "2.1.88" not in versions
    place = versions.index(BEFORE)
    assert versions[place : place + 3] == (BEFORE, CHANGE, AFTER)


def test_bisect_finds_the_version_that_changed_a_scenario(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = kept()
    command = ["product", "bisect", CHANGED, UNCHANGED, "--from", BEFORE, "--to", AFTER, "--takes", tmp_path]
    printed = readfirst(capsys, ExitCode.CONFORMANT, *command)
    assert re.findall(r"(\S+): changed in (\S+); (\S+) still behaves like", printed) == [
        (CHANGED, CHANGE, BEFORE)
    ], printed
    for version, line in ((BEFORE, r"     1\tfirst line"), (CHANGE, "     1→first line")):
        assert f"{version}  Read: {line}" in printed
    assert f"{UNCHANGED}: {BEFORE} and {AFTER} give the same (text)\n" in printed
    assert before.items() <= kept().items(), "a version that was in the cache was installed again"


def test_snapshot_records_new_versions_and_shows_what_differs(
    suite: Suite, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = ["--fixtures", suite.root, "--takes", tmp_path / "takes"]
    readfirst(capsys, ExitCode.CONFORMANT, "product", "record", *options)
    files = {name: suite.path(name) for name in (CHANGED, UNCHANGED)}
    stated = {name: path.read_bytes() for name, path in files.items()}

    printed = readfirst(capsys, ExitCode.NOT_CONFORMANT, "product", "snapshot", CHANGE, *options)
    assert printed.startswith(f"{BEFORE} → {CHANGE}: 1 of 2 scenarios differs, 1 cause\n")
    assert CHANGED in printed
    printed = readfirst(capsys, ExitCode.CONFORMANT, "product", "snapshot", AFTER, *options)
    assert printed == f"{CHANGE} → {AFTER}: no difference in 2 scenarios\n"
    printed = readfirst(capsys, ExitCode.CONFORMANT, "product", "snapshot", AFTER, *options)
    assert printed.startswith(f"{AFTER} is already a contract: nothing to record.")

    transcripts = Recordings(suite.recordings_root).recording(CHANGED).transcripts
    assert {name: each.steps[0].results[0].text.split("first")[0] for name, each in transcripts.items()} == {
        BEFORE: "     1\t",
        CHANGE: "     1→",
        AFTER: "     1→",
    }
    assert {name: path.read_bytes() for name, path in files.items()} == stated, (
        "they state their own contract only"
    )
    written = Suite(suite.root)
    for name in (BEFORE, CHANGE, AFTER):
        contract = written.contracts[name]
        begins = "     1\t" if name == BEFORE else "     1→"
        assert stated_text(written.scenario(CHANGED, contract)).startswith(begins)
        assert stated_text(written.scenario(UNCHANGED, contract)).startswith("File has not been read yet.")
    diff = readfirst(capsys, ExitCode.NOT_CONFORMANT, "diff", BEFORE, AFTER, "--fixtures", suite.root)
    assert "number of a line" in diff
    assert f"in {CHANGE}" in diff
