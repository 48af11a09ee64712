"""Bisecting published versions, from a registry of made-up ones."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.bisect import BisectError, Bisection, Found, between
from harness.claude_code.package import cache_root, installed
from harness.cli import main
from harness.recordings import Recordings
from harness.suite import Suite
from harness.summary import ExitCode

from .fake_registry import FakeNpm, FakeRegistry, saying

OLD, NEW = saying('"Done"'), saying('"Done, and said otherwise"')
Npm = Callable[..., FakeNpm]


def versions(changed: int, newest: int = 9) -> dict[str, str]:
    return {f"1.0.{patch}": NEW if patch >= changed else OLD for patch in range(1, newest + 1)}


def bisect(suite: Suite, *options: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["bisect", "gate/x", "--fixtures", str(suite.root), *options])
    assert isinstance(ended.value.code, int)
    return ended.value.code


@pytest.mark.parametrize("changed", range(2, 10))
def test_the_first_version_that_differs_is_found_wherever_it_is(changed: int) -> None:
    published = [f"1.0.{patch}" for patch in range(1, 10)]
    asked: list[str] = []

    def facts_of(version: str) -> tuple[bool]:
        asked.append(version)
        return (int(version.rpartition(".")[2]) >= changed,)

    found = Bisection(published, facts_of).search()
    assert found == Found(f"1.0.{changed - 1}", f"1.0.{changed}", again=False, replayed=len(asked))
    assert len(asked) == len(set(asked)) <= 6


def test_a_further_change_after_the_first_is_told() -> None:
    found = Bisection(
        ["1", "2", "3", "4"], lambda version: ({"1": "a", "2": "b"}.get(version, "c"),)
    ).search()
    assert (found.before, found.after, found.again) == ("1", "2", True)


def test_ends_that_are_not_published_are_refused() -> None:
    with pytest.raises(BisectError, match=r"2\.1\.88 is not published, or refused"):
        between(["2.1.87", "2.1.89"], "2.1.88", "2.1.89")
    with pytest.raises(BisectError, match="is not older"):
        between(["1.0.1", "1.0.2"], "1.0.2", "1.0.1")


def test_scripts_and_programs_are_installed_from_a_registry_and_replayed(
    suite: Suite, registry: Callable[..., FakeRegistry], capsys: pytest.CaptureFixture[str]
) -> None:
    made = registry(versions(3, newest=5), native=frozenset({"1.0.4", "1.0.5"}))
    assert bisect(suite) == ExitCode.CONFORMANT
    printed = capsys.readouterr().out
    assert "gate/x: changed in 1.0.3; 1.0.2 is still like 1.0.1 (text)" in printed
    assert "1.0.2  Edit: Done\n" in printed
    assert "1.0.3  Edit: Done, and said otherwise\n" in printed
    assert len(made.fetched) <= 6


def test_what_is_not_compared_does_not_count_as_a_change(suite: Suite, npm: Npm) -> None:
    npm(versions(3, newest=4))
    assert bisect(suite, "--level", "effects") == ExitCode.NOTHING
    assert bisect(suite, "--level", "text") == ExitCode.CONFORMANT


def test_a_search_goes_on_from_its_takes(
    suite: Suite, npm: Npm, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = npm(versions(3, newest=4))
    assert bisect(suite, "--takes", str(tmp_path / "takes")) == ExitCode.CONFORMANT
    first, fetched = capsys.readouterr().out, len(made.fetched)
    for version in installed():
        (cache_root() / version).rename(tmp_path / version)
    assert bisect(suite, "--takes", str(tmp_path / "takes")) == ExitCode.CONFORMANT
    assert capsys.readouterr().out == first
    assert len(made.fetched) == fetched


def test_no_more_versions_stay_installed_than_asked_for(suite: Suite, npm: Npm) -> None:
    npm(versions(3, newest=5))
    assert bisect(suite, "--keep", "2") == ExitCode.CONFORMANT
    assert len(installed()) == 2


def test_the_refused_version_is_never_fetched(suite: Suite, npm: Npm) -> None:
    published = {f"2.1.{patch}": NEW if patch >= 89 else OLD for patch in range(86, 91)}
    made = npm(published)
    assert bisect(suite, "--from", "2.1.86") == ExitCode.CONFORMANT
    assert "2.1.88" not in made.fetched
    assert bisect(suite, "--from", "2.1.88") == ExitCode.USAGE


def test_the_border_can_be_recorded(suite: Suite, npm: Npm) -> None:
    npm(versions(3, newest=4))
    assert bisect(suite, "--record") == ExitCode.CONFORMANT
    recorded = json.loads(Recordings(suite.recordings_root).path("gate/x").read_bytes())
    assert set(recorded["contracts"]) == {"1.0.2", "1.0.3"}
    clauses = suite.scenario("gate/x").steps[0].expect  # type: ignore[union-attr]
    assert [str(clause.when.claude_code) for clause in clauses if clause.when] == ["<1.0.3", ">=1.0.3"]


def test_a_version_that_answers_twice_in_two_ways_ends_the_search(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str]
) -> None:
    unsteady = saying("String(process.pid)")
    npm({"1.0.1": OLD, "1.0.2": unsteady, "1.0.3": NEW})
    assert bisect(suite) == ExitCode.USAGE
    assert "1.0.2: two replays gave different transcripts" in capsys.readouterr().err


def test_a_registry_that_cannot_be_reached_is_told(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str]
) -> None:
    npm(versions(2)).close()
    assert bisect(suite) == ExitCode.BROKEN
    assert "npm does not tell the versions of @anthropic-ai/claude-code" in capsys.readouterr().err
