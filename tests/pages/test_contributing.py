"""The commands of CONTRIBUTING.md add the scenario of the page, with a substitute for the product."""

import re
import sys
from pathlib import Path

import pytest

from tests.pages.page import CHECKOUT, code
from tests.pages.stage import Stage, copy_of_checkout
from tests.releases.fake_registry import FakeNpm, make_packages

pytestmark = pytest.mark.slow

PLAYED = f"""\
if not hasattr(run, "tools"):
    sys.path[:] = {sys.path!r}
    from readfirst import FileTools
    run.tools = FileTools({{version!r}}, root=os.getcwd(), home=os.environ["HOME"])
result = run.tools.call(name, args)
return {{{{"content": result.text, "is_error": result.is_error}}}}
"""
"""A substitute for the product, which answers with the reference."""
PAGE = (CHECKOUT / "CONTRIBUTING.md").read_text("utf-8")
SECTION = re.split(r"\n##+ ", PAGE.partition("\n## Add a case\n")[2])[0]
COMMANDS = re.findall(r"^ *\$ (.*)$", SECTION, re.MULTILINE)
(NEW,) = re.findall(r"readfirst new (\S+)", SECTION)
CASE = code("CONTRIBUTING.md", "yaml")[0]


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    """The checkout of a contributor. Its `npm` installs the substitute for the product."""
    FakeNpm(tmp_path / "npm", make_packages({"2.1.7": PLAYED.format(version="2.1.7")}))
    monkeypatch.setenv("PATH", str(tmp_path / "npm"), prepend=":")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    checkout = copy_of_checkout(tmp_path)
    return Stage(checkout, checkout)


def file_of(stage: Stage, folder: str = "scenarios") -> Path:
    """Return the path of the scenario file, or of the file with its name in `folder`."""
    return stage.folder / "fixtures" / folder / f"{NEW}.yaml"


def test_the_section_shows_the_commands_of_all_steps() -> None:
    assert [command.split()[1] for command in COMMANDS] == ["list", "new", "product", "lint", "run"]


def test_the_commands_of_the_section_add_a_recorded_scenario(stage: Stage) -> None:
    before, after = COMMANDS[:2], COMMANDS[2:]
    assert [exit_code for exit_code, _ in stage.run(before)] == [0, 0]
    file_of(stage).write_text(CASE, "utf-8")
    (recorded, printed), (linted, findings), (ran, table) = stage.run(after)
    assert (recorded, linted, ran) == (0, 0, 0), printed + findings + table
    shown = SECTION.partition(f"$ {COMMANDS[2]}\n")[2].partition("```")[0]
    assert [line.strip() for line in shown.strip().splitlines()] == printed.splitlines()[-2:]
    assert "expect:" in file_of(stage).read_text("utf-8")
    assert file_of(stage, "recordings").is_file()
    assert "1 passed; conformant" in table
