"""Copy families of scenarios from one suite to another."""

from collections.abc import Sequence
from pathlib import Path

from readfirst.harness.errors import ReadfirstError
from readfirst.harness.suite.suite import Suite
from readfirst.harness.yaml_io.atomic_write import write_all

_SHARED = ("contracts.yaml", "errors.yaml", "rules.yaml", "tags.yaml")


class CopyError(ReadfirstError):
    """The scenarios cannot be copied; the message names the reason."""


def copy_families(source: Suite, families: Sequence[str], target: Path) -> list[str]:
    """Copy all scenarios of these families, with recordings, to the suite at `target`. Return their ids.

    Shared files are copied, too, if neither the bundled suite nor `target` has them. Nothing is replaced.
    Raises CopyError if a file exists or a family is unknown, SuiteError, RecordingError, and OSError.
    """
    every = source.ids()
    ids = [scenario_id for scenario_id in every if scenario_id.partition("/")[0] in families]
    if missing := {*families} - {scenario_id.partition("/")[0] for scenario_id in ids}:
        known = ", ".join(dict.fromkeys(scenario_id.partition("/")[0] for scenario_id in every))
        raise CopyError(f"there is no family {min(missing)!r}, only: {known}")
    files: dict[Path, Path] = {}
    for scenario_id in ids:
        root = source.part(scenario_id).root
        for path in (source.path(scenario_id), source.recordings.path(scenario_id)):
            if path.is_file():
                files[target / path.relative_to(root)] = path
    if existing := sorted(path for path in files if path.exists()):
        raise CopyError(f"{existing[0]} already exists. Nothing was copied.")
    for part in source.parts:
        for name in _SHARED:
            if not part.bundled and part.has_own(name) and not (target / name).exists():
                files[target / name] = part.root / name
    for path in files:
        path.parent.mkdir(parents=True, exist_ok=True)
    write_all({path: original.read_bytes() for path, original in files.items()})
    return ids
