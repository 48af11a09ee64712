"""`readfirst renew` runs every generating command in order, up to the first group with a failing command."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from readfirst.observatory.cli import pages
from tests.command_line import COMMANDS, Cli
from tests.rows import rows

CHECKOUT = Path(__file__).parents[3]
STEPS = [step for steps in pages.STEPS for step in steps]


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """A list that collects the commands that `renew` starts. The commands are not run; `product history` fails."""
    found: list[Sequence[str]] = []

    def perform(step: Sequence[str], checkout: Path) -> int:
        assert checkout == CHECKOUT
        found.append(step)
        return 3 if "history" in step else 0

    monkeypatch.setattr(pages, "_perform", perform)
    return found


def test_the_commands_run_group_by_group_until_one_fails(readfirst: Cli, ran: list[Sequence[str]]) -> None:
    ended = readfirst("renew")
    assert ended.code == 3
    assert sorted(ran) == sorted(pages.STEPS[0]), "those that run at once, and none of the others"
    assert (
        "`readfirst product history --write` ended with exit code 3; the commands after it were not run."
        in ended.err
    )


@rows("step", STEPS)
def test_each_is_a_command_that_there_is(step: tuple[str, ...]) -> None:
    program, *words = step
    if program == "readfirst":
        assert " ".join(word for word in words if not word.startswith("-")) in COMMANDS
    else:
        assert (CHECKOUT / words[0]).is_file()
        assert pages._perform((program, "-c", "raise SystemExit(7)"), CHECKOUT) == 7


def test_every_command_that_writes_a_page_is_among_them() -> None:
    """Messages tell the user to write outdated pages with `readfirst ... --write`. `renew` must run these commands."""
    run = {" ".join(step[1:]) for step in STEPS}
    sources = "\n".join(file.read_text() for file in (CHECKOUT / "observatory" / "cli").glob("*.py"))
    for command in COMMANDS:
        if f'"{command} --write"' in sources:
            assert f"{command} --write" in run


def test_installed_there_is_nothing_to_renew(readfirst: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "page_file", lambda *_: None)
    ended = readfirst("renew")
    assert (ended.code, "run this in a checkout" in ended.err) == (2, True)
