import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from readfirst.harness.agents.claude_code.install import cache_root
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.scenario import TextDigest
from readfirst.harness.suite.suite import Suite
from tests.command_line import exit_code
from tests.small_suites import file_bytes

from .conftest import expected_answers
from .fake_registry import FakeNpm, saying

pytestmark = pytest.mark.slow

OLD, NEW = saying('"Done"'), saying('"Done, and said otherwise"')
Npm = Callable[..., FakeNpm]
Capture = pytest.CaptureFixture[str]


def snapshot(suite: Suite, version: str, *options: str) -> int:
    takes = suite.root.parent / "takes"
    return exit_code("product", "snapshot", version, "--fixtures", suite.root, "--takes", takes, *options)


def record(suite: Suite, contract: str = "all") -> None:
    options = ("--fixtures", suite.root, "--takes", suite.root.parent / "takes")
    assert exit_code("product", "record", "--contract", contract, "--fix", *options) == ExitCode.CONFORMANT


def test_a_version_without_differences_becomes_a_contract(suite: Suite, npm: Npm, capsys: Capture) -> None:
    npm({"1.0.1": OLD, "1.0.2": OLD})
    record(suite)
    assert snapshot(suite, "1.0.2") == ExitCode.CONFORMANT
    assert "1.0.1 → 1.0.2: no difference in 1 scenario\n" in capsys.readouterr().out
    written = Suite(suite.root)
    assert written.contracts["1.0.2"].model == "new"
    assert written.contracts["1.0.2+gated"].model == "old"
    transcripts = Recordings(suite.recordings_root).recording("gate/x").transcripts
    assert set(transcripts) == {"1.0.1", "1.0.1+gated", "1.0.2", "1.0.2+gated"}
    assert exit_code("lint", "gate/x", "--fixtures", str(suite.root)) == ExitCode.CONFORMANT


def test_a_version_that_answers_differently_is_reported(suite: Suite, npm: Npm, capsys: Capture) -> None:
    npm({"1.0.1": OLD, "1.0.2": NEW})
    record(suite)
    before = suite.path("gate/x").read_bytes()
    assert snapshot(suite, "latest", "-j", "2") == ExitCode.NOT_CONFORMANT
    assert capsys.readouterr().out.endswith(
        "1.0.1 → 1.0.2: 1 of 1 scenario differs, 1 cause\n\nWords\n"
        "- Edit: says “Done” → “Done, and said otherwise”  [1 scenario, between 1.0.1 and 1.0.2]\n"
        "    - Done\n    + Done, and said otherwise\n    gate/x\n"
        "1.0.1+gated → 1.0.2+gated: 1 of 1 scenario differs, 1 cause, the same\n"
    )
    new = "Done, and said otherwise"
    old = {"1.0.1": "Done", "1.0.1+gated": "Done"}
    assert expected_answers(Suite(suite.root)) == {**old, "1.0.2": new, "1.0.2+gated": new}
    assert suite.path("gate/x").read_bytes() == before, "it states its own contract only"


def test_a_difference_that_expectations_allow_is_no_failure(suite: Suite, npm: Npm, capsys: Capture) -> None:
    npm({"1.0.1": OLD, "1.0.2": NEW})
    path = suite.path("gate/x")
    path.write_text(path.read_text().replace("text: Done", "text: {starts: Done}"))
    record(suite)
    stated = path.read_text()
    assert "{starts: Done}" in stated
    assert snapshot(suite, "1.0.2") == ExitCode.CONFORMANT
    assert capsys.readouterr().out.endswith(
        "1.0.1 → 1.0.2: no difference in 1 scenario\n"
        "1.0.1+gated → 1.0.2+gated: no difference in 1 scenario\n"
        "1.0.2: 1 more differs only in values that no expectation states\n  gate/x\n"
        "1.0.2+gated: 1 more differs only in values that no expectation states\n  gate/x\n"
    )
    assert path.read_text() == stated
    names = ("1.0.1", "1.0.1+gated", "1.0.2", "1.0.2+gated")
    assert expected_answers(Suite(suite.root)) == dict.fromkeys(names, TextDigest(starts="Done"))


def test_an_unknown_error_message_keeps_files_and_replays(suite: Suite, npm: Npm, capsys: Capture) -> None:
    refusing = 'return {"content": "Out of cheese", "is_error": True}'
    made = npm({"1.0.1": OLD, "1.0.2": refusing})
    record(suite)
    before = file_bytes(suite)
    assert snapshot(suite, "1.0.2") == ExitCode.SUITE_INVALID
    assert "Out of cheese" in capsys.readouterr().out
    assert file_bytes(suite) == before
    vocabulary = suite.root / "errors.yaml"
    entry = "  out_of_cheese:\n    summary: No cheese.\n    forms: [Out of cheese]\n"
    vocabulary.write_text(vocabulary.read_text() + entry)
    made.close()
    assert snapshot(suite, "1.0.2") == ExitCode.NOT_CONFORMANT
    texts = expected_answers(Suite(suite.root))
    assert (texts["1.0.1"], texts["1.0.2"]) == ("Done", "out_of_cheese")


def test_the_previous_version_needs_both_classes_of_models(suite: Suite, npm: Npm, capsys: Capture) -> None:
    """With recordings of only one class, the new version cannot be compared."""
    npm({"1.0.1": OLD, "1.0.2": OLD})
    record(suite, "1.0.1")
    before = file_bytes(suite)
    assert snapshot(suite, "1.0.2") == ExitCode.USAGE
    assert "There are no recordings of 1.0.1+gated, with which" in capsys.readouterr().err
    assert file_bytes(suite) == before


def test_a_snapshot_of_an_excluded_version_is_refused(suite: Suite, npm: Npm, capsys: Capture) -> None:
    npm({"1.0.0": OLD, "1.0.1": OLD, "1.0.2": OLD, "2.1.88": OLD})
    assert snapshot(suite, "1.0.2") == ExitCode.USAGE
    assert "There are no recordings of 1.0.1 or 1.0.1+gated" in capsys.readouterr().err
    record(suite)
    assert snapshot(suite, "1.0.0") == ExitCode.USAGE
    assert "older than every contract" in capsys.readouterr().err
    assert snapshot(suite, "2.1.88") == ExitCode.ERROR
    assert "2.1.88 is never installed" in capsys.readouterr().err


def test_recordings_of_all_machines_are_merged(
    suite: Suite, npm: Npm, tmp_path: Path, capsys: Capture
) -> None:
    npm({"1.0.1": OLD})
    second = suite.scenarios_root / "gate" / "y.yaml"
    second.write_text(suite.path("gate/x").read_text().replace("Edit answers what", "Edit tells again what"))
    before = file_bytes(suite)
    folders = [str(tmp_path / "one"), str(tmp_path / "two")]
    for number, folder in enumerate(folders, 1):
        words = ["--fixtures", suite.root, "--contract", "all", "--shard", f"{number}/2", "--takes", folder]
        assert exit_code("product", "record", *words) == ExitCode.CONFORMANT
    assert file_bytes(suite) == before
    merge = ["product", "merge", "--contract", "all", "--fixtures", str(suite.root)]
    assert exit_code(*merge, folders[0]) == ExitCode.NOT_CONFORMANT
    assert "missing gate/y" in capsys.readouterr().out
    assert exit_code(*merge, *folders) == ExitCode.CONFORMANT
    for name in ("gate/x", "gate/y"):
        assert len(Recordings(suite.recordings_root).recording(name).transcripts) == 2


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/0"])
def test_an_invalid_number_of_a_part_is_refused(suite: Suite, shard: str, tmp_path: Path) -> None:
    options = ["--shard", shard, "--takes", str(tmp_path / "takes"), "--fixtures", str(suite.root)]
    assert exit_code("product", "record", *options) == ExitCode.USAGE


def test_the_option_check_uses_no_stored_replays(suite: Suite, npm: Npm, tmp_path: Path) -> None:
    npm({"1.0.1": OLD})
    record(suite)
    for contract in ("1.0.1", "1.0.1+gated"):
        shard = ["--contract", contract, "--shard", "1/1", "--takes", str(tmp_path / "cache/readfirst/takes")]
        assert exit_code("product", "record", "--fixtures", str(suite.root), *shard) == ExitCode.CONFORMANT
    shutil.rmtree(cache_root())
    npm({"1.0.1": NEW})
    check = ["product", "record", "--check", "--contract", "all", "--fixtures", str(suite.root)]
    assert exit_code(*check) == ExitCode.NOT_CONFORMANT
