import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from readfirst.harness.report.export import expand_scenario
from readfirst.harness.suite.file_content import entry_value
from readfirst.harness.suite.file_entry import OLD_TIME, RegularFile, SpecialFile, Symlink
from readfirst.harness.suite.hooks import hook_command
from readfirst.harness.suite.repository import repository_files
from readfirst.harness.suite.suite import Suite
from readfirst.harness.workspace.world_events import lay_out
from readfirst.harness.yaml_io.finding import SuiteError
from tests.format.test_load import CONTRACTS, problems, scenario
from tests.rows import rows

SUITE_VOCABULARY = Suite().vocabulary
STEPS = "steps:\n  - Read: {file_path: $WS/a.txt}\n    expect: {text: x}\n"
FILES = {
    "a.txt": RegularFile(b"alpha\n"),
    "sub/b.sh": RegularFile(b"beta\n", 0o755),
    "sub.txt": RegularFile(b"1\n"),
    "link": Symlink("a.txt"),
    "inner/c.txt": RegularFile(b"c\n"),
}


def git(*words: str, at: Path) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(at), "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "-c", "safe.directory=*", *words]
    done = subprocess.run(command, cwd=at, env=environment, capture_output=True, text=True, check=True)
    return done.stdout


@rows("folders", [["."], [".", "inner"], ["inner"]])
def test_git_reports_no_change_in_a_new_workspace(folders: list[str], tmp_path: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    place = tmp_path / f"repositories {len(folders)} {'-'.join(folders)}"
    place.mkdir()
    lay_out({**FILES, **repository_files(folders, FILES)}, place)
    for folder in folders:
        at = place / folder
        git("fsck", "--full", "--strict", at=at)
        assert git("status", "--porcelain", at=at) == ""
        assert git("log", "--format=%s %ct", at=at) == f"x {OLD_TIME}\n"
        tracked = git("ls-files", at=at).split()
        assert ("inner" in tracked) == (folder == "." and "inner" in folders)
        assert ("inner/c.txt" in tracked) == (folders == ["."])


def test_the_files_in_the_git_directory_are_files_of_the_workspace() -> None:
    files = "{a.txt: x, inner/c.txt: y, .git/index.lock: ''}"
    text = f"given:\n  repositories: [., inner]\n  files: {files}\n{STEPS}"
    assert scenario(text).given.files.keys() >= {".git/HEAD", "inner/.git/HEAD", ".git/index.lock", "a.txt"}
    assert "inner/.git/HEAD" not in scenario(text.replace(", inner]", "]")).given.files


@rows("kind", ["fifo", "socket"])
def test_fifos_and_sockets_are_created_and_exported(kind: str, tmp_path: Path) -> None:
    read = scenario(f"given:\n  files: {{a.txt: {{special: {kind}}}}}\n" + STEPS)
    entry = read.given.files["a.txt"]
    assert entry == SpecialFile(kind)
    assert entry_value(entry) == {"special": kind}
    place = tmp_path / kind
    place.mkdir()
    lay_out(read.given.files, place)
    mode = (place / "a.txt").lstat().st_mode
    assert (stat.S_ISFIFO(mode), stat.S_ISSOCK(mode)) == (kind == "fifo", kind == "socket")
    value = expand_scenario(read, CONTRACTS["2.1.7"], SUITE_VOCABULARY)
    assert value is not None
    assert value["given"]["files"]["a.txt"] == {"type": kind}
    assert "special_files" in value["needs"]


WRITE = "steps:\n  - Write: {{file_path: $WS/a.txt, content: {{json: '{}'}}}}\n    expect: {{text: x}}\n"


@rows(("escaped", "text"), [("a \\ud83d b", "a \ud83d b"), ("\\u00e9\\n", "é\n"), ("\\ud83d\\ude00", "😀")])
def test_an_argument_may_contain_json_escapes(escaped: str, text: str) -> None:
    read = scenario(WRITE.format(escaped))
    assert [call.arguments["content"] for call in read.calls()] == [text]
    value = expand_scenario(read, CONTRACTS["2.1.7"], SUITE_VOCABULARY)
    assert value is not None
    assert ("half_characters" in value["needs"]) == ("\\ud83d b" in escaped)
    assert problems(WRITE.format("a \\ub")) == [("schema", 4)]


@rows(
    ("hook", "command"),
    [
        ("{PostToolUse: Edit, delete: a.txt}", "rm -f /w/a.txt"),
        ("{PreToolUse: Edit, rename: {a.txt: b.txt}}", "mv -f /w/a.txt /w/b.txt"),
    ],
)
def test_a_hook_may_delete_or_rename_a_file(hook: str, command: str) -> None:
    (read,) = scenario(f"given:\n  hooks: [{hook}]\n  files: {{a.txt: x}}\n" + STEPS).given.hooks
    assert hook_command(read, "/w").endswith(command)
    assert read.paths >= {"a.txt"}


@rows("target", ["../x", "/x"])
def test_a_hook_cannot_change_files_outside_the_workspace(target: str) -> None:
    for change in (f"delete: {target}", f"rename: {{a.txt: {target}}}"):
        found = problems(f"given: {{hooks: [{{PostToolUse: Edit, {change}}}], files: {{a.txt: x}}}}\n{STEPS}")
        assert {rule for rule, _ in found} == {"unsafe-path"}


def test_a_hook_that_changes_nothing_is_refused() -> None:
    hooks = "given:\n  hooks: [{PostToolUse: Edit, modify: {a.txt: x}}]\n  files: {a.txt: x}\n"
    with pytest.raises(SuiteError, match="the hook changes nothing"):
        scenario(hooks + STEPS)
    changed = "  - modify: {a.txt: y}\n"
    assert scenario(hooks + STEPS + changed).given.hooks
