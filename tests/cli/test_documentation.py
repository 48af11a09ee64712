"""The examples of README and docs/running.md are unchanged. The tests in tests/pages run their commands."""

import os
import re

import pytest

from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.suite import Suite
from tests.pages.page import CHECKOUT, PAGES, code
from tests.pages.stage import Stage, copy_of_checkout, users_folder


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The directory of a reader of docs/adapters.md, with a small suite."""
    folder = tmp_path_factory.mktemp("documentation")
    return Stage(users_folder(folder, "docs/adapters.md"), copy_of_checkout(folder))


def test_the_scenario_of_the_readme_is_the_file() -> None:
    (shown,) = code("README.md", "yaml")
    file = Suite().path("staleness/edit-after-change").read_text(encoding="utf-8")
    assert file.endswith(shown)
    assert file.removesuffix(shown).startswith("# yaml-language-server")


def test_every_exit_code_is_documented() -> None:
    table = (CHECKOUT / "docs" / "running.md").read_text().partition("## Exit codes")[2].partition("\n## ")[0]
    documented = {
        int(code) for row in re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE) for code in row.split(",")
    }
    assert documented == {int(code) for code in ExitCode} | {143, 141}


def test_every_link_leads_somewhere() -> None:
    for file in PAGES:
        prose = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#]+)\)", prose):
            if not target.startswith("http"):
                assert (file.parent / target).exists(), f"{file.name}: {target}"


@pytest.mark.slow
def test_the_failure_that_is_shown_is_what_a_run_prints(stage: Stage) -> None:
    ((_, output),) = stage.run(["readfirst run python:readfirst_adapter:Tools staleness/edit-after-change"])
    suite = os.path.relpath(stage.checkout, stage.folder)
    listed, shown, _ = code("docs/running.md", "text")
    assert listed.startswith("Rules that do not hold, worst first: ")
    assert shown in output.replace(f"{stage.checkout}/", "").replace(f"{suite}/", "")
