import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from readfirst.harness.lint.linter import lint_suite
from readfirst.harness.suite.suite import Suite, default_root
from readfirst.harness.suite.transcript import RecordedResult, Recording, Transcript, TranscriptStep
from readfirst.harness.yaml_io.finding import Finding

__all__ = ["file_bytes", "keep_recording", "lint", "small_suite", "transcript_of_read"]

SHARED = ("contracts.yaml", "errors.yaml")
"""A small suite copies these files from the bundled suite by default."""
DEFAULTS = {"rules.yaml": "rules: {}\n"}
"""Files that a small suite does not copy from the bundled suite."""


def small_suite(
    root: Path, scenarios: Mapping[str, str | bytes] | None = None, *, shared: Sequence[str] = SHARED
) -> Suite:
    """Write a suite with these scenarios, by id, and with shared files of the bundled suite."""
    (root / "scenarios").mkdir(parents=True, exist_ok=True)
    for name in shared:
        shutil.copyfile(default_root() / name, root / name)
    for name, text in DEFAULTS.items():
        if name not in shared and not (root / name).exists():
            (root / name).write_text(text)
    for scenario_id, text in (scenarios or {}).items():
        path = root / "scenarios" / f"{scenario_id}.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
    return Suite(root)


def keep_recording(suite: Suite, scenario_id: str, recording: Recording) -> Path:
    path = suite.recordings.path(scenario_id)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(suite.recordings.written(scenario_id, recording)[path])
    return path


def transcript_of_read(text: str) -> Transcript:
    return Transcript((TranscriptStep(("Read",), (RecordedResult(text),)),))


def file_bytes(suite: Suite) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in suite.root.rglob("*") if path.is_file()}


def lint(suite: Suite, ids: Iterable[str] | None = None) -> list[Finding]:
    """Check the scenarios `ids` of a suite (None: all scenarios). Return the findings. See `lint_suite`."""
    return list(lint_suite(suite, ids).findings)
