"""Copy scenarios from one suite to another: families with all their files, or a single scenario."""

from collections.abc import Sequence
from pathlib import Path

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.atomic_write import write_all

_SCHEMA_COMMENT = "# yaml-language-server:"
_SHARED_FILES = ("contracts.yaml", "errors.yaml", "rules.yaml", "tags.yaml")


class CopyError(ReadfirstError):
    """Scenarios cannot be copied to another suite. The message states the reason."""


def copy_families(source: Suite, families: Sequence[str], target: Path) -> list[str]:
    """Copy all scenarios of some families, with their recordings and missing shared files, such as rules.yaml, to the
    suite directory `target`. Return their ids. Raises CopyError if a file exists or a family is unknown, SuiteError,
    RecordingError, and OSError.
    """
    all_ids = source.ids()
    ids = [scenario_id for scenario_id in all_ids if scenario_id.partition("/")[0] in families]
    if missing := {*families} - {scenario_id.partition("/")[0] for scenario_id in ids}:
        known = ", ".join(dict.fromkeys(scenario_id.partition("/")[0] for scenario_id in all_ids))
        raise CopyError(f"there is no family {min(missing)!r}, only: {known}")
    files: dict[Path, bytes] = {}
    for scenario_id in ids:
        root = source.suite_containing(scenario_id).root
        for path in (source.path(scenario_id), source.recordings.path(scenario_id)):
            if path.is_file():
                files[target / path.relative_to(root)] = path.read_bytes()
    _write_copies(source, files, target)
    return ids


def copy_scenario(source: Suite, scenario_id: str, target: Path) -> Path:
    """Copy one scenario, with its recording and missing shared files, to the suite directory `target`. Return the path
    of the new file, which contains only this scenario. Raises CopyError if the expectations of the scenario are only in
    its recording, and the errors of `copy_families`.
    """
    if source.location(scenario_id).composed:
        raise CopyError(
            f"The expected results of {scenario_id} are only in its recording. Copy its family: --family "
            f"{scenario_id.partition('/')[0]}"
        )
    text = source.text(scenario_id)
    if text.startswith(_SCHEMA_COMMENT) and not (target / "schema").is_dir():
        text = text.partition("\n")[2]
    path = target / "scenarios" / f"{scenario_id}.yaml"
    recording = source.recordings.recording(scenario_id)
    _write_copies(source, {path: text.encode()}, target)
    if recording.transcripts:
        write_all(Suite(target).recordings.written(scenario_id, recording))
    return path


def _write_copies(source: Suite, files: dict[Path, bytes], target: Path) -> None:
    """Write the files, and missing shared files that are not bundled. Raises CopyError if a file exists."""
    if existing := sorted(path for path in files if path.exists()):
        raise CopyError(f"{existing[0]} already exists. Nothing was copied.")
    for part in source.parts:
        for name in _SHARED_FILES:
            if not part.bundled and part.has_own(name) and not (target / name).exists():
                files[target / name] = (part.root / name).read_bytes()
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
    write_all(files)
