"""Recordings as snapshots of syrupy keep bytes that its own serializers lose. Differences fail the test."""

import textwrap
from pathlib import Path

import pytest

from readfirst.harness.suite.recording_file import format_recording
from readfirst.harness.suite.recordings import Recordings
from readfirst.harness.suite.transcript import Recording
from tests.small_suites import transcript_of_read

pytest_plugins = ["pytester"]

AWKWARD = "a\r\nb\rc\x00\ufeff"
TEST = """
    from pathlib import Path
    from readfirst.harness.suite.transcript import RecordedResult, Transcript, TranscriptStep
    from readfirst.harness.record.syrupy_extension import RecordingExtension

    class Own(RecordingExtension):
        root = Path({root!r})

    def test_it(snapshot):
        transcript = Transcript((TranscriptStep(("Read",), (RecordedResult({text!r}),)),))
        assert transcript == snapshot(name="gate/x@2.1.7", extension_class=Own)
"""


def run(pytester: pytest.Pytester, root: Path, text: str, *options: str) -> pytest.RunResult:
    """Run pytest on a test whose answer is `text`. The recordings are in `root`."""
    pytester.makepyfile(textwrap.dedent(TEST.format(root=str(root), text=text)))
    return pytester.runpytest_inprocess("-p", "no:cacheprovider", "-p", "no:readfirst", *options)


def keep(root: Path, texts: dict[str, str]) -> Path:
    """Write the recording of `gate/x` with these texts, by version. Return its file."""
    path = Recordings(root).path("gate/x")
    path.parent.mkdir(exist_ok=True)
    transcripts = {version: transcript_of_read(text) for version, text in texts.items()}
    path.write_bytes(format_recording(Recording("", transcripts), "x"))
    return path


def test_syrupy_keeps_every_byte_of_a_recording(pytester: pytest.Pytester, tmp_path: Path) -> None:
    run(pytester, tmp_path, AWKWARD, "--snapshot-update").assert_outcomes(passed=1)
    stored = Recordings(tmp_path).recording("gate/x").transcripts.get("2.1.7")
    assert stored == transcript_of_read(AWKWARD)
    run(pytester, tmp_path, AWKWARD).assert_outcomes(passed=1)


@pytest.mark.parametrize("change", [("\r\n", "\n"), ("\rc", "\nc"), ("\0", ""), ("\ufeff", "")])
def test_a_lost_control_character_fails_a_test(pytester: pytest.Pytester, tmp_path: Path, change) -> None:
    keep(tmp_path, {"2.1.7": AWKWARD})
    run(pytester, tmp_path, AWKWARD.replace(*change)).assert_outcomes(failed=1)


def test_a_snapshot_test_of_an_unrecorded_contract_fails(pytester: pytest.Pytester, tmp_path: Path) -> None:
    run(pytester, tmp_path, "x").assert_outcomes(failed=1)


def test_updating_snapshots_keeps_other_recordings(pytester: pytest.Pytester, tmp_path: Path) -> None:
    path = keep(tmp_path, {"2.0.0": "same", "2.1.7": "old"})
    run(pytester, tmp_path, "same", "--snapshot-update").assert_outcomes(passed=1)
    updated = path.read_bytes()
    keep(tmp_path, {"2.0.0": "same", "2.1.7": "same"})
    assert updated == path.read_bytes()
