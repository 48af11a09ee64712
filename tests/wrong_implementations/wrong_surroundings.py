"""Implementations that spoil repositories, paths or others' changes, or run forbidden commands."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from altered import Altered, Arguments, Call, after_each_call, before_each_call

from readfirst.harness.adapter_api import ToolResult
from readfirst.reference_impl.session.permission_rules import DenyRules


def _find_git(call: Call) -> Path | None:
    """Return the `.git` directory of the repository of a file. None if no repository of the workspace contains it."""
    for folder in call.path.parents:
        if (folder / ".git").is_dir():
            return folder / ".git"
        if folder == call.session.workspace.root:
            break
    return None


@after_each_call
def RefreshesTheIndex(call: Call, result: ToolResult) -> None:
    """Writes the index of the git repository after each change."""
    git = _find_git(call)
    if git is not None and call.tool != "Read" and not result.is_error:
        (git / "index").write_bytes((git / "index").read_bytes() + b"\0")


@after_each_call
def AddsObjects(call: Call, result: ToolResult) -> None:
    """Stores each changed file as an object in the git repository."""
    git = _find_git(call)
    if git is not None and call.tool != "Read" and not result.is_error:
        (git / "objects" / "ff").mkdir(exist_ok=True)
        (git / "objects" / "ff" / ("0" * 38)).write_bytes(call.path.read_bytes())


@after_each_call
def RunsHooks(call: Call, result: ToolResult) -> None:
    """Runs the pre-commit hook of the git repository after each change."""
    git = _find_git(call)
    if git is not None and call.tool != "Read" and (git / "hooks" / "pre-commit").exists():
        (call.session.workspace.root / "hooked").touch()


@after_each_call
def RemovesLocks(call: Call, result: ToolResult) -> None:
    """Removes the lock file of the git repository's index."""
    git = _find_git(call)
    if git is not None and call.tool != "Read":
        (git / "index.lock").unlink(missing_ok=True)


@after_each_call
def RepairsWorktrees(call: Call, result: ToolResult) -> None:
    """Overwrites the file `.git` of a worktree with the absolute path of its repository."""
    link = call.path.parent / ".git"
    if link.is_file() and call.tool != "Read":
        link.write_text(f"gitdir: {call.session.workspace.root}/.git/worktrees/tree\n")


@after_each_call
def CopiesIntoTheRepository(call: Call, result: ToolResult) -> None:
    """Stores a copy of each changed file in the outermost git repository."""
    git = call.session.workspace.root / ".git"
    if call.tool != "Read" and git.is_dir() and call.path.is_file():
        shutil.copyfile(call.path, git / "COPY")


@after_each_call
def IgnoresCd(call: Call, result: ToolResult) -> None:
    """Resolves relative paths from the workspace, even after a `cd`."""
    if call.tool == "Bash":
        call.session.tools._session.change_directory(str(call.session.workspace.root))


@before_each_call
def RemembersNamesAsWritten(call: Call) -> None:
    """Treats the same relative path in two directories as the same file."""
    path = str(call.arguments.get("file_path", ""))
    if call.tool == "Edit" and path in call.memory and not path.startswith("/"):
        call.read(path)
    call.memory[path] = "read"


class KeepsDirectoryAfterResume(Altered):
    """Stays in the directory of the last command after a resume. The contract returns to the workspace."""

    def resume(self) -> None:
        before = self.tools._session.paths.root
        super().resume()
        self.tools._session.change_directory(before)


class LeavesDirectoryAtCompaction(Altered):
    """Returns to the workspace at a compaction. The contract stays in the directory of the last command."""

    def compact(self) -> None:
        super().compact()
        self.tools._session.change_directory(str(self.workspace.root))


class FollowsItsSubAgent(Altered):
    """Changes the directory of the session when a sub-agent changes its own."""

    def sub_agent(self) -> Altered:
        session, agent = self, super().sub_agent()
        whole = agent.alter

        def alter(tool: str, arguments: Arguments, interfere: Callable[[], None]) -> ToolResult:
            result = whole(tool, arguments, interfere)
            if tool == "Bash":
                folder = str(session.workspace.root / str(arguments["command"]).removeprefix("cd "))
                session.tools._session.change_directory(folder)
                agent.tools._session.change_directory(folder)
            return result

        agent.alter = alter  # type: ignore[method-assign]
        return agent


@before_each_call
def RemovesAtSigns(call: Call) -> ToolResult:
    """Removes an at sign at the start of a path, so that it changes a different file."""
    return call.execute(file_path=str(call.arguments.get("file_path", "")).removeprefix("@"))


@before_each_call
def RemovesLineNumbers(call: Call) -> ToolResult:
    """Removes a colon and a number at the end of a path, so that it changes a different file."""
    path, _, number = str(call.arguments.get("file_path", "")).rpartition(":")
    return call.execute(**({"file_path": path} if number.isdigit() else {}))


class RewindsByRemoval(Altered):
    """Deletes a directory in a rewind, if it is now at the path of a file to restore."""

    def rewind(self) -> None:
        for path in [*self.tools._session.storage.checkpoint._saved]:  # type: ignore[union-attr]
            if os.path.isdir(path):  # noqa: PTH112 - paths are strings there
                shutil.rmtree(path)
        self.tools.rewind()


class RewindsFolders(Altered):
    """Removes in a rewind the directory that was created for a new file, with all other files in it."""

    def rewind(self) -> None:
        super().rewind()
        folder = self.workspace.root / "folder"
        if folder.is_dir():
            shutil.rmtree(folder)


class RewindsOnlyContent(Altered):
    """Restores the content of a file in a rewind, but not its mode."""

    def rewind(self) -> None:
        modes = {path: path.stat().st_mode for path in self.workspace.root.rglob("*") if path.is_file()}
        super().rewind()
        for path, mode in modes.items():
            if path.exists():
                path.chmod(mode)


class RewindsMoves(Altered):
    """Deletes in a rewind also the file that another program made by renaming the edited file."""

    def rewind(self) -> None:
        super().rewind()
        (self.workspace.root / "moved.txt").unlink(missing_ok=True)


@contextmanager
def _without_rules(session: Altered) -> Iterator[None]:
    permissions = session.tools._session.permissions
    no_rules = DenyRules((), root=permissions.root, home=permissions.root)
    session.tools._session.permissions = type(permissions)(no_rules, permissions.behaviours, permissions.root)
    yield
    session.tools._session.permissions = permissions


@before_each_call
def RunsEveryCommand(call: Call) -> ToolResult | None:
    """Runs commands without checking which files they read or change."""
    if call.tool != "Bash":
        return None
    with _without_rules(call.session):
        return call.execute()


@before_each_call
def BlocksEveryName(call: Call) -> ToolResult | None:
    """Refuses every command that contains the name of a denied directory, even if the command does not use it."""
    named = any(name in str(call.arguments.get("command", "")) for name in ("secret", "closed"))
    blocks = call.tool == "Bash" and named and call.session.workspace.deny
    return ToolResult("No.", True) if blocks else None


class ShowsMentions(Altered):
    """Shows the model a file that the user mentions although a deny rule forbids it."""

    def mention(self, path: str) -> None:
        with _without_rules(self):
            super().mention(path)


@before_each_call
def RestoresDeletedFiles(call: Call) -> ToolResult:
    """Creates a file again, with its known content, that a hook has deleted."""
    path = call.path
    if call.tool == "Edit" and not path.exists() and path in call.memory:
        path.write_bytes(call.memory[path])
        call.read()
    before = path.read_bytes() if path.is_file() else b""
    result = call.execute()
    call.memory[path] = before
    return result


BY_SCENARIO: Mapping[str, type[Altered]] = {
    "repositories/edit-and-write": RefreshesTheIndex,
    "repositories/sub-agent-and-resume": AddsObjects,
    "repositories/with-hooks": RunsHooks,
    "repositories/locked-index": RemovesLocks,
    "repositories/file-instead-of-a-git-folder": RepairsWorktrees,
    "repositories/nested-repository": CopiesIntoTheRepository,
    "working-directory/edit-after-cd": IgnoresCd,
    "working-directory/read-before-cd": RemembersNamesAsWritten,
    "working-directory/cd-then-resume": KeepsDirectoryAfterResume,
    "working-directory/cd-then-compaction": LeavesDirectoryAtCompaction,
    "working-directory/cd-in-a-sub-agent": FollowsItsSubAgent,
    "working-directory/at-sign-before-a-path": RemovesAtSigns,
    "working-directory/line-number-behind-a-path": RemovesLineNumbers,
    "rewind/folder-with-files-in-its-place": RewindsByRemoval,
    "rewind/new-files-of-others": RewindsFolders,
    "rewind/mode-changed-since": RewindsOnlyContent,
    "rewind/renamed-since": RewindsMoves,
    "permissions/commands-that-read-closed-files": RunsEveryCommand,
    "permissions/commands-that-write-closed-files": RunsEveryCommand,
    "permissions/more-commands-that-read-closed-files": BlocksEveryName,
    "permissions/mention-of-a-closed-file": ShowsMentions,
    "hooks/deleted-after-edit": RestoresDeletedFiles,
}


def implementations_by_name() -> dict[str, tuple[type[Altered], str]]:
    return {f"{kind.__name__} in {by}": (kind, by) for by, kind in BY_SCENARIO.items()}
