"""A scenario that holds on some systems alone is unsupported elsewhere, and judged where it holds."""

from pathlib import Path

import pytest

from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.session import Adapter, ToolResult, Workspace
from readfirst.harness.workspace import platform
from tests import judging
from tests.judging import SUITE


def judged(scenario_id: str, adapter: Adapter) -> Verdict:
    return judging.judged(SUITE.scenario(scenario_id), adapter, "safe", harm=True)


class TakesNamesForOne:
    """Writes what it is told to, into the file whose name differs in case alone if there is one."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    @classmethod
    def open(cls, workspace: Workspace) -> "TakesNamesForOne":
        return cls(workspace)

    def call(self, tool: str, arguments: dict[str, str]) -> ToolResult:
        path = Path(arguments["file_path"])
        there = [each for each in path.parent.iterdir() if each.name.casefold() == path.name.casefold()]
        path = min(there, default=path)
        if tool == "Write":
            path.write_text(arguments["content"])
        if tool == "Edit":
            path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"]))
        return ToolResult(path.read_text())


@pytest.mark.parametrize(
    ("scenario_id", "lacks"),
    [
        ("platforms/windows-device", "Windows"),
        ("platforms/upper-case", "a folder in which names may differ from their files' in case"),
        ("platforms/composed-name", "a folder in which é has one form"),
    ],
)
def test_elsewhere_it_is_unsupported_and_no_pass(
    scenario_id: str, lacks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform.sys, "platform", "linux")
    monkeypatch.setattr(platform.os.path, "lexists", lambda _: False)
    verdict = judged(scenario_id, ReferenceAdapter("2.1.7"))
    assert (verdict.status, verdict.reason) == ("unsupported", f"the adapter lacks {lacks}")


def test_in_a_folder_that_takes_names_for_one_an_unread_file_is_lost_and_that_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform, "_leads", lambda *_: True)
    verdict = judged("platforms/upper-case", TakesNamesForOne)
    assert verdict.status == "failed"
    assert "readme.md" in {harm.path for harm in verdict.harms}
    assert judged("platforms/upper-case", ReferenceAdapter("2.1.7")).status == "passed"


def test_who_takes_two_names_for_one_is_caught_where_they_are_two() -> None:
    assert judged("platforms/names-in-two-cases", TakesNamesForOne).status == "failed"
    assert judged("platforms/names-in-two-cases", ReferenceAdapter("2.1.7")).status == "passed"


def test_the_probe_leaves_nothing_behind(tmp_path: Path) -> None:
    assert not platform._leads(tmp_path / "readfirst-a", tmp_path / "READFIRST-A")
    assert platform._leads(tmp_path / "readfirst-a", tmp_path / "." / "readfirst-a")
    assert list(tmp_path.iterdir()) == []
