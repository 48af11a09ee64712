"""A scenario for some systems is unsupported on other systems, and judged on these."""

import os
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import Adapter, ToolResult, Workspace
from readfirst.harness.adapters.reference import ReferenceAdapter
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.workspace import platform_support
from readfirst.harness.yaml_io.finding import SuiteError
from tests import judging
from tests.judging import SUITE


def judge_scenario(scenario_id: str, adapter: Adapter) -> Verdict:
    return judging.judge_scenario(SUITE.scenario(scenario_id), adapter, "safe", harm=True)


class TakesNamesForOne:
    """Ignores the case of names: if a file's name differs only in case, that file is written."""

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
        ("platforms/upper-case", "a directory that ignores the case of names"),
        ("platforms/composed-name", "a directory that ignores the form of é"),
    ],
)
def test_elsewhere_it_is_unsupported_and_no_pass(
    scenario_id: str, lacks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_support.sys, "platform", "linux")
    monkeypatch.setattr(platform_support.os.path, "lexists", lambda _: False)
    verdict = judge_scenario(scenario_id, ReferenceAdapter("2.1.7"))
    assert (verdict.status, verdict.reason) == ("unsupported", f"the adapter lacks {lacks}")


@pytest.mark.parametrize(
    ("scenario_id", "lacks"),
    [
        ("platforms/names-in-two-cases", "a directory that distinguishes the case of names"),
        ("opaque-content/names-in-other-case", "a directory that distinguishes the case of names"),
        (
            "moved-world/case-of-a-name-changed-by-a-checkout",
            "a directory that distinguishes the case of names",
        ),
        ("paths/case-matters", "a directory that distinguishes the case of names"),
        ("paths/decomposed-name", "a directory that distinguishes the forms of é"),
    ],
)
def test_names_that_a_folder_takes_for_one_are_unsupported_and_nothing_broken(
    scenario_id: str, lacks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judge_scenario(scenario_id, ReferenceAdapter("2.1.7")).status == "passed"
    monkeypatch.setattr(platform_support, "_leads", lambda *_: True)
    verdict = judge_scenario(scenario_id, ReferenceAdapter("2.1.7"))
    assert (verdict.status, verdict.reason) == ("unsupported", f"the adapter lacks {lacks}")


def test_in_a_folder_that_takes_names_for_one_an_unread_file_is_lost_and_that_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(platform_support, "_leads", lambda *_: True)
    verdict = judge_scenario("platforms/upper-case", TakesNamesForOne)
    assert verdict.status == "failed"
    assert "readme.md" in {harm.path for harm in verdict.harms}
    assert judge_scenario("platforms/upper-case", ReferenceAdapter("2.1.7")).status == "passed"


def test_who_takes_two_names_for_one_is_caught_where_they_are_two() -> None:
    assert judge_scenario("platforms/names-in-two-cases", TakesNamesForOne).status == "failed"
    assert judge_scenario("platforms/names-in-two-cases", ReferenceAdapter("2.1.7")).status == "passed"


class TakesNamesAsWindows:
    """Needs no Read, and finds a file by any name that Windows accepts: either separator, any case, short names,
    streams.
    """

    def __init__(self, workspace: Workspace) -> None:
        self.root = workspace.root

    @classmethod
    def open(cls, workspace: Workspace) -> "TakesNamesAsWindows":
        return cls(workspace)

    def call(self, tool: str, arguments: dict[str, str]) -> ToolResult:
        path = self.root / self.find_meant(arguments["file_path"])
        if tool == "Write":
            path.parent.mkdir(exist_ok=True)
            path.write_text(arguments["content"])
        if tool == "Edit":
            path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"]))
        return ToolResult(path.read_text())

    def find_meant(self, path: str) -> str:
        """Return the name, relative to the workspace, of the file that Windows would open or create for this path."""
        plain = path.replace("\\", "/").replace("//?/", "").replace("//./", "").replace(str(self.root), "")
        whole = os.path.normpath(plain).lstrip("/").removeprefix("UNC/").partition(":")[0]
        name = "/".join(each.rstrip(". ") for each in whole.split("/")) or "nul"
        name = {
            "ALONGN~1.TXT": self.only("a long"),
            "readfirst.invalid/share/notes.txt": "share/notes.txt",
        }.get(name, name)
        there = [str(each.relative_to(self.root)) for each in self.root.rglob("*")]
        return next((each for each in there if each.casefold() == name.casefold()), name)

    def only(self, start: str) -> str:
        return next((each.name for each in self.root.iterdir() if each.name.startswith(start)), "")


@pytest.mark.parametrize(
    "scenario_id",
    [
        each
        for each in SUITE.ids()
        if each.startswith("platforms/windows-")
        # Linux creates these under the literal names, the first one next to the root.
        and each not in {"platforms/windows-network-path-with-slashes"}
    ],
)
def test_what_holds_on_windows_alone_is_kept_by_who_takes_names_letter_by_letter(
    scenario_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_support.sys, "platform", "win32")
    assert judge_scenario(scenario_id, ReferenceAdapter("2.1.7")).status == "passed"


@pytest.mark.parametrize(
    "scenario_id",
    [
        "platforms/windows-separator",
        "platforms/windows-case-of-a-folder-and-separator",
        "platforms/windows-way-up",
        "platforms/windows-stream-of-the-file",
        "platforms/windows-short-name",
        "platforms/windows-drive-and-change",
        "platforms/windows-device-path-and-change",
        "platforms/windows-device-path-with-a-dot-and-change",
        "platforms/windows-device-path-with-slashes-and-change",
        "platforms/windows-dot-and-change",
        "platforms/windows-space-and-change",
        "platforms/windows-stream-and-change",
        "platforms/windows-short-name-and-change",
        "platforms/windows-capitals-and-change",
        "platforms/windows-network-path",
        "platforms/windows-device-path-of-a-machine",
        "platforms/windows-colon",
        "platforms/windows-dot-at-the-end",
        "platforms/windows-space-at-the-end",
        "platforms/windows-dots-and-spaces-at-the-end",
        "platforms/windows-folder-with-a-dot-at-the-end",
    ],
)
def test_who_finds_files_as_windows_does_and_never_looks_loses_work_on_windows(
    scenario_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_support.sys, "platform", "win32")
    verdict = judge_scenario(scenario_id, TakesNamesAsWindows)
    assert verdict.status == "failed"
    assert {harm.kind for harm in verdict.harms} & {"lost", "stray", "untrue"}


def test_what_was_recorded_may_hold_on_linux_alone_and_on_no_other_system() -> None:
    steps = "steps:\n  - Read: {file_path: $WS/notes.txt}\n"
    assert judging.as_written(f"platform: linux\n{steps}", expect=False).platform == "linux"
    for other in ("macos", "windows", "composing"):
        with pytest.raises(SuiteError, match="the product was recorded only on Linux"):
            judging.as_written(f"platform: {other}\n{steps}", expect=False)


def test_the_probe_leaves_nothing_behind(tmp_path: Path) -> None:
    assert not platform_support._leads(tmp_path / "readfirst-a", tmp_path / "READFIRST-A")
    assert platform_support._leads(tmp_path / "readfirst-a", tmp_path / "." / "readfirst-a")
    assert list(tmp_path.iterdir()) == []
