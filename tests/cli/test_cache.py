import fcntl
import io
import os
import re
import sys
import time
from pathlib import Path

import pytest

from readfirst.harness.agents.claude_code import install
from readfirst.harness.versions.cache import list_entries
from tests.command_line import Cli, Terminal

DAY = 86_400
OLD, NEW = "claude-code/2.1.7", "claude-code/2.1.40"
AGNO, TAKES, FAILED = "targets/agno@3.1.10", "takes/2.1.7", "last-failed/last-failed"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache with versions, a target, replays, and a foreign directory. All commands use this cache."""
    root = tmp_path / "a cache"
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name: root / name)
    for name, size, days in (
        ("readfirst/claude-code/2.1.7/node_modules/a", 1_500_000, 40),
        ("readfirst/claude-code/2.1.40/b", 2_000, 0),
        ("readfirst/targets/agno@3.1.10-0123abcd/c", 30_000, 3),
        ("readfirst/takes/2.1.7/1/gate/x.yaml", 10, 50),
        ("readfirst/last-failed/0123.json", 10, 60),
        ("another/2.1.7/d", 10, 50),
    ):
        path = root / name
        path.parent.mkdir(parents=True)
        path.write_bytes(bytes(size))
        for each in (path, *path.parents[: len(path.relative_to(root).parts) - 1]):
            os.utime(each, (time.time() - days * DAY - 60,) * 2)
    (root / "readfirst/claude-code/2.1.7.lock").touch()
    os.link(root / "readfirst/claude-code/2.1.40/b", root / "readfirst/claude-code/2.1.40/again")
    os.utime(root / "readfirst/claude-code/2.1.40")
    (root / "readfirst/claude-code/2.1.40/link").symlink_to("../../../another")
    return root


def names() -> list[str]:
    return [f"{each.kind}/{each.name}" for each in list_entries()]


def test_every_cache_entry_is_listed_with_its_size_and_last_use(readfirst: Cli, here: Path) -> None:
    ran = readfirst("product", "cache")
    rows = [re.split(r" {2,}", line.strip()) for line in ran.out.splitlines()]
    assert [row[1] for row in rows] == ["40 days ago", "today", "3 days ago", "50 days ago", "60 days ago"]
    assert ["/".join(row[2:]) for row in rows] == [OLD, NEW, AGNO, TAKES, FAILED]
    assert rows[0][0] == "1.5 MB"
    assert rows[1][0] == "2.0 kB", "a file of two names counts once, and a link is not followed"
    assert ran.err == f"5 folders, 1.5 MB in {here / 'readfirst'}\n"
    assert ran.code == 0


@pytest.mark.parametrize(
    ("words", "left"),
    [
        (["2.1.40"], [OLD, AGNO, TAKES, FAILED]),
        (["2.1.7"], [NEW, AGNO, FAILED]),
        (["takes/2.1.7", "agno"], [OLD, NEW, FAILED]),
        (["claude-code"], [AGNO, TAKES, FAILED]),
        (["--older-than", "40"], [NEW, AGNO]),
        (["2.1.7", "--older-than", "45"], [OLD, NEW, AGNO, FAILED]),
        ([], []),
    ],
)
def test_selected_entries_are_removed(readfirst: Cli, here: Path, words: list[str], left: list[str]) -> None:
    before = names()
    listed = readfirst("product", "cache", *words)
    assert names() == before, "a list removes nothing"
    ran = readfirst("product", "cache", "--clear", "--yes", *words)
    assert (ran.code, ran.out) == (0, listed.out), "it removes what it lists"
    assert names() == left
    assert (here / "another/2.1.7/d").exists()
    assert ran.err.startswith(f"removed {len(before) - len(left)} folder")


@pytest.mark.parametrize(
    ("stdin", "code", "count", "said"),
    [
        (Terminal("n\n"), 0, 5, "Remove 5 folders, 1.5 MB?"),
        (Terminal("y\n"), 0, 0, "Remove 5 folders, 1.5 MB?"),
        (
            io.StringIO("y\n"),
            2,
            5,
            "would remove 5 folders, 1.5 MB, and there is no terminal to confirm it on. Add --yes.",
        ),
    ],
)
def test_clear_removes_entries_only_after_a_confirmation_on_a_terminal(
    readfirst: Cli, monkeypatch: pytest.MonkeyPatch, stdin: io.StringIO, code: int, count: int, said: str
) -> None:
    monkeypatch.setattr(sys, "stdin", stdin)
    ran = readfirst("product", "cache", "--clear")
    assert (ran.code, len(list_entries())) == (code, count)
    assert said in ran.err


def test_a_cache_entry_that_another_process_installs_is_not_removed(readfirst: Cli, here: Path) -> None:
    with (here / "readfirst/claude-code/2.1.7.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        ran = readfirst("product", "cache", "--clear", "claude-code", "--yes")
    assert ran.code == 3
    assert "claude-code/2.1.7 was kept: it is being installed" in ran.err
    assert names() == [OLD, AGNO, TAKES, FAILED]


def test_using_a_version_sets_its_last_use_to_today(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    directory = here / "readfirst/claude-code/2.1.7"
    monkeypatch.setattr(install, "_find_command", lambda found: (str(found),))
    assert install.install("2.1.7") == (str(directory),)
    assert [each.days for each in list_entries()] == [0, 0, 3, 50, 60]


def test_listing_an_empty_cache_is_not_an_error_but_an_unknown_name_is(readfirst: Cli) -> None:
    ran = readfirst("product", "cache", "9.9.9")
    assert (ran.code, ran.out) == (2, "")
    assert "nothing in the cache is called '9.9.9'" in ran.err
    readfirst("product", "cache", "--clear", "--yes")
    assert readfirst("product", "cache") == (0, "", "nothing is kept\n")
    assert readfirst("product", "cache", "--clear", "2.1.7", "--yes").code == 2
