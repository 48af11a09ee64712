"""`readfirst product adopt` records, dates and explains a new version, and continues after a person's changes."""

from collections.abc import Callable
from pathlib import Path
from textwrap import indent

import pytest

from readfirst.harness.diff.introduced_in import contracts_of_models
from readfirst.harness.errors import ExitCode
from readfirst.harness.suite.file_entry import RegularFile
from readfirst.harness.suite.product_versions import load_releases
from readfirst.harness.suite.recording_file import format_recording
from readfirst.harness.suite.scenario_inputs import inputs_of
from readfirst.harness.suite.suite import Suite
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript, TranscriptStep
from readfirst.harness.yaml_io.strict_yaml import load
from readfirst.observatory.cli import adopt
from readfirst.observatory.versions.retirement import (
    MAX_CONTRACTS,
    derive_transcript,
    distinct_scenarios,
    retire,
    retiring_version,
)
from tests.command_line import exit_code
from tests.releases.fake_registry import FakeNpm, saying

OLD, NEW = saying('"Done"'), saying('"Done, and said otherwise"')
BUNDLED = Suite()
Npm = Callable[..., FakeNpm]

CONTRACT = """\
  {name}:
    package: "@anthropic-ai/claude-code"
    version: {version}
    model: {model}
    read_gate: {gate}
    tools: [Read, Edit, Write, NotebookEdit]
    summary: Made up.
"""


def make_recording(*texts: str) -> Recording:
    """Return a recording of gate/x with these answers of 3.0.1, 3.0.2 and so on, also as `3.0.1+gated` and so on."""
    transcripts = {
        f"3.0.{number}{variant}": Transcript(
            (TranscriptStep(("Edit",), (RecordedResult(text),), {"notes.txt": RegularFile(b"gamma\n")}),)
        )
        for number, text in enumerate(texts, 1)
        for variant in ("", "+gated")
    }
    return Recording("", transcripts)


def with_recordings(suite: Suite, *texts: str) -> Suite:
    """Write the contracts 3.0.1, 3.0.2 and so on, with these answers in gate/x, and return the suite."""
    path = suite.path("gate/x")
    recording = make_recording(*texts)
    contracts = "default: 3.0.1\ncontracts:\n" + "".join(
        CONTRACT.format(
            name=name,
            version=name.partition("+")[0],
            model="old" if gated else "new",
            gate=gated or "relaxed",
        )
        for name in recording.transcripts
        for gated in ["enforced" if "+" in name else ""]
    )
    (suite.root / "contracts.yaml").write_text(contracts)
    target = suite.recordings_root / "gate/x.json"
    target.parent.mkdir(exist_ok=True)
    inputs = inputs_of(load(path.read_bytes(), path).value)
    target.write_bytes(format_recording(Recording(inputs, recording.transcripts), "x"))
    return Suite(suite.root)


def run_adopt(suite: Suite, version: str = "3.0.3") -> int:
    folder = suite.root.parent
    words = ("--fixtures", suite.root, "--takes", folder / "takes", "--report", folder / "report.md")
    return exit_code("product", "adopt", version, *words)


@pytest.mark.slow
def test_a_version_is_recorded_dated_and_explained_and_goes_on_where_it_stopped(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = npm({"3.0.1": OLD, "3.0.2": OLD, "3.0.3": NEW})
    suite = with_recordings(suite, "Done")
    assert run_adopt(suite) == ExitCode.NOT_CONFORMANT
    shown = capsys.readouterr().out
    task = "Edit: says “Done” → “Done, and said otherwise” since 3.0.3, shown by gate/x: add a behaviour"
    assert f"left for a person: {task}\n" in shown
    assert "left for a person: the reference: raise LAST_VERSION" in shown
    report = (suite.root.parent / "report.md").read_text()
    assert report.startswith("# 3.0.1 → 3.0.3\n")
    assert "# 3.0.1+gated → 3.0.3+gated\n\nThe same.\n" in report
    assert "## Left for a person" in report
    assert load_releases(suite.root / "releases.yaml").versions == ("3.0.1", "3.0.2", "3.0.3")
    suite = Suite(suite.root)
    assert [each.name for each in suite.contracts.recorded][-2:] == ["3.0.3", "3.0.3+gated"]
    names = list(suite.recordings.recording("gate/x").transcripts)
    assert names == [f"3.0.{patch}{variant}" for patch in (1, 2, 3) for variant in ("", "+gated")]

    made.close()
    before = {path: path.read_bytes() for path in suite.root.rglob("*") if path.is_file()}
    assert run_adopt(suite) == ExitCode.NOT_CONFORMANT
    assert task in capsys.readouterr().out
    assert {path: path.read_bytes() for path in suite.root.rglob("*") if path.is_file()} == before

    monkeypatch.setattr(adopt, "_is_followed", lambda *_: True)
    assert run_adopt(suite) == ExitCode.CONFORMANT
    assert "left for a person" not in capsys.readouterr().out


@pytest.mark.slow
def test_a_change_that_was_taken_back_is_recorded_in_the_version_between(suite: Suite, npm: Npm) -> None:
    npm({"3.0.1": OLD, "3.0.2": NEW, "3.0.3": OLD})
    suite = with_recordings(suite, "Done")
    other = suite.path("gate/x").read_text().partition("    expect:")[0]
    (suite.root / "scenarios/gate/y.yaml").write_text(other.replace("alpha, new", "al, new"))
    takes = suite.root.parent / "takes"
    words = ("--contract", "all", "--fixtures", suite.root, "--takes", takes)
    assert exit_code("product", "record", "gate/y", *words) == ExitCode.CONFORMANT
    partly = f'if args["old_string"] == "al":\n{indent(NEW, "    ")}\n{OLD}'
    npm({"3.0.1": OLD, "3.0.2": NEW, "3.0.3": partly})
    assert run_adopt(suite) == ExitCode.NOT_CONFORMANT
    found = Suite(suite.root).recordings.recording("gate/x").transcripts
    assert [found[f"3.0.{patch}"].steps[0].results[0].text for patch in (1, 2, 3)] == [
        "Done",
        "Done, and said otherwise",
        "Done",
    ]


@pytest.mark.slow
def test_the_former_newest_contract_leaves_once_the_reference_follows(
    suite: Suite, npm: Npm, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    npm({f"3.0.{patch}": OLD for patch in (1, 2, 3)})
    suite = with_recordings(suite, "Done", "Done", "Done")
    monkeypatch.setattr(adopt, "MAX_CONTRACTS", 4)
    asked: list[str] = []
    monkeypatch.setattr(adopt, "_is_followed", lambda _, name, ids: not asked.append(name))
    assert run_adopt(suite) == ExitCode.CONFORMANT
    assert "3.0.2 is not a contract any more" in capsys.readouterr().out
    assert asked == ["3.0.3", "3.0.3+gated", "3.0.2", "3.0.2+gated"]
    assert [each.version for each in Suite(suite.root).contracts.recorded] == ["3.0.1"] * 2 + ["3.0.3"] * 2

    suite = with_recordings(suite, "Done", "Otherwise", "Done")
    monkeypatch.setattr(adopt, "_is_followed", lambda _, name, __: "3.0.2" not in name)
    assert run_adopt(suite) == ExitCode.NOT_CONFORMANT
    assert "3.0.2 stays a contract" in capsys.readouterr().out
    assert "3.0.2" in Suite(suite.root).contracts


def test_answers_that_differ_from_a_neighbours_stay_and_the_others_can_be_worked_out(suite: Suite) -> None:
    for texts, kept in {
        ("a", "a", "a"): [],
        ("a", "b", "b"): ["gate/x"],
        ("a", "a", "b"): ["gate/x"],
        ("a", "b", "a"): ["gate/x"],
    }.items():
        suite = with_recordings(suite, *texts)
        assert distinct_scenarios(suite, "3.0.2") == {"3.0.2": kept, "3.0.2+gated": kept}
        before = suite.recordings.recording("gate/x").transcripts
        retire(suite, "3.0.2")
        suite = Suite(suite.root)
        assert [each.version for each in suite.contracts.recorded] == ["3.0.1"] * 2 + ["3.0.3"] * 2
        after = suite.recordings.recording("gate/x")
        assert ("3.0.2" in after.transcripts) == bool(kept)
        assert {name: derive_transcript(after, name) for name in before} == dict(before)


def test_the_default_and_changes_of_form_stay_contracts(suite: Suite) -> None:
    suite = with_recordings(suite, "a", "a", "a")
    assert retiring_version(suite.contracts, "3.0.3") == "3.0.2"
    assert retiring_version(suite.contracts, "3.0.2") is None, "there is none before it"
    listed = suite.root / "contracts.yaml"
    text = listed.read_text()
    listed.write_text(text.replace("default: 3.0.1", "default: 3.0.2"))
    assert retiring_version(Suite(suite.root).contracts, "3.0.3") is None
    head, _, rest = text.partition("  3.0.2:")
    listed.write_text(
        f"{head}  3.0.2:{rest.replace('[Read, Edit, Write, NotebookEdit]', '[Read, Edit, Write]', 1)}"
    )
    assert retiring_version(Suite(suite.root).contracts, "3.0.3") is None


def test_the_bundled_suite_keeps_to_the_policy() -> None:
    assert len(BUNDLED.contracts.recorded) <= MAX_CONTRACTS


def test_the_answers_of_a_bundled_contract_could_be_worked_out_without_it() -> None:
    former = BUNDLED.contracts.before(BUNDLED.contracts.latest)
    assert former is not None
    seen = 0
    for scenario_id in BUNDLED.ids()[::20]:
        recording = BUNDLED.recordings.recording(scenario_id)
        names = contracts_of_models(recording, gated=False)
        if former.name in names[1:-1]:
            place = names.index(former.name)
            around = [recording.transcripts[names[place + step]] for step in (-1, 0, 1)]
            if around[0] == around[1] == around[2]:
                seen += 1
                assert derive_transcript(recording.without(former.name), former.name) == around[1]
    assert seen > 50


def test_the_reference_is_asked_whether_it_follows(tmp_path: Path) -> None:
    assert adopt._is_followed(BUNDLED, BUNDLED.contracts.latest.name, ["gate/edit-unread"])
    assert not adopt._is_followed(BUNDLED, "9.9.9", ["gate/edit-unread"])
