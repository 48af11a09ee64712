import os
import re

import pytest

from readfirst.harness.cli.docs import pages
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.suite import Suite
from tests.command_line import Cli
from tests.pages.page import CHECKOUT, PAGES, code
from tests.pages.stage import Stage, copy_of_checkout, users_folder


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The working directory of a user who follows docs/adapters.md, with a small suite."""
    folder = tmp_path_factory.mktemp("documentation")
    return Stage(users_folder(folder, "docs/adapters.md"), copy_of_checkout(folder))


def test_the_scenario_in_the_readme_equals_its_file() -> None:
    (shown,) = code("README.md", "yaml")
    file = Suite().path("staleness/edit-after-change").read_text(encoding="utf-8")
    assert file.endswith(shown)
    assert file.removesuffix(shown).startswith("# yaml-language-server")


def test_every_exit_code_is_documented() -> None:
    table = (CHECKOUT / "docs" / "running.md").read_text().partition("## Exit codes")[2].partition("\n## ")[0]
    codes = re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE)
    assert {*map(int, ",".join(codes).split(","))} == {int(code) for code in ExitCode} | {143, 141}


def test_every_link_has_an_existing_target() -> None:
    for file in PAGES:
        prose = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            if not target.startswith("http"):
                assert (file.parent / target).exists(), f"{file.name}: {target}"


@pytest.mark.slow
def test_the_failure_that_running_md_shows_equals_the_output_of_a_run(stage: Stage) -> None:
    ((_, output),) = stage.run(["readfirst run python:readfirst_adapter:Tools staleness/edit-after-change"])
    suite = os.path.relpath(stage.checkout, stage.folder)
    listed, shown, _ = code("docs/running.md", "text")
    assert listed.startswith("Rules that do not hold, worst first: ")
    assert shown in output.replace(f"{stage.checkout}/", "").replace(f"{suite}/", "")


NAMED = {
    name
    for folder in ("harness", "observatory")
    for file in (CHECKOUT / folder).rglob("*.py")
    for name in re.findall(r"`readfirst docs ([a-z]+)`", file.read_text("utf-8"))
}


def test_the_command_docs_lists_every_page_with_its_title(readfirst: Cli) -> None:
    ran = readfirst("docs")
    rows = dict(line.split("\t") for line in ran.out.splitlines())
    assert (ran.code, list(rows)[:3]) == (0, ["readme", "contributing", "index"])
    assert rows["recording"] == "Recording the real product"
    assert all(rows.values())


def test_the_command_docs_prints_a_page_unchanged_or_suggests_one(readfirst: Cli) -> None:
    text = (CHECKOUT / "docs/recording.md").read_text("utf-8")
    for word in ("recording", "docs/recording.md", "RECORDING.md"):
        assert readfirst("docs", word) == (0, text, "")
    ran = readfirst("docs", "adapter")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no page 'adapter'. Did you mean adapters?" in ran.err


def test_every_page_that_a_message_names_exists() -> None:
    assert {"adapters", "contributing", "format", "recording", "running", "targets"} <= NAMED
    assert sorted(NAMED - pages().keys()) == []
