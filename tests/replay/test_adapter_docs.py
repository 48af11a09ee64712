"""The examples in docs/adapters.md are complete, run unchanged, and have the stated verdicts."""

import json
import re
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import SESSION_CAPABILITIES
from readfirst.harness.compare.verdict import Level
from readfirst.harness.run.connect import connect
from readfirst.harness.run.runner import Runner, RunSpec
from readfirst.harness.suite.scenario import AT_ONCE, BUFFERS, TOOLS
from tests import judging
from tests.judging import CONTRACT, SUITE, judge_target
from tests.pages.page import code
from tests.rows import rows

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "adapters.md").read_text(), re.DOTALL)
NAMES = ("readfirst_adapter", "racing", "living", "telling", "hooked", "asking")
PERMISSIONS = "default-edit accept-edits read-outside write-outside additional-directory plan-edit bypass"
PASSED, FAILED, UNSUPPORTED = "passed", "failed", "unsupported"
JUDGED = (
    ("gate/edit-unread", "reason", {"readfirst_adapter": PASSED, "racing": PASSED}),
    ("gate/edit-unread", "text", {"readfirst_adapter": FAILED}),
    ("gate/write-unread", "reason", {"readfirst_adapter": PASSED, "racing": PASSED}),
    ("staleness/edit-after-touch-of-own-edit", "reason", {"readfirst_adapter": PASSED, "racing": PASSED}),
    ("staleness/edit-after-touch-full-read", "effects", {"readfirst_adapter": FAILED}),
    ("race/refused-before-execution", "effects", {"readfirst_adapter": UNSUPPORTED, "racing": PASSED}),
    ("race/edit-changed-during-call", "effects", {"readfirst_adapter": UNSUPPORTED, "racing": PASSED}),
    ("parallel/write-then-edit", "effects", {"readfirst_adapter": UNSUPPORTED, "racing": PASSED}),
    ("sessions/edit-after-resume", "effects", {"racing": UNSUPPORTED, "living": PASSED}),
    ("sessions/edit-unread-after-resume", "effects", {"racing": UNSUPPORTED, "living": PASSED}),
    ("sessions/agent-edits-what-was-read", "effects", {"racing": UNSUPPORTED, "living": PASSED}),
    ("sessions/edit-after-compaction", "effects", {"living": UNSUPPORTED}),
    ("hooks/exit-two-before-edit", "effects", {"telling": UNSUPPORTED, "hooked": PASSED}),
    ("hooks/exit-one-before-edit", "effects", {"telling": UNSUPPORTED, "hooked": PASSED}),
    ("hooks/other-tools-hook", "effects", {"telling": UNSUPPORTED, "hooked": FAILED}),
    ("reminders/change-after-own-edit", "effects", {"living": UNSUPPORTED, "telling": PASSED}),
    ("reminders/change-after-own-edit", "text", {"telling": FAILED}),
    ("reminders/change-after-read", "effects", {"telling": FAILED}),
    *(
        (f"permission-modes/{each}", "reason", {"telling": UNSUPPORTED, "asking": PASSED})
        for each in PERMISSIONS.split()
    ),
)
"""The stated verdicts, by scenario and level. An example that is not listed does not support the scenario."""


@pytest.fixture(scope="module")
def runners(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Runner]]:
    """A runner for each example. It judges scenarios at every level."""
    folder = tmp_path_factory.mktemp("examples")
    for name, text in zip(NAMES, EXAMPLES, strict=True):
        (folder / f"{name}.py").write_text(text)
    with ExitStack() as opened:
        opened.enter_context(pytest.MonkeyPatch.context()).chdir(folder)
        specs = {name: RunSpec(SUITE, f"python:{name}:Tools", CONTRACT.name) for name in NAMES}
        yield {name: opened.enter_context(Runner(spec)) for name, spec in specs.items()}


def test_the_first_example_on_the_page_has_at_most_30_lines() -> None:
    assert len([line for line in EXAMPLES[0].splitlines() if line.strip()]) <= 30


@rows(("scenario_id", "level", "wanted"), JUDGED)
def test_the_examples_have_the_verdicts_that_the_page_states(
    runners: Mapping[str, Runner], scenario_id: str, level: Level, wanted: dict[str, str]
) -> None:
    verdicts = {name: runners[name].judge(scenario_id) for name in wanted}
    judged = {name: PASSED if each.levels[level] else FAILED for name, each in verdicts.items()}
    others = {name: each.status for name, each in verdicts.items() if each.status not in (PASSED, FAILED)}
    assert judged | others == wanted


PAGE = (ROOT / "docs" / "adapters.md").read_text("utf-8")


def table(heading: str) -> list[list[str]]:
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_table_on_the_page_lists_all_arguments_of_all_tools() -> None:
    listed: dict[str, list[str]] = {}
    for tool, argument, *_ in table("Tools and arguments"):
        name = tool or [*listed][-1]
        listed.setdefault(name, []).append(argument.strip("`"))
    offered = json.loads((ROOT / "fixtures" / "tools.json").read_text())["tools"]
    newer = {
        tool: {name for each in schemas for name in each["schema"]["properties"]}
        for tool, schemas in offered.items()
    }
    gone = {"Edit": {"expected_replacements"}, "NotebookEdit": {"cell_number"}}
    assert {tool: set(names) for tool, names in listed.items()} == {
        **{tool: names - gone.get(tool, set()) for tool, names in newer.items()},
        "Bash": {"command"},
    }


def test_the_table_on_the_page_lists_all_capabilities() -> None:
    listed = {name for first, *_ in table("Capabilities") for name in re.findall(r"`(\w+)`", first)}
    assert listed == {*TOOLS, *SESSION_CAPABILITIES, AT_ONCE, BUFFERS}


NOTEKEEPER = """\
class FileError(Exception): pass
class NotReadError(FileError): pass

class Files:
    def __init__(self, root):
        self.seen = {}

    def read(self, path, first, count):
        self.seen[path] = open(path).read()
        return self.seen[path]

    def replace(self, path, old, new, every):
        if path not in self.seen:
            raise NotReadError("read it first")
        open(path, "w").write(self.seen[path].replace(old, new))
        return "done"
"""


def test_the_adapter_for_a_library_on_the_page_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = code("docs/adapters.md", "python library")
    (tmp_path / "readfirst_adapter.py").write_text(example)
    (tmp_path / "notekeeper.py").write_text(NOTEKEEPER)
    monkeypatch.chdir(tmp_path)
    adapter = connect("python:readfirst_adapter:Tools", SUITE)
    for scenario_id, level in (
        ("gate/edit-after-read", "effects"),
        ("gate/edit-unread", "reason"),
        ("arguments/read-unknown", "reason"),
        ("gate/failed-read-does-not-count", "effects"),
    ):
        assert judging.judge_scenario(scenario_id, adapter, level).levels[level], scenario_id
    # The library itself raises UnicodeDecodeError, so this is not an error of the adapter.
    assert judging.judge_scenario("encodings/utf-16-not-found", adapter, "safe").status == "failed"
    adapter.close()


GATE = ["gate/edit-unread", "staleness/edit-after-touch-of-own-edit"]


def example(language: str) -> str:
    (found,) = re.findall(rf"```{language} server\n(.*?)```", PAGE, re.DOTALL)
    return str(found)


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("servers")
    (folder / "server.mjs").write_text(example("js"))
    (folder / "server.py").write_text(example("python"))
    node = shutil.which("node") or "node"
    return {"js": f"{node} {folder}/server.mjs", "python": f"{sys.executable} {folder}/server.py"}


@pytest.mark.parametrize(
    ("isolation", "language"),
    [
        pytest.param("", "js", marks=pytest.mark.node),
        pytest.param("--isolation=directory", "js", marks=pytest.mark.node),
        pytest.param("--isolation=directory", "python", marks=pytest.mark.slow),
    ],
)
def test_the_servers_follow_the_main_rule(commands: dict[str, str], isolation: str, language: str) -> None:
    verdicts = judge_target(f"mcp:{isolation} {commands[language]}", *GATE, level="effects")
    assert [verdict.status for verdict in verdicts] == ["passed", "passed"]


@pytest.mark.node
def test_the_stated_faults_of_the_javascript_server_are_reported(commands: dict[str, str]) -> None:
    ids = ["gate/edit-unread", "staleness/edit-after-touch-full-read", "race/chmod-during-call"]
    verdicts = judge_target(f"mcp:--isolation=directory {commands['js']}", *ids, level="text")
    assert [verdict.status for verdict in verdicts] == ["passed", "failed", "unsupported"]
