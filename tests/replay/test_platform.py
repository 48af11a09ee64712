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


class IgnoresCase:
    """Requires no Read. A Write may change a file whose name differs only in case."""

    def open(self, workspace: Workspace) -> "IgnoresCase":
        self.root = workspace.root
        return self

    def call(self, tool: str, arguments: dict[str, str]) -> ToolResult:
        path = self.find_file(arguments["file_path"])
        if tool == "Write":
            path.parent.mkdir(exist_ok=True)
            path.write_text(arguments["content"])
        if tool == "Edit":
            path.write_text(path.read_text().replace(arguments["old_string"], arguments["new_string"]))
        return ToolResult(path.read_text())

    def find_file(self, name: str) -> Path:
        path = Path(name)
        return min(
            (each for each in path.parent.iterdir() if each.name.casefold() == path.name.casefold()),
            default=path,
        )


@pytest.mark.parametrize(
    ("scenario_id", "lacks"),
    [
        ("platforms/windows-device", "Windows"),
        ("platforms/upper-case", "a directory that ignores the case of names"),
        ("platforms/composed-name", "a directory that ignores the form of é"),
    ],
)
def test_a_scenario_for_another_operating_system_is_unsupported(
    scenario_id: str, lacks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_support.sys, "platform", "linux")
    monkeypatch.setattr(platform_support.os.path, "lexists", lambda _: False)
    verdict = judge_scenario(scenario_id, ReferenceAdapter("2.1.7"))
    assert (verdict.status, verdict.reason) == ("unsupported", f"the adapter lacks {lacks}")


@pytest.mark.parametrize(
    ("scenario_id", "lacks"),
    [
        ("platforms/names-in-two-cases", "the case of names"),
        ("opaque-content/names-in-other-case", "the case of names"),
        ("moved-world/case-of-a-name-changed-by-a-checkout", "the case of names"),
        ("paths/case-matters", "the case of names"),
        ("paths/decomposed-name", "the forms of é"),
    ],
)
def test_a_scenario_is_unsupported_if_the_directory_does_not_distinguish_its_names(
    scenario_id: str, lacks: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert judge_scenario(scenario_id, ReferenceAdapter("2.1.7")).status == "passed"
    monkeypatch.setattr(platform_support, "_is_same_file", lambda *_: True)
    verdict = judge_scenario(scenario_id, ReferenceAdapter("2.1.7"))
    reason = f"the adapter lacks a directory that distinguishes {lacks}"
    assert (verdict.status, verdict.reason) == ("unsupported", reason)


def test_a_lost_file_in_a_directory_that_ignores_case_is_detected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform_support, "_is_same_file", lambda *_: True)
    verdict = judge_scenario("platforms/upper-case", IgnoresCase())
    assert verdict.status == "failed"
    assert "readme.md" in {harm.path for harm in verdict.harms}
    assert judge_scenario("platforms/upper-case", ReferenceAdapter("2.1.7")).status == "passed"


def test_an_implementation_that_ignores_case_fails_if_the_directory_distinguishes_case() -> None:
    assert judge_scenario("platforms/names-in-two-cases", IgnoresCase()).status == "failed"


class FindsFilesLikeWindows(IgnoresCase):
    """Also finds a file by backslashes, by its short name and by its streams, as Windows does."""

    def find_file(self, name: str) -> Path:
        plain = name.replace("\\", "/").replace("//?/", "").replace("//./", "").replace(str(self.root), "")
        whole = os.path.normpath(plain).lstrip("/").removeprefix("UNC/").partition(":")[0]
        name = "/".join(each.rstrip(". ") for each in whole.split("/")) or "nul"
        if name == "ALONGN~1.TXT":
            name = next((each.name for each in self.root.iterdir() if each.name.startswith("a long")), "")
        name = name.removeprefix("readfirst.invalid/")
        existing = [str(each.relative_to(self.root)) for each in self.root.rglob("*")]
        return self.root / next((each for each in existing if each.casefold() == name.casefold()), name)


@pytest.mark.parametrize(
    "scenario_id",
    [
        each
        for each in SUITE.ids()
        # On Linux, the excluded scenario would create its file next to the workspace.
        if each.startswith("platforms/windows-") and each != "platforms/windows-network-path-with-slashes"
    ],
)
def test_an_implementation_that_uses_literal_names_passes_the_scenarios_for_windows(
    scenario_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_support.sys, "platform", "win32")
    assert judge_scenario(scenario_id, ReferenceAdapter("2.1.7")).status == "passed"


LOSES_WORK = """
    separator case-of-a-folder-and-separator way-up stream-of-the-file short-name colon network-path
    device-path-of-a-machine dot-at-the-end space-at-the-end dots-and-spaces-at-the-end
    folder-with-a-dot-at-the-end drive-and-change dot-and-change space-and-change stream-and-change
    short-name-and-change capitals-and-change device-path-and-change
    device-path-with-a-dot-and-change device-path-with-slashes-and-change
"""


@pytest.mark.parametrize("slug", LOSES_WORK.split())
def test_an_implementation_that_finds_files_like_windows_but_needs_no_read_loses_work(
    slug: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platform_support.sys, "platform", "win32")
    verdict = judge_scenario(f"platforms/windows-{slug}", FindsFilesLikeWindows())
    assert verdict.status == "failed"
    assert {harm.kind for harm in verdict.harms} & {"lost", "stray", "untrue"}


def test_a_recorded_scenario_cannot_be_limited_to_another_system_than_linux() -> None:
    steps = "steps:\n  - Read: {file_path: $WS/notes.txt}\n"
    assert judging.load_scenario_text(f"platform: linux\n{steps}", expect=False).platform == "linux"
    for other in ("macos", "windows", "composing"):
        with pytest.raises(SuiteError, match="the product was recorded only on Linux"):
            judging.load_scenario_text(f"platform: {other}\n{steps}", expect=False)


def test_testing_whether_a_directory_ignores_case_leaves_no_file(tmp_path: Path) -> None:
    assert not platform_support._is_same_file(tmp_path / "readfirst-a", tmp_path / "READFIRST-A")
    assert platform_support._is_same_file(tmp_path / "readfirst-a", tmp_path / "." / "readfirst-a")
    assert list(tmp_path.iterdir()) == []
