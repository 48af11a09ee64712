"""A target is installed, its tools are called as its mapping says, and an installation that fails leaves no files."""

import stat
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from readfirst.harness.adapter_api import Adapter, AdapterError, Workspace
from readfirst.harness.compare.verdict import Verdict
from readfirst.harness.run.connect import ConnectError, connect
from readfirst.harness.run.run_options import RunOptions
from readfirst.observatory.targets import install
from readfirst.observatory.targets.mapping import load_target
from tests.judging import SUITE, judge_target

pytestmark = pytest.mark.slow
"""Marks all tests of the module as slow, because each needs a target that pip installs."""


EDITOR = """
import os

class Editor:
    def __init__(self, root):
        self.root = root
        self.seen = set()

    def show(self, name):
        path = os.path.join(self.root, name)
        if not os.path.exists(path):
            return {"state": "bad", "told": "nothing called " + name}
        self.seen.add(name)
        with open(path) as file:
            return {"state": "good", "told": file.read()}

    def change(self, name, old, new):
        if name not in self.seen:
            raise LookupError("look first")
        path = os.path.join(self.root, name)
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace(old, new, 1))
        return {"state": "good", "told": "changed"}

    def put(self, name, text):
        with open(os.path.join(self.root, name), "w") as file:
            file.write(text)
        return {"state": "good", "told": "put"}

    def variables(self, name):
        return {"state": "good", "told": " ".join(sorted(os.environ)) + " " + os.environ["COLOUR"]}
"""

MAPPING = """\
title: A toy
home: https://example.org/toy
about: For tests.
kind: python
level: reason
versions:
  "1.0": {pip: ["toy-editor==1.0"]}
python:
  once: from toy_editor import Editor
  code: |
    tools = Editor(root=workspace)

    def call(tool, **arguments):
        return getattr(tools, tool)(**arguments)
environment: {COLOUR: blue}
paths: relative
tools:
  Read: {call: show, arguments: {name: $file_path}}
  Edit: {call: change, arguments: {name: $file_path, old: $old_string, new: $new_string}, replace_all: unsupported}
  Write: {call: put, arguments: {name: $file_path, text: $content}}
result:
  text: [told]
  error: {exception: true, at: [state], is: [bad]}
  errors: {not_read: ["LookupError: look first"], file_not_found: ["nothing called {name}"]}
capabilities: [Read, Edit, Write]
"""


def change_mapping(old: str, new: str) -> str:
    assert old in MAPPING
    return MAPPING.replace(old, new)


def write_wheel(folder: Path) -> None:
    """Write the wheel of the package `toy-editor` into a directory that pip uses as its source of packages."""
    with zipfile.ZipFile(folder / "toy_editor-1.0-py3-none-any.whl", "w") as archive:
        archive.writestr("toy_editor.py", EDITOR)
        info = "toy_editor-1.0.dist-info"
        archive.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: toy-editor\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The mapping file of the toy target and its wheel. All tests share one cache of targets, empty at first."""
    folder = tmp_path_factory.mktemp("toy")
    write_wheel(folder)
    (folder / "toy.yaml").write_text(MAPPING)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PIP_NO_INDEX", "1")
        patch.setenv("PIP_FIND_LINKS", str(folder))
        patch.setattr(install, "cache_root", lambda: folder / "cache")
        yield folder


Connected = Callable[..., Adapter]


@pytest.fixture
def connect_toy(toy: Path) -> Iterator[Connected]:
    adapters = []

    def open_(mapping: str = MAPPING) -> Adapter:
        file = toy / "toy.yaml"
        file.write_text(mapping)
        adapters.append(connect(f"target:{file}@1.0", SUITE, RunOptions(time_limit=20)))
        return adapters[-1]

    yield open_
    for adapter in adapters:
        adapter.close()  # type: ignore[attr-defined]
    (toy / "toy.yaml").write_text(MAPPING)


def judge_scenarios(toy: Path, *ids: str) -> list[Verdict]:
    return judge_target(f"target:{toy / 'toy.yaml'}@1.0", *ids, level="reason")


@pytest.mark.slow
def test_a_target_is_judged_like_any_other(toy: Path) -> None:
    ids = ("gate/edit-unread", "staleness/edit-after-change", "parallel/write-then-edit")
    assert [verdict.status for verdict in judge_scenarios(toy, *ids)] == ["passed", "failed", "unsupported"]


def test_an_argument_that_is_not_claimed_makes_a_scenario_unsupported(toy: Path) -> None:
    (verdict,) = judge_scenarios(toy, "replace-all/every-occurrence")
    assert (verdict.status, verdict.reason) == ("unsupported", "the adapter lacks Edit with replace_all")


def test_the_targets_own_words_get_their_names(connect_toy: Connected, workspace: Workspace) -> None:
    session = connect_toy().open(workspace)
    refused = session.call("Edit", {"file_path": f"{workspace.root}/a", "old_string": "x", "new_string": "y"})
    assert (refused.is_error, refused.error) == (True, "not_read")
    missing = session.call("Read", {"file_path": f"{workspace.root}/a"})
    assert (missing.text, missing.is_error, missing.error) == ("nothing called a", True, "file_not_found")


def test_every_session_begins_anew(connect_toy: Connected, workspace: Workspace) -> None:
    (workspace.root / "a").write_text("x")
    path = str(workspace.root / "a")
    adapter = connect_toy()
    assert not adapter.open(workspace).call("Read", {"file_path": path}).is_error
    again = adapter.open(workspace).call("Edit", {"file_path": path, "old_string": "x", "new_string": "y"})
    assert again.error == "not_read"


def test_a_target_sees_no_variable_of_ours(
    connect_toy: Connected, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_OF_OURS", "1")
    text = change_mapping("call: show", "call: variables")
    answer = connect_toy(text).open(workspace).call("Read", {"file_path": "x"}).text
    assert "SECRET_OF_OURS" not in answer
    assert answer.endswith(" blue")


def test_an_exception_that_is_not_a_refusal_breaks(connect_toy: Connected, workspace: Workspace) -> None:
    session = connect_toy(change_mapping("exception: true, ", "")).open(workspace)
    with pytest.raises(AdapterError, match="the target raised LookupError: look first"):
        session.call("Edit", {"file_path": "a", "old_string": "x", "new_string": "y"})


def test_what_cannot_be_made_is_reported(connect_toy: Connected, workspace: Workspace) -> None:
    with pytest.raises(AdapterError, match="cannot import name 'Missing'"):
        connect_toy(change_mapping("import Editor", "import Missing"))


def test_a_package_is_installed_once(toy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    judge_scenarios(toy, "gate/edit-unread")
    monkeypatch.setattr(install, "_create_environment", lambda *_: pytest.fail("installed again"))
    judge_scenarios(toy, "gate/edit-unread")


def test_another_python_takes_an_environment_of_its_own(tmp_path: Path) -> None:
    """An existing environment with an older Python is not reused."""
    file, root = tmp_path / "toy.yaml", tmp_path / "cache"
    made = []
    for asked in ("", "  at_least: '3.12'\n", "  at_least: '3.13'\n"):
        file.write_text(change_mapping("python:\n", f"python:\n{asked}"))
        target = load_target(file)
        made.append(install._directory(target, root))
    assert len(set(made)) == 3


@pytest.mark.slow
def test_a_package_that_does_not_exist_leaves_nothing_behind(connect_toy: Connected, toy: Path) -> None:
    with pytest.raises(AdapterError, match="pip could not create the environment") as error:
        connect_toy(change_mapping("toy-editor==1.0", "toy-editor==1.0.1"))
    assert error.value.blame == "environment"
    assert "toy-editor" in error.value.details
    left = [each.name for each in (toy / "cache").iterdir() if not each.name.endswith(".lock")]
    assert len([name for name in left if name.startswith("toy@")]) <= 1


@pytest.mark.slow
def test_an_interrupted_installation_is_made_again(toy: Path, connect_toy: Connected) -> None:
    connect_toy()
    (environment,) = [each for each in (toy / "cache").iterdir() if each.is_dir()]
    (environment / "installed.json").unlink()
    connect_toy()
    assert stat.S_ISREG((environment / "installed.json").stat().st_mode)


def test_a_python_that_is_not_there_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    with pytest.raises(AdapterError, match=r"this target needs Python 3\.99 or newer"):
        install._find_python("3.99")


def test_a_mapping_that_is_wrong_is_reported_on_the_command_line(toy: Path) -> None:
    file = toy / "wrong.yaml"
    file.write_text(change_mapping("kind: python", "kind: snake"))
    with pytest.raises(ConnectError, match="the mapping is not valid") as raised:
        connect(f"target:{file}", SUITE)
    assert "wrong.yaml:4:7" in raised.value.details
