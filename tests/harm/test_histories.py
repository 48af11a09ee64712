"""Commits are played as sessions: an exact writer does no harm, and the judge detects every loss."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from histories import Commit, calls_of_commit, commits_of, make_repository
from played import SessionBuilder
from writers import LOSSES, ExactWriter, Loss, OldCopy, RefusedError

from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.harm_kinds import HARMS


def change_of_others(commit: Commit) -> bytes:
    """Return the file with an additional last line of another program, which the commit does not change."""
    end = b"\r\n" if b"\r\n" in commit.before else b"\n"
    newline = b"" if commit.before.endswith(b"\n") else end
    return commit.before + newline + b"# somebody else" + end


def play(
    commit: Commit,
    writer: type[ExactWriter] = ExactWriter,
    loss: Loss | None = None,
    *,
    others: bool = False,
    mode: int | None = None,
) -> tuple[list[str], int]:
    """Return the harms in a played commit and the number of calls with a wrong result, which `loss` causes."""
    session = SessionBuilder({commit.path: commit.before, **commit.others})
    tool = writer({commit.path: commit.before, **commit.others})
    differing = 0
    session.read(f"$WS/{commit.path}", tool.read(commit.path))
    if others:
        tool.files[commit.path] = change_of_others(commit)
        session.others_change({commit.path: tool.files[commit.path]})
    for name, arguments in calls_of_commit(commit):
        before = tool.files[commit.path]
        exact = ExactWriter(tool.files)
        exact.known = dict(tool.known)
        try:
            made = tool.call(name, arguments)
        except RefusedError:
            session.call(name, arguments, "It changed. Read it again.", error=True)
            session.read(f"$WS/{commit.path}", tool.read(commit.path))
            if name == "Edit":
                continue
            arguments = {**arguments, "content": arguments["content"] + "\n# somebody else\n"}
            made = exact.files[commit.path] = tool.call(name, arguments)
        else:
            try:
                exact.call(name, arguments)
            except RefusedError:
                exact.files[commit.path] = b""
        changes = {commit.path: made} if loss is None else loss(commit.path, before, made, dict(tool.files))
        wanted = {commit.path: exact.files[commit.path]}
        changed = {
            path: data
            for path, data in changes.items()
            if data != (before if path == commit.path else commit.others.get(path))
        }
        as_asked = name == "Write" and changed == {
            commit.path: arguments["content"].encode()
        }  # this result is right, too
        differing += not as_asked and changed != {
            path: data for path, data in wanted.items() if data != before
        }
        tool.files |= changes
        session.call(name, arguments, changes=changed)
        if mode is not None:
            _with_mode(session, commit.path, mode)
    return [each.kind for each in session.harms() if each.kind in (*HARMS, "blind")], differing


def _with_mode(session: SessionBuilder, path: str, mode: int) -> None:
    step, happened = session._steps[-1]
    entry = session.state[path]
    assert isinstance(entry, RegularFile)
    session.state[path] = replace(entry, mode=mode)
    session._steps[-1] = step, replace(happened, changes={**happened.changes, path: session.state[path]})


@pytest.fixture(
    scope="module", params=[pytest.param(24, id="few"), pytest.param(320, id="many", marks=pytest.mark.slow)]
)
def history(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[Commit]:
    folder: Path = tmp_path_factory.mktemp("history")
    make_repository(folder, seed=11, count=request.param)
    commits = [*commits_of(folder)]
    assert len(commits) == request.param
    assert {commit.path for commit in commits} >= {"config.ini", "marked.txt", "docs/guide.md"}
    return commits


@pytest.mark.parametrize("others", [False, True])
def test_no_harm_is_found_if_every_call_has_exactly_the_requested_result(
    history: list[Commit], others: bool
) -> None:
    found = {index: play(commit, others=others)[0] for index, commit in enumerate(history)}
    assert {index: kinds for index, kinds in found.items() if kinds} == {}
    tools = {name for commit in history for name, _ in calls_of_commit(commit)}
    assert tools == {"Edit", "Write"}


def assert_none_missed(
    history: list[Commit], writer: type[ExactWriter], loss: Loss | None, others: bool
) -> None:
    missed, made = [], 0
    for index, commit in enumerate(history):
        kinds, differing = play(commit, writer, loss, others=others)
        made += differing > 0
        if differing and not kinds:
            missed.append(index)
    assert missed == []
    assert made > 0


@pytest.mark.parametrize("name", LOSSES)
def test_every_wrong_result_of_a_call_is_detected_as_harm(history: list[Commit], name: str) -> None:
    assert_none_missed(history, ExactWriter, LOSSES[name], others=False)


def test_every_edit_that_is_made_in_an_old_copy_is_detected_as_harm(history: list[Commit]) -> None:
    assert_none_missed(history, OldCopy, None, others=True)


def test_every_change_of_a_file_mode_is_detected_as_harm(history: list[Commit]) -> None:
    assert all("spoiled" in play(commit, mode=0o600)[0] for commit in history)
