"""The examples in docs/adapters.md are complete, run unchanged, and have the stated verdicts."""

import json
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import SESSION_CAPABILITIES
from readfirst.harness.adapter_traits import traits_of
from readfirst.harness.compare.verdict import Level, Verdict, verdict_without_replay
from readfirst.harness.run.connect import connect
from readfirst.harness.suite.scenario import AT_ONCE, BUFFERS, TOOLS
from readfirst.harness.workspace.workspace_dir import WorkspacePool
from tests import judging
from tests.judging import CONTRACT, SUITE, judge_target
from tests.pages.page import code
from tests.rows import rows

ROOT = Path(__file__).parents[2]
EXAMPLES = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "adapters.md").read_text(), re.DOTALL)
NAMES = ("readfirst_adapter", "racing", "living", "telling", "hooked", "asking")
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
        for each in (
            *("default-edit", "accept-edits", "read-outside", "write-outside"),
            *("additional-directory", "plan-edit", "bypass"),
        )
    ),
)
"""The stated verdicts, by scenario and level. An example that is not listed does not support the scenario."""
Judge = Callable[[str, str, Level], Verdict]


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    folder = tmp_path_factory.mktemp("examples")
    for name, example in zip(NAMES, EXAMPLES, strict=True):
        (folder / f"{name}.py").write_text(example)
    with pytest.MonkeyPatch.context() as patch, WorkspacePool() as place:
        patch.chdir(folder)
        adapters = {name: connect(f"python:{name}:Tools", SUITE) for name in NAMES}

        def judge_example(name: str, scenario_id: str, level: Level) -> Verdict:
            scenario = SUITE.scenario(scenario_id)
            adapter = adapters[name]
            refused = verdict_without_replay(scenario, CONTRACT, level, traits_of(adapter).capabilities)
            if refused is not None:
                return refused
            return judging.judge_scenario(scenario, adapter, level, place=place)

        yield judge_example
        for adapter in adapters.values():
            adapter.close()


def test_the_first_example_on_the_page_has_at_most_30_lines() -> None:
    assert len([line for line in EXAMPLES[0].splitlines() if line.strip()]) <= 30


@rows(("scenario_id", "level", "wanted"), JUDGED)
def test_the_examples_have_the_verdicts_that_the_page_states(
    judge: Judge, scenario_id: str, level: Level, wanted: dict[str, str]
) -> None:
    assert {name: judge(name, scenario_id, level).status for name in wanted} == wanted


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
        assert judging.judge_scenario(SUITE.scenario(scenario_id), adapter, level).levels[level], scenario_id
    # The library itself raises UnicodeDecodeError, so this is not an error of the adapter.
    assert (
        judging.judge_scenario(SUITE.scenario("encodings/utf-16-not-found"), adapter, "safe").status
        == "failed"
    )
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


@pytest.mark.node
@pytest.mark.parametrize("isolation", ["", "--isolation=directory "])
def test_the_server_in_javascript_follows_the_main_rule(commands: dict[str, str], isolation: str) -> None:
    verdicts = judge_target(f"mcp:{isolation}{commands['js']}", *GATE, level="effects")
    assert [verdict.status for verdict in verdicts] == ["passed", "passed"]


@pytest.mark.node
def test_the_faults_of_the_javascript_server_that_the_page_names_are_reported(
    commands: dict[str, str],
) -> None:
    ids = ["gate/edit-unread", "staleness/edit-after-touch-full-read", "race/chmod-during-call"]
    verdicts = judge_target(f"mcp:--isolation=directory {commands['js']}", *ids, level="text")
    assert [verdict.status for verdict in verdicts] == ["passed", "failed", "unsupported"]


@pytest.mark.slow
def test_the_server_in_python_follows_the_main_rule(commands: dict[str, str]) -> None:
    verdicts = judge_target(f"mcp:--isolation=directory {commands['python']}", *GATE, level="effects")
    assert [verdict.status for verdict in verdicts] == ["passed", "passed"]
